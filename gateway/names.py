"""The rule for names that people give to remotes and functions."""

import re
import unicodedata

from gateway import frames
from gateway.exceptions import InvalidPayloadError
from gateway.limits import limits

_REFUSED_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
# Characters that reorder or hide what stands around them, so that one name looks like another.
_REFUSED = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def checked_name(value: str, path: str) -> str:
    """``value`` in the form in which names are compared (NFC).

    Args:
        path: Where the name stands in the payload, for the error's details.

    Raises:
        InvalidPayloadError: It is empty, too long, begins or ends with white space, or holds a
            character that cannot be seen for what it is.
    """
    # NFC makes one code point of three at most, and takes long over long runs of marks.
    name = value if len(value) > 3 * limits.name else unicodedata.normalize("NFC", value)
    fault = _fault(name)
    if fault:
        raise InvalidPayloadError(f"{path}: {fault}.", frames.detail(path, fault))
    return name


def _fault(name: str) -> str | None:
    if not 1 <= len(name) <= limits.name:
        return f"A name has 1 to {limits.name} characters"
    if name != name.strip():
        return "A name must not begin or end with white space"
    if any(unicodedata.category(sign) in _REFUSED_CATEGORIES for sign in name):
        return "A name must not hold control characters or line breaks"
    if _REFUSED.search(name):
        return "A name must not hold characters that change the direction of text, or U+FEFF"
    return None
