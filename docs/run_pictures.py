"""Small pictures of what was observed in a made run, below what theorems allow: for pages of learners and theorems."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dimensions import STYLE
from made_runs import Run, runs_of_learners, runs_of_variants
from other_runs import runs
from theorem_pages import Drawing, theorem_page

from regretless.catalogue import class_of
from regretless.report import formatting
from regretless.report.curves import Panel, Series
from regretless.report.svg import Frame, drawing

WIDTH, HEIGHT, LINE = 420, 230, 18
MOST_BOUNDS, MOST_TIMES = 3, 8.0  # a bound that is so many times the least would press all other lines to the ground
KEYS = """
.allowed { fill: #0d7269; fill-opacity: .12; stroke: none; }
.expert1, .expert2, .expert3 { stroke-dasharray: 6 4; } .plot .key { fill: #15181e; }
@media (prefers-color-scheme: dark) { .plot .key { fill: #e9ebef; } }
"""


def drawings() -> dict[str, Drawing]:
    """Pictures of learners and of theorems, by the paths of their pages: what was observed in short runs, below bounds.

    A theorem is drawn by the first run to which it applies: of a learner as it is by default, of one with other
    settings, or of something else, as shards.
    """
    made, played = {}, runs_of_learners(theorem_page)
    for (kind, name), run in played.items():
        if names := best(run, [theorem_page(one) for one in class_of(kind, name).theorems]):
            made[f"learners/{kind}/{name}"] = Drawing(picture(run, names), _caption(run))
    for run in (*played.values(), *runs_of_variants(theorem_page), *runs(theorem_page)):
        for name in run.points:
            if f"theorems/{name}" not in made:
                made[f"theorems/{name}"] = Drawing(picture(run, [name]), _caption(run))
    return made


def _caption(run: Run) -> str:
    return f"Drawn when this site was built, from a run of {run.learner}: {run.stream}"


def picture(run: Run, names: Sequence[str]) -> str:
    """What was observed in a run, and the bounds of these theorems, which are of one quantity.

    Parameters
    ----------
    run : Run
    names : sequence of str
        Of the pages of theorems that have points in the run, at least one.
    """
    quantity = run.theorems[names[0]].quantity
    observed = [(float(t), values) for t, values, _ in max((run.points[name] for name in names), key=len)]
    lines = [Series(_key(quantity, observed[-1][1]), "expert0", observed)]
    for place, name in enumerate(names):
        bound = [(float(t), allowed) for t, _, allowed in run.points[name]]
        key = _key(run.theorems[name].title, bound[-1][1])
        lines.append(Series(key, f"expert{1 + place}", bound, bound=True))
    frame = Frame("narrow", WIDTH, HEIGHT + LINE * len(lines), left=58, right=26, top=30 + LINE * len(lines))
    panel = Panel("counts", quantity, quantity, "real", lines, [], "linear", even=True, across=run.across)
    keys = "".join(_legend(place, line) for place, line in enumerate(lines))
    size = f'viewBox="0 0 {frame.width} {frame.height}" width="{frame.width}" height="{frame.height}" class="plot"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}{KEYS}</style>{drawing(panel, frame)}{keys}'
    return f"{svg}</svg>\n"


def best(run: Run, theorems: Sequence[str]) -> list[str]:
    """A learner's theorems to be drawn together: of the quantity of the first that applies, the least bounds."""
    known = [name for name in theorems if name in run.points]
    if not known:
        return []
    quantity = run.theorems[known[0]].quantity
    same = sorted((run.points[name][-1][2], name) for name in known if run.theorems[name].quantity == quantity)
    least = same[0][0]
    return [name for bound, name in same[:MOST_BOUNDS] if bound <= MOST_TIMES * max(least, 0.0) or bound == least]


def _key(words: str, last: float) -> str:
    return f"{words}: {formatting.number(last)} at the end"


def _legend(place: int, line: Series) -> str:
    y = 30 + LINE * place
    words = escape(formatting.shorten(line.name, 54))
    return f'<path class="line {line.style}" d="M4 {y - 4}h26"/><text class="key" x="38" y="{y}">{words}</text>'
