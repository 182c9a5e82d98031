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
from typing import Any

import regretless.bandits
import regretless.experts
import regretless.finite_classes
import regretless.linear
import regretless.regression
from regretless.bandits.base import Bandit
from regretless.experts.base import ExpertLearner
from regretless.finite_classes.learners.base import ClassLearner
from regretless.linear.base import OnlineClassifier
from regretless.regression.base import OnlineRegressor

PLACE = Path(regretless.__file__).parent / "learner_table.py"
TABLES = {
    "LEARNERS": (regretless.linear, OnlineClassifier),
    "REGRESSORS": (regretless.regression, OnlineRegressor),
    "EXPERT_LEARNERS": (regretless.experts, ExpertLearner),
    "BANDITS": (regretless.bandits, Bandit),
    "CLASS_LEARNERS": (regretless.finite_classes, ClassLearner),
}


def table() -> str:
    """The module, as ruff formats it."""
    lines = ['"""All learners, where each stands, and what it says of itself. Made by docs/learner_table.py."""', ""]
    lines += ["# ruff: noqa: E501  (it is generated, and a reason may be a long line)", ""]
    lines += ["from .info import BanditInfo, ClassInfo, Entry, ExpertInfo, LinearInfo, RegressionInfo", ""]
    for name, (room, base) in TABLES.items():
        lines.append(f"{name} = {{")
        for learner in _ordered(name, _classes(room, base)):
            module = learner.__module__.removeprefix("regretless.")
            facts = "".join(f"            {fact}={_text(value)},\n" for fact, value in learner.info._asdict().items())
            lines += [f'    "{learner.info.name}": Entry(', f'        "{module}",', f'        "{learner.__name__}",']
            lines += [f"        {type(learner.info).__name__}(", f"{facts}        ),", "    ),"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _classes(room: Any, base: type) -> Iterator[Any]:
    """The classes below a room's base that say what they are."""
    seen = set()
    for found in walk_packages(room.__path__, f"{room.__name__}."):
        for one in vars(import_module(found.name)).values():
            if isinstance(one, type) and issubclass(one, base) and "info" in vars(one) and one not in seen:
                seen.add(one)
                yield one


def _ordered(name: str, classes: Iterator[Any]) -> list[Any]:
    """In the order of the table that there is."""
    before: dict[str, Any] = {}
    exec(PLACE.read_text().replace("from .info", "from regretless.info"), before)
    places = {one: place for place, one in enumerate(before.get(name, ()))}
    return sorted(classes, key=lambda one: (places.get(one.info.name, len(places)), one.info.name))


def _text(value: object) -> str:
    """As the module has it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PLACE.write_text(table())
    else:
        print(table(), end="")
