"""Public names that are imported when they are asked for, so that a room costs nothing until one of them is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    room: str, names: list[str], modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a room.

    Parameters
    ----------
    room : str
        Its ``__name__``.
    names : list of str
        Its ``__all__``.
    modules : mapping of str to str
        The module of each name, within the room; of a learner it stands in the table of learners. A room has it as
        `MODULES`, and from both docs/name_lists.py makes `__all__`.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module = f"{room}.{modules[name]}" if name in modules else _module_of_learner(room, name)
        return getattr(import_module(module), name)

    return getattribute, lambda: names


def _module_of_learner(room: str, name: str) -> str:
    """Where the class of a learner of the room stands."""
    from .learner_table import BANDITS, CLASS_LEARNERS, CONTEXTUAL_BANDITS, EXPERT_LEARNERS, LEARNERS, REGRESSORS

    tables = (LEARNERS, REGRESSORS, EXPERT_LEARNERS, BANDITS, CONTEXTUAL_BANDITS, CLASS_LEARNERS)
    entries = (entry for table in tables for entry in table.values())
    modules = (f"{__package__}.{entry.module}" for entry in entries if entry.attribute == name)
    return next(module for module in modules if module.startswith(f"{room}."))
