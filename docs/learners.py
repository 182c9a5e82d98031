"""Prints the tables of learners and theorems from the classes themselves.

``python docs/learners.py`` prints them; ``python docs/learners.py --write`` puts them in their places in README.md and
docs/certificates.md, between the comments that name them. A test sees to it that what stands there is what is printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path

from regretless.linear.base import OnlineClassifier
from regretless.linear.registry import LEARNERS, learner_class
from regretless.linear.state import Rules
from regretless.theorem import Theorem

ROOT = Path(__file__).resolve().parent.parent
CHOICE = re.compile(r"^(\w+) : \{(.+?)\}", re.MULTILINE)  # as numpydoc lists what a parameter may be
Rows = list[tuple[str, ...]]
WORDS = {"inverse-sqrt": "1/sqrt t", "ball": "euclidean ball", "perceptron": "max(0, -m)"}


def learners() -> str:
    """A row for each learner: what it is charged, how its weights move, and what its theorems bound."""
    rows: Rows = [("learner", "class", "charged, with m = y·score", "geometry", "rate", "theorems bound")]
    for name in LEARNERS:
        found = learner_class(name)
        possible = list(_possible_rules(found))
        rows.append(
            (
                f"`{name}`",
                f"`{found.__name__}`",
                _listed(rules.loss for rules in possible),
                _listed(rules.geometry for rules in possible),
                _listed(rules.rate for rules in possible),
                _listed(theorem.quantity for theorem in found.theorems),
            )
        )
    return _table(rows)


def theorems() -> str:
    """A row for each theorem of each learner, with its statement and its source."""
    rows: Rows = [("theorem", "of", "bounds", "kind", "statement", "source")]
    for name in LEARNERS:
        for theorem in learner_class(name).theorems:
            rows.append((theorem.title, f"`{name}`", theorem.quantity, theorem.kind, *_words(theorem)))
    return _table(rows)


def _possible_rules(learner: type[OnlineClassifier]) -> Iterator[Rules]:
    """The compositions that a learner's parameters can stand for, one parameter changed at a time."""
    yield learner().rules()
    for name, choices in CHOICE.findall(getdoc(learner) or ""):
        for choice in re.findall(r'"([^"]+)"', choices):
            yield learner().set_params(**{name: choice}).rules()
    if "radius" in learner().get_params():
        yield learner().set_params(radius=1.0).rules()


def _listed(names: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(WORDS.get(name, name) for name in names))


def _words(theorem: Theorem) -> tuple[str, str]:
    return theorem.statement.replace("|", "\\|"), theorem.source.replace("|", "\\|")


def _table(rows: Rows) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


PLACES = {"README.md": ("learners", learners), "docs/certificates.md": ("theorems", theorems)}


def filled(path: str) -> str:
    """A document with its table as it should be."""
    name, make = PLACES[path]
    between = re.compile(f"(<!-- {name}: .*? -->\n).*?(\n<!-- end of {name} -->)", re.DOTALL)
    text, count = between.subn(lambda match: match[1] + make() + match[2], (ROOT / path).read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{path} has no place for the {name}")
    return text


if __name__ == "__main__":
    for path, (_, make) in PLACES.items():
        if "--write" in sys.argv[1:]:
            (ROOT / path).write_text(filled(path), encoding="utf-8")
        else:
            print(make(), end="\n\n")
