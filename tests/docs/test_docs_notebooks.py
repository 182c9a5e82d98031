"""The document on notebooks."""

from __future__ import annotations

import pytest

from .documents import examples


def test_examples_run() -> None:
    """Every example of docs/notebooks.md prints what stands there."""
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    doctests = examples("notebooks")
    assert doctests.attempted > 0
    assert doctests.failed == 0
