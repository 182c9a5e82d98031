"""How Sphinx builds the site of `make docs` from the pages that docs/pages.py writes; no page loads anything."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import regretless

project = "Regretless"
release = regretless.__version__
copyright = "the Regretless developers"
sys.path.append(str(Path(__file__).parent))  # of gallery_style; functions of this file cannot be kept with a build
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery"]
sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parent / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\d\d_",
    "within_subsection_order": "FileNameSortKey",
    "run_stale_examples": True,  # they have not changed, but what they call may have
    "image_scrapers": ("gallery_style.svg",),
    "reset_modules": ("gallery_style.style",),
    "download_all_examples": False,
    "show_signature": False,
}
html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 4  # as on a forge
default_role = "code"
autodoc_typehints = "signature"
napoleon_google_docstring = False
# Types are words, as "array of shape (rounds, arms)": links would lead to attributes that are called so by chance.
napoleon_use_param = napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
suppress_warnings = ["ref.python"]  # the same, where a property says what it returns

CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)
MARKUP = re.compile(r"[|*\\]|(?<=\w)_(?=\W|$)")


def escape(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Let signs of mathematics in a docstring be themselves: |v|, w* and x_ are no markup."""
    lines[:] = [line for verbatim, block in _blocks(lines) for line in (block if verbatim else _escaped(block))]


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Lines that are shown as they stand, below `::` and of examples, and others, in turns."""
    block: list[str] = []
    literal = example = False
    for line in lines:
        outside = bool(line.strip()) and not line.startswith(" ")
        literal, example = literal and not outside, (example or line.lstrip().startswith(">>>")) and bool(line.strip())
        if literal or example:
            yield False, block
            yield True, [line]
            block = []
        else:
            block.append(line)
        literal = literal or line.endswith("::")
    yield False, block


def _escaped(block: list[str]) -> list[str]:
    parts = CODE.split("\n".join(block))
    text = "".join(part if k % 2 else MARKUP.sub(r"\\\g<0>", part) for k, part in enumerate(parts))
    return text.split("\n") if block else []


def ours(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Pass over what classes have from Python and scikit-learn."""
    function = getattr(obj, "fget", None) or getattr(obj, "__func__", obj)
    foreign = inspect.isroutine(function) and not str(getattr(function, "__module__", "")).startswith("regretless")
    return True if foreign or re.fullmatch("set_.*_request", name) else None


def setup(app: Any) -> None:
    """Register what is done to docstrings before Sphinx reads them."""
    app.connect("autodoc-process-docstring", escape, priority=100)
    app.connect("autodoc-skip-member", ours)
