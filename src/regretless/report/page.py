"""The page itself: one file that opens anywhere and asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import metadata, resources
from typing import Any

from . import charts, numbers, summary, svg
from .axes import Format
from .charts import Panel, Series
from .formula import mathml
from .model import Report, counted

MOST_WEIGHTS = 30
MOST_COMPARATORS = 40
MOST_FACTS = 60

_SOURCE_NAMES = {
    "path": "File",
    "rows": "Rows",
    "features": "Features",
    "nonzeros": "Values stored",
    "skipped": "Rows skipped",
    "passes": "Passes",
}


def write_report(path: str | os.PathLike[str], report: Report) -> None:
    """Write the report so that the path holds the old file or the whole new one, never a part.

    Parameters
    ----------
    path : str or path-like
        Where to write; what is no regular file (a pipe, a terminal) is written to as it is.
    report : Report
        The run to show.
    """
    content = render(report).encode("utf-8")
    target = os.path.realpath(path)
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        with open(target, "wb") as stream:
            stream.write(content)
        return
    temporary = os.path.join(os.path.dirname(target), f".report-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


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
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["digest"] = _digest
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    source = resources.files("regretless.report").joinpath("page.html.j2").read_text(encoding="utf-8")
    view = _view(report)
    for panel in view["panels"]:
        panel["drawings"] = [Markup(drawing) for drawing in panel["drawings"]]
    rows = [summary.row(one, Markup(mathml(one.theorem.formula))) for one in _applying_first(report)]
    template = environment.from_string(source)
    return template.render(view, certificates=rows, bar=lambda *share: Markup(_bar(*share))).lstrip()


def _view(report: Report) -> dict[str, Any]:
    panels = [charts.count_panel(report), charts.rate_panel(report)] if summary.totals(report)[0] > 0 else []
    return {
        "title": report.title,
        "version": _version(),
        "lead": summary.lead(report),
        "verdict": summary.verdict(report.certificates),
        "cards": summary.cards(report),
        "panels": [_panel_view(panel) for panel in panels],
        "curves": {panel.key: _pointing(panel, counted(report.quantity)) for panel in panels},
        "comparators": _comparator_table(report.comparators),
        "weights": _weight_rows(report.weights),
        "tables": [
            ("Learner", [("Name", report.learner), *_facts(report.parameters, {})]),
            ("Data", _facts(report.source, _SOURCE_NAMES)),
        ],
    }


def _applying_first(report: Report) -> list[Any]:
    return sorted(report.certificates, key=lambda one: not one.applies)


def _panel_view(panel: Panel) -> dict[str, Any]:
    notes = list(panel.notes)
    if svg.hidden_points(panel):
        where = "at or below zero" if panel.format == "real" else "at zero"
        notes.append(f"Ticks on the axis mark where a line was {where}: a log scale has no place for it.")
    frames = svg.FRAMES[panel.key]
    return {
        "key": panel.key,
        "title": panel.title,
        "at": f"After {numbers.number(panel.rounds)} round{'' if panel.rounds == 1 else 's'}",
        "series": panel.series,
        "notes": notes,
        "drawings": [svg.drawing(panel, frame) for frame in frames],
    }


def _pointing(panel: Panel, whole: bool) -> dict[str, Any]:
    """What the script needs to say the values at the round pointed at."""
    rounds = [t for t, _ in panel.series[0].points]
    return {
        "format": panel.format,
        "rounds": [int(t) for t in rounds],
        "lines": [
            {
                "style": line.style,
                "drawn": line.drawn,
                "values": [_json_value(line, t, panel.format, whole) for t in rounds],
            }
            for line in panel.series
        ],
    }


def _json_value(line: Series, t: float, format: Format, whole: bool) -> float | str | None:
    value = charts.at_round(line.points, t)
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return numbers.real(value)
    if line.bound and whole:
        return math.floor(value * (1 + 1e-9) + 1e-9)
    if format == "percent":
        return float(f"{value:.4g}")
    return int(value) if value == int(value) else float(f"{value:.7g}")


def _comparator_table(comparators: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    shown = comparators[:MOST_COMPARATORS]
    keys = list(dict.fromkeys(key for row in shown for key, value in row.items() if value is not None))
    names = [numbers.shorten(key.replace("_", " "), 40) for key in keys[:MOST_FACTS]]
    columns = [_column([row.get(key) for row in shown]) for key in keys[:MOST_FACTS]]
    names = [name[:1].upper() + name[1:] for name in names]
    return {"columns": names, "rows": list(zip(*columns, strict=True))}


def _column(values: Sequence[object]) -> list[str]:
    reals = [value for value in values if isinstance(value, float)]
    if len(reals) == sum(value is not None for value in values):
        aligned = iter(numbers.aligned(reals))
        return ["–" if value is None else next(aligned) for value in values]
    return ["–" if value is None else numbers.plain(value, 60) for value in values]


def _weight_rows(weights: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    finite = [(str(name), float(weight)) for name, weight in weights if math.isfinite(weight)]
    finite = sorted(finite, key=lambda pair: -abs(pair[1]))[:MOST_WEIGHTS]
    low, high = min([0.0, *(w for _, w in finite)]), max([0.0, *(w for _, w in finite)])
    scale = 1000 / (high - low) if high > low else 0.0
    values = numbers.aligned([weight for _, weight in finite])
    return [
        {
            "name": numbers.shorten(numbers.clean(name), 36),
            "full": numbers.shorten(numbers.clean(name), 1000),
            "value": ("+" if weight > 0 else "") + value,
            "side": "up" if weight > 0 else "down",
            "x": round((min(weight, 0.0) - low) * scale, 1),
            "width": round(abs(weight) * scale, 1),
            "zero": round(-low * scale, 1),
        }
        for (name, weight), value in zip(finite, values, strict=True)
    ]


def _facts(values: Mapping[str, object], names: Mapping[str, str]) -> list[tuple[str, str]]:
    shown = list(values.items())[:MOST_FACTS]
    return [(names.get(str(key), str(key).replace("_", " ")), numbers.plain(value)) for key, value in shown]


def _bar(width: float, over: bool) -> str:
    fill = "over" if over else "fill"
    return (
        '<svg class="bar" viewBox="0 0 100 7" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="7"/>'
        f'<rect class="{fill}" width="{width:g}" height="7"/></svg>'
    )


def _finalize(value: object) -> object:
    """What the template writes: text that is not yet safe is made fit for a page, and not endless."""
    return numbers.label(value, 2000) if type(value) is str else value


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(str(text).encode("utf-8")).digest()).decode("ascii")


def _version() -> str:
    try:
        return metadata.version("regretless")
    except metadata.PackageNotFoundError:
        return "(not installed)"
