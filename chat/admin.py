"""Threads and what belongs to them, for staff: to look at and to delete, not to write."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from chat.models import Call, Message, Resource, Run, Thread

SHOWN = 100  # code points of a text in a list


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows to be looked at; people write them in the chat alone."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds one by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody changes one by hand."""
        return False


class BelongingAdmin(ReadOnlyAdmin):
    """Rows that go with the thread, or the user, to which they belong, and never by themselves."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Not on its own pages; those of threads and users ask whether all below them may go."""
        page = request.resolver_match.url_name if request.resolver_match else None
        own = f"{self.opts.app_label}_{self.opts.model_name}_"
        return not (page or own).startswith(own) and super().has_delete_permission(request, obj)


@admin.register(Thread)
class ThreadAdmin(ReadOnlyAdmin):
    """Threads, the latest first."""

    list_display = ("__str__", "user", "model", "created_at", "updated_at")
    list_filter = ("updated_at",)
    list_select_related = ("user",)
    search_fields = ("id", "title", "user__username")


@admin.register(Message)
class MessageAdmin(BelongingAdmin):
    """Messages, the latest first."""

    list_display = ("beginning", "role", "status", "thread", "created_at")
    list_filter = ("role", "status", "created_at")
    list_select_related = ("thread",)
    ordering = ("-created_at",)
    search_fields = ("id", "content", "thread__id", "thread__title", "thread__user__username")

    @admin.display(description="content")
    def beginning(self, message: Message) -> str:
        """The first words."""
        return message.content[:SHOWN] or "(nothing)"


@admin.register(Call)
class CallAdmin(BelongingAdmin):
    """The calls that the agent made."""

    list_display = ("id", "remotename", "function", "status", "code", "duration")
    list_filter = ("status", "code")
    ordering = ("-message__created_at", "-position")
    search_fields = ("id", "remotename", "function", "message__thread__user__username")


@admin.register(Run)
class RunAdmin(BelongingAdmin):
    """The agent's turns, the latest first."""

    list_display = ("id", "thread", "status", "error", "node", "created_at", "heartbeat")
    list_filter = ("status", "created_at")
    list_select_related = ("thread",)
    search_fields = ("id", "thread__id", "thread__title", "thread__user__username", "node")


@admin.register(Resource)
class ResourceAdmin(BelongingAdmin):
    """What is attached to threads."""

    list_display = ("content", "kind", "subkind", "thread")
    list_filter = ("kind", "subkind")
    list_select_related = ("thread",)
    search_fields = ("content", "thread__id", "thread__title", "thread__user__username")
