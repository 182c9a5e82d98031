"""TeX formulas as MathML that a page with a strict content policy may hold."""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

from . import formatting

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
    kept = {name: value for name, value in element.attrib.items() if _ATTRIBUTES.fullmatch(name)}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in kept.items())
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
