"""The members of a mixture: their losses and posteriors, and whether it will age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier


A_QUARTER = 0.25  # of the posterior: on a fast rate already enough for a model to age
FOLLOWS = (
    "its weights follow the last rows, and a model that learns no more will age; predict with one that goes on "
    "learning, as learn --resume does"
)


def mixture_of(learner: OnlineClassifier) -> Any:
    """The learner if it predicts as a mixture of members, else None."""
    return learner if learner.info.predicts_by == "mixture" else None


def members_of(learner: Any) -> list[dict[str, Any]]:
    """Name, loss and posterior of each member of a mixture, of labels or of numbers; of several classes the sum of
    their losses, one against the rest, and the mean of their posteriors."""
    losses, posterior = np.atleast_2d(learner.losses_), np.atleast_2d(learner.posterior_)
    each = zip(learner.members_, losses.sum(axis=0).tolist(), posterior.mean(axis=0).tolist(), strict=True)
    return [{"name": name, "loss": loss, "posterior": weight} for name, loss, weight in each]


def ageing(
    rates: Sequence[float], posterior: np.ndarray[Any, Any], alone: np.ndarray[Any, Any] | None = None
) -> str | None:
    """What to say where much of the posterior is on the fastest of several rates; None where it is not. Where
    `posterior` has what the rates are within the stacked member, `alone` has it without that."""
    if len(rates) < 2:
        return None
    fastest = max(range(len(rates)), key=rates.__getitem__)
    weight = float(np.atleast_2d(posterior)[:, fastest].mean())
    if weight <= A_QUARTER:
        return None
    own = weight if alone is None else float(np.atleast_2d(alone)[:, fastest].mean())
    within = f"{weight - own:.1%}"
    there = "" if within == "0.0%" else f" ({within} within the stacked member)"
    return f"{weight:.1%} of the posterior is on the fastest rate, {rates[fastest]:g}{there}: {FOLLOWS}"
