"""The command line: a file for each verb, and what they share."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process by default, and return its exit code."""
    from .entry import run

    return run(argv)
