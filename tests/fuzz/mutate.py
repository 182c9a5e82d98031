"""Small changes of files, by a random number generator alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

NUMBER = re.compile(rb"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
EXTREMES = (b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"-inf", b"9" * 30, b"2147483648", b"1/0")
EXTREMES += (b"9223372036854775807", b"-9223372036854775808", b"0x10", b"1_0", b"134217728", b"True", b"", b"1e999999")
TOKENS = (b",", b'"', b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b":", b"{", b"}", b"#", b"\t", b" ", b"\x1b[31m")
WORDS = (3, 4, 8)  # widths of numbers in binary headers
VALUES = (
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    "",
    "x",
    [],
    {},
    [1],
    {"a": 1},
    [[]],
    1e308,
    "\ud800",
    "nan",
    "inf",
    float("inf"),
)


def mutated(content: bytes, others: tuple[bytes, ...], draw: random.Random) -> bytes:
    """The content with one to four changes; `others` are what pieces may be taken from."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice(CHANGES)(content, others, draw)
    return content


def _flip(content: bytes, _: Any, draw: random.Random) -> bytes:
    if not content:
        return content
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


def _truncate(content: bytes, _: Any, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content) + 1)]


def _splice(content: bytes, others: tuple[bytes, ...], draw: random.Random) -> bytes:
    other = draw.choice(others)
    begin, length = draw.randrange(len(other) + 1), draw.randrange(64)
    place = draw.randrange(len(content) + 1)
    return content[:place] + other[begin : begin + length] + content[place + draw.randrange(2) * length :]


def _number(content: bytes, _: Any, draw: random.Random) -> bytes:
    values = list(NUMBER.finditer(content[: 1 << 16]))
    if not values:
        return content
    one = draw.choice(values)
    return content[: one.start()] + draw.choice(EXTREMES) + content[one.end() :]


def _token(content: bytes, _: Any, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] + draw.choice(TOKENS) + content[place + draw.randrange(2) :]


def _lines(content: bytes, _: Any, draw: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return content
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    choice = draw.randrange(3)
    if choice == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif choice == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return b"".join(lines)


def _word(content: bytes, _: Any, draw: random.Random) -> bytes:
    """A whole number of some bytes, as headers hold, becomes an extreme one."""
    width = draw.choice((1, 2, 4, 8))
    if len(content) < width:
        return content
    place = draw.randrange(len(content) - width + 1)
    value = draw.choice((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), 2 ** (8 * width - 1) - 1, 255))
    return content[:place] + (value % 2 ** (8 * width)).to_bytes(width, "little") + content[place + width :]


CHANGES: tuple[Callable[[bytes, Any, random.Random], bytes], ...] = (
    _flip,
    _truncate,
    _splice,
    _number,
    _token,
    _lines,
    _word,
)


def mutated_model(content: bytes, draw: random.Random) -> bytes:
    """A model whose description or arrays were changed, and whose checksum says that they were not."""
    from ..corpus.seeds import forged

    def change(meta: dict[str, Any], tensors: dict[str, Any]) -> None:
        for _ in range(draw.choice((1, 1, 2))):
            if draw.random() < 0.75:
                _change_value(meta, draw)
            elif tensors:
                name = draw.choice(sorted(tensors))
                if tensors[name].size and draw.random() < 0.7:
                    values = (float("nan"), 1e308, -1.0, 0.5, 0.0) if tensors[name].dtype.kind == "f" else (0, 1, 120)
                    tensors[name].flat[draw.randrange(tensors[name].size)] = draw.choice(values)
                else:
                    tensors[name] = tensors[name][: draw.randrange(len(tensors[name]) + 1)]

    try:
        return forged(content, change)
    except ValueError:  # what cannot be written is no file
        return content


def mutated_report(content: bytes, draw: random.Random) -> bytes:
    """A report of which one to three values were changed."""
    report = json.loads(content)
    for _ in range(draw.choice((1, 1, 2, 3))):
        _change_value(report, draw)
    return json.dumps(report).encode()


def _change_value(meta: dict[str, Any], draw: random.Random) -> None:
    """Replace, remove or change one value somewhere inside."""
    place: Any = meta
    while True:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = draw.choice(list(keys))
        inside = place[key]
        if isinstance(inside, dict | list) and inside and draw.random() < 0.8:
            place = inside
            continue
        choice = draw.random()
        if choice < 0.15:
            del place[key]
        elif choice < 0.3 and isinstance(inside, int | float) and not isinstance(inside, bool):
            place[key] = draw.choice((inside + 1, inside - 1, -inside, inside * 1000))
        else:
            place[key] = json.loads(json.dumps(draw.choice(VALUES)))
        return
