"""A mistake tree as a picture: the root on the left, the children of a node to its right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from .formatting import clean, shorten

MOST = 7
"""The most levels in a picture; deeper trees are cut."""
LONGEST = 28  # characters of a name that are shown
_CHARACTER, _LINE, _EDGE, _PAD, _TOP = 7.3, 26, 64, 9, 46  # in pixels

_STYLE = """
text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#1c2733}
.title{font-size:15px;font-weight:600}.note,.label{fill:#5a6875}.label{font-size:11px;text-anchor:middle}
.paper{fill:#ffffff}.node{fill:#eef2f6;stroke:#8596a6}.edge{fill:none;stroke-width:1.4}
.zero{stroke:#b4552d}.one{stroke:#2467a4;stroke-dasharray:5 3}
@media (prefers-color-scheme:dark){text{fill:#dfe6ec}.note,.label{fill:#9aa8b5}.paper{fill:#14191e}
.node{fill:#232c35;stroke:#6c7d8d}.zero{stroke:#e08a61}.one{stroke:#6aaee8}}
"""


@dataclass(frozen=True, slots=True)
class TreePicture:
    """The part of a tree in a picture.

    Attributes
    ----------
    title : str
    depth : int
        Of the whole tree.
    points : sequence of str
        Names of the points by levels, the first one alone: the children of node k are 2k + 1 for label 0 and 2k + 2 for
        label 1. All levels, or the first ones.
    leaves : sequence of str
        A hypothesis for each path, if all levels are there; else empty.
    """

    title: str
    depth: int
    points: Sequence[str]
    leaves: Sequence[str] = ()


def tree_svg(tree: TreePicture) -> str:
    """The picture as a self-contained SVG file."""
    levels: list[Sequence[str]] = [[clean(name) for name in level] for level in _levels(tree)]
    starts, widths = _columns(levels)
    rows = max(len(levels[-1]), 1)
    title = escape(clean(tree.title))
    width = max(starts[-1] + widths[-1] + 2 * _PAD, len(title) * 8.2 + 4 * _PAD)
    height = _TOP + rows * _LINE + 2 * _PAD
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{title}"><style>{_STYLE}</style>',
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
        f'<text class="title" x="{2 * _PAD}" y="24">{title}</text>',
        f'<text class="note" x="{2 * _PAD}" y="41">{escape(_note(tree, len(levels) - bool(tree.leaves)))}</text>',
    ]
    places = _places(levels)
    parts += _edges(levels, starts, widths, places)
    parts += _nodes(levels, starts, widths, places, leaves=bool(tree.leaves))
    return "\n".join([*parts, "</svg>\n"])


def tree_lines(tree: TreePicture) -> Iterator[str]:
    """The tree as lines of text, children below and to the right of their parent."""
    levels = _levels(tree)

    def below(level: int, place: int, margin: str) -> Iterator[str]:
        if level == len(levels):
            return
        for label in (0, 1):
            yield f"{margin}{'`-' if label else '|-'} {label}: {levels[level][2 * place + label]}"
            yield from below(level + 1, 2 * place + label, f"{margin}{'   ' if label else '|  '}")

    yield levels[0][0]
    yield from below(1, 0, "")


def _levels(tree: TreePicture) -> list[Sequence[str]]:
    """The names by levels; the hypotheses of the paths are the last level."""
    count = len(tree.points).bit_length()
    levels: list[Sequence[str]] = [tree.points[(1 << level) - 1 : (2 << level) - 1] for level in range(count)]
    return [*levels, tree.leaves] if tree.leaves else levels


def _note(tree: TreePicture, shown: int) -> str:
    if tree.depth == 0:
        return "one hypothesis: there is nothing to ask"
    cut = f"; the first {shown} of {tree.depth} levels" if shown < tree.depth else ""
    return f"label 0 goes up, label 1 down: whatever is predicted, the other label is still possible{cut}"


def _columns(levels: list[Sequence[str]]) -> tuple[list[float], list[float]]:
    """The left edge of each level, and the width of its names."""
    widths = [max(len(shorten(name, LONGEST)) for name in level) * _CHARACTER + 2 * _PAD for level in levels]
    starts = [2.0 * _PAD]
    for width in widths[:-1]:
        starts.append(starts[-1] + width + _EDGE)
    return starts, widths


def _places(levels: list[Sequence[str]]) -> list[list[float]]:
    """The vertical position of each name: the last level evenly, a parent in the middle of its children."""
    places = [[_TOP + _PAD + (place + 0.5) * _LINE for place in range(len(levels[-1]))]]
    for _ in levels[1:]:
        places.append([(one + other) / 2 for one, other in zip(places[-1][::2], places[-1][1::2], strict=True)])
    return places[::-1]


def _edges(
    levels: list[Sequence[str]], starts: list[float], widths: list[float], places: list[list[float]]
) -> Iterator[str]:
    for level in range(1, len(levels)):
        end = starts[level]
        for place, down in enumerate(places[level]):
            name = levels[level - 1][place // 2]
            begin = starts[level - 1] + min(_wide(name), widths[level - 1])
            up, half = places[level - 1][place // 2], (begin + end) / 2
            curve = f"M{begin:.1f} {up:.1f}C{half:.1f} {up:.1f} {half:.1f} {down:.1f} {end:.1f} {down:.1f}"
            yield f'<path class="edge {"one" if place % 2 else "zero"}" d="{curve}"/>'
            beside = down + (12 if place % 2 else -4)
            yield f'<text class="label" x="{end - 10:.1f}" y="{beside:.1f}">{place % 2}</text>'


def _nodes(
    levels: list[Sequence[str]], starts: list[float], widths: list[float], places: list[list[float]], *, leaves: bool
) -> Iterator[str]:
    for level, names in enumerate(levels):
        boxed = not (leaves and level == len(levels) - 1)
        for name, down in zip(names, places[level], strict=True):
            start, text = starts[level], escape(shorten(name, LONGEST))
            result = f"<title>{escape(name)}</title>" if len(name) > LONGEST else ""
            if boxed:
                yield (
                    f'<rect class="node" x="{start:.1f}" y="{down - 10:.1f}" width="{_wide(name):.1f}" '
                    f'height="20" rx="5"/>'
                )
            yield f'<text x="{start + (_PAD if boxed else 3):.1f}" y="{down + 4.5:.1f}">{result}{text}</text>'


def _wide(name: str) -> float:
    return len(shorten(name, LONGEST)) * _CHARACTER + 2 * _PAD
