"""Numbers and names as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from .formatting import is_printable, printable


def label_text(label: Any) -> str:
    """A label as it is printed: whole numbers as such, and nothing that a terminal would obey."""
    if isinstance(label, str):
        return label if is_printable(label) else printable(label.replace("\\", "\\\\"))
    if isinstance(label, bool):
        return str(label)
    return str(int(label)) if float(label).is_integer() else repr(float(label))


def number_text(value: float) -> str:
    """A number in six digits, its thousands apart."""
    return f"{value:,.6g}" if isfinite(value) else str(value)


def share_text(count: int, rows: int) -> str:
    """A count and its share, as ``3,725 of 25,000 (14.9 %)``."""
    return f"{count:,} of {rows:,} ({100 * count / rows:.3g} %)"


def short(name: str, most: int = 26) -> str:
    """A name in one line of so many characters."""
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def many(count: int, word: str) -> str:
    """A count and what is counted."""
    return f"{count:,} {word}{'s' if count != 1 else ''}"


def more_lines(count: int, most: int) -> Iterator[str]:
    """How many of a list are not shown, where these are the most."""
    if count > most:
        yield f"  and {count - most:,} more"


class LossStyle(NamedTuple):
    """How a loss is printed: its name, how wide its column is, and the formats of a sum and of what a row has."""

    name: str
    width: int
    whole: str
    each: str


LOG_LOSS = LossStyle("log loss", 12, ",.1f", ".4f")
LOSS = LossStyle("loss", 14, ",.6g", ",.6g")


def loss_text(loss: float, rows: int, style: LossStyle = LOSS) -> str:
    """A loss in all and a row, as ``10,818 (0.3322 a row)``."""
    return f"{loss:{style.whole}} ({loss / rows:{style.each}} a row)" if rows else f"{loss:{style.whole}}"


def member_lines(
    members: Sequence[Mapping[str, Any]], rounds: float, style: LossStyle, *, several: bool = False
) -> Iterator[str]:
    """A table of them; `several` is whether losses are of several classes."""
    title = "member, one against rest" if several else "member"
    yield f"{title:<24} {style.name:>{style.width}} {'a row':>12} {'posterior':>12}"
    for one in members:
        loss = f"{one['loss']:{style.whole}}"
        each = f"{one['loss'] / rounds:{style.each}}" if rounds else "-"
        yield f"  {one['name']:<22} {loss:>{style.width}} {each:>12} {one['posterior']:>12.4f}"


def weight_lines(title: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The weights that `largest` chose, as `Weight.describe` gives them."""
    width = max((len(row["feature"]) for row in rows), default=0)
    if not any("size" in row for row in rows):
        return ["", f"largest weights{title}", *(f"  {row['feature']:>{width}}  {row['weight']:+.6g}" for row in rows)]
    lines = ["", f"largest weights{title}, each times the largest size of its feature"]
    for row in rows:
        effect = f"{row['weight'] * row['size']:+.6g}"
        lines.append(f"  {row['feature']:>{width}}  {effect:<14}  {row['weight']:+.6g} times {row['size']:.6g}")
    return lines
