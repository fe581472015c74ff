"""The chat page's addresses."""

from django.urls import path

from chat import views

urlpatterns = [
    path("", views.page, name="chat"),
    path("t/<str:thread>", views.page, name="thread"),
]
