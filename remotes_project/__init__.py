"""The composition of a Remotes server: settings, URLs and the ASGI application."""

__version__ = "0.1.0"
