"""Which view answers which path."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import RedirectView

from gateway import accounts, health

urlpatterns = [
    path("accounts/login/", accounts.SignInView.as_view(), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("accounts/password_change/", auth.PasswordChangeView.as_view(), name="password_change"),
    path(
        "accounts/password_change/done/",
        auth.PasswordChangeDoneView.as_view(),
        name="password_change_done",
    ),
    # One door with one throttle: the admin's own sign-in page would be a second one.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("chat.urls")),
    path("", include("remotes.urls")),
    path("", include("agents.urls")),
]
