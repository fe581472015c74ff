"""How fast a socket may send: a bucket of frames that fills up again."""

from time import monotonic

from gateway.exceptions import RateLimitedError
from gateway.limits import limits


class FrameRate:
    """The frames of one socket, counted.

    Attributes:
        exhausted: Whether so many frames were refused without a pause that the socket must go.
    """

    def __init__(self) -> None:
        self._left = float(limits.burst)
        self._filled = monotonic()
        self._refusals = 0
        self._refused_at = 0.0

    @property
    def exhausted(self) -> bool:
        """See the class."""
        return self._refusals >= limits.refusals

    def count(self) -> None:
        """Count one frame.

        Raises:
            RateLimitedError: The bucket is empty.
        """
        now = monotonic()
        gained = (now - self._filled) * limits.frames_per_second
        self._left = min(float(limits.burst), self._left + gained)
        self._filled = now
        if self._left >= 1:
            self._left -= 1
            return
        if now - self._refused_at > limits.refusal_pause:
            self._refusals = 0
        self._refusals += 1
        self._refused_at = now
        raise RateLimitedError(
            f"More than {limits.frames_per_second} frames a second; slow down and send it again."
        )
