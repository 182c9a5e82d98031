"""What every page shares: how it is filled, its charts, tables and bars, and how it is written to a file."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from html import escape
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..atomic_write import replacing
from . import formatting, summary, svg
from .axes import Format
from .curves import Panel, Series, Still, at_round
from .page import Learner, Page

if TYPE_CHECKING:
    import jinja2


_TAGS = re.compile(
    r"math|mrow|mi|mn|mo|mtext|mspace|mfrac|msqrt|mroot|msub|msup|msubsup|munder|mover|munderover"
    r"|mtable|mtr|mtd|mstyle|mpadded|mphantom|menclose"
)
_ATTRIBUTES = re.compile(
    r"stretchy|fence|form|separator|lspace|rspace|width|mathvariant|displaystyle|scriptlevel|linethickness"
    r"|accent|accentunder|columnalign|minsize|maxsize|movablelimits"
)
_WITH_SCRIPTS = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'


def mathml(tex: str) -> str:
    """The formula as ``<math>`` elements, or as code when it cannot be read.

    What stands on either side of a ``\\quad`` becomes an element of its own, so that a narrow page can break
    the line there.
    """
    clauses = re.split(r"\\quad\b", tex)
    if not all(_closed(clause) for clause in clauses):
        clauses = [tex]
    try:
        return " ".join(_element(clause) for clause in clauses)
    except Exception:  # the converter's errors have no common base, and a formula must not cost the report
        return f"<code>{escape(formatting.clean(tex))}</code>"


def _closed(tex: str) -> bool:
    return tex.count("{") == tex.count("}") and tex.count(r"\left") == tex.count(r"\right")


def _element(tex: str) -> str:
    """One ``<math>`` element.

    The converter passes text through unescaped and may emit style and link attributes, so its output is
    parsed and only known elements and attributes are written again.
    """
    from latex2mathml.converter import convert

    root = ElementTree.fromstring(convert(tex, display="block").replace(_NAMESPACE, "", 1))
    root.attrib.clear()
    _polish(root)
    return _written(root).replace("<math>", '<math displaystyle="true">', 1)


def _polish(element: ElementTree.Element, script: bool = False) -> None:
    """Set operators as TeX does: bars as tall as asked for, scripts tight, what is minimised over below."""
    if element.tag == "msub" and element[0].text in ("min", "max", "inf", "sup", "lim"):
        element.tag = "munder"
    if element.tag == "mo":
        if element.text in ("‖", "|", "∥"):
            element.attrib.setdefault("stretchy", "false")
        if script:
            element.attrib.update(lspace="0", rspace="0")
    for k, child in enumerate(element):
        _polish(child, script or (k > 0 and element.tag in _WITH_SCRIPTS))


def _written(element: ElementTree.Element) -> str:
    inner = escape(element.text or "", quote=False)
    inner += "".join(_written(child) + escape(child.tail or "", quote=False) for child in element)
    if not _TAGS.fullmatch(element.tag):
        return inner
    rest = {name: value for name, value in element.attrib.items() if _ATTRIBUTES.fullmatch(name)}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in rest.items())
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"


MOST_COMPARATORS = 40
MOST_FACTS = 60

SOURCE_NAMES = {
    "path": "File",
    "target": "Target",
    "rows": "Rows",
    "features": "Features",
    "nonzeros": "Values stored",
    "skipped": "Rows skipped",
    "passes": "Passes",
}


def write_report(path: str | os.PathLike[str], page: Page) -> None:
    """Write a page so that the path holds the old file or the whole new one, never a part.

    Parameters
    ----------
    path : str or path-like
        Where to write; what is no regular file (a pipe, a terminal) is written to as it is.
    page : Page
    """
    with replacing(path) as file:
        file.write(render(page).encode("utf-8"))


def render(page: Page) -> str:
    """A page as HTML.

    Parameters
    ----------
    page : Page

    Returns
    -------
    str
        A page without any reference to another file, whose policy allows its own style and script alone.
    """
    from markupsafe import Markup

    from ..certificate import together

    asked = page.certificates or ()
    applying_first = sorted(asked, key=lambda one: not one.applies)
    rows = [summary.row(one, Markup(mathml(one.theorem.formula))) for one in applying_first]
    shown: dict[str, Any] = {field.name: getattr(page, field.name) for field in fields(page)} | {
        "comparators": comparator_table(page.comparators),
        "panels": [_panel_view(panel) for panel in page.panels],
        "stills": [{**_still_view(still), "drawings": list(map(Markup, still.drawings))} for still in page.stills],
        "certificates": None if page.certificates is None else rows,
    }
    return (
        _template()
        .render(
            shown,
            version=_version(),
            curves={panel.key: _pointing(panel, page.whole) for panel in page.panels},
            together=together(asked),
            bar=lambda *share: Markup(_bar(*share)),
        )
        .lstrip()
    )


@cache
def _template() -> jinja2.Template:
    """The template; to compile it takes longer than to fill it."""
    import jinja2

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
    return environment.from_string(source)


def _still_view(still: Still) -> dict[str, Any]:
    return {key: getattr(still, key) for key in ("key", "title", "legend", "notes", "table")}


def _panel_view(panel: Panel) -> dict[str, Any]:
    from markupsafe import Markup

    notes = list(panel.notes)
    if svg.hidden_points(panel):
        where = "at or below zero" if panel.format == "real" else "at zero"
        if panel.least:
            where = f"at or below {formatting.number(svg.axes(panel, svg.FRAMES[panel.key][0])[1].low)}"
        notes.append(f"Ticks on the axis mark where a line was {where}: a log scale has no place for it.")
    return {
        "key": panel.key,
        "drawings": [Markup(svg.drawing(panel, frame)) for frame in svg.FRAMES[panel.key]],
        "title": panel.title,
        "at": panel.rest or (panel.captions[-1] if panel.captions else f"After {summary.many(panel.rounds, 'round')}"),
        "series": panel.series,
        "notes": notes,
        "crowded": len(panel.series) > 4,
        "roomy": any(line.mark == "band" for line in panel.series),
        "table": panel.table,
    }


def _pointing(panel: Panel, whole: bool) -> dict[str, Any]:
    """What the script needs to say the values at the round pointed at."""
    rounds = panel.stops or [t for t, _ in panel.series[0].points]
    return {
        "format": panel.format,
        "rounds": [int(t) for t in rounds],
        "said": list(panel.captions),
        "lines": [
            {
                "style": line.style,
                "drawn": line.drawn and line.mark != "area",
                "values": _edges(line, rounds)
                if line.mark == "band"
                else [_json_value(line, t, panel.format, whole) for t in rounds],
            }
            for line in panel.series
        ],
    }


def _edges(line: Series, rounds: Sequence[float]) -> list[str | None]:
    """Both edges of a band at each round."""
    known = {t: formatting.between(low, high) for t, low, high in line.spans}
    return [known.get(t) for t in rounds]


def _json_value(line: Series, t: float, format: Format, whole: bool) -> float | str | None:
    value = at_round(line.values or line.points, t)
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return formatting.real(value)
    if line.bound and whole:
        return math.floor(value * (1 + 1e-9) + 1e-9)
    if format in ("percent", "share"):
        return float(f"{value:.4g}")
    return int(value) if value == int(value) else float(f"{value:.7g}")


def comparator_table(comparators: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """Columns and rows, a column for each thing that is known of some comparator."""
    shown = comparators[:MOST_COMPARATORS]
    keys = list(dict.fromkeys(key for row in shown for key, value in row.items() if value is not None))
    names = [formatting.shorten(key.replace("_", " "), 40) for key in keys[:MOST_FACTS]]
    columns = [_column([row.get(key) for row in shown]) for key in keys[:MOST_FACTS]]
    names = [name[:1].upper() + name[1:] for name in names]
    return {"columns": names, "rows": list(zip(*columns, strict=True))}


def _column(values: Sequence[object]) -> list[str]:
    reals = [value for value in values if isinstance(value, float)]
    if len(reals) == sum(value is not None for value in values):
        aligned = iter(formatting.aligned(reals))
        return ["–" if value is None else next(aligned) for value in values]
    return ["–" if value is None else formatting.plain(value, 60) for value in values]


def facts(values: Mapping[str, object], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and values for a list of facts."""
    shown = list(values.items())[:MOST_FACTS]
    return [(names.get(str(key), str(key).replace("_", " ")), formatting.plain(value)) for key, value in shown]


def learner_facts(learner: Learner) -> list[tuple[str, str]]:
    """Its name and its parameters."""
    return [("Name", learner.name), *facts(learner.get_params(), {})]


def _bar(width: float, over: bool) -> str:
    fill = "over" if over else "fill"
    return (
        '<svg class="bar" viewBox="0 0 100 7" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="7"/>'
        f'<rect class="{fill}" width="{width:g}" height="7"/></svg>'
    )


def _finalize(value: object) -> object:
    """What the template writes: text that is not yet safe is made fit for a page, and not endless."""
    return formatting.label(value, 2000) if type(value) is str else value


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(str(text).encode("utf-8")).digest()).decode("ascii")


def _version() -> str:
    try:
        return metadata.version("regretless")
    except metadata.PackageNotFoundError:
        return "(not installed)"
