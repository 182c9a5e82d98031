"""What theorems need of a combiner: its facts, and what fixed uses of its experts would have lost."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..arrays import names_of
from ..blas import one_thread
from ..certificate import Certificate, Certificates
from ..comparator import ExpertComparator
from ..errors import RegretlessError
from ..info import ExpertInfo
from ..ledger import ExpertLedger
from ..theorem import Theorem
from ..theory.expert_facts import ExpertFacts
from .losses import WITHOUT_OUTCOME
from .online import OnlineCombiner
from .validation import Array, in_order, outcomes_of, table_of

if TYPE_CHECKING:
    from .comparators import Blocks, Totals

DELTA = 0.05  # how improbable a failure of a probable bound may be


class CertifiedCombiner(OnlineCombiner):
    """A combiner whose success is judged by theorems.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, the sharpest first.
    """

    info: ClassVar[ExpertInfo]
    theorems: ClassVar[tuple[Theorem, ...]] = ()
    _linear: bool

    @abstractmethod
    def clone(self, **changes: Any) -> Self:
        """A new learner with the same parameters but for the changes."""

    @abstractmethod
    def play(self, advice: Any, outcomes: Any = None, *, arrivals: Any = None, weights: bool = False) -> Any:
        """Play the rows of a table in their order."""

    def facts(self) -> ExpertFacts:
        """What a theorem may know of the learner besides its ledger."""
        return facts(self)

    def comparators(
        self, advice: Any = None, outcomes: Any = None, *, switches: Sequence[int] = ()
    ) -> list[ExpertComparator]:
        """What fixed uses of the experts would have lost.

        Without the advice, the best expert alone: that is what the books tell.
        """
        return comparators_of(self, self.ledger_, advice, outcomes, switches=switches)

    def certify(
        self,
        advice: Any = None,
        outcomes: Any = None,
        *,
        comparators: Sequence[ExpertComparator] | None = None,
        switches: Sequence[int] = (),
    ) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run.

        Parameters
        ----------
        advice, outcomes : array-like, optional
            The very rounds that were played, all of them, to read the theorems against the best convex combination
            too, and against the best sequences with so many `switches`.
        comparators : sequence of ExpertComparator, optional
            Read them against these instead.

        Returns
        -------
        list of Certificate
        """
        compared = comparators if comparators is not None else self.comparators(advice, outcomes, switches=switches)
        return certificates(self.theorems, self.ledger_, compared, self.facts())


def facts(learner: CertifiedCombiner, *, blocks: tuple[tuple[ExpertLedger, ExpertFacts], ...] = ()) -> ExpertFacts:
    """The learner as it stands after its last round."""
    state = learner._known()
    rules = state.rules
    rule = rules.facts
    start = getattr(state, "start", None)  # of linear weights, which no rule of the kernel moves
    loss = learner._loss
    return ExpertFacts(
        experts=len(state.prior),
        prior=state.prior,
        exponential=rule.exponential and start is None,
        substitutes=rules.substitute,
        schedule=rules.schedule if rule.one_rate else "",
        rate=rules.rate if rule.one_rate and rules.schedule == "constant" else nan,
        horizon=getattr(learner, "horizon", None),
        span=loss.span(learner._linear, state.width),
        loss=loss.name,
        linear=learner._linear,
        convex=loss.convex or bool(getattr(loss.own, "convex", False)),
        alpha=rules.alpha if rule.shares else nan,
        beta=_beta(learner),
        rates=state.rates(),
        log_potential=state.core.log_potential(),
        grid=_grid(learner),
        delayed=state.apart > 0,
        sampled=learner.info.draws and not learner._pending,
        withdrawn=getattr(learner, "_withdrawn", 0),
        delta=DELTA,
        blocks=blocks,
        ridge=getattr(learner, "a", nan),
        log_det=getattr(state, "log_det", nan),
        start=start,
        missed=getattr(state, "missed", 0.0),
        sizes=getattr(state, "sizes", None),
    )


def _beta(learner: CertifiedCombiner) -> float:
    of = getattr(learner, "beta_of", None)
    return float(of(learner.n_experts_) if of is not None else getattr(learner, "beta", nan))


def _grid(learner: CertifiedCombiner) -> Any:
    """The rates that are still in use, and their masses, for a learner with a prior on rates."""
    grid = getattr(learner, "grid", None)
    return None if grid is None else grid()


def comparators_of(
    learner: CertifiedCombiner, ledger: ExpertLedger, advice: Any, outcomes: Any, *, switches: Sequence[int] = ()
) -> list[ExpertComparator]:
    """What fixed uses of the experts would have lost, by books that may be of several learners."""
    if advice is None:
        return [best_expert(learner, ledger)]
    table = table_of(advice).astype(np.float64, copy=False)
    if table.shape[:2] != (int(ledger.rounds), len(ledger.losses)):
        played = f"{ledger.rounds:.0f} rounds of {len(ledger.losses)} experts"
        raise RegretlessError(f"advice of shape {table.shape}: the learner played {played}; give these")
    table = in_order(table, names_of(advice), learner.expert_names_, 1)
    without = learner._loss.name in WITHOUT_OUTCOME
    width = table.shape[2] if table.ndim == 3 else 1
    known = None if without else outcomes_of(outcomes, len(table), width, classes=True)
    _refuse_other_rounds(learner, ledger, table, known)
    return hindsight(learner, ledger, lambda: [(table, known)], switches=switches)


def _refuse_other_rounds(learner: CertifiedCombiner, ledger: ExpertLedger, table: Array, outcomes: Any) -> None:
    """The rounds must be those that were played: every expert's loss in them is that of the books."""
    from .comparators import own_losses, silenced

    own = own_losses(silenced(table), outcomes, learner._loss)
    spoke, lost = (~np.isnan(own)).sum(0), np.nansum(own, axis=0)
    with np.errstate(invalid="ignore"):
        scale = float(np.nansum(np.abs(np.where(np.isinf(own), 0.0, own)), axis=0).max(initial=0.0))
        near = (np.abs(lost - ledger.losses) <= 1e-6 * scale + 1e-300) | (lost == ledger.losses)
    other = np.flatnonzero((spoke != ledger.spoke) | ~near)
    if len(other):
        name, here, there = learner.names()[int(other[0])], lost[other[0]], ledger.losses[other[0]]
        fault = f"expert {name} lost {here:g} in them, and {there:g} in those that were played"
        raise RegretlessError(f"these are other rounds than the learner played: {fault}")


def hindsight(
    learner: CertifiedCombiner,
    ledger: ExpertLedger,
    blocks: Blocks,
    *,
    totals: Totals | None = None,
    switches: Sequence[int] = (),
) -> list[ExpertComparator]:
    """The comparators of a learner's rounds; see `hindsight.comparators`."""
    from .comparators import comparators as in_hindsight

    return in_hindsight(
        ledger,
        learner._loss,
        learner._known().prior,
        blocks,
        names=learner.names(),
        switches=switches,
        totals=totals,
        ridge=getattr(learner, "a", 0.0),
        start=getattr(learner._known(), "start", None),
    )


def best_expert(learner: CertifiedCombiner, ledger: ExpertLedger) -> ExpertComparator:
    """The expert that the learner regrets most, over the rounds in which it spoke."""
    from .comparators import ForecastHindsight

    return ForecastHindsight(ledger, learner._loss, learner._known().prior, lambda: (), learner.names()).best_expert()


@one_thread()
def certificates(
    theorems: Sequence[Theorem], ledger: ExpertLedger, compared: Sequence[ExpertComparator], stands: ExpertFacts
) -> list[Certificate]:
    """Each theorem read against the comparators.

    A bound on the regret is worth most against the strongest comparator that it applies to; a bound on a count is the
    smallest that any of them gives.
    """
    strongest = sorted(compared, key=lambda one: -one.regret)
    return Certificates(_certified(theorem, ledger, strongest, stands) for theorem in theorems)


def _certified(
    theorem: Theorem, ledger: ExpertLedger, compared: list[ExpertComparator], stands: ExpertFacts
) -> Certificate:
    if theorem.quantity != "regret":
        return theorem.certify(ledger, [one for one in compared if one.expert is not None] or compared, stands)
    each = (theorem.certify(ledger, [one], stands) for one in compared)
    return next((one for one in each if one.applies), None) or theorem.certify(ledger, compared, stands)


def bound_so_far(learner: CertifiedCombiner, ledger: ExpertLedger, comparator: ExpertComparator) -> float | None:
    """The smallest bound that the learner's sure theorems give against a comparator; None if none applies."""
    stands = facts(learner)
    read = (theorem.certify(ledger, [comparator], stands) for theorem in learner.theorems if theorem.kind == "sure")
    return min((one.bound for one in read if one.bound is not None and one.quantity == "regret"), default=None)
