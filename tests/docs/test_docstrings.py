"""The examples in docstrings."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import regretless
from regretless.catalogue import (
    BANDITS,
    CLASS_LEARNERS,
    EXPERT_LEARNERS,
    LEARNERS,
    bandit_class,
    class_learner,
    expert_class,
    learner_class,
)

ROOT = Path(regretless.__file__).parent
MODULES = sorted(
    ".".join(("regretless", *path.relative_to(ROOT).with_suffix("").parts))
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
CLASSES = [
    *map(learner_class, LEARNERS),
    *map(expert_class, EXPERT_LEARNERS),
    *map(bandit_class, BANDITS),
    *map(class_learner, CLASS_LEARNERS),
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_print_what_stands_below_them(module: str) -> None:
    """Every example in a docstring prints the lines below it."""
    doctests = doctest.testmod(import_module(module))
    assert doctests.attempted
    assert not doctests.failed


@pytest.mark.parametrize("learner", CLASSES, ids=lambda one: one.__name__)
def test_every_learner_has_an_example(learner: type) -> None:
    """The docstring of each learner shows how to run it."""
    assert ">>> " in (learner.__doc__ or "")
