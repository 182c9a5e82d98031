"""Makes src/regretless/learner_table.py from the classes of the learners, each of which says its facts itself.

``python docs/learner_table.py`` prints it; ``--write`` puts it in its place. A test sees to it that what stands there
is what is printed. Learners stand in the order in which they stood; a new one comes last of its kind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType, SimpleNamespace
from typing import Any

import regretless
from regretless.info import Entry

PLACE = Path(regretless.__file__).parent / "learner_table.py"
KINDS = ("BanditInfo", "ClassInfo", "ContextualInfo", "Entry", "ExpertInfo", "LinearInfo", "RegressionInfo")
IMPORT = f"from .info import {', '.join(KINDS)}"
TABLES = {
    "LEARNERS": ("linear", "OnlineClassifier"),
    "REGRESSORS": ("regression", "OnlineRegressor"),
    "EXPERT_LEARNERS": ("experts", "ExpertLearner"),
    "BANDITS": ("bandits", "Bandit"),
    "CONTEXTUAL_BANDITS": ("contextual", "ContextualBandit"),
    "CLASS_LEARNERS": ("finite_classes.learners", "ClassLearner"),
}


def as_it_stands() -> ModuleType:
    """The table that there is, which may lack a fact that is new, or have one that is no more."""
    module = ModuleType("regretless.learner_table")
    vars(module).update(dict.fromkeys(KINDS, SimpleNamespace), Entry=Entry)
    exec(PLACE.read_text().replace(IMPORT, ""), vars(module))
    return module


# Learners cannot be imported with a table that lacks a fact.
sys.modules.setdefault("regretless.learner_table", as_it_stands())


def table() -> str:
    """The module, as ruff formats it."""
    lines = ['"""All learners, where each stands, and what it says of itself. Made by docs/learner_table.py."""', ""]
    lines += ["# ruff: noqa: E501  (it is generated, and a reason may be a long line)", "", IMPORT, ""]
    for name, (room, base) in TABLES.items():
        lines.append(f"{name} = {{")
        for learner in _ordered(name, _classes(room, base)):
            module = learner.__module__.removeprefix("regretless.")
            facts = "".join(f"            {fact}={_text(value)},\n" for fact, value in learner.info._asdict().items())
            lines += [f'    "{learner.info.name}": Entry(', f'        "{module}",', f'        "{learner.__name__}",']
            lines += [f"        {type(learner.info).__name__}(", f"{facts}        ),", "    ),"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _classes(name: str, base: str) -> Iterator[Any]:
    """The classes below a room's base that say what they are."""
    room, names = import_module(f"regretless.{name}"), set()
    base_class = getattr(import_module(f"regretless.{name}.base"), base)
    for page in walk_packages(room.__path__, f"{room.__name__}."):
        for one in vars(import_module(page.name)).values():
            if isinstance(one, type) and issubclass(one, base_class) and "info" in vars(one) and one not in names:
                names.add(one)
                yield one


def _ordered(name: str, classes: Iterator[Any]) -> list[Any]:
    """In the order of the table that there is."""
    places = {one: place for place, one in enumerate(getattr(as_it_stands(), name, ()))}
    return sorted(classes, key=lambda one: (places.get(one.info.name, len(places)), one.info.name))


def _text(value: object) -> str:
    """As the module has it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PLACE.write_text(table())
    else:
        print(table(), end="")
