"""Runs the commands of a case in a folder of their own, and gives their results as text."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Any

import numpy as np

from regretless.cli import main

from .cases import Case
from .compare import NUMBER, PROGRESS, WHOLE, mask, value
from .inputs import written
from .names import described

# Lines of --help as wide as they come: where they are broken differs among the releases of Python.
ENVIRONMENT = {"NO_COLOR": "1", "COLUMNS": "100000", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
WIDTH = 116
SHORT = 4  # entries that stand in one line
MOST_LINES = 200
UNSEEN = "_"  # begins the names of files that serve the next command, and are shown elsewhere
BLOCKS = "p h1 h2 h3 h4 div tr dt li figcaption caption table section header footer main svg"
APART = ("text", "title", "dd", "b", "bdi", "span", "h3", "label", "option")  # beside others in a line


def record(case: Case) -> str:
    """The case's text: what each command was, and what it printed and wrote."""
    if not case.commands:
        return described(case.name)
    with TemporaryDirectory(prefix="regretless-golden-") as folder, chdir(folder), _environment():
        before = _contents()
        parts = []
        for command in case.commands:
            for name in written(shlex.split(command)):
                before[name] = Path(name).read_bytes()
            parts += _command(command)
            after = _contents()
            for name in sorted(after):
                if after[name] != before.get(name) and not name.startswith(UNSEEN):
                    parts += [f"-- {name}", *_file(name, after[name], exact=case.exact)]
            before = after
        text = "\n".join(parts) + "\n"
        text = text.replace(os.path.realpath(folder), "<folder>").replace(folder, "<folder>")
        return mask(text, exact=case.exact)


def _command(command: str) -> list[str]:
    """What a command line printed, and its exit code; ``< file`` is its input, ``> file`` where its output goes."""
    words = shlex.split(command)
    source = words.pop(words.index("<") + 1) if "<" in words else None
    target = words.pop(words.index(">") + 1) if ">" in words else None
    words = [word for word in words if word not in "<>"]
    code, out, err = _called(words, b"" if source is None else Path(source).read_bytes())
    lines = [f"$ regretless {command}"]
    if code:
        lines.append(f"exit code {code}")
    if target is not None:
        Path(target).write_text(out)
        return lines + _marked("stderr", err)
    help_wanted = not code and ("--help" in words or not words)
    return lines + _marked("stdout", _folded(out) if help_wanted else out) + _marked("stderr", err)


def _called(words: list[str], content: bytes) -> tuple[int, str, str]:
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(content), "utf-8")
    sys.stdout, sys.stderr = (io.TextIOWrapper(to, "utf-8", write_through=True) for to in (out, err))
    try:
        code = main(words)
        sys.stdout.flush()
        return code, out.getvalue().decode(), PROGRESS.sub("", err.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def _marked(name: str, text: str) -> list[str]:
    if not text:
        return []
    try:
        value = json.loads(text)
    except ValueError:
        return [f"-- {name}", *text.splitlines()]
    if not isinstance(value, dict) or json.dumps(value) + "\n" != text:
        return [f"-- {name}", *text.splitlines()]
    return [f"-- {name}, JSON", *_pretty(value)]


def _pretty(value: Any, head: str = "", depth: int = 0, tail: str = "") -> Iterator[str]:
    """A JSON value in lines: objects an entry a line, lists without objects as long as a line is."""
    space = " " * depth
    if isinstance(value, dict) and len(value) <= SHORT and not set(map(type, value.values())) & {dict, list}:
        yield f"{space}{head}{json.dumps(value)}{tail}"
    elif isinstance(value, dict):
        yield f"{space}{head}{{"
        for place, (key, one) in enumerate(value.items(), 1):
            yield from _pretty(one, f"{json.dumps(key)}: ", depth + 1, "," if place < len(value) else "")
        yield f"{space}}}{tail}"
    elif isinstance(value, list) and "{" in json.dumps(value):
        yield f"{space}{head}["
        for place, one in enumerate(value, 1):
            yield from _pretty(one, "", depth + 1, "," if place < len(value) else "")
        yield f"{space}]{tail}"
    elif value and isinstance(value, list) and len(value) > (count := _in_a_line(value)):
        # So many in a line, and not so many letters: numbers on another machine may be longer.
        yield f"{space}{head}["
        for begin in range(0, len(value), count):
            line = json.dumps(value[begin : begin + count])[1:-1]
            yield f"{space} {line}" + ("," if begin + count < len(value) else "")
        yield f"{space}]{tail}"
    else:
        yield f"{space}{head}{json.dumps(value)}{tail}"


def _in_a_line(values: list[Any]) -> int:
    """How many values of a list stand in one line."""
    if isinstance(values[0], list):
        return max(1, 12 // max(1, len(values[0])))
    return 5 if any(isinstance(one, float) for one in values) else 15


def _folded(text: str) -> str:
    """Help in lines that can be read: Python breaks them elsewhere in each release."""
    lines: list[str] = []
    for line in text.splitlines():
        space = " " * (len(line) - len(line.lstrip()))
        lines += wrap(line, WIDTH, subsequent_indent=f"{space}    ", break_on_hyphens=False) or [""]
    return "\n".join(lines)


def _contents() -> dict[str, bytes]:
    return {os.fspath(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def _file(name: str, content: bytes, *, exact: bool) -> list[str]:
    """What a file holds, for people; the hash of a model where it is the same on every machine."""
    suffix = name.rpartition(".")[2]
    if suffix == "rgl":
        return [f"SHA-256 {hashlib.sha256(content).hexdigest()}"] if exact else ["a model; its last digits may differ"]
    if suffix in ("html", "svg"):
        text = content.decode()
        return [_page_hash(text, exact=exact), *Visible(text).lines]
    if suffix == "npz":
        with np.load(io.BytesIO(content)) as arrays:
            arrays_by_name = {key: arrays[key] for key in arrays.files}
        return [line for key, array in arrays_by_name.items() for line in _array(key, array)]
    if suffix == "parquet":
        from pyarrow import parquet

        table = parquet.read_table(io.BytesIO(content))
        return [
            f"{field.name} ({field.type}): {column.to_pylist()}"
            for field, column in zip(table.schema, table.columns, strict=True)
        ]
    if suffix == "json" and (lines := _marked("", content.decode())):
        return lines[1:]
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        return [f"{len(content)} bytes"]
    return lines if len(lines) <= MOST_LINES else [f"{len(lines)} lines"]


def _array(name: str, array: Any) -> Iterator[str]:
    yield from _pretty(array.tolist(), f"{name}, {array.dtype} {array.shape}: ")


def _page_hash(text: str, *, exact: bool) -> str:
    """The hash of a page with its numbers in six digits: those of a plot have all, and the last may differ."""
    bare = NUMBER.sub(_six if exact else "0", mask(text))
    return f"SHA-256, numbers {'rounded' if exact else 'left out'}: {hashlib.sha256(bare.encode()).hexdigest()}"


def _six(result: re.Match[str]) -> str:
    number = value(result[0])
    return result[0] if WHOLE.fullmatch(result[0]) else f"{number:.6g}" if abs(number) > 1e-9 else "0"


class Visible(HTMLParser):
    """The text that a page shows, a line for each block."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._line: list[str] = []
        self._hidden = 0
        self.feed(text)
        self._break()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Hide what is no text, and begin a line where a block begins."""
        self._hidden += tag in ("style", "script")
        if tag in BLOCKS.split():
            self._break()
        elif tag in ("td", "th"):
            self._line.append(" | " if self._line else "")
        elif tag in APART:
            self._line.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End what was hidden, and a line where a block ends."""
        self._hidden -= tag in ("style", "script")
        if tag in BLOCKS.split():
            self._break()

    def handle_data(self, data: str) -> None:
        """Keep text that is shown."""
        if not self._hidden:
            self._line.append(data)

    def _break(self) -> None:
        line = " ".join("".join(self._line).split())
        self._line = []
        if line.strip("| "):
            self.lines += wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


@contextmanager
def _environment() -> Iterator[None]:
    before: Mapping[str, str] = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("REGRETLESS_")]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
    time.tzset()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()
