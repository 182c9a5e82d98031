"""Names of learners stand in their rooms: who is asked something about a learner reads its info."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from regretless import __file__ as package
from regretless import _core
from regretless.catalogue import TABLES

ROOT = Path(package).parent
ROOMS = {
    "linear": "linear",
    "regression": "regression",
    "experts": "experts",
    "bandits": "bandits",
    "contextual": "contextual",
    "class": "finite_classes",
}
# Words that are the name of a learner and of something else, with the places that mean the other thing.
OTHERS = {
    "perceptron": {"rows/state.py", "theory/facts.py", "theory/margin_losses.py", "batch/", "linear/"},  # a loss
    "hedge": {"games/", "theory/game_facts.py", "cli/solve/zero_sum.py"},  # self-play, boosting
    "exp3-p": {"theory/", "verify/formulas/"},  # an event of probability at most delta
    "exp3-ix": {"theory/", "verify/formulas/"},
    "exp4": {"verify/formulas/"},  # a theorem, by its printed formula
    "consistent": {"verify/formulas/"},
    "ridge": {"verify/formulas/", "linear/", "regression/"},  # a number of a comparator, and its method
    "aggregated": {"regression/"},  # a module
}


def _words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the text of every string of a module but its docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = (node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body)
    docs = {id(first.value) for first in bodies if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def _classes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of everything that a module imports by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, one.name) for one in node.names)


def _modules(pattern: str) -> Iterator[tuple[str, ast.Module]]:
    """Modules in whose text a pattern occurs: to parse all would take seconds."""
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place == "learner_table.py" or place.startswith("textbook/"):
            continue
        text = path.read_text(encoding="utf-8")
        if re.search(pattern, text):
            yield place, ast.parse(text)


def test_no_module_writes_the_name_of_a_learner_outside_its_room():
    """Outside its room, the generated table and the textbook no string of the package is the name of a learner."""
    homes: dict[str, set[str]] = {}
    for kind, table in TABLES.items():
        for name in table:
            homes.setdefault(name, set()).add(f"{ROOMS[kind]}/")
    faults = [
        f"{place}:{line}: {word!r}"
        for place, tree in _modules(f"""["'](?:{"|".join(map(re.escape, homes))})["']""")
        for line, word in _words(tree)
        if word in homes and not place.startswith(tuple(homes[word] | OTHERS.get(word, set())))
    ]
    assert not faults


def test_no_module_asks_whether_a_learner_is_of_a_class():
    """Outside the rooms the package alone imports their classes, for type checkers."""
    homes = {entry.attribute: f"{ROOMS[kind]}/" for kind, table in TABLES.items() for entry in table.values()}
    made = {"__init__.py"}  # of which docs/name_lists.py writes the imports
    rooms = (*(f"{room}/" for room in ROOMS.values()), "theory/")
    faults = [
        f"{place}:{line}: {name}"
        for place, tree in _modules(
            rf"(?m)^\s*from [^\n]*\b(?:{'|'.join(homes)})\b|^\s+(?:{'|'.join(homes)})(?: as \w+)?,?$"
        )
        for line, name in _classes(tree)
        if name in homes and place not in made and not place.startswith(rooms)
    ]
    assert not faults


def test_no_module_writes_the_name_of_a_rate_outside_the_pages_of_learners():
    """Besides pages of learners, the theorem about gradient descent and its second formula alone name rates."""
    rates = set(_core.rate_clocks()) - {"constant", "self-tuned"}  # which schedules of combiners and bandits are called
    homes = ("linear/", "regression/", "theory/gradient.py", "verify/formulas/linear.py")
    faults = [
        f"{place}:{line}: {word!r}"
        for place, tree in _modules(f"""["'](?:{"|".join(map(re.escape, rates))})["']""")
        for line, word in _words(tree)
        if word in rates and not place.startswith(homes)
    ]
    assert not faults


def test_a_class_has_a_name_of_its_own():
    """No two classes of the package have one name, but for a method that is known by it for several problems."""
    places: dict[str, list[str]] = {}
    for path in ROOT.rglob("*.py"):
        for name in re.findall(r"(?m)^class (\w+)", path.read_text(encoding="utf-8")):
            places.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert set(twice) <= {"Hedge", "OnlineGradientDescent"}, twice  # of experts and arms; of labels and numbers
