"""No two modules of a room know each other, wherever in them the imports stand."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "regretless"
ROOMS = [SOURCE.name, *sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())]
# Relative ones, as all of the package's own are: at the top, for types alone, or within functions.
IMPORT = re.compile(r"^ *from (\.+)([\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


def imported(path: Path, modules: set[Path]) -> set[Path]:
    """The modules of a room that a module imports."""
    names = set()
    for dots, name, what in IMPORT.findall(path.read_text(encoding="utf-8")):
        base = path.parents[len(dots) - 1].joinpath(*name.split("."))
        names |= {base.with_suffix(".py"), *((base / word).with_suffix(".py") for word in re.findall(r"\w+", what))}
    return names & modules - {path}


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_of_a_room_leads_back_to_itself(room: str) -> None:
    """What a module of a room imports, then or when it runs, does not import the module again."""
    paths = SOURCE.glob("*.py") if room == SOURCE.name else (SOURCE / room).rglob("*.py")
    modules = {path for path in paths if path.name != "__init__.py"}
    try:
        order = [*TopologicalSorter({path: imported(path, modules) for path in modules}).static_order()]
    except CycleError as error:
        names = [path.relative_to(SOURCE).as_posix() for path in error.args[1]]
        pytest.fail(f"these import each other: {' <- '.join(names)}", pytrace=False)
    assert len(order) == len(modules)
