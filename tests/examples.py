"""How many examples a property is looked at with, and how many learners a battery of checks, where each is costly."""

from __future__ import annotations

import os
from typing import TypeVar

from hypothesis import settings

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
T = TypeVar("T")


def at_most(examples: int) -> settings:
    """So many examples of a property, or as many as the profile has if those are fewer; the soak keeps its own."""
    most = settings.default.max_examples if settings.default is not None else examples
    return settings(max_examples=most if SOAK else min(most, examples))


def first_of(learners: list[T], also: tuple[int, ...] = ()) -> list[T]:
    """The first learner alone, and those at some places; all of them in the soak.

    scikit-learn's checks are many, and try what nearly all learners share. In the suite they try one learner of each
    way to keep weights (a vector, Winnow's, a matrix, a kernel's rows, the members of an aggregate, those of a
    forecaster), and each that has a `fit`, tags or probabilities of its own.
    """
    return learners if SOAK else [learners[0], *(learners[place] for place in also)]
