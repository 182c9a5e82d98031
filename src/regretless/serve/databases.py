"""Which database an address names."""

from __future__ import annotations

from pathlib import Path

from .store import Store


def store_of(where: str | Path, *, writes: bool = True) -> Store:
    """The store of an address, not opened yet.

    Parameters
    ----------
    where : str or Path
        The file of an SQLite database, or ``postgresql://...``, to which the name of the model is added as
        ``#name``.
    writes : bool
        Whether it is to be written to; if not, nothing is locked.
    """
    if str(where).startswith(("postgresql://", "postgres://")):
        from .postgres import PostgresStore

        return PostgresStore(str(where), writes=writes)
    from .sqlite import SqliteStore

    return SqliteStore(Path(where), writes=writes)
