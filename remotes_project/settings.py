"""Every setting of the server; what differs from place to place comes from the environment."""

import os
from pathlib import Path
from typing import Any

import dj_database_url

from gateway import addresses
from remotes_project import __version__, environment

BASE_DIR = Path(__file__).resolve().parent.parent

# The place ------------------------------------------------------------------------------------

REMOTES_VERSION = __version__
REMOTES_DATA_DIR = environment.data_folder(BASE_DIR / "data")
REMOTES_HOST = os.environ.get("REMOTES_HOST") or "127.0.0.1"
REMOTES_PORT = environment.port("REMOTES_PORT", 8000)
REMOTES_LIMITS = environment.numbers("REMOTES_LIMITS")
"""Limits that differ from those of ``gateway.limits``, by name."""

DEBUG = environment.flag("REMOTES_DEBUG")
SECRET_KEY = environment.secret_key(REMOTES_DATA_DIR)
ALLOWED_HOSTS = [
    *addresses.reachable_hosts(REMOTES_HOST),
    *environment.words("REMOTES_ALLOWED_HOSTS"),
]
CSRF_TRUSTED_ORIGINS = environment.words("REMOTES_TRUSTED_ORIGINS")

# Applications ---------------------------------------------------------------------------------

INSTALLED_APPS = [
    "gateway",  # before daphne, whose runserver it refines
    "daphne",  # before staticfiles, whose runserver it replaces
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "servestatic",
    "django.contrib.staticfiles",
    "remotes",
    "chat",
    "agents",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "gateway.middleware.SecurityHeadersMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "remotes_project.urls"
ASGI_APPLICATION = "remotes_project.asgi.application"

# Larger than any frame that we accept, so that a frame above our limit gets an answer instead of
# a dropped socket.
DAPHNE_WEBSOCKET_MAX_MESSAGE_SIZE = 4 * 1024 * 1024  # bytes
DAPHNE_WEBSOCKET_MAX_FRAME_SIZE = DAPHNE_WEBSOCKET_MAX_MESSAGE_SIZE

CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Storage --------------------------------------------------------------------------------------

SQLITE: dict[str, Any] = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": REMOTES_DATA_DIR / "db.sqlite3",
    # A transaction that reads first and writes later must take the write lock at once: a lock
    # that is upgraded half way fails without waiting. See docs/decisions.
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    },
}
DATABASES = {"default": SQLITE}
if os.environ.get("DATABASE_URL"):
    DATABASES = {"default": {**dj_database_url.config(conn_health_checks=True)}}
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # Django serves each request in a thread of its own: only a pool keeps connections for the next.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("pool", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Counts tries to sign in; room for many names, so that trying names does not push counters out.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}

STATIC_URL = "/static/"
STATIC_ROOT = REMOTES_DATA_DIR / "static"
STATICFILES_DIRS = [("client", BASE_DIR / "clients" / "javascript" / "src")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "remotes_project.storage.ModuleManifestStorage"},
}
SERVESTATIC_ALLOW_ALL_ORIGINS = False

# People ---------------------------------------------------------------------------------------

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Cookies know no ports: under Django's own name another project on this machine would sign
# people out of this one.
SESSION_COOKIE_NAME = "remotes_session"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

# HTTPS, when a proxy in front speaks it and sets X-Forwarded-Proto itself ---------------------

REMOTES_HTTPS = environment.flag("REMOTES_HTTPS")
if REMOTES_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_HSTS_SECONDS = environment.number("REMOTES_HSTS_SECONDS", 86_400)
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Whether the whole domain keeps to HTTPS is not for one of its hosts to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not REMOTES_HTTPS and not addresses.is_loopback(REMOTES_HOST):
    # Browsers take this header from trustworthy origins only, and complain about it elsewhere.
    SECURE_CROSS_ORIGIN_OPENER_POLICY = None

# Logs: to stderr, without tokens, cookies or bodies -------------------------------------------

LOG_LEVEL = (os.environ.get("REMOTES_LOG_LEVEL") or "WARNING").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "gateway.logs.DiscreetFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": LOG_LEVEL, "propagate": False},
        # These print whole requests and queries below this level.
        **{
            name: {"level": "WARNING"}
            for name in ("django.db.backends", "openai", "httpx2", "httpcore2")
        },
    },
}
