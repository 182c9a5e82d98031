"""``regretless certify`` over shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..distributed.checkpoint import SavedRun
from ..distributed.result import Mixture
from .console import Console
from .files import refuse_overwriting
from .mixing_engine import engine
from .mixing_shards import opened

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier
    from ..theorem import Certificate
    from .arguments import CertifyOptions


def certify_over_shards(
    arguments: CertifyOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    """Certify a model, mixed or not, over shards.

    Raises
    ------
    RegretlessError
        If these are other shards, or one cannot be read.
    """
    from ..distributed.certificates.certify import certify_shards
    from ..run.linear import Continuation
    from .model_columns import known_schema

    kept = None if extra.get("mixing") is None else SavedRun.of(extra)
    schema = known_schema(learner, Continuation.read(extra).schema)
    shards = opened(arguments, kept, schema)
    refuse_overwriting([getattr(shard, "path", shard.name) for shard in shards], [arguments.save_comparators])
    how = {"against": against, "svm": arguments.svm, "trusted": False}
    console = Console(quiet=arguments.json)
    try:
        with engine(arguments, len(shards), console) as attended:
            attended.begin("certificates")
            if kept is not None:
                return Mixture.read(arguments.model, shards).certify(attended, **how)
            return certify_shards(learner, shards, attended, schema=schema, **how)
    finally:
        console.settle()
