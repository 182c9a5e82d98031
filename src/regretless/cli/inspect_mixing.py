"""How a model that was mixed from shards came about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .output import many, number_text


def describe_mixing(extra: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model says of its shards, as JSON values; None if there were none.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    if extra.get("mixing") is None:
        return None
    from ..distributed.checkpoint import SavedRun

    kept = SavedRun.of(extra)
    sums, played = kept.sums, len(kept.history)
    each = zip(kept.names, sums.rounds.tolist(), sums.nonzeros.tolist(), sums.shares.tolist(), strict=True)
    return {
        "weights": kept.weights,
        "together": kept.together,
        "one_shot": kept.one_shot,
        "passes": kept.passes,
        "epochs": played,
        "epochs_asked": kept.epochs,
        "weighted_updates": sums.whole.mixed.updates,
        "history": [epoch.describe() for epoch in kept.history],
        "shards": [{"name": name, "rows": rows, "nonzeros": n, "share": share} for name, rows, n, share in each],
    }


def mixing_facts(found: Mapping[str, Any]) -> dict[str, str]:
    """The lines of `inspect` about it, by their headings."""
    shards = many(len(found["shards"]), "shard")
    if found["one_shot"]:
        passes = many(found["passes"], "pass").replace("passs", "passes")
        how = f"averaged once over {shards}, after {passes} over each"
        how += ": no theorem bounds what comes of that" if found["passes"] > 1 else ""
    else:
        often = "each epoch over" if found["together"] >= len(found["shards"]) else f"every {found['together']:,} of"
        how = f"after {often} {shards}, {COUNTS[found['weights']]}"
    facts = {"mixed": how}
    if not found["one_shot"]:
        facts["weighted"] = f"{number_text(found['weighted_updates'])} updates, as theorems count them"
        of = f"{found['epochs']:,} of {many(found['epochs_asked'], 'epoch')}"
        facts["run"] = "finished" if found["epochs"] >= found["epochs_asked"] else f"stopped after {of}"
        facts["epochs"] = f"{found['epochs']:,}"
    return facts


def shard_lines(found: Mapping[str, Any], top: int) -> list[str]:
    """The first shards with their rows, and what their weights counted in the mean."""
    shown = found["shards"][:top]
    width = max(len(one["name"]) for one in shown)
    lines = ["", f"{'shards':<{width + 2}} {'rows':>12} {'share of the mean':>18}"]
    for one in shown:
        lines.append(f"  {one['name']:<{width}} {one['rows']:>12} {one['share'] / found['epochs']:>18.6f}")
    left = len(found["shards"]) - len(shown)
    return [*lines, *([f"  and {left:,} more"] if left else [])]


COUNTS = {
    "uniform": "all counting the same",
    "updates": "each counting in proportion to its updates",
    "rows": "each counting in proportion to its rows",
}
