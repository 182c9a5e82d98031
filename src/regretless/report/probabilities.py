"""Charts of a learner of probabilities: its log loss under bounds, the weights of its members, and how often what it
said came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import formatting
from .certified import smallest_bound
from .curves import OFF_THE_CHART, Panel, Series, thin
from .forecast_charts import weight_panel

Snapshots = Sequence[Mapping[str, Any]]
"""At increasing rounds: ``rounds, loss, members, losses, posterior``, and the ``cost`` of mixing."""
AGAINST_VECTORS = ("by_a_rate", "by_a_matrix")


def loss_panel(snapshots: Snapshots, certificates: Sequence[Any]) -> Panel | None:
    """The log loss as it grows, under that of the best member so far and what mixing may cost.

    Parameters
    ----------
    snapshots : sequence of mapping
    certificates : sequence of Certificate
        The smallest bound on the log loss is drawn across.
    """
    rows = [one for one in snapshots if one["rounds"] > 0]
    if not rows:
        return None
    loss = thin([(float(one["rounds"]), float(one["loss"])) for one in rows])
    allowed = thin([(float(one["rounds"]), min(one["losses"]) + one["cost"]) for one in rows])
    last = rows[-1]
    lines = [
        Series("Log loss", "first", loss, final=formatting.number(loss[-1][1])),
        Series(
            "Best member and what mixing may cost",
            "bound1",
            allowed,
            bound=True,
            final=formatting.number(allowed[-1][1]),
        ),
    ]
    bounds = [one for one in certificates if one.quantity == "log loss" and one.theorem.name in AGAINST_VECTORS]
    if (least := smallest_bound((one.shown_bound, one) for one in bounds)) is not None:
        title, bound = least
        drawn = bound <= max(loss[-1][1], 1.0) * OFF_THE_CHART
        points = [(loss[0][0], bound), (float(last["rounds"]), bound)]
        name, final = formatting.label(title), formatting.number(bound)
        lines.append(Series(name, "bound0", points, bound=True, final=final, drawn=drawn))
    return Panel("log-loss", "Log loss under the certified bounds", "Nats", "real", lines, [])


def posterior_panel(snapshots: Snapshots) -> Panel | None:
    """The weights of the members over the rounds; members that have left weigh nothing."""
    rows = [one for one in snapshots if one["rounds"] > 0]
    names = list(dict.fromkeys(name for one in rows for name in one["members"]))
    if len(names) < 2:
        return None
    each = [dict(zip(one["members"], one["posterior"], strict=True)) for one in rows]
    weights = {name: [one.get(name, 0.0) for one in each] for name in names}
    panel = weight_panel([int(one["rounds"]) for one in rows], weights)
    return panel and replace(panel, title="Posterior weights of the members")


def reliability_panel(table: Mapping[str, Any]) -> Panel:
    """What came beside what was said to be probable, in percent: on the diagonal where probabilities are right.

    Parameters
    ----------
    table : mapping
        ``forecast, frequency, rows`` of stretches of probability, and the parts of the Brier score.
    """
    said = [100 * one for one in table["forecast"]]
    points = [(x, 100 * y) for x, y in zip(said, table["frequency"], strict=True)]
    lines = [
        Series("Came", "first", points, final="", mark="dots" if len(points) == 1 else "line"),
        Series("As often as said", "outcome", [(0.0, 0.0), (100.0, 100.0)]),
    ]
    parts = [f"{name} {formatting.real(table[name], 4)}" for name in ("reliability", "resolution", "uncertainty")]
    brier = formatting.real(table["brier"], 4)
    note = f"Brier score {brier} = reliability - resolution + uncertainty: {', '.join(parts)}."
    heading = ("Said, percent", "Came, percent", "Rows")
    cells = [
        (formatting.real(x, 3), formatting.real(y, 3), formatting.number(n))
        for (x, y), n in zip(points, table["rows"], strict=True)
    ]
    return Panel(
        "reliability", "Said and came", "Came, percent", "real", lines, [note], scale="linear", even=True,
        across="Said, percent", table=[heading, *cells], rest="Of all rows",
    )  # fmt: skip
