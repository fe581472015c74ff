"""Tokens, remembered approvals and the connected remotes in Django's admin."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from gateway.actions import Scope
from remotes import registry, tokens
from remotes.models import AccessToken, ConnectedRemote, RememberedApproval


class TokenForm(forms.ModelForm):
    """A token's fields, its scopes as boxes to tick."""

    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, scope.value) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Without any it may do all that its user may, but approve calls.",
    )


@admin.register(AccessToken)
class AccessTokenAdmin(admin.ModelAdmin):
    """Tokens: made here, shown once, revoked here."""

    list_display = ("name", "user", "prefix", "created_at", "last_used_at", "expires_at", "holds")
    list_filter = ("user",)
    search_fields = ("name", "prefix", "user__username")
    fields = ("user", "name", "scopes", "expires_at", "prefix", "last_used_at", "revoked_at")
    readonly_fields = ("prefix", "last_used_at", "revoked_at")
    actions = ("revoke",)
    form = TokenForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """What a token may do is chosen once: sockets that it opened keep to that."""
        return (*self.readonly_fields, "scopes") if obj else tuple(self.readonly_fields)

    @admin.display(boolean=True)
    def holds(self, token: AccessToken) -> bool:
        """Whether it can still be used."""
        ended = token.revoked_at or token.expires_at
        return ended is None or ended > timezone.now()

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, queryset: Any) -> None:
        """End the tokens; sockets that they opened are closed."""
        for token in queryset.filter(revoked_at=None):
            token.revoked_at = timezone.now()
            token.save(update_fields=["revoked_at"])

    def save_model(self, request: HttpRequest, obj: AccessToken, form: Any, change: bool) -> None:
        """Make the token itself when the row is new, and show it this once."""
        if not change:
            token = tokens.new_token()
            for field, value in tokens.marks_of(token).items():
                setattr(obj, field, value)
            messages.success(request, f"The token, shown this once: {token}")
        super().save_model(request, obj, form, change)


@admin.register(RememberedApproval)
class RememberedApprovalAdmin(admin.ModelAdmin):
    """Remembered approvals: looked at and taken back here, given only on the page."""

    list_display = ("user", "remotename", "function", "thread", "created_at")
    list_filter = ("user",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: an approval is clicked on the page."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: it is taken back by deleting it."""
        return False


@admin.register(ConnectedRemote)
class ConnectedRemoteAdmin(admin.ModelAdmin):
    """Which remotes are connected to this process at this moment."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody: a remote connects by itself."""
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, read from memory."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Remotes connected now",
            "opts": self.model._meta,
            "remotes": registry.everything(),
        }
        return render(request, "admin/connected_remotes.html", context)
