"""The paths of the client's files and of the lines that connect it."""

from django.urls import path, re_path

from remotes import views

urlpatterns = [
    re_path(r"^(?P<name>remotes\.pyz|remotes_client-[\w.+-]+\.whl)$", views.client_file),
    path("connect-lines/", views.connect_lines, name="connect-lines"),
]
