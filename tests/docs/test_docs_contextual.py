"""The document on contextual bandits says what the code does."""

from __future__ import annotations

import re
import shutil

import pytest

from regretless.catalogue import CONTEXTUAL_BANDITS
from regretless.theory import contextual as theory

from .documents import examples, page, script


def test_the_examples_give_what_stands_below_them():
    """Every line of Python in docs/contextual.md gives the answer that stands below it."""
    doctests = examples("contextual")
    assert doctests.attempted > 4
    assert doctests.failed == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are for bash")
def test_the_commands_print_what_stands_below_them(tmp_path):
    """Below each command of docs/contextual.md stands what it prints, but for digits of fractions."""
    source, filled = page("contextual"), script("tour").filled(page("contextual"), str(tmp_path))
    assert re.sub(r"\d+\.\d+", "#", source) == re.sub(r"\d+\.\d+", "#", filled)


def test_every_learner_and_every_theorem_is_named():
    """The page names each learner, and each theorem that a run may print."""
    text = page("contextual")
    assert all(f"`{name}`" in text for name in CONTEXTUAL_BANDITS)
    assert all(one.title in text for one in (*theory.OF_SQUARE_CB, *theory.OF_INTERVALS))
