"""The types that JSON writes as one plain value, and how each is read back."""

import types
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from remotes_client.shapes import Scalar, expect


def _whole(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(expect(int, value))


def _number(value: Any) -> float:
    try:
        return float(value if isinstance(value, float) else expect(int, value))
    except OverflowError as error:
        raise ValueError("the number is too large") from error


def _nothing(value: Any) -> None:
    if value is not None:
        raise ValueError(f"{value!r:.100} is not null")


def _moment(value: Any) -> datetime:
    text = expect(str, value)
    return datetime.fromisoformat(text[:-1] + "+00:00" if text[-1:] in ("Z", "z") else text)


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(value if isinstance(value, str) else repr(_number(value)))
    except InvalidOperation as error:
        raise ValueError(f"{value!r:.100} is no decimal number") from error


SCALARS: dict[type, Scalar] = {
    str: Scalar({"type": "string"}, lambda value: expect(str, value)),
    int: Scalar({"type": "integer"}, _whole),
    float: Scalar({"type": "number"}, _number),
    bool: Scalar({"type": "boolean"}, lambda value: expect(bool, value)),
    types.NoneType: Scalar({"type": "null"}, _nothing),
    datetime: Scalar({"type": "string", "format": "date-time"}, _moment),
    date: Scalar(
        {"type": "string", "format": "date"}, lambda value: date.fromisoformat(expect(str, value))
    ),
    time: Scalar(
        {"type": "string", "format": "time"}, lambda value: time.fromisoformat(expect(str, value))
    ),
    timedelta: Scalar({"type": "number"}, lambda value: timedelta(seconds=_number(value))),
    Decimal: Scalar({"type": "string"}, _decimal),
    UUID: Scalar({"type": "string", "format": "uuid"}, lambda value: UUID(expect(str, value))),
}
