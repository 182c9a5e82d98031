"""The table of learners, which is made of what they say of themselves."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import regretless
from regretless import _core
from regretless.catalogue import TABLES, class_of
from regretless.errors import RegretlessError
from regretless.info import info_of
from regretless.linear import Perceptron

ROOT = Path(__file__).resolve().parents[2]
# Words that are names of learners and rules, and where they are names of something else.
ELSE = {
    "poly": ("linear/kernel/",),  # a kernel
    "perceptron": ("linear/", "batch/left_out.py"),  # a loss
    "share": ("report/", "verify/certificates.py"),  # a format, a parameter
}
OWN = ("games/",)  # methods that solve games have their own names


def test_the_table_is_made_of_the_classes():
    """`docs/learner_table.py` prints the facts that stand in regretless/learner_table.py, in the same order."""
    made = runpy.run_path(str(ROOT / "docs" / "learner_table.py"))
    parameters: dict[str, object] = {}
    exec(made["table"]().replace("from .info", "from regretless.info"), parameters)
    for name in made["TABLES"]:
        assert list(parameters[name].items()) == list(getattr(regretless.learner_table, name).items())


def test_lists_of_names_are_made_of_what_stands_elsewhere():
    """The names of rooms and the lists of rules in their files are those that their scripts in `docs/` print."""
    made = {}
    for script in ("name_lists", "rule_lists"):
        made |= runpy.run_path(str(ROOT / "docs" / f"{script}.py"))["lists"]()
    stale = [path.name for path, text in made.items() if text.split() != path.read_text(encoding="utf-8").split()]
    assert not stale
    assert {path.parent.name for path in made} >= {"linear", "experts", "bandits", "contextual", "finite_classes"}


RULES = {
    "pull_some.hpp": (
        "struct None {};\nenum class Kind { a };\n\ntemplate <class T>\nstruct Some {\n"
        "  static constexpr PullRule facts{};\n};\nusing One = Some<int>;\nstruct Other {\n  int x;\n};\n"
    ),
    "pull_third.hpp": "class Third : public Base {\n public:\n  static constexpr auto facts = PullRule{};\n};\n",
    "pull_two.hpp": "using Two =\n    Some<long>;\nstruct Four : Some<char> {};\n// static constexpr PullRule facts\n",
}


def rules_of(headers: dict[str, str]) -> dict[str, str]:
    return runpy.run_path(str(ROOT / "docs" / "rule_lists.py"))["rules_of"](headers, "PullRule")


def test_a_rule_is_what_says_facts():
    """A rule is a type that says facts of its family, or what any header makes of a template that does."""
    homes = {"One": "pull_some.hpp", "Two": "pull_two.hpp", "Four": "pull_two.hpp", "Third": "pull_third.hpp"}
    assert rules_of(RULES) == homes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("struct New {\n  static constexpr CombinerRule facts{};\n};\n", "pull_new.hpp: facts of no rule"),
        ("namespace a { struct New {\n  static constexpr PullRule facts{};\n};\n", "pull_new.hpp: facts of no rule"),
        ("template <class T>\nstruct New {\n  static constexpr PullRule facts{};\n};\n", "no rule is made of it"),
    ],
)
def test_facts_of_no_rule_are_refused(text, why):
    """A header whose facts belong to no rule that is listed is refused by its name, and not passed over."""
    with pytest.raises(SystemExit, match=why):
        rules_of(RULES | {"pull_new.hpp": text})


def test_a_table_that_lacks_a_fact_is_read_all_the_same(tmp_path, monkeypatch):
    """Where a fact is new, the table that stands has none of it yet, and can be made from the classes again."""
    read = runpy.run_path(str(ROOT / "docs" / "learner_table.py"))["as_it_stands"]
    old = tmp_path / "learner_table.py"
    old.write_text(re.sub(r"\n +draws=\w+,", "", read.__globals__["PLACE"].read_text()))
    monkeypatch.setitem(read.__globals__, "PLACE", old)
    assert list(read().CLASS_LEARNERS) == list(TABLES["class"])
    assert not hasattr(read().CLASS_LEARNERS["halving"].info, "draws")


@pytest.mark.parametrize("kind", TABLES)
def test_a_learner_has_the_name_that_it_says(kind):
    """The name in its info is its own, the key in the table, and what its class is found by."""
    for name, entry in TABLES[kind].items():
        learner = class_of(kind, name)
        assert (learner.name, learner.info, learner.__name__) == (name, entry.info, entry.attribute)


@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind != "class"])
def test_a_learner_names_its_twin_in_the_textbook(kind):
    """The twin in its info is a function of the textbook's page of its kind; a mixture of learners has none."""
    page = import_module(f"regretless.textbook.{kind}")
    without = [name for name, entry in TABLES[kind].items() if not callable(getattr(page, entry.info.twin, None))]
    mixtures = [name for name in TABLES[kind] if name.startswith("aggregated")]
    assert without == mixtures


def test_a_name_that_is_in_no_table_is_refused_with_those_that_are():
    """The message of an unknown name lists the table."""
    with pytest.raises(RegretlessError, match="there is no combiner called 'nobody'; there are: hedge, ewa"):
        class_of("experts", "nobody")


def test_a_class_that_says_nothing_is_refused_whatever_the_class_above_it_says():
    """A subclass may change in rounds in which a perceptron does not: it has to say so itself."""

    class Own(Perceptron):
        pass

    assert info_of(Perceptron()).lazy
    with pytest.raises(RegretlessError, match="Own does not say what it is"):
        info_of(Own())


def _compared(path: Path) -> Iterator[str]:
    """The words that a module compares something with."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            inside = (part for one in (node.left, *node.comparators) for part in ast.walk(one))
            yield from (part.value for part in inside if isinstance(part, ast.Constant) and isinstance(part.value, str))


def test_no_code_asks_for_a_learner_by_its_name():
    """No module compares anything with the name of a learner, or of a kernel's rule, but in an unlike sense."""
    names = {name for table in TABLES.values() for name in table} | {*_core.COMBINER_RULES, *_core.PULL_RULES}
    source = ROOT / "src" / "regretless"
    modules = {path.relative_to(source).as_posix(): path for path in source.rglob("*.py")}
    written = re.compile("|".join(f'"{re.escape(name)}"' for name in names))
    places = [
        (module, word)
        for module, path in modules.items()
        if not module.startswith(OWN) and written.search(path.read_text())  # few are, and parsing takes long
        for word in _compared(path)
        if word in names and not module.startswith(ELSE.get(word, ()))
    ]
    assert not places
