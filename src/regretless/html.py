"""What notebooks show: tables in HTML, in the colours of the page, light or dark; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from math import isnan
from typing import Any

RULE = "border-bottom:1px solid rgba(127,127,127,.4)"
CELL = f"text-align:left;padding:2px 12px 2px 0;color:inherit;background:none;{RULE}"
MOST = 12  # rows of a table, and numbers of an array


def escape(words: str) -> str:
    """Words as text of a page."""
    from html import escape  # with a table of 2,000 names, which a command line never needs

    return escape(words)


def table(rows: Iterable[Sequence[Any]], head: Sequence[str] = ()) -> str:
    """A table of texts and numbers, its first column bold."""
    heads = "".join(f'<th style="{CELL}">{escape(one)}</th>' for one in head)
    lines = [f"<tr>{heads}</tr>"] if head else []
    for first, *rest in rows:
        cells = "".join(f'<td style="{CELL}">{escape(text(one))}</td>' for one in rest)
        lines.append(f'<tr><th style="{CELL}">{escape(text(first))}</th>{cells}</tr>')
    return f'<table style="border-collapse:collapse;color:inherit;background:none">{"".join(lines)}</table>'


def code(words: str) -> str:
    """A line of Python."""
    return f"<p><code>{escape(words)}</code></p>"


def paragraph(words: str) -> str:
    """Words on their own."""
    return f"<p>{escape(words)}</p>"


def folded(title: str, *parts: str) -> str:
    """Parts that are shown when their title is clicked."""
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def titled(title: str, *parts: str) -> str:
    """Parts below a title."""
    return f"<p><b>{escape(title)}</b></p>{''.join(parts)}"


class Recorded:
    """A dataclass whose fields a notebook shows, a row for each."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        known: Any = self
        rows = [(one.name, getattr(self, one.name)) for one in fields(known) if not one.name.startswith("_")]
        return titled(type(self).__name__, table(rows))


def text(value: Any) -> str:
    """A value as a table has it: numbers in six digits, of an array the first ones."""
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    if hasattr(value, "ravel"):
        numbers = value.ravel()[:MOST].tolist()
        more = f", ... ({value.size:,})" if value.size > MOST else ""
        return ", ".join(map(text, numbers)) + more
    if isinstance(value, int | float):
        return "-" if isnan(value) else f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return str(value)
