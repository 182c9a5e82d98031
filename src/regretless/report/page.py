"""The report of a learner of labels, as one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from . import charts, formatting, summary, template
from .model import Report, counted

MOST_WEIGHTS = 30


def write_report(path: str | os.PathLike[str], report: Report) -> None:
    """Write the report so that the path holds the old file or the whole new one, never a part.

    Parameters
    ----------
    path : str or path-like
        Where to write; what is no regular file (a pipe, a terminal) is written to as it is.
    report : Report
        The run to show.
    """
    template.write(path, render(report))


def render(report: Report) -> str:
    """The report as one HTML page.

    Parameters
    ----------
    report : Report
        The run to show.

    Returns
    -------
    str
        A page without any reference to another file, whose policy allows its own style and script alone.
    """
    panels = [charts.count_panel(report), charts.rate_panel(report)] if summary.totals(report)[0] > 0 else []
    return template.fill(_view(report), panels, report.certificates, counted(report.quantity))


def _view(report: Report) -> dict[str, Any]:
    return {
        "title": report.title,
        "lead": summary.lead(report),
        "cards": summary.cards(report),
        "comparators": template.comparator_table(report.comparators),
        "compared": "The fixed predictors, chosen in hindsight, that the theorems measure the learner against.",
        "weights": weight_rows(report.weights),
        "tables": [
            ("Learner", [("Name", report.learner), *template.facts(report.parameters, {})]),
            ("Data", template.facts(report.source, template.SOURCE_NAMES)),
        ],
    }


def weight_rows(weights: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """The largest weights as the page's bars."""
    finite = [(str(name), float(weight)) for name, weight in weights if math.isfinite(weight)]
    finite = sorted(finite, key=lambda pair: -abs(pair[1]))[:MOST_WEIGHTS]
    low, high = min([0.0, *(w for _, w in finite)]), max([0.0, *(w for _, w in finite)])
    scale = 1000 / (high - low) if high > low else 0.0
    values = formatting.aligned([weight for _, weight in finite])
    return [
        {
            "name": formatting.shorten(formatting.clean(name), 36),
            "full": formatting.shorten(formatting.clean(name), 1000),
            "value": ("+" if weight > 0 else "") + value,
            "side": "up" if weight > 0 else "down",
            "x": round((min(weight, 0.0) - low) * scale, 1),
            "width": round(abs(weight) * scale, 1),
            "zero": round(-low * scale, 1),
        }
        for (name, weight), value in zip(finite, values, strict=True)
    ]
