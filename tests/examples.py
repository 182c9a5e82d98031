"""How many examples a property is looked at with where each of them is costly."""

from __future__ import annotations

import os

from hypothesis import settings


def at_most(examples: int) -> settings:
    """So many examples of a property, or as many as the profile has if those are fewer; the soak keeps its own."""
    most = settings.default.max_examples if settings.default is not None else examples
    return settings(max_examples=most if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else min(most, examples))
