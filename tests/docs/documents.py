"""The documents and the scripts beside them."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script(name: str) -> ModuleType:
    """A script of the documentation as a module; it finds the others as when it is run."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    return importlib.import_module(name)


def page(name: str) -> str:
    """A document."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def examples(name: str) -> doctest.TestResults:
    """What comes of the Python in a document."""
    return doctest.testfile(str(DOCS / f"{name}.md"), module_relative=False)
