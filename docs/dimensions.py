"""Measures finite classes, and prints the tables of docs/finite_classes.md.

``python docs/dimensions.py`` prints them; with ``--write`` it puts them in their place, and below each command of the
document what it prints, and draws docs/dimension-cost.svg. A test compares. The times are those of
``python -m benchmarks.bench_dimension --curve --json > docs/dimension-cost.json`` and of
``python -m benchmarks.bench_vote --json > docs/round-cost.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import hypot
from pathlib import Path
from typing import Any

import public_tables

from regretless.environments import Dyadic, ShatteredTree
from regretless.experts import WeightedMajority
from regretless.finite_classes import (
    Consistent,
    FiniteClass,
    Halving,
    RandomizedOptimal,
    StandardOptimal,
    littlestone_dimension,
    randomized_littlestone_dimension,
    vc_dimension,
    worst_case,
)
from regretless.linear import Perceptron, Winnow
from regretless.play import PlayResult, play
from regretless.report import formatting
from regretless.report.curves import Panel, Series
from regretless.report.svg import Frame, drawing

PAGE = Path(__file__).resolve().parent / "finite_classes.md"
PICTURE, TIMED = PAGE.with_name("dimension-cost.svg"), PAGE.with_name("dimension-cost.json")
ROUNDS_TIMED = PAGE.with_name("round-cost.json")
NAMED = (
    "thresholds:20",
    "intervals:12",
    "singletons:8",
    "singletons-and-zero:8",
    "parities:4",
    "conjunctions:3",
    "disjunctions:4",
    "all:6",
    "at-most-k:8,2",
    "exactly-k:6,2",
    "halfspaces:3x3",
    "halfspaces:cube:3",
    "homogeneous-halfspaces:signs:3",
)
TREE, ROUNDS = "thresholds:63", 200
DEPTHS = (2, 4, 8, 16, 32, 52)
COUNTED = ("mistakes", "expected mistakes", "updates")
FRAME = Frame("wide", 760, 400, left=70, right=190)
STYLE = """
.plot { font: 12px system-ui, sans-serif; }
.plot text { fill: #555c69; } .plot .tag-text { fill: #15181e; }
.end { text-anchor: end; } .mid { text-anchor: middle; }
.grid { stroke: #d8dce3; } .stub, .base { stroke: #555c69; }
.line { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; } .leader { fill: none; }
.line.dot { stroke-width: 8; }
.expert0 { stroke: #b5470b; } .expert1 { stroke: #0d7269; } .expert2 { stroke: #8b3fa8; }
.expert3 { stroke: #80620a; } .expert4 { stroke: #b3265c; } .expert5 { stroke: #44597a; }
@media (prefers-color-scheme: dark) {
  .plot { background: #12151a; } .plot text { fill: #a5adba; } .plot .tag-text { fill: #e9ebef; }
  .grid { stroke: #333a45; } .stub, .base { stroke: #a5adba; }
  .expert0 { stroke: #ff9a66; } .expert1 { stroke: #57c9bb; } .expert2 { stroke: #d59bf0; }
  .expert3 { stroke: #dcb75a; } .expert4 { stroke: #ff8fb0; } .expert5 { stroke: #9fb3d1; }
}
"""
Rows = list[tuple[str, ...]]


def families(_: Path) -> str:
    """A row for each of some named classes: its dimensions, and what learners can be made to pay."""
    rows: Rows = [("class", "\\|H\\|", "points", "VC", "Ldim", "RL", "floor log2", "`halving`", "`consistent`")]
    for name in NAMED:
        one = FiniteClass.named(name)
        dimensions = (vc_dimension(one).value, littlestone_dimension(one).value)
        drawn = formatting.real(float(randomized_littlestone_dimension(one).value), 4)
        halving = max(worst_case(Halving(one, tie=tie)).mistakes for tie in (0, 1))
        worst = (one.floor_log2, halving, worst_case(Consistent(one)).mistakes)
        rows.append((f"`{name}`", *map(str, (one.hypotheses, one.points, *dimensions, drawn, *worst))))
    return public_tables.table(rows)


def results(_: Path) -> str:
    """A row for each of some learners that met the tree: its mistakes, and what they had to be."""
    rows: Rows = [("learner", "counted", "observed", "forced, at least", "certified, at most")]
    finite_class = FiniteClass.named(TREE)
    environment = ShatteredTree(finite_class)
    learners: list[Any] = [kind(finite_class) for kind in (Consistent, Halving, StandardOptimal)]
    learners += [RandomizedOptimal(finite_class, random_state=0), WeightedMajority(), Perceptron(), Winnow()]
    for learner in learners:
        met = play(learner, environment, ROUNDS)
        (forced,) = met.lower_bounds
        least, most = formatting.real(forced.lower_bound.least), formatting.real(certified(met))
        rows.append(
            (f"`{learner.name}`", forced.lower_bound.quantity, formatting.real(forced.observed or 0.0), least, most)
        )
    return public_tables.table(rows)


def certified(met: PlayResult) -> float:
    """The least bound on mistakes, or on updates, which are as many at least."""
    bounds = [one for one in met.certificates if one.applies and one.quantity in COUNTED]
    return min(one.shown_bound or 0.0 for one in bounds)


def dyadic(_: Path) -> str:
    """What the dyadic adversary does to the perceptron after more and more rounds, and to the bound of its theorem."""
    rows: Rows = [("rounds", "mistakes", "margin ρ of the rounds so far", "(R/ρ)²")]
    for rounds in DEPTHS:
        met = play(Perceptron(), Dyadic(), rounds)
        length, margin = room(rounds)
        rows.append((str(rounds), f"{met.count:g}", rounded(margin), rounded((length / margin) ** 2)))
    return public_tables.table(rows)


def room(rounds: int) -> tuple[float, float]:
    """The length of the longest row (m, 1), and the largest margin of a line that separates the rounds.

    Signed by their labels the rows lie on two sides; the margin is the distance from the origin to the segment between
    the nearest ones of either, the last m below the threshold and the first one above.
    """
    learner, asker = Perceptron(), Dyadic().begin()
    below, above, longest = 0.0, 1.0, 0.0
    for _ in range(rounds):
        row = asker.row()
        label = asker.label(int(learner.predict_one(row)) if longest else 1)
        learner.partial_fit(row[None], [label], classes=[-1, 1])
        longest = max(longest, hypot(*row))
        below, above = (row[0], above) if label > 0 else (below, row[0])
    return longest, (above - below) / hypot(above + below, 2)


def rounded(value: float) -> str:
    """Two digits, which do not hang on how the margin was found."""
    if 0.01 < value < 10_000:
        return f"{value:,.2g}" if value < 1 else f"{value:,.0f}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits} × {formatting.power_of_ten(int(exponent))}"


def costs(_: Path) -> str:
    """A row for each kind of classes and dimension: the largest that was solved, and what the next one came to."""
    rows: Rows = [("classes", "dimension", "largest solved", "found", "CPU seconds", "looked at", "the next one")]
    for (dimension, kind), each in lines().items():
        *_, largest = (one for one in each if one["lower"] == one["upper"])
        beyond = each[-1] if each[-1] is not largest else None
        solved = (str(largest["lower"]), f"{largest['seconds']:.2g}", f"{largest['steps']:,}")
        next_one = f"{_sizes(beyond)}: {beyond['lower']} to {beyond['upper']}" if beyond else "was not tried"
        rows.append((kind, dimension, _sizes(largest), *solved, next_one))
    return public_tables.table(rows)


def rounds(_: Path) -> str:
    """A row for each way to play rounds: microseconds, by how many hypotheses leave."""
    figures = json.loads(ROUNDS_TIMED.read_text(encoding="utf-8"))["figures"]
    rows: Rows = [("microseconds a round", *figures)]
    for name in next(iter(figures.values())):
        rows.append((name, *(formatting.real(each[name], 2) for each in figures.values())))
    return public_tables.table(rows)


def lines() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """What was timed of each dimension and each kind of classes."""
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in json.loads(TIMED.read_text(encoding="utf-8")):
        runs.setdefault((one["dimension"], one["class"]), []).append(one)
    return runs


def _sizes(one: dict[str, Any]) -> str:
    return f"{one['hypotheses']:,} on {one['points']:,}"


def figure() -> str:
    """The seconds that each dimension took by the number of hypotheses, a line for each kind of classes."""
    parts = [_drawn(dimension, place * FRAME.height) for place, dimension in enumerate(("Littlestone", "VC"))]
    size = f'viewBox="0 0 {FRAME.width} {2 * FRAME.height}" class="plot"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{"".join(parts)}</svg>\n'


def _drawn(dimension: str, top: int) -> str:
    series = []
    for place, ((of, kind), each) in enumerate(lines().items()):
        if of == dimension:
            points = [(float(one["hypotheses"]), one["seconds"]) for one in each if one["lower"] == one["upper"]]
            last = f"{points[-1][1]:.2g} s for {points[-1][0]:,.0f}"
            series.append(Series(kind, f"expert{place % 6}", points, tag=kind, final=last))
    unit = f"{dimension} dimension, CPU seconds"
    panel = Panel("costs", unit, unit, "real", series, [], "log", across="Hypotheses", rest="The largest")
    return drawing(panel, FRAME).replace("<svg ", f'<svg y="{top}" height="{FRAME.height}" ', 1)


MAKERS: dict[str, Callable[[Path], str]] = {
    "families": families,
    "results": results,
    "dyadic": dyadic,
    "costs": costs,
    "rounds": rounds,
}


def filled() -> str:
    """The document with its tables and the output of its commands as they should be."""
    return public_tables.page_text(PAGE, MAKERS)


if __name__ == "__main__":
    public_tables.tell(PAGE, MAKERS, PICTURE, figure)
