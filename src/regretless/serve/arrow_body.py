"""Arrow streams from strangers: what one would take once it is unpacked is known before it is."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ..data.arrow_sizes import DAMAGE, batches_of_stream
from .wire import MalformedBody

LARGEST = 2**28  # bytes that texts may take which stand once and are meant many times
MOST = 2**20  # values that a stream of fewer bytes may have
MESSAGES = 10_000  # batches and dictionaries, which take their time even if they are empty
FLAT = ("null", "boolean", "integer", "floating", "string", "large_string")


class TooManyRows(Exception):
    """A stream has more rows than are taken."""


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
