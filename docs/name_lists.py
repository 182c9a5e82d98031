"""Writes the names of each room, which follow from what stands elsewhere.

``python docs/name_lists.py`` prints what differs; ``--write`` puts it in its place. A room's `__init__.py` has the
classes of its learners, which the table of learners knows, and what its `MODULES` name; between two comments stand the
imports that type checkers read and `__all__`. The package's has the imports of its rooms and of all learners.
"""

from __future__ import annotations

import ast
import re
import sys
from difflib import unified_diff
from pathlib import Path

import regretless
from regretless.catalogue import TABLES

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "regretless"
WIDTH = 120  # of a line
OWN = re.compile(r"(# Names: [^\n]*\n).*?(# End of names\n)", re.DOTALL)


def rooms() -> list[Path]:
    """The `__init__.py` of all packages whose names are listed here."""
    return [path for path in sorted(PACKAGE.rglob("__init__.py")) if OWN.search(path.read_text(encoding="utf-8"))]


def of_room(path: Path) -> str:
    """The `__init__.py` of a room with its names as they should be."""
    text = path.read_text(encoding="utf-8")
    if path.parent == PACKAGE:
        return OWN.sub(lambda own: f"{own[1]}if TYPE_CHECKING:\n{_of_package()}\n{own[2]}", text)
    room = ".".join(path.parent.relative_to(PACKAGE).parts) + "."
    entries = [entry for table in TABLES.values() for entry in table.values() if entry.module.startswith(room)]
    modules = {entry.attribute: entry.module.removeprefix(room) for entry in entries} | _modules(text)
    places: dict[str, list[str]] = {}
    for name in sorted(modules, key=_order):
        places.setdefault(modules[name], []).append(name)
    imports = "\n".join(f"    {_import(place, places[place])}" for place in sorted(places))
    listed = _listed("__all__ = [", [f'"{name}"' for name in sorted(modules, key=_order)], "]", "    ")
    return OWN.sub(lambda own: f"{own[1]}if TYPE_CHECKING:\n{imports}\n\n{listed}\n{own[2]}", text)


def _of_package() -> str:
    """The imports of the package: its rooms and their learners, of two of one name that which the package gives."""
    lines = [f"    from . import {room} as {room}" for room in sorted(regretless.ROOMS)]
    rooms: dict[str, list[str]] = {}
    for name in {entry.attribute for table in TABLES.values() for entry in table.values()}:
        rooms.setdefault(getattr(regretless, name).__module__.split(".")[1], []).append(name)
    for room in sorted(rooms):
        lines += [f"    from .{room} import {name} as {name}" for name in _as_imported(rooms[room])]
    return "\n".join(lines)


def _modules(text: str) -> dict[str, str]:
    """What a room names by hand: its `MODULES`."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            modules: dict[str, str] = ast.literal_eval(node.value)
            return modules
    return {}


def _order(name: str) -> tuple[int, str]:
    """Constants, classes and functions, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _as_imported(names: list[str]) -> list[str]:
    """As ruff sorts the names of an import: without regard to case."""
    return sorted(names, key=lambda name: (_order(name)[0], name.lower()))


def _import(module: str, names: list[str]) -> str:
    names = _as_imported(names)
    begin = f"from .{module} import "
    if len(begin + ", ".join(names)) <= WIDTH - 4:
        return begin + ", ".join(names)
    return _listed(f"{begin}(", names, ")", " " * 8).removesuffix(")") + "    )"


def _listed(begin: str, items: list[str], end: str, indent: str) -> str:
    """On one line if that is not too long, else a line each."""
    line = begin + ", ".join(items) + end
    return line if len(line) <= WIDTH else "\n".join([begin, *(f"{indent}{item}," for item in items), end])


def lists() -> dict[Path, str]:
    """All files with lists of names, as they should be."""
    return {path: of_room(path) for path in rooms()}


if __name__ == "__main__":
    for path, text in lists().items():
        if "--write" in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        else:
            lines = path.read_text(encoding="utf-8").splitlines(), text.splitlines()
            print(*unified_diff(*lines, str(path), str(path), lineterm=""), sep="\n")
