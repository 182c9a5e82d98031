"""The public names of the package by their public paths, and the theorems, as text."""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import regretless
from regretless.theorem import Theorem

EXTRAS = {"dask", "spark"}  # packages that cannot be imported everywhere: their names are read in their files
REQUEST = re.compile("set_.*_request")  # scikit-learn puts these into its estimators, by its own signatures
DEFINED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
QUOTED = re.compile(r"(: |-> )'([^']*)'")  # annotations, which are kept as text
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def modules() -> Iterator[ModuleType]:
    """All modules of the package, but for those that need an extra."""
    yield regretless
    for name, _ in _walked():
        if not EXTRAS & set(name.split(".")) and not name.endswith("__main__"):
            yield importlib.import_module(name)


def packages() -> list[str]:
    """The packages that say what is public, by path, and the modules that do so by themselves."""
    results = [module.__name__ for module in modules() if hasattr(module, "__path__") and hasattr(module, "__all__")]
    results += ["regretless.client", "regretless.progress"]
    return results + [name for name, package in _walked() if package and name.rpartition(".")[2] in EXTRAS]


def _walked() -> Iterator[tuple[str, bool]]:
    for one in pkgutil.walk_packages(regretless.__path__, f"{regretless.__name__}.", onerror=lambda _: None):
        yield one.name, one.ispkg


def described(name: str) -> str:
    """The text of a case: of a public package, or of all theorems."""
    path = name.partition("/")[2]
    lines = theorems() if path == "theorems" else written(path) if path.rpartition(".")[2] in EXTRAS else public(path)
    return "".join(f"{line}\n" for line in lines)


def public(path: str) -> Iterator[str]:
    """A package's public names, and what can be done with each."""
    package = importlib.import_module(path)
    classes: dict[str, tuple[str, ...]] = {}
    for name in sorted(package.__all__):
        value = getattr(package, name)
        if inspect.isclass(value):
            classes[name] = tuple(_members(value))
            yield f"class {name}{_signature(value)}"
        else:
            yield _described(name, value)
    # What several classes have, as a rule from a base, is said once.
    owners: dict[str, list[str]] = {}
    for name, lines in classes.items():
        for line in lines:
            owners.setdefault(line, []).append(name)
    shared: dict[tuple[str, ...], list[str]] = {}
    for line, names in owners.items():
        shared.setdefault(tuple(names), []).append(line)
    for names, lines in sorted(shared.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        yield f"in {', '.join(names)}:"
        yield from (f"    {line}" for line in sorted(lines))


def written(path: str) -> Iterator[str]:
    """The same of a package that cannot be imported, as it is written in its own files."""
    parent, _, room = path.rpartition(".")
    folder = Path(importlib.import_module(parent).__path__[0], room)
    trees = {file.stem: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.py"))}
    named = next(
        node for node in trees["__init__"].body if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node)
    )
    places = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, DEFINED)}
    for name in sorted(ast.literal_eval(ast.unparse(named).removeprefix("__all__ =").strip())):
        yield from _defined(places[name])


def _defined(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        yield f"class {node.name}({', '.join(map(ast.unparse, node.bases))})"
        members = sorted((one for one in node.body if isinstance(one, DEFINED)), key=lambda one: one.name)
        for one in members:
            if not one.name.startswith("_") or one.name == "__init__":
                yield from (f"    {line}" for line in _defined(one))
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        returned = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
        marks = "".join(f"@{ast.unparse(one)} " for one in node.decorator_list)
        yield f"{marks}def {node.name}({ast.unparse(node.args)}){returned}"


def _described(name: str, value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"module {name}"
    if callable(value) and not isinstance(value, Theorem):
        return f"def {name}{_signature(value)}"
    if isinstance(value, Theorem):
        return f"theorem {name}: {value.title}"
    if name == "__version__":
        return f"{name}: {type(value).__name__}"
    if isinstance(value, dict | MappingProxyType) and value:
        rows = "".join(f"\n    {key!r}: {ADDRESS.sub('', repr(one))}" for key, one in value.items())
        return f"{name}: {type(value).__name__} of {len(value)}:{rows}"
    shown = sorted(value) if isinstance(value, set | frozenset) else value
    return f"{name}: {type(value).__name__} = {ADDRESS.sub('', repr(shown))}"


def _members(value: type) -> Iterator[str]:
    if issubclass(value, enum.Enum):
        yield from (f"{one.name} = {one.value!r}" for one in value)
        return
    for name in sorted(dir(value)):
        if name.startswith("_") and name not in ("__call__", "__len__", "__getitem__", "__iter__", "__enter__"):
            continue
        if REQUEST.fullmatch(name) or not _ours(value, name):
            continue
        member = inspect.getattr_static(value, name)
        if isinstance(member, property):
            yield f"property {name}"
        elif isinstance(member, classmethod | staticmethod):
            yield f"{type(member).__name__} {name}{_signature(getattr(value, name))}"
        elif inspect.isroutine(member):
            yield f"def {name}{_signature(member)}"
        elif not inspect.ismemberdescriptor(member):
            yield f"{name}: {type(member).__name__}"
        else:
            yield f"slot {name}"


def _ours(value: type, name: str) -> bool:
    """Whether a member is defined by a class of the package, and not by one of Python or of an extra."""
    owner = next((one for one in value.__mro__ if name in vars(one)), value)
    return owner.__module__.partition(".")[0] == regretless.__name__


def _signature(value: Any) -> str:
    try:
        return QUOTED.sub(r"\1\2", ADDRESS.sub("", str(inspect.signature(value))))
    except (TypeError, ValueError):  # of the compiled core, and of classes of Python
        return "(...)"


def theorems() -> Iterator[str]:
    """Every theorem, by its name; where it stands is nobody's business."""
    by_name: dict[tuple[str, str], Theorem] = {}
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, Theorem):
                by_name[value.title, value.name] = value
    assumptions: dict[str, list[str]] = {}
    for (title, name), theorem in sorted(by_name.items()):
        yield f"{title} ({name}), {theorem.kind}"
        yield f"    {theorem.statement}"
        yield f"    {theorem.quantity}{', a whole number' if theorem.whole else ''}: {theorem.formula}"
        yield f"    {theorem.source}"
        yield f"    assumes {len(theorem.assumes)}, below"
        for words, _ in theorem.assumes:
            assumptions.setdefault(words, []).append(name)
    for words, names in sorted(assumptions.items()):
        yield f"Or else: {words}"
        yield f"    {', '.join(names)}"
