"""Learners past one machine: every shard of the data is played where it is, and only weights travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .certificates.certify import certify_shards
    from .engines.engine import Engine, Here
    from .engines.pools import OnExecutor
    from .engines.processes import workers
    from .experts_and_bandits.combine import combine
    from .experts_and_bandits.result import Combined
    from .experts_and_bandits.simulate import simulate
    from .history import Epoch
    from .mixing import average_once, mix
    from .result import Mixture
    from .rows.shards import Shard
    from .rows.sources import arrays, calls, files

__all__ = [
    "Combined",
    "Engine",
    "Epoch",
    "Here",
    "Mixture",
    "OnExecutor",
    "Shard",
    "arrays",
    "average_once",
    "calls",
    "certify_shards",
    "combine",
    "files",
    "mix",
    "simulate",
    "workers",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "Combined": "experts_and_bandits.result",
        "Engine": "engines.engine",
        "Epoch": "history",
        "Here": "engines.engine",
        "Mixture": "result",
        "OnExecutor": "engines.pools",
        "Shard": "rows.shards",
        "arrays": "rows.sources",
        "average_once": "mixing",
        "calls": "rows.sources",
        "certify_shards": "certificates.certify",
        "combine": "experts_and_bandits.combine",
        "files": "rows.sources",
        "mix": "mixing",
        "simulate": "experts_and_bandits.simulate",
        "workers": "engines.processes",
    },
)
