"""JSON as it comes from strangers, and as it goes back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from ..errors import RegretlessError

SHOWN = 60  # characters of what was found, in a message


class MalformedBody(RegretlessError):
    """What was sent is not what the protocol asks for."""


def read_json(text: bytes) -> Any:
    """A JSON value: each key once, no numbers but finite ones, nested no deeper than Python reads.

    Raises
    ------
    MalformedBody
        If it is none.
    """
    try:
        decoded = text.decode("utf-8")
        value = DECODER.decode(decoded)
        if "\\ud" in decoded or "\\uD" in decoded:  # it may be half of a pair, which is no text
            json.dumps(value, ensure_ascii=False).encode()  # refuses that
        return value
    except RecursionError:
        raise MalformedBody("the body is nested too deeply to be read; rows are lists or objects of numbers") from None
    except UnicodeDecodeError as error:
        raise MalformedBody(f"the body is not UTF-8 text ({error.reason} at byte {error.start})") from error
    except UnicodeEncodeError:
        raise MalformedBody("the body has half of a surrogate pair") from None
    except ValueError as error:
        if isinstance(error, MalformedBody):
            raise
        raise MalformedBody(f"the body is not JSON: {str(error)[:SHOWN]}") from error


def read_lines(text: bytes) -> Iterator[tuple[int, Any]]:
    """The JSON values of lines, each behind the number of its line; empty ones are passed over.

    Raises
    ------
    MalformedBody
        If a line is none; the message has its number.
    """
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, read_json(line)
        except MalformedBody as error:
            raise MalformedBody(f"line {number}: {error}") from error


def write_json(value: Any) -> bytes:
    """A value as compact JSON."""
    return ENCODER.encode(value).encode("ascii")


def is_number(value: Any) -> bool:
    """Whether it is a finite number; a truth value is none."""
    if type(value) is int:
        return -(2**1023) < value < 2**1023
    return type(value) is float and math.isfinite(value)


def shown(value: Any) -> str:
    """What was found, for a message."""
    text = repr(value) if len(repr(value)) <= SHOWN else f"{repr(value)[:SHOWN]}..."
    return f"{text} was found"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise MalformedBody("a key stands twice in an object of the body")
    return keys


def _no_number(text: str) -> float:
    raise MalformedBody(f"{text} stands in the body; numbers must be finite")


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)  # made once: it takes its time
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
