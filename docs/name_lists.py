"""Writes the lists of names that follow from what stands elsewhere: of each room, and of the rules in the kernels.

``python docs/name_lists.py`` prints what differs; ``--write`` puts it in its place. A room's `__init__.py` has the
classes of its learners, which the table of learners knows, and what its `MODULES` name; between two comments stand the
imports that type checkers read and `__all__`. The list of a family of rules has all types that say `facts`.
"""

from __future__ import annotations

import ast
import re
import sys
from difflib import unified_diff
from pathlib import Path

from regretless.catalogue import TABLES

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "regretless"
KERNELS = ROOT / "cpp" / "regretless"
WIDTH = 120  # of a line
OWN = re.compile(r"(# Names: [^\n]*\n).*?(# End of names\n)", re.DOTALL)
# The list of each family of rules, its headers, and the type of their facts.
FAMILIES = {
    "expert_rules.hpp": ("expert_*.hpp", "CombinerRule"),
    "pull_rules.hpp": ("pull_*.hpp", "PullRule"),
}


def rooms() -> list[Path]:
    """The `__init__.py` of all packages whose names are listed here."""
    return [path for path in sorted(PACKAGE.rglob("__init__.py")) if OWN.search(path.read_text(encoding="utf-8"))]


def of_room(path: Path) -> str:
    """The `__init__.py` of a room with its names as they should be."""
    text = path.read_text(encoding="utf-8")
    room = ".".join(path.parent.relative_to(PACKAGE).parts) + "."
    entries = [entry for table in TABLES.values() for entry in table.values() if entry.module.startswith(room)]
    modules = {entry.attribute: entry.module.removeprefix(room) for entry in entries} | _modules(text)
    places: dict[str, list[str]] = {}
    for name in sorted(modules, key=_order):
        places.setdefault(modules[name], []).append(name)
    imports = "\n".join(f"    {_import(place, places[place])}" for place in sorted(places))
    listed = _listed("__all__ = [", [f'"{name}"' for name in sorted(modules, key=_order)], "]", "    ")
    return OWN.sub(lambda own: f"{own[1]}if TYPE_CHECKING:\n{imports}\n\n{listed}\n{own[2]}", text)


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


def _import(module: str, names: list[str]) -> str:
    """Of an import it sorts the names without regard to case."""
    names = sorted(names, key=lambda name: (_order(name)[0], name.lower()))
    begin = f"from .{module} import "
    if len(begin + ", ".join(names)) <= WIDTH - 4:
        return begin + ", ".join(names)
    return _listed(f"{begin}(", names, ")", " " * 8).removesuffix(")") + "    )"


def _listed(begin: str, items: list[str], end: str, indent: str) -> str:
    """On one line if that is not too long, else a line each."""
    line = begin + ", ".join(items) + end
    return line if len(line) <= WIDTH else "\n".join([begin, *(f"{indent}{item}," for item in items), end])


def of_rules(name: str) -> str:
    """The header of a family: the tuple of its rules, in the order in which they stood, a new one last."""
    path, (pattern, facts) = KERNELS / name, FAMILIES[name]
    text = path.read_text(encoding="utf-8")
    homes = {
        rule: header.name for header in sorted(KERNELS.glob(pattern)) for rule in _rules(header.read_text(), facts)
    }
    stood = re.findall(r"\w+", re.search(r"std::tuple<([^>]*)>", text)[1])  # type: ignore[index]
    rules = sorted(homes, key=lambda rule: (stood.index(rule) if rule in stood else len(stood), rule))
    includes = "".join(f'#include "{header}"\n' for header in sorted(set(homes.values())))
    text = re.sub(r'(?:#include "[^\n]*\n)+', includes, text)
    return re.sub(r"std::tuple<[^>]*>", f"std::tuple<{', '.join(rules)}>", text)


def _rules(text: str, facts: str) -> list[str]:
    """The types of a header that say facts; of a template the names of what is made of it."""
    rules = []
    for template, name in re.findall(
        rf"(?ms)^(template <[^\n]*\n)?(?:struct|class) (\w+)(?:(?!^}}).)*? {facts} facts", text
    ):
        rules += re.findall(rf"using (\w+) = {name}<", text) if template else [name]
    return rules


def lists() -> dict[Path, str]:
    """All files with lists of names, as they should be."""
    return {path: of_room(path) for path in rooms()} | {KERNELS / name: of_rules(name) for name in FAMILIES}


if __name__ == "__main__":
    for path, text in lists().items():
        if "--write" in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        else:
            lines = path.read_text(encoding="utf-8").splitlines(), text.splitlines()
            print(*unified_diff(*lines, str(path), str(path), lineterm=""), sep="\n")
