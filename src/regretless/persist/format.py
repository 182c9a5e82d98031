"""Model files: named arrays and a JSON description in one checked file, replaced as a whole or not at all.

A ``.rgl`` file is a safetensors file: the length of the header (8 bytes, little-endian), the header (JSON:
the type, shape and place of each array, and two strings of metadata), then the bytes of the arrays. The
metadata are ``regretless``, the description as canonical JSON, and ``sha256``, the checksum of the
description and of the name, type, shape and bytes of every array.

The library of that name is not used: what is refused must be refused before memory is set aside, a key that
stands there twice must not pass, and the same model must give the same bytes.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, NoReturn

from ..atomic_write import replacing
from ..errors import ModelError, RegretlessError
from ..memory import allowed, more, shown

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 1
LONGEST_HEADER = 100_000_000  # what the library accepts
MOST_AXES = 32  # what numpy 1 accepts
LARGEST_ARRAY = 2**62
VALUE = 80  # bytes of one that stands in a header
TYPES = {"BOOL": "|b1", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
TYPES |= {"I8": "|i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"}
TYPES |= {"U8": "|u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"}
NAMES = {code: name for name, code in TYPES.items()}
MIXTURE = "mixture.rgl"  # in the folder of a mixture of learners, the model of what combines them
NOT_OURS = "give the path of a model that was saved by regretless"
AGAIN = "copy or save the model again"

Path = str | os.PathLike[str]


Reader = Callable[[Path, Mapping[str, Any], Mapping[str, Any]], object]  # of the path, the description, the arrays


def write_model(
    path: Path, meta: Mapping[str, Any], tensors: Mapping[str, Array], reader: Reader | None = None
) -> None:
    """Write a model; the file at `path` is replaced whole, or left as it was when anything fails.

    Parameters
    ----------
    path : path-like
        Where to; a symbolic link is followed. A new file gets the permissions that the umask leaves, a
        replaced one keeps its own.
    meta : mapping of str to JSON values
        The description; it is read back as it is or refused. The key ``format`` is reserved.
    tensors : mapping of str to ndarray
        Numbers or truth values, of any layout.
    reader : callable, optional
        Makes of the path, the description and the arrays what a file is read for; what it refuses is not written. It
        gets the arrays as they are, and leaves them so.

    Raises
    ------
    ModelError
        If something cannot be saved in a model file, or would be refused when it is read.
    OSError
        If the file cannot be written.
    """
    parts = encoded(path, meta, tensors, reader)
    if os.path.exists(path) and not os.path.isfile(path):
        _refuse(path, "exists and is not a regular file", "choose another name for the model")
    with replacing(path) as file:
        for part in parts:
            file.write(part)


def encoded(
    path: Path, meta: Mapping[str, Any], tensors: Mapping[str, Array], reader: Reader | None = None
) -> list[bytes | memoryview]:
    """The bytes of the file that `write_model` would write, in parts; `path` is what messages call it.

    Raises
    ------
    ModelError
        As by `write_model`.
    """
    header, arrays = _encode(path, meta, tensors)
    if reader is not None:
        _refuse_unreadable(path, lambda: reader(path, meta, tensors))
    return [header, *map(_raw, arrays)]


def read_model(path: Path, allowed: Collection[str] | None = None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read what `write_model` wrote; a file that differs from it in any byte that counts is refused.

    Parameters
    ----------
    path : path-like
        The model file.
    allowed : collection of str, optional
        The keys that the description may have; None leaves that check to the caller.

    Returns
    -------
    meta : dict
        The description, as `write_model` wrote it.
    tensors : dict of str to ndarray
        The arrays in the order of their names: owned, writable, C-contiguous.

    Raises
    ------
    ModelError
        If the file is damaged, is no model, or was written by a newer version.
    OSError
        If there is no such file or it may not be read.
    """
    if os.path.isfile(os.path.join(path, MIXTURE)):
        fault = "is the folder of a mixture of learners, and no model of one"
        _refuse(path, fault, f"regretless.LearnerMixture.load reads it; its members and {MIXTURE} are models")
    if not stat.S_ISREG(os.stat(path).st_mode):  # asked first: opening a pipe would wait for its writer
        _refuse(path, "is not a regular file", NOT_OURS)
    with open(path, "rb") as file:
        meta, tensors = decoded(path, file, os.fstat(file.fileno()).st_size)
    if allowed is not None:
        refuse_unknown(path, meta, allowed)
    return meta, tensors


def decoded(path: Path, file: BufferedIOBase, size: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """What `read_model` reads, from the bytes of a file; `path` is what messages call it.

    Raises
    ------
    ModelError
        As by `read_model`.
    """
    header = _read_header(path, file, size)
    metadata = header.pop("__metadata__", None)
    text, meta = _description(path, metadata)
    tensors = _read_arrays(path, file, _places(path, header, size - file.tell()))
    if metadata != {"regretless": text, "sha256": _digest(text, tensors)}:
        _refuse(path, "is damaged: its content does not match its checksum", AGAIN)
    return meta, tensors


def refuse_unknown(path: Path, meta: Collection[str], allowed: Collection[str]) -> None:
    """Refuse a description with keys that its reader does not know.

    Parameters
    ----------
    path : path-like
    meta : mapping
        The description.
    allowed : collection of str
        The keys that it may have.

    Raises
    ------
    ModelError
        If there is one.
    """
    unknown = ", ".join(repr(key) for key in meta if key not in allowed)
    if unknown:
        _refuse(path, f"has keys that are not known: {unknown}", NOT_OURS)


def _refuse(path: Path, problem: str, advice: str) -> NoReturn:
    raise ModelError(f"{os.fspath(path)}: {problem}; {advice}")


def _digest(text: str, arrays: Mapping[str, Array]) -> str:
    """The checksum of a model; its arrays come in the order of their names."""
    import hashlib

    what = [[name, NAMES[_code(array)], list(array.shape)] for name, array in arrays.items()]
    # JSON quotes what stands in it, and types and shapes fix each length: no two models give the same bytes.
    state = hashlib.sha256(json.dumps([text, what]).encode("ascii"))
    for array in arrays.values():
        state.update(_raw(array))
    return state.hexdigest()


def _code(array: Array) -> str:
    """The type of the array, as a file has it."""
    return array.dtype.newbyteorder("<").str


def _raw(array: Array) -> memoryview:
    import numpy as np

    return array.reshape(-1).view(np.uint8).data


# Writing


def _refuse_unreadable(path: Path, read: Callable[[], object]) -> None:
    """Refuse, in the words of a writer, what a reader would refuse."""
    try:
        read()
    except ModelError as error:
        problem = str(error).removeprefix(f"{os.fspath(path)}: ").removesuffix("; it cannot be used")
        raise ModelError(f"{os.fspath(path)}: nothing was written, for {problem}") from error


def _encode(path: Path, meta: Mapping[str, Any], tensors: Mapping[str, Array]) -> tuple[bytes, list[Array]]:
    """The bytes before the arrays, and the arrays in the order of the file."""
    text = _canonical(path, meta)
    arrays = {name: _storable(path, name, tensors[name]) for name in sorted(tensors)}
    header: dict[str, Any] = {"__metadata__": {"regretless": text, "sha256": _digest(text, arrays)}}
    # The widest types first: every array is then aligned where the file is mapped.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    end = 0
    for name in order:
        array = arrays[name]
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": NAMES[_code(array)], "shape": array.shape, "data_offsets": [begin, end]}
    written = json.dumps(header, separators=(",", ":"))
    written += " " * (-len(written) % 8)
    if (size := _size_of_json(written)) > allowed():  # all that a reader weighs
        _refuse(path, f"the description would take {shown(size)} of memory to be read again", more())
    encoded = written.encode("ascii")
    if len(encoded) > LONGEST_HEADER:
        _refuse(path, f"the description takes {len(encoded):,} bytes", f"at most {LONGEST_HEADER:,} can be saved")
    return len(encoded).to_bytes(8, "little") + encoded, [arrays[name] for name in order]


def _canonical(path: Path, meta: Mapping[str, Any]) -> str:
    if "format" in meta:
        _refuse(path, "the description has the key 'format'", "it is reserved: use another")
    description = {"format": FORMAT, **meta}
    try:
        text = json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False)
        same = json.loads(text) == description
    except (TypeError, ValueError, RecursionError) as error:
        _refuse(path, f"the description is not JSON ({error})", "use finite numbers, text, lists and dicts")
    if not same:
        _refuse(path, "the description would not be read back as it is", "use lists, and text as keys")
    return text


def _storable(path: Path, name: str, values: Array) -> Array:
    """The array as the file holds it: C order, little-endian."""
    import numpy as np

    array = np.asarray(values, order="C")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    if array.dtype.str not in NAMES:
        _refuse(path, f"the array {name!r} is of {array.dtype}", "only numbers and truth values can be saved")
    if name == "__metadata__" or array.ndim > MOST_AXES:
        _refuse(path, f"the array {name!r} cannot be saved under this name or shape", "choose another")
    return array


# Reading


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an array lies in the file, and what it is."""

    name: str
    type: str
    shape: tuple[int, ...]
    begin: int
    end: int


def _read_header(path: Path, file: BufferedIOBase, size: int) -> dict[str, Any]:
    if size == 0:
        _refuse(path, "is empty", AGAIN)
    length = int.from_bytes(file.read(8), "little")
    if file.read(1) != b"{" or length > LONGEST_HEADER:
        _refuse(path, "is not a model", NOT_OURS)
    if length > size - 8:
        _refuse(path, f"is cut short: it has {size:,} bytes, its header alone {length:,}", AGAIN)
    file.seek(8)
    header = _parse(path, file.read(length))
    if not isinstance(header, dict):
        _refuse(path, "is damaged: its header is not a JSON object", AGAIN)
    return header


def _parse(path: Path, text: bytes | str) -> Any:
    """Strict JSON: each key once, finite numbers only."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        size = _size_of_json(text)
        if size > allowed():
            _refuse(path, f"has a description that would take {shown(size)} of memory", more())
        return json.loads(text, object_pairs_hook=_once, parse_float=_finite, parse_constant=_finite)
    except RegretlessError:  # of the memory that is allowed
        raise
    except (ValueError, RecursionError) as error:
        _refuse(path, f"is damaged: its header is not JSON ({error})", AGAIN)


def _size_of_json(text: str) -> int:
    """About the bytes that values take once they are read: each of them ends at one of these signs."""
    return 2 * len(text) + VALUE * sum(map(text.count, ",[{"))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key stands there twice")
    return keys


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _description(path: Path, metadata: Any) -> tuple[str, dict[str, Any]]:
    """The description as text and as JSON values, without its version.

    The version is checked before anything else: a newer file may differ in all the rest.
    """
    text = metadata.get("regretless") if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        _refuse(path, "is a safetensors file, but not a model of regretless", NOT_OURS)
    meta = _parse(path, text)
    version = meta.pop("format", None) if isinstance(meta, dict) else None
    if type(version) is not int or version < 1:
        _refuse(path, "is damaged: its description has no format version", AGAIN)
    if version > FORMAT:
        problem = f"was written by a newer version (format {version}); this one reads up to {FORMAT}"
        _refuse(path, problem, "install the newer version")
    return text, meta


def _places(path: Path, header: dict[str, Any], available: int) -> list[_Place]:
    """Where the arrays lie, in the order of the file, which they must fill exactly."""
    places = [_place(path, name, entry) for name, entry in header.items()]
    places.sort(key=lambda place: (place.begin, place.end))
    end = 0
    for place in places:
        if place.begin != end:
            _refuse(path, f"is damaged: before the array {place.name!r} is a gap or an overlap", AGAIN)
        end = place.end
    if end > available:
        _refuse(path, f"is cut short: of {end} bytes of arrays it has {available}", AGAIN)
    if end < available:
        _refuse(path, f"is damaged: {available - end} bytes follow its last array", AGAIN)
    return places


def _place(path: Path, name: str, entry: Any) -> _Place:
    try:
        return _checked_place(name, **entry)
    except (TypeError, ValueError, KeyError):
        _refuse(path, f"is damaged: the array {name!r} has no sensible type, shape and place", AGAIN)


def _checked_place(name: str, dtype: Any, shape: Any, data_offsets: Any) -> _Place:
    import numpy as np

    width = np.dtype(TYPES[dtype]).itemsize
    begin, end = _counts(data_offsets)
    # An axis of length 0 must not hide a length that no array can have.
    extent = math.prod(length for length in _counts(shape) if length) * width
    if extent > LARGEST_ARRAY or end - begin != math.prod(shape) * width:
        raise ValueError
    return _Place(name, dtype, tuple(shape), begin, end)


def _counts(values: Any) -> list[int]:
    if not isinstance(values, list) or len(values) > MOST_AXES:
        raise ValueError
    if not all(type(value) is int and value >= 0 for value in values):
        raise ValueError
    return values


def _read_arrays(path: Path, file: BufferedIOBase, places: list[_Place]) -> dict[str, Array]:
    import numpy as np

    arrays: dict[str, Array] = {}
    for place in places:
        array: Array = np.empty(place.shape, np.dtype(TYPES[place.type]))
        if file.readinto(_raw(array)) != array.nbytes:
            _refuse(path, "became shorter while it was read", AGAIN)
        arrays[place.name] = array.astype(array.dtype.newbyteorder("="), copy=False)
    return {name: arrays[name] for name in sorted(arrays)}
