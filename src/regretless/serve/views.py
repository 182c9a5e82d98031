"""What can be read of a model in production, as JSON values."""

from __future__ import annotations

from typing import Any

from ..persist.validation import plain
from .engine import ModelEngine


def model_view(engine: ModelEngine) -> dict[str, Any]:
    """The learner, what may be sent to it, and how far it is."""
    live = engine.live
    learner = live.served.learner
    rounds, _, _ = live.served.sums()
    return {
        "model": engine.name,
        "learner": learner.name,
        "kind": learner.kind,
        "parameters": {name: plain(value) for name, value in learner.stored_params().items()},
        "asked": live.served.describe(),
        "rounds": rounds,
        "version": live.version,
        "predictions": live.number,
        "pending": engine.outstanding,
        "oldest_pending": engine.oldest if engine.outstanding else None,
        "down": engine.down,
    }


def model_file(engine: ModelEngine) -> bytes:
    """The bytes of the model as it stands."""
    return engine.live.snapshot(0.0).model


async def certificate_view(engine: ModelEngine) -> dict[str, Any]:
    """Its theorems on the rounds in the order of their labels."""
    from .certificates import certify

    return await certify(engine)


def shadow_view(engine: ModelEngine) -> dict[str, Any]:
    """The second learner beside the one that answers: the mistakes of both, each before its label was learned."""
    shadow = engine.live.shadow
    if shadow is None:
        return {"model": engine.name, "shadow": None}
    one = shadow.comparison
    known = one.rounds > 0
    return {
        "model": engine.name,
        "shadow": shadow.name,
        "learner": shadow.served.learner.name,
        "answering": one.names[shadow.answering],
        "promoted": engine.live.tally.promoted or None,
        "names": list(one.names),
        "labels": one.rounds,
        "mistakes": one.mistakes,
        "alone": one.apart,
        "level": one.level,
        "difference": one.difference if known else None,
        "interval": list(one.interval) if known else None,
        "better": one.better if known else None,
        "decided": one.decided,
        "certificates": [each.describe() | {"line": str(each)} for each in one.certificates] if known else [],
    }


def alarms_view(engine: ModelEngine) -> dict[str, Any]:
    """The alarm on mistakes: its reference and evidence, the alarms so far, and what is promised of false ones."""
    alarm = engine.live.alarm
    if alarm is None:
        return {"model": engine.name, "settings": None}
    watch = alarm.watch
    (column,) = watch.results()
    return {
        "model": engine.name,
        "settings": alarm.settings,
        "labels": watch.rounds_,
        "reference": column.reference,
        "reference_labels": watch.reference_rounds_,
        "mean": column.mean,
        "interval": list(column.interval),
        "evidence": column.evidence,
        "threshold": column.threshold,
        "count": column.alarms,
        "alarms": [{"label": one.round, "since": one.since, "evidence": one.evidence} for one in watch.alarms_],
        "promise": watch.promise,
        "why": alarm.why,
        "certificates": [one.describe() | {"line": str(one)} for one in watch.certify()] if watch.rounds_ else [],
    }


def history_view(engine: ModelEngine) -> dict[str, Any]:
    """How the counts grew, how late labels were, and the latest mistakes; what was answered is None where that is not
    known."""
    tally, learner = engine.live.tally, engine.live.served.learner
    _, mistakes, loss = engine.live.served.sums()
    unknown = tally.unanswered > 0
    return {
        "model": engine.name,
        "curve": {
            "columns": ["labels", "mistakes", "loss", "mistakes_in_order", "loss_in_order"],
            "points": [[point[0], None, None, *point[3:]] for point in tally.curve] if unknown else tally.curve,
            "now": [
                tally.learnt,
                None if unknown else tally.mistakes,
                None if unknown else tally.loss,
                mistakes - tally.base_mistakes,
                loss - tally.base_loss,
            ],
        },
        "learnt": tally.learnt,
        "expired": tally.expired,
        "refused": tally.refused,
        "delays": {"within_seconds": [2**power for power in range(len(tally.delays))], "labels": tally.delays},
        "latest_mistakes": tally.errors,
        "snapshot": learner.snapshot() if hasattr(learner, "snapshot") and engine.live.version else None,
    }
