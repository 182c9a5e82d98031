"""How learners are called: at the top of the package, and on the command line."""

from __future__ import annotations

import inspect

import pytest

import regretless
from regretless.catalogue import TABLES, class_of, name_in

from ..command_line import quietly

ENTRIES = [(kind, name, entry.attribute) for kind, table in TABLES.items() for name, entry in table.items()]


@pytest.mark.parametrize(("kind", "name", "attribute"), ENTRIES)
def test_every_learner_is_found_by_its_class(kind, name, attribute):
    """`regretless.X` is the class X, and a name may be written as the class or with other letters and dashes."""
    assert attribute in dir(regretless)
    assert getattr(regretless, attribute).__name__ == attribute
    assert name_in(TABLES[kind], attribute) == name
    assert name_in(TABLES[kind], name.upper().replace("-", "_")) == name
    assert class_of(kind, name).__name__ == attribute


def test_names_that_are_none_are_refused():
    """A name of no learner is no attribute, and stays what it is where a list is to refuse it."""
    with pytest.raises(AttributeError, match="has no attribute 'Arow'"):
        regretless.Arow  # noqa: B018
    assert name_in(TABLES["linear"], "fast") == "fast"
    assert regretless.Hedge.__module__.startswith("regretless.experts")


@pytest.mark.parametrize(
    "words",
    [("learn", "t.csv", "--learner", "AROW"), ("combine", "t.csv", "--target", "label", "--learner", "MLPoly")],
)
def test_the_command_line_takes_names_of_classes(tmp_path, words):
    """--learner takes a class's name."""
    (tmp_path / "t.csv").write_text("a,b,label\n1,2,1\n3,4,0\n1,1,1\n")
    assert quietly(words[0], tmp_path / words[1], *words[2:], "--quiet") == 0


@pytest.mark.parametrize("kind", TABLES)
def test_no_learner_takes_what_it_learns(kind):
    """No argument of a learner ends in an underscore, as what a fit learns does, or begins with one."""
    for name in TABLES[kind]:
        taken = inspect.signature(class_of(kind, name)).parameters
        assert not [argument for argument in taken if argument.strip("_") != argument], name
