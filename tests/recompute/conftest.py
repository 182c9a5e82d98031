"""How many numbers were computed again is said at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .tally import Tally


@pytest.fixture(autouse=True)
def counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Notes with each test how many numbers it compared."""
    before = Tally.total
    yield
    request.node.user_properties.append(("numbers computed again", Tally.total - before))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Add them up."""
    reports = [
        one for each in terminalreporter.stats.values() for one in each if getattr(one, "when", "") == "teardown"
    ]
    noted = [dict(one.user_properties).get("numbers computed again", 0) for one in reports]
    if any(noted):
        terminalreporter.write_line(f"{sum(noted):,} numbers were computed again from the data")
