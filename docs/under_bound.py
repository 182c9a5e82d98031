"""Draws docs/under-bound.svg, the picture of the README: what the default learner loses, and what it may lose.

``python docs/under_bound.py`` learns the breast cancer data of scikit-learn, certifies the run after each of some
numbers of rows, and writes the picture. A test compares.
"""

from __future__ import annotations

from math import log
from pathlib import Path

from dimensions import STYLE
from sklearn.datasets import load_breast_cancer

from regretless.linear import AggregatedClassifier
from regretless.report.curves import Panel, Point, Series
from regretless.report.svg import Frame, drawing

PICTURE = Path(__file__).resolve().parent / "under-bound.svg"
FRAME = Frame("wide", 760, 380, left=50, right=250)
ROUNDS = (1, 2, 4, 8, 16, 32, 64, 96, *range(128, 569, 49), 569)
BOUNDS = {
    "Aggregation": "bound, by its best member",
    "Against every vector, by a full matrix": "bound, by any linear model",
}
SHADES = ".allowed { fill: #0d7269; fill-opacity: .12; stroke: none; }"


def curves() -> dict[str, list[Point]]:
    """The log loss of the learner, its bounds, and the loss of the best constant probability, by the round."""
    X, y = load_breast_cancer(return_X_y=True)
    learner, before = AggregatedClassifier(), 0
    points: dict[str, list[Point]] = {name: [] for name in ("loss", "constant", *BOUNDS)}
    for rounds in ROUNDS:
        learner.partial_fit(X[before:rounds], y[before:rounds], classes=[0, 1])
        before = rounds
        points["constant"].append((rounds, _constant(y[:rounds].mean(), rounds)))
        for one in learner.certify(X[:rounds], y[:rounds]):
            if one.theorem.title in BOUNDS:
                points[one.theorem.title].append((rounds, one.bound))
                points["loss"][len(points["constant"]) - 1 :] = [(rounds, one.observed)]
    return points


def _constant(share: float, rounds: int) -> float:
    return -rounds * sum(p * log(p) for p in (share, 1 - share) if p > 0)


def figure() -> str:
    """The picture."""
    points = curves()
    names = {"loss": "the learner", **BOUNDS, "constant": "best constant probability"}
    styles = {"loss": "expert0", "Aggregation": "expert1", "constant": "expert5"}
    series = []
    for key, name in names.items():
        last = f"{points[key][-1][1]:.1f}"
        tag, style = f"{last} {name}", styles.get(key, "expert2")
        series.append(Series(name, style, points[key], bound=key in BOUNDS, final=last, tag=tag))
    unit = "log loss in nats, so far"
    panel = Panel("loss", unit, unit, "real", series, [], "linear", even=True, across="Rows", rest="After 569 rows")
    size = f'viewBox="0 0 {FRAME.width} {FRAME.height}" class="plot"'
    style = f"<style>{STYLE}{SHADES}\n</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{drawing(panel, FRAME)}</svg>\n'


if __name__ == "__main__":
    PICTURE.write_text(figure(), encoding="utf-8")
