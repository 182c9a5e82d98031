"""Parameter mixing on Dask: partitions are played where they are, and only weights travel.

It needs ``dask`` and, for a cluster, ``distributed``: ``pip install 'dask[dataframe,distributed]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import MissingError
from ...lazy_names import lazy_names

try:
    import dask as _dask  # noqa: F401 (so that it is missed here, and by its name)
except ImportError as error:
    raise MissingError("Dask is not installed; pip install 'dask[dataframe,distributed]'") from error

MODULES = {
    "DaskClassifier": "classifier",
    "DaskEngine": "engine",
    "connected": "cluster",
    "engine_for": "engine",
    "mix": "classifier",
    "partitions": "shards",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .classifier import DaskClassifier, mix
    from .cluster import connected
    from .engine import DaskEngine, engine_for
    from .shards import partitions

__all__ = ["DaskClassifier", "DaskEngine", "connected", "engine_for", "mix", "partitions"]
# End of names

# Imported when they are asked for: what mixes over shards asks the engine's module, and is itself asked by the others.
if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
