"""The path of the page on models."""

from django.urls import path

from agents import views

urlpatterns = [path("staff/models/", views.models_page, name="models")]
