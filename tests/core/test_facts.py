"""What a bound was computed from is noted while it is computed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import get_type_hints

import numpy as np
import pytest

import regretless.theory
from regretless.facts import Facts, facts_read, in_json
from regretless.theorem import Theorem


@dataclass(frozen=True, slots=True)
class Inner:
    depth: float = 3.0
    idle: float = 4.0


@dataclass(frozen=True, slots=True)
class Source:
    long: float = 1.0
    short: float = 2.0
    inner: Inner = field(default_factory=Inner)

    @property
    def twice(self) -> float:
        return 2 * self.short


def test_what_is_asked_is_noted_and_nothing_else():
    """A formula's facts are the fields and properties that it reads, those of parts under their name."""
    (notes,) = facts_read(lambda one: one.twice + one.inner.depth, Source())
    assert notes == {"twice": 4.0, "short": 2.0, "inner": {"depth": 3.0}}


def test_a_formula_may_change_a_copy():
    """A copy with other values can be made of what is watched, and gives the formula its values."""
    events = []
    facts_read(lambda one: events.append(replace(one, short=7.0).twice), Source())
    assert events == [14.0]


def test_what_is_no_dataclass_tells_nothing():
    """Numbers and None may stand where a source stands."""
    assert facts_read(lambda one, other: None, None, 3) == [{}, {}]


def test_values_have_one_form_in_json():
    """Arrays of up to a hundred numbers are lists and longer ones None; what is not finite is text."""
    assert in_json({"a": np.arange(3.0), "b": np.zeros(101), "c": float("inf"), "d": Inner()}) == {
        "a": [0.0, 1.0, 2.0],
        "b": None,
        "c": "inf",
        "d": {"depth": 3.0, "idle": 4.0},
    }


@pytest.mark.parametrize("module", [page.name for page in iter_modules(regretless.theory.__path__)])
def test_every_theorem_is_read_on_a_record_of_facts(module):
    """What a theorem knows of the learner is a record that derives from `Facts`, and frozen."""
    for one in vars(import_module(f"regretless.theory.{module}")).values():
        if isinstance(one, Theorem):
            kind = get_type_hints(one.bound)["learner"]
            assert issubclass(kind, Facts)
            assert kind.__dataclass_params__.frozen
