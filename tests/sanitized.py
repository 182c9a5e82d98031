"""Sizes of tests on a core that checks its own memory: it is slow, and what it looks for shows in the first rounds."""

from __future__ import annotations

import os

SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")


def fewer(many: int, few: int) -> int:
    """How many: as many as numbers need to go wrong, or, under the sanitizers, as few as memory does."""
    return few if SANITIZED else many
