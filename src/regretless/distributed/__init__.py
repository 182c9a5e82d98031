"""Learners past one machine: every shard of the data is played where it is, and only weights travel."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .certify import certify_shards
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

_MODULES = {
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
    "certify_shards": "certify",
    "combine": "experts_and_bandits.combine",
    "files": "rows.sources",
    "mix": "mixing",
    "simulate": "experts_and_bandits.simulate",
    "workers": "engines.processes",
}

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
