"""How the commands find the user that they are told."""

from django.contrib.auth.models import User
from django.core.management import CommandError


def user_named(name: str) -> User:
    """The user called ``name``.

    Raises:
        CommandError: There is none; it lists who there is.
    """
    user = User.objects.filter(username=name).first()
    if user is None:
        known = ", ".join(sorted(str(each) for each in User.objects.all()[:20])) or "nobody yet"
        raise CommandError(f"There is no user {name!r}. There is: {known}.")
    return user
