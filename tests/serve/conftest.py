"""What the tests of served models share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .postgres_server import Postgres, postgres_server


@pytest.fixture(scope="package")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL that runs."""
    with postgres_server() as server:
        yield server
