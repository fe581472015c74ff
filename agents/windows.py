"""What of a conversation a model is sent when it cannot read all of it.

Sizes are estimated, since no tokenizer is at hand: a token for every three bytes of UTF-8. That is
more than English takes (about four bytes) and about right for code and for scripts whose letters
have three bytes, so a conversation that fits by the estimate fits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from agents.endpoints import LEAST_WINDOW
from agents.history import Conversation, Message

BYTES_PER_TOKEN = 3
IMAGE_TOKENS = 1000
ANSWER_SHARE = 4  # one part in so many of a window is left to the answer
LEAST_SHARE = 8  # one part in so many is a conversation's, however large the functions are
TEXT_SHARE = 4  # one part in so many of the room is a text's before calls are left out for it
LEAST_TEXT = 100  # tokens that a text keeps, however little room there is
NOTE = "[Left out here, since the conversation is too long: {} bytes.]"
NOTE_TOKENS = 25


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is sent."""

    messages: Sequence[Message]
    history_from: str
    """The user's message with which it begins, if older ones are left out; else empty."""
    tokens: int


def tokens(value: object) -> int:
    """An estimate of what a part of a request takes."""
    match value:
        case str():
            size = len(value) if value.isascii() else len(value.encode(errors="replace"))
            return -(-size // BYTES_PER_TOKEN)
        case {"type": "image_url"}:
            return IMAGE_TOKENS
        case Mapping():
            return 1 + sum(tokens(key) + tokens(each) for key, each in value.items())
        case list() | tuple():
            return sum(tokens(each) for each in value)
    return 1


def room(window: int, functions: int) -> int:
    """Tokens that a conversation may take beside functions that take so many."""
    return max(window - window // ANSWER_SHARE - functions, window // LEAST_SHARE)


def fit(conversation: Conversation, room: int) -> Fitted:
    """As much of a conversation as has room, valid for a request.

    The oldest turns are left out whole. The last one always stays; where it alone is too long, the
    outcomes of its first calls are left out, then its longest texts lose their middle, then its
    first calls are left out with their outcomes.
    """
    messages = conversation.messages
    sizes = [tokens(message) for message in messages]
    from_there_on = list(accumulate(reversed(sizes)))[::-1]
    if from_there_on[0] <= room or not conversation.turns:
        return Fitted(messages, "", from_there_on[0])
    whole, *later = conversation.turns
    start, id = next(
        (turn for turn in later if sizes[0] + from_there_on[turn[0]] <= room),
        conversation.turns[-1],
    )
    kept = _shortened(messages[start:], room - sizes[0])
    size = sizes[0] + sum(map(tokens, kept))
    return Fitted([messages[0], *kept], id if start > whole[0] else "", size)


def smaller(window: int, sent: int, limit: int | None) -> int:
    """The window to try next when a request that was estimated at ``sent`` tokens was too long."""
    fitting = sent * ANSWER_SHARE // (ANSWER_SHARE + 1)
    return max(min(window, limit or window, fitting), LEAST_WINDOW)


def _shortened(turn: Sequence[Message], room: int) -> list[Message]:
    kept = _without_first_outcomes(list(turn), room)
    kept = _with_shorter_texts(kept, room, room // TEXT_SHARE)
    kept = _without_first_calls(kept, room)
    return _with_shorter_texts(kept, room, LEAST_TEXT)


def _without_first_outcomes(turn: list[Message], room: int) -> list[Message]:
    """With a note in place of the outcomes of all calls but the last, as far as is needed."""
    excess = sum(map(tokens, turn)) - room
    rounds = _rounds(turn)
    last = rounds[-1] if rounds else 0
    for place, message in enumerate(turn[:last]):
        content = message["content"]
        if excess <= 0:
            break
        if message["role"] == "tool" and isinstance(content, str) and tokens(content) > NOTE_TOKENS:
            note = NOTE.format(len(content.encode(errors="replace")))
            turn[place] = {**message, "content": note}
            excess -= tokens(content) - tokens(note)
    return turn


def _with_shorter_texts(turn: list[Message], room: int, least: int) -> list[Message]:
    """With no text longer than what makes all of them fit together, or than ``least``."""
    texts = {
        place: content
        for place, message in enumerate(turn)
        if isinstance(content := message["content"], str)
    }
    sizes = {place: tokens(text) for place, text in texts.items()}
    rest = sum(map(tokens, turn)) - sum(sizes.values())
    share = max(_share(list(sizes.values()), room - rest), least, LEAST_TEXT)
    for place, text in texts.items():
        if sizes[place] > share:
            turn[place] = {**turn[place], "content": _without_middle(text, share)}
    return turn


def _without_first_calls(turn: list[Message], room: int) -> list[Message]:
    """With the user's message and as many of the last rounds of calls as have room; one at least.

    A round is the assistant's message with its calls, and all up to the next one.
    """
    excess = sum(map(tokens, turn)) - room
    rounds = _rounds(turn)
    start = rounds[0] if rounds else len(turn)
    end = start
    for first, following in pairwise(rounds):
        if excess <= 0:
            break
        excess -= sum(map(tokens, turn[first:following]))
        end = following
    return turn[:start] + turn[end:]


def _rounds(turn: Sequence[Message]) -> list[int]:
    """Where the assistant's messages with calls stand."""
    return [place for place, message in enumerate(turn) if "tool_calls" in message]


def _share(sizes: Sequence[int], room: int) -> int:
    """The most that each may have for all of them to fit into ``room`` together."""
    for left, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * left > room:
            return room // left
        room -= size
    return max(sizes, default=0)


def _without_middle(text: str, share: int) -> str:
    """The beginning and the end of ``text``, in ``share`` tokens with the note between them."""
    data = text.encode(errors="replace")
    size = (share - NOTE_TOKENS) * BYTES_PER_TOKEN
    start = data[: size * 2 // 3].decode(errors="ignore")
    end = data[len(data) - size // 3 :].decode(errors="ignore")
    return f"{start}\n{NOTE.format(len(data) - size)}\n{end}"
