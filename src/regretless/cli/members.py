"""The members of a learner that is a mixture: a table of them, and a note where the mixture follows the last rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..linear.aggregated.classifier import AggregatedClassifier
    from ..linear.base import OnlineClassifier

A_QUARTER = 0.25  # of the posterior: on a fast rate already enough for a model to age
FOLLOWS = (
    "its weights follow the last rows, and a model that learns no more will age; predict with one that goes on "
    "learning, as learn --resume does"
)


def mixture_of(learner: OnlineClassifier) -> AggregatedClassifier | None:
    """The learner if it is a mixture, else None."""
    if learner.info.predicts_by != "mixture":  # others need not load what mixes
        return None
    from ..linear.aggregated.classifier import AggregatedClassifier

    return learner if isinstance(learner, AggregatedClassifier) else None


def members_of(mixture: AggregatedClassifier) -> list[dict[str, Any]]:
    """Name, log loss and posterior of each member; of several classes the sum of their losses, one against the rest,
    and the mean of their posteriors."""
    losses, posterior = mixture.losses_.sum(axis=0).tolist(), mixture.posterior_.mean(axis=0).tolist()
    each = zip(mixture.members_, losses, posterior, strict=True)
    return [{"name": name, "log_loss": loss, "posterior": weight} for name, loss, weight in each]


def member_lines(members: Sequence[Mapping[str, Any]], rounds: float, classes: int) -> Iterator[str]:
    """A table of them."""
    title = "member" if classes <= 2 else "member, one against rest"
    yield f"{title:<24} {'log loss':>12} {'a row':>12} {'posterior':>12}"
    for one in members:
        loss = one["log_loss"]
        each = f"{loss / rounds:.4f}" if rounds else "-"
        yield f"  {one['name']:<22} {loss:>12,.1f} {each:>12} {one['posterior']:>12.4f}"


def ageing(mixture: AggregatedClassifier) -> str | None:
    """What to say where much of the posterior is on the fastest of several rates, by itself or within the stacked
    member; None where it is not."""
    rates = mixture.member_rules().rates
    if len(rates) < 2:
        return None
    fastest = max(range(len(rates)), key=rates.__getitem__)
    weight = float(mixture.influence()[:, fastest].mean())
    if weight <= A_QUARTER:
        return None
    return f"{weight:.1%} of the posterior is on the fastest rate, {rates[fastest]:g}: {FOLLOWS}"
