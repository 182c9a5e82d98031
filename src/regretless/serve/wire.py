"""JSON and Arrow streams as they come from strangers, and JSON as it goes back.

What an Arrow stream would take once it is unpacked is known before it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ..data.arrow_sizes import DAMAGE, batches_of_stream
from ..errors import RegretlessError

SHOWN = 60  # characters of what was found, in a message
LARGEST = 2**28  # bytes that texts may take which stand once and are meant many times
MOST = 2**20  # values that a stream of fewer bytes may have
MESSAGES = 10_000  # batches and dictionaries, which take their time even if they are empty
FLAT = ("null", "boolean", "integer", "floating", "string", "large_string")


class MalformedBody(RegretlessError):
    """What was sent is not what the protocol asks for."""


class TooManyRows(Exception):
    """A stream has more rows than are taken."""


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


def read_arrow(body: bytes, most: int) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow stream, by the names of its columns.

    Parameters
    ----------
    body : bytes
    most : int
        Rows, at most.

    Raises
    ------
    MalformedBody
        If it is none, is compressed, or a few bytes of it mean many.
    TooManyRows
        If it has more rows.
    """
    import pyarrow as pa

    try:
        rows = 0
        for number, (many, compressed) in enumerate(batches_of_stream(BytesIO(body))):
            rows += many
            if compressed:
                raise MalformedBody("the Arrow stream is compressed; write it without compression")
            if number >= MESSAGES:
                raise MalformedBody(f"the Arrow stream has more than {MESSAGES} batches and dictionaries")
            if rows > most:
                raise TooManyRows
        with pa.ipc.open_stream(body) as reader:
            for batch in reader:
                batch.validate(full=True)
                if sum(_values(pa, column) for column in batch.columns) > max(len(body), MOST):
                    raise MalformedBody("the columns of the Arrow stream have more values than it has bytes")
                yield from batch.to_pylist()
    except MalformedBody:
        raise
    except (pa.ArrowException, OSError, *DAMAGE) as error:
        raise MalformedBody(f"the body is no Arrow stream ({str(error)[:80]})") from error


def _values(pa: Any, array: Any) -> int:
    """How many values an array has, with those inside its lists."""
    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        if not (types.is_string(kind.value_type) or types.is_large_string(kind.value_type)):
            raise MalformedBody(f"the Arrow stream has values of the type {kind}; numbers and texts are expected")
        if len(array) * array.dictionary.nbytes > LARGEST:
            raise MalformedBody(f"the texts of an Arrow dictionary would take more than {LARGEST} bytes")
        return len(array)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return len(array) + _values(pa, array.values)
    if types.is_struct(kind):
        return len(array) + sum(_values(pa, array.field(place)) for place in range(kind.num_fields))
    if not any(getattr(types, f"is_{name}")(kind) for name in FLAT):
        raise MalformedBody(f"the Arrow stream has values of the type {kind}; numbers and texts are expected")
    return len(array)


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
