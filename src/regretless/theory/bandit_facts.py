"""What a theorem may ask of a bandit besides its ledger, and what all of these theorems share.

Losses are in units of the declared range, from 0 to 1; bounds are in the user's own scale, that is times `width`. A
round is a draw: of T draws, the t-th is made with probabilities p_t that depend on what was settled before, from among
the A_t arms that are awake, all K or fewer. The regret against arm j is counted over the rounds in which it was awake.

Draws whose loss is never known. Let x_{t,i} say whether the loss of arm i would get lost in round t. A rule that does
nothing then plays exactly as if the loss had been l' = l (1 - x), at least if it learns from the loss of the drawn arm
alone and learns nothing from a loss of 0. What it lost is at most its l' plus the number of draws that were lost, and
no arm loses less by l than by l'. So each bound on the regret by l' becomes one on the regret by l when the number of
unsettled draws is added, even if it depends on the arm whether a loss gets lost. To a bound on an expectation the
expectation of that number is added, which is the number seen where draws have no say in it: certificates say that this
is assumed. Else a loss that is kept back after a bad start, and not after a good one, adds nothing to half of the
bounds. The same bounds the regret over the settled rounds alone, in which an arm may lose less by at most 1 for each
draw that is missing. Rules by gains, and estimates with a guess for arms that are not drawn, learn something from
every loss and have no such excuse.

EXP3.S does learn from a loss of 0, as a share of its weights is dealt out after every settled round. A lost round does
not even do that: its weights over sequences take no step there. From one settled round to the next a sequence takes
one step, a switch or a stay. So it takes no more steps than there are from round to round, and no more of them are
switches, if each switch is moved back to the last settled round before it, or to the start. A switch costs at least
as much as a stay: alpha / K is no more than 1 - alpha + alpha / K. Therefore no sequence is more improbable than if all
rounds had been settled, and the bound by l' stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, isclose, isnan, nan, sqrt
from typing import Any

import numpy as np

from ..comparator import BanditComparator
from ..facts import Facts
from ..ledger import BanditLedger
from ..theorem import Check, Theorem

Array = np.ndarray[Any, Any]

EXPERTS = ("best_expert", "expert")


@dataclass(frozen=True, slots=True)
class BanditFacts(Facts):
    """A bandit as it stands after its last round.

    Attributes
    ----------
    arms : int
        How many there are.
    comparators : int
        With how many its regret compares it: the experts who advise it, or else the arms.
    advised : bool
        Whether experts advise it.
    theorems : tuple of Theorem
        Those about it, of which some can be promised before a run.
    schedule : {"constant", "anytime", "every-round"}
        How its rate moves: "anytime" ones are held on epochs.
    rate, gamma : float
        Constant ones; NaN if they fall.
    scale : float
        The first of the rates that fall as one over the root of the rounds; NaN for a constant rate.
    horizon : int or None
        The number of rounds that the parameters were tuned for.
    switches : int or None
        The number of switches that they were tuned for.
    share, beta, explore : float
        Parameters of EXP3.S and of Exp3.P.
    estimator : str
        Of Tsallis-INF: "importance" or "reduced".
    delta : float or None
        How improbable a failure of a *probable* bound may be.
    width : float
        Size of the declared range of losses.
    low : float
        The least loss that was declared; 0 for rewards, whose losses are what is missing from the highest reward.
    oblivious : bool
        Whether the losses are known not to answer to the draws. If they do, the best arm in hindsight depends on luck,
        and is none that was fixed beforehand, as bounds in expectation want it.
    presumed : bool
        Whether `oblivious` is what the user says, and nothing that was seen.
    added : int
        How many of the arms came after the first draw.
    drawn : bool or None
        Whether the losses of each round are drawn independently by the same laws; None if nobody knows.
    by_prior : bool or None
        Whether their means were drawn from the uniform prior; None if nobody knows.
    means : tuple of float or None
        These means, in units of the declared range, where a simulator knows them.
    """

    arms: int
    comparators: int
    advised: bool
    theorems: tuple[Theorem, ...] = ()
    schedule: str = "constant"
    rate: float = nan
    gamma: float = nan
    scale: float = nan
    horizon: int | None = None
    switches: int | None = None
    share: float = nan
    beta: float = nan
    explore: float = nan
    estimator: str = "importance"
    delta: float | None = None
    width: float = 1.0
    low: float = 0.0
    oblivious: bool = True
    presumed: bool = False
    added: int = 0
    drawn: bool | None = None
    by_prior: bool | None = None
    means: tuple[float, ...] | None = None


def regret(ledger: BanditLedger, comparator: BanditComparator) -> float:
    """How much more the learner lost than the comparator over the same rounds, in the user's scale."""
    return ledger.width * comparator.regret


def failure(learner: BanditFacts) -> float:
    """How improbable a failure may be."""
    return learner.delta or 1.0


def epoch_starts(rounds: int) -> list[int]:
    """The first round of each epoch up to that round: each epoch is a tenth as long as all that came before it."""
    starts, following = [], 1
    while following <= rounds:
        starts.append(following)
        following = floor(1.1 * following) + 1
    return starts


def held_rates(scale: float, rounds: int, reached: Array | None = None) -> tuple[float, float]:
    """Sum over the rounds, and last value, of the rate scale / sqrt(t) held from the start of each epoch.

    Parameters
    ----------
    scale : float
        The rate of the first round.
    rounds : int
        At least 1.
    reached : ndarray, shape (rounds + 1,), optional
        The arms that could be drawn in the first 0, 1, 2, ... rounds, added up; the sum is then that of rates times
        arms.
    """
    starts = epoch_starts(rounds)
    total = 0.0
    for first, after in zip(starts, [*starts[1:], rounds + 1], strict=True):
        weight = after - first if reached is None else float(reached[after - 1] - reached[first - 1])
        total += weight * scale / sqrt(first)
    return total, scale / sqrt(starts[-1])


def _fixed(_: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> bool:
    return not comparator.switches and (comparator.name in EXPERTS) == learner.advised


def _arms(_: BanditLedger, comparator: BanditComparator, __: BanditFacts) -> bool:
    return comparator.name not in EXPERTS


def fixed_beforehand(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> bool:
    """Whether luck had no say in whom the learner is compared with.

    Where arms slept, what the learner lost over an arm's own rounds depends on the draws, and so does which arm it
    regrets most; experts, and sequences of arms that are awake, are compared over all rounds.
    """
    chosen = comparator.name == "best_arm" and ledger.restricted > 0
    return comparator.name in ("arm", "expert") or isnan(comparator.loss) or (learner.oblivious and not chosen)


def _same_rounds(ledger: BanditLedger, comparator: BanditComparator, _: BanditFacts) -> bool:
    if ledger.unsettled:  # some losses may be known to the table only, or not at all
        return comparator.rounds <= ledger.rounds
    alone = comparator.place is not None and comparator.name not in EXPERTS
    return bool(comparator.rounds == ledger.rounds - (ledger.asleep[comparator.place] if alone else 0.0))


def _as_suffered(ledger: BanditLedger, comparator: BanditComparator, _: BanditFacts) -> bool:
    if isnan(comparator.loss) or ledger.unsettled or (comparator.place is None and ledger.restricted):
        return True
    away = 0.0 if comparator.place is None or comparator.name in EXPERTS else ledger.missed[comparator.place]
    return isclose(comparator.faced, ledger.loss - away, rel_tol=1e-7, abs_tol=1e-7)


def _fixed_if_slept(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> bool:
    return not ledger.restricted or fixed_beforehand(ledger, comparator, learner)


def _in_time(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.late == 0


def _settled(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.unsettled == 0


def _all_awake(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.restricted == 0


def _drawn(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.oblivious and learner.drawn is not False


def _confident(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.delta is not None and 0 < learner.delta < 1


def _played(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.rounds > 0


def _falling(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return 0 < ledger.last_rate <= ledger.first_rate < inf


def _explores(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.last_gamma > 0


def fixed_arms(learner: BanditFacts) -> bool:
    """Whether all arms were there from the start: each is an event that may fail, and those of later ones another."""
    return not learner.added


def one_rate(learner: BanditFacts) -> bool:
    """Whether the rate, and the implicit exploration with it, is one for all rounds: then supermartingales may stop.

    Arms that come later are more events of which none may happen, so that their number must be fixed beforehand, and
    the number of rounds with it.
    """
    return learner.schedule == "constant" and not learner.added


Assumption = tuple[str, Check]

PLAYED: Assumption = ("no arm has been drawn yet", _played)
FIXED: Assumption = ("it is about one arm for all rounds, or one expert for a learner with experts", _fixed)
ARMS: Assumption = ("it is about arms, and sequences of them", _arms)
FIXED_BEFOREHAND: Assumption = (
    "it is about an arm that is fixed beforehand; the best in hindsight is none where losses answer to the draws, or "
    "arms sleep",
    fixed_beforehand,
)
FIXED_IF_SLEPT: Assumption = (
    "where arms sleep it is about an arm that is fixed beforehand, and the best in hindsight is none",
    _fixed_if_slept,
)
SAME_ROUNDS: Assumption = (
    "the comparator must be read on the very rounds that were played, and these are others",
    _same_rounds,
)
AS_SUFFERED: Assumption = (
    "the regret must count the losses as they were suffered, and these are other ones",
    _as_suffered,
)
IN_TIME: Assumption = ("it assumes that each loss is known before the next draw, and some came late", _in_time)
SETTLED: Assumption = ("it assumes that every loss becomes known, and some did not", _settled)
ALL_AWAKE: Assumption = ("it assumes that every arm can be drawn in every round, and some could not", _all_awake)
DRAWN: Assumption = (
    "it is about losses that are drawn independently in each round, by the same laws, and these are not",
    _drawn,
)
CONFIDENT: Assumption = (
    "it holds with some probability, and none was asked for (delta, between 0 and 1)",
    _confident,
)
FALLING: Assumption = ("it assumes rates above zero that never grow", _falling)
EXPLORES: Assumption = ("it needs estimates with an implicit exploration above zero", _explores)

# What bounds on the regret against one arm or expert assume: in expectation, and of the losses that came.
EXPECTED: tuple[Assumption, ...] = (PLAYED, FIXED, FIXED_BEFOREHAND, SAME_ROUNDS)
REALISED: tuple[Assumption, ...] = (PLAYED, CONFIDENT, FIXED, SAME_ROUNDS, AS_SUFFERED)
