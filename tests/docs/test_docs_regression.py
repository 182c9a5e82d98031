"""The document on learners of numbers says what the code does."""

from __future__ import annotations

import re

from regretless import regression
from regretless.theory import regression as theory

from .documents import examples, page


def test_the_examples_give_what_stands_below_them():
    """Every line of Python in docs/regression.md gives the answer that stands below it."""
    doctests = examples("regression")
    assert doctests.attempted > 5
    assert doctests.failed == 0


def test_every_learner_and_every_theorem_is_named():
    """The page names each class of the room, and has a row for each title of its theorems."""
    text = page("regression")
    assert all(f"`{name}" in text for name in regression.__all__)
    titles = {one.title for one in (*theory.SEVERAL, *theory.ONE_MATRIX)}
    assert titles <= set(re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE))
