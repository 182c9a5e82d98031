"""The members of a learner that is a mixture: a table of them, and a note where the mixture follows the last rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from ..linear.aggregated.classifier import AggregatedClassifier
    from ..linear.base import OnlineClassifier

A_QUARTER = 0.25  # of the posterior: on a fast rate already enough for a model to age
FOLLOWS = (
    "its weights follow the last rows, and a model that learns no more will age; predict with one that goes on "
    "learning, as learn --resume does"
)


class LossStyle(NamedTuple):
    """How a loss is printed: its name, how wide its column is, and the formats of a sum and of what a row has."""

    name: str
    width: int
    whole: str
    each: str


LOG_LOSS = LossStyle("log loss", 12, ",.1f", ".4f")
LOSS = LossStyle("loss", 14, ",.6g", ",.6g")


def loss_text(loss: float, rows: int, style: LossStyle = LOSS) -> str:
    """A loss in all and a row, as ``10,818 (0.3322 a row)``."""
    return f"{loss:{style.whole}} ({loss / rows:{style.each}} a row)" if rows else f"{loss:{style.whole}}"


def mixture_of(learner: OnlineClassifier) -> AggregatedClassifier | None:
    """The learner if it is a mixture, else None."""
    if learner.info.predicts_by != "mixture":  # others need not load what mixes
        return None
    from ..linear.aggregated.classifier import AggregatedClassifier

    return learner if isinstance(learner, AggregatedClassifier) else None


def members_of(learner: Any) -> list[dict[str, Any]]:
    """Name, loss and posterior of each member of a mixture, of labels or of numbers; of several classes the sum of
    their losses, one against the rest, and the mean of their posteriors."""
    import numpy as np

    losses, posterior = np.atleast_2d(learner.losses_), np.atleast_2d(learner.posterior_)
    each = zip(learner.members_, losses.sum(axis=0).tolist(), posterior.mean(axis=0).tolist(), strict=True)
    return [{"name": name, "loss": loss, "posterior": weight} for name, loss, weight in each]


def member_lines(
    members: Sequence[Mapping[str, Any]], rounds: float, style: LossStyle, *, several: bool = False
) -> Iterator[str]:
    """A table of them; `several` is whether losses are of several classes."""
    title = "member, one against rest" if several else "member"
    yield f"{title:<24} {style.name:>{style.width}} {'a row':>12} {'posterior':>12}"
    for one in members:
        loss = f"{one['loss']:{style.whole}}"
        each = f"{one['loss'] / rounds:{style.each}}" if rounds else "-"
        yield f"  {one['name']:<22} {loss:>{style.width}} {each:>12} {one['posterior']:>12.4f}"


def ageing(
    rates: Sequence[float], posterior: np.ndarray[Any, Any], alone: np.ndarray[Any, Any] | None = None
) -> str | None:
    """What to say where much of the posterior is on the fastest of several rates; None where it is not. Where
    `posterior` has what the rates are within the stacked member, `alone` has it without that."""
    if len(rates) < 2:
        return None
    import numpy as np

    fastest = max(range(len(rates)), key=rates.__getitem__)
    weight = float(np.atleast_2d(posterior)[:, fastest].mean())
    if weight <= A_QUARTER:
        return None
    own = weight if alone is None else float(np.atleast_2d(alone)[:, fastest].mean())
    within = f"{weight - own:.1%}"
    there = "" if within == "0.0%" else f" ({within} within the stacked member)"
    return f"{weight:.1%} of the posterior is on the fastest rate, {rates[fastest]:g}{there}: {FOLLOWS}"
