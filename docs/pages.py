"""Writes the pages of the site: the documents, and a page for each learner, each theorem and each public package.

``python docs/pages.py FOLDER`` writes them as Markdown that Sphinx reads by docs/conf.py; `make docs` does both.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import MappingProxyType
from typing import Any

from errata import linked
from learners import ROOT
from lectures import notebooks
from lectures import pages as lecture_pages
from run_pictures import drawings
from theorem_pages import Drawings, listed, plain, shown, theorem_page, theorem_pages, theorems

import regretless
from regretless.catalogue import TABLES, class_of

ENGINES = {"dask", "spark"}  # what needs them cannot be imported everywhere
# That are no packages, and public.
MODULES = (
    "regretless.certificate",
    "regretless.client",
    "regretless.compat.onnx",
    "regretless.compat.river",
    "regretless.progress",
)
KINDS = {
    "linear": "Learners of weights",
    "regression": "Learners of numbers",
    "experts": "Combiners",
    "bandits": "Bandits",
    "contextual": "Contextual bandits",
    "class": "Learners of finite classes",
}
NAVIGATION = {
    "Start here": ("start", "tour", "gallery/index", "command-line", "data", "notebooks", "glossary", "coming-from"),
    "Lectures": tuple(f"notebooks/{path.stem}" for path in notebooks()),
    "Labels": ("linear", "accuracy", "calibration", "batch"),
    "Numbers": ("regression", "intervals", "experts"),
    "Decisions": ("bandits", "contextual", "logs"),
    "Games and classes": ("games", "games-general-sum", "finite_classes", "environments"),
    "At work": ("serving", "alarms", "scale", "SECURITY"),
    "Why to believe it": ("certificates", "theorems", "proofs", "errata", "trust", "speed"),
    "Reference": ("learners", *(f"learners/{kind}/index" for kind in KINDS), "theorems/index", "reference/index"),
    "For maintainers": ("architecture", "CONTRIBUTING", "CODE_OF_CONDUCT", "packaging", "release-0.2.0", "CHANGELOG"),
}


def pages(drawn: Drawings = MappingProxyType({}), *, play: bool = True) -> dict[str, str]:
    """The text of each page, by its path, with these pictures; `play` says whether notebooks are run for theirs."""
    made = {f"{path.stem}.md": path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    for name in ("README", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "CHANGELOG"):
        made[f"{name}.md"] = (ROOT / f"{name}.md").read_text(encoding="utf-8").replace("](docs/", "](")
    made = {path: text.replace("](../", "](") for path, text in made.items()}
    made = {path: re.sub(r"(\]\(gallery/\w+)\.py\)", r"\1.rst)", text) for path, text in made.items()}
    made["notebooks.md"] = made["notebooks.md"].replace(".ipynb)", ".md)")
    readme = made.pop("README.md").replace("](gallery/GALLERY_HEADER.rst)", "](gallery/index.rst)")
    made["index.md"] = readme + "".join(_tree(names, head) for head, names in NAVIGATION.items())
    made["glossary.md"] = "# Words\n" + made["CONTRIBUTING.md"].partition("## Words")[2]
    made |= lecture_pages(play=play)
    made["errata.md"] = linked(made["errata.md"], theorems(), "theorems/")
    for part in (learner_pages(drawn), theorem_pages(learners_of_theorems(), drawn), reference_pages()):
        made |= dict(_apart(part))
    return made


def _apart(pages: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Pages that stand in a list of links and not in the navigation, and say so to Sphinx."""
    for path, text in pages:
        yield path, text if path.endswith("index.md") else f"---\norphan: true\n---\n\n{text}"


def learner_pages(drawn: Drawings) -> Iterator[tuple[str, str]]:
    """A page for each learner: what it says of itself, its theorems, its class, and its twin of the textbook."""
    for kind, head in KINDS.items():
        for name in TABLES[kind]:
            learner = class_of(kind, name)
            page = f"learners/{kind}/{name}"
            yield f"{page}.md", "\n".join(_learner(name, learner, shown(page, drawn)))
        yield f"learners/{kind}/index.md", f"# {head}\n\n" + listed({name: name for name in TABLES[kind]})


def learners_of_theorems() -> dict[str, list[str]]:
    """Links to the learners that have a theorem, by the name of its page."""
    of: dict[str, list[str]] = {}
    for kind in KINDS:
        for name in TABLES[kind]:
            for one in class_of(kind, name).theorems:
                of.setdefault(theorem_page(one), []).append(f"[`{name}`](../learners/{kind}/{name}.md)")
    return of


def _learner(name: str, learner: Any, drawn: str) -> Iterator[str]:
    module = learner.__module__.removeprefix("regretless.").partition(".")[0]
    yield f"# {name}\n\n`from regretless.{module} import {learner.__name__}`\n"
    yield drawn
    yield "## Theorems\n"
    for one in learner.theorems:
        yield f"- [{one.title}](../../theorems/{theorem_page(one)}.md): {one.kind}, bounds {one.quantity}"
    yield "\n## Facts\n\n| | |\n| --- | --- |"
    for fact, value in learner.info._asdict().items():
        if value not in ("", None):
            yield f"| `{fact}` | {_cell(value)} |"
    yield f"\n## The class\n\n{_directive('class', f'regretless.{module}.{learner.__name__}')}"
    twin = getattr(learner.info, "twin", "")
    if twin:
        room = import_module(f"regretless.textbook.{module}")
        yield "## As a textbook prints it\n\nThe compiled learner is tested against these lines.\n"
        yield f"```python\n{inspect.getsource(getattr(room, twin))}```\n"


def public_packages() -> list[str]:
    """The packages that say what is public, and the modules that do so by themselves."""
    names = [one.name for one in walk_packages(regretless.__path__, "regretless.", onerror=lambda _: None) if one.ispkg]
    names = [name for name in names if not ENGINES & set(name.split("."))]
    return [name for name in ("regretless", *names, *MODULES) if hasattr(import_module(name), "__all__")]


def reference_pages() -> Iterator[tuple[str, str]]:
    """A page for each public package: what it is, and all its names; learners stand on pages of their own."""
    homes = {class_of(kind, name): f"learners/{kind}/{name}" for kind in KINDS for name in TABLES[kind]}
    done: dict[int, str] = {}
    for package in public_packages():
        module = import_module(package)
        text = [f"# {package}\n", _directive("module", package)]
        for name in sorted(module.__all__):
            text.append(_member(package, name, getattr(module, name), homes, done))
        yield f"reference/{package}.md", "\n".join(text)
    yield "reference/index.md", "# The reference\n\n" + listed({name: f"`{name}`" for name in public_packages()})


def _member(package: str, name: str, value: Any, homes: dict[Any, str], done: dict[int, str]) -> str:
    ours = str(getattr(value, "__module__", "")).startswith("regretless")
    if inspect.isclass(value) and value in homes:
        return f"- `{name}`: [a page of its own](../{homes[value]}.md)"
    if not ours or not (inspect.isclass(value) or inspect.isroutine(value)):
        return f"- `{name}`"
    if id(value) in done:
        return f"- `{name}`: as in [{done[id(value)]}]({done[id(value)]}.md)"
    done[id(value)] = package
    return f"## {name}\n\n" + _directive("class" if inspect.isclass(value) else "function", f"{package}.{name}")


def _directive(kind: str, path: str) -> str:
    more = "\n   :members:\n   :inherited-members: object, list\n   :show-inheritance:" if kind == "class" else ""
    return f"```{{eval-rst}}\n.. auto{kind}:: {path}{more}\n```\n"


def _tree(names: tuple[str, ...], caption: str) -> str:
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {caption}\n\n" + "\n".join(names) + "\n```\n"


def _cell(value: Any) -> str:
    return plain(str(value)) if not isinstance(value, bool) else ("yes" if value else "no")


def write(folder: Path) -> None:
    """Write all pages and pictures; pages that did not change keep their date, and those that are no more go."""
    drawn = drawings()
    made = pages(drawn) | {f"{path}.svg": one.svg for path, one in drawn.items()}
    for place in folder.rglob("*.md"):
        if place.relative_to(folder).as_posix() not in made:
            place.unlink()
    for path, text in made.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
    for picture in (ROOT / "docs").glob("*.svg"):
        shutil.copy2(picture, folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    write(Path(sys.argv[1]))
