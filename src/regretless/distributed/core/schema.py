"""What shards know of labels and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class ShardSchema:
    """Labels and columns of some shards; if the start did not know them, the epoch is begun anew.

    Attributes
    ----------
    labels : tuple
        All of these shards.
    schemas : tuple of dict
        Of their streams, in the order of the shards.
    columns : int
        How many features are known.
    names : tuple of str
        Of those that were read to the end.
    """

    labels: tuple[Any, ...]
    schemas: tuple[dict[str, Any], ...]
    columns: int
    names: tuple[str, ...] = ()
