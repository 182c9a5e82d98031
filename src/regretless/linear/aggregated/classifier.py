"""The default learner: several linear learners at once, mixed on the log loss."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import field
from functools import partial
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ...certificate import Certificate
from ...checks import positive, whole
from ...data.batch import Array, Batch
from ...errors import ParameterError
from ...info import Cost, LinearInfo, LinearWords
from ...rows.estimator import with_constructor
from ...rows.mixture_state import RATES
from ...rows.narrowed import Spread, few_columns
from ...rows.state import LEAST_ENTRY, MOST_ENTRY
from ...theory.aggregated import (
    AGGREGATED,
    EVERY_VECTOR,
    REACHES,
    STACK_REACH,
    AggregatedFacts,
    cost,
    curvature,
)
from ...theory.facts import LinearFacts
from ..base import OnlineClassifier
from ..progressive import log_probabilities
from ..replay import Rounds, reproduces
from .state import FULLS, MOST_RANK, MOST_SKETCHED, MOST_WEIGHT, STACK, AggregatedRules, AggregatedState, MixtureMember

if TYPE_CHECKING:
    from ..comparators.question import Question

FEW_COLUMNS = 256  # up to which "auto" has full members: sketches would take half the time there, a third at 384


@with_constructor
class AggregatedClassifier(OnlineClassifier):
    """Several linear learners go over the rows side by side, and their probabilities are mixed on the log loss.

    ::

        members   dual averagings of four rates, a coin bettor, two second-order learners of few features, and one of
                  the scores of all these
        predict   p = sum pi_j / (1 + exp(-s_j)), s_j the score of member j
        suffer    -ln p(y)
        update    pi_j <- pi_j p_j(y) / p(y), and 1 - ln(t + e - 1) / ln(t + e) of it goes round; each member from its
                  own slope

    Nothing is to be chosen: a rate that is wrong, or features of any size, cost at most ln K + ln ln(T + e - 1) nats
    beside the best of the K members, whatever the rounds. The theorems hold against every vector; see
    `theory.aggregated`.

    Rates: with G minus the sum of gradients of a feature, S of their squares, M its largest size and N its largest root
    mean square so far, ``w = rate G / (N sqrt(S + M^2))``. The bettor (Kempka, Kotlowski & Warmuth 2019) bets a
    share of the wealth that it has won on each feature. Full members (Jezequel, Gaillard & Rudi 2020) keep the
    inverse of a matrix of the features, as long as these are few; they compete with vectors whose scores stay within
    4 and 16. The stacked member (Wolpert 1992) is one whose features are the scores of the others, cut to [-4, 4], and
    1: it competes with every combination of them that stays within 16.

    Parameters
    ----------
    rates : sequence of float, default=(0.1, 0.4, 1.6, 6.4)
        Of the dual averagings, > 0; at most four.
    coins : bool, default=True
        Whether there is a coin bettor.
    full : "auto", "sketch" or int, default="auto"
        Up to how many features there are full members; 0: none. With "sketch" they keep, up to 10,000 features, a
        diagonal and some directions each in the place of the matrix, as `AROW` does. "auto": up to 256 features they
        have all of the matrix; and sketches if the first row that is played is dense, that is, if its last number that
        is not 0 stands beyond the 256th column, and one in 16 up to there is not 0. Rows that come later change
        nothing, but if columns become more, these members go.
    rank : int, default=5
        How many directions a sketch has, 1 to 100.
    stacked : bool, default=True
        Whether there is a member that learns from the scores of the others.
    share : bool, default=True
        Whether a share of the weight goes round after each round, so that the mixture follows the member that is best
        now. Without it the mixture pays ln K in all, beside the one that is best over all rounds.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`. A round that weighs c has its loss and slopes multiplied by c.

    Attributes
    ----------
    members_ : list of str
        What the members are called.
    posterior_ : ndarray, shape (targets, members)
        Their weights for the next round.
    losses_ : ndarray, shape (targets, members)
        The log loss of each, in nats.
    coef_, intercept_ : ndarray
        The mean of the members' weights by the posterior: a summary, which is not what predicts.
    classes_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`. The ledger's loss is the log loss of the mixture, in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import AggregatedClassifier
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> learner = AggregatedClassifier().fit(X, y)
    >>> learner.predict(X).tolist()
    [1, 1, -1, -1, 1]
    >>> learner.predict_proba(X).shape
    (5, 2)
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="aggregated",
        task="classification",
        default_of="learn",
        charged="ln(1 + exp(-m))",
        geometry="diagonal and full, mixed by Bayes' rule",
        rate="four rates, a coin bettor, second order",
        unit_free=True,
        predicts_by="mixture",
        plain="",
        lazy=False,
        additive=False,
        not_mixed="each member's weights belong to sums of squares that every shard moves elsewhere; there is no bound "
        "for a mean of them",
        by_sums=False,
        constant=False,
        twin="",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="always",
        update="each member from its own gradient; π_j ← π_j p_j(y) / p(y), and a share of 1 − ln(t + e − 1) / "
        "ln(t + e) goes round; predicts by p = Σ π_j p_j",
        costs=(
            Cost("the members without matrices, all five", "n", "16 d", "n"),
            Cost("the two with matrices, each", "d²", "d² / 2", "d²"),
            Cost("the one that learns from the others", "64", "64", "64"),
        ),
        small_if="has a small log loss L(v), and short entries by what a member divides by",
        at_most="log loss: L(v) + Σ a_i v_i² / (2 η) + η Q / 2 + ln K + ln ln(T + e − 1)",
    )
    theorems = AGGREGATED

    rates: Any = (0.1, 0.4, 1.6, 6.4)
    coins: bool = True
    full: str | int = "auto"
    rank: int = 5
    stacked: bool = True
    share: bool = True
    intercept: float = 1.0

    state_: AggregatedState = field(init=False)

    def rules(self) -> AggregatedRules:
        """The members that the parameters stand for."""
        limit = self._limit()
        self._rank()
        if not (len(self._rates()) or self.coins or limit):  # what is stacked needs others
            raise ParameterError("rates", repr(self.rates), "must name a rate where there is no other member", " ")
        return AggregatedRules(
            loss="logistic",
            intercept=self._intercept(),
            tie=1.0,
            rates=self._rates(),
            curvatures=tuple(curvature(reach) for reach in REACHES),
            stack_curvature=curvature(STACK_REACH),
            coins=bool(self.coins),
            share=bool(self.share),
            heaviest=max([1.0, *map(float, self.class_weight.values())])
            if isinstance(self.class_weight, Mapping)
            else 1.0,
        )

    def _heaviest(self) -> float:
        """The largest weight of a class; 1 where classes weigh what the rows of one batch make them."""
        return max([1.0, *map(float, self.class_weight.values())]) if isinstance(self.class_weight, Mapping) else 1.0

    def member_rules(self) -> AggregatedRules:
        """Those that the rounds were played by, once there are any."""
        played = self.played_rules()
        assert isinstance(played, AggregatedRules)
        return played

    def _intercept(self) -> float:
        size = positive("intercept", self.intercept, or_zero=True)
        if size and not LEAST_ENTRY <= size <= MOST_ENTRY:
            problem = f"must be 0, or a number from {LEAST_ENTRY:g} to {MOST_ENTRY:g}"
            raise ParameterError("intercept", repr(self.intercept), problem, " ")
        return size

    def _rates(self) -> tuple[float, ...]:
        try:
            rates = tuple(float(rate) for rate in self.rates)
        except (TypeError, ValueError):
            rates = ()
            if self.rates is None or isinstance(self.rates, str) or len(tuple(self.rates)):
                rates = (np.nan,)
        if len(rates) > RATES or not all(isfinite(rate) and LEAST_ENTRY <= rate <= MOST_ENTRY for rate in rates):
            raise ParameterError("rates", repr(self.rates), f"must be at most {RATES} numbers above 0", " ")
        return rates

    def _limit(self) -> int:
        if isinstance(self.full, str) and self.full in ("auto", "sketch"):
            return FEW_COLUMNS if self.full == "auto" else MOST_SKETCHED
        if isinstance(self.full, bool) or not isinstance(self.full, int | np.integer) or self.full < 0:
            raise ParameterError("full", repr(self.full), 'must be "auto", "sketch" or a whole number', " ")
        return int(self.full)

    def new_state(self, columns: int, targets: int) -> AggregatedState:
        """An empty state with the members that there are room for."""
        limit = self._limit()
        rates = len(self._rates())
        members = (
            *(place < rates for place in range(RATES)),
            bool(self.coins),
            *FULLS * (limit > 0,),
            bool(self.stacked),
        )
        rank = self._rank()
        ranks = {"sketch": {"rank": rank}, "auto": {"dense": rank}}.get(str(self.full), {})
        return AggregatedState(columns, targets, members=members, limit=limit, **ranks)

    def _rank(self) -> int:
        return whole("rank", self.rank, 1, MOST_RANK)

    def snapshot(self) -> dict[str, Any]:
        """The log loss so far, that of each member, and the posterior, of all classes together."""
        ledger, digits = self.ledger_, 7
        facts = self.member_facts()
        return {
            "rounds": int(ledger.rounds),
            "loss": float(f"{ledger.loss:.{digits}g}"),
            "members": self.members_,
            "cost": float(f"{sum(map(cost, self.state_.ledgers(), facts)):.{digits}g}"),
            "losses": [float(f"{loss:.{digits}g}") for loss in self.losses_.sum(axis=0)],
            "posterior": [float(f"{weight:.{digits}g}") for weight in self.posterior_.mean(axis=0)],
        }

    # ---- certificates

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target."""
        return list(self.member_facts())

    def member_facts(self) -> list[AggregatedFacts]:
        """The same by their own type."""
        state, rules = self.state_, self.member_rules()
        return [
            AggregatedFacts(
                nan,  # no theorem of its asks for the length of its weights
                1.0,
                loss="logistic",
                steady=state.steady,
                members=float(state.played(target).sum()),
                share=rules.share,
                heaviest=float(state.memory[target, MOST_WEIGHT]),
            )
            for target in range(state.targets)
        ]

    def plays_again(self, rounds: Rounds) -> tuple[bool, Any]:
        """Whether the rounds are those that it played, and what the members lost in blocks of them, if that was in
        their order."""
        from .sequence import BlockPlay

        if self.shuffle:
            return reproduces(self, rounds), None
        ((batch, codes),) = rounds()
        few = None if self.state_.full else few_columns(batch)
        batch = few.rows if few else batch
        play = BlockPlay(self.state_, self.played_rules(), few)
        play.play(batch, codes)
        if play.blocks(partial(iter, [(batch, codes)])) is not None:
            return True, play
        return reproduces(self, rounds), None

    def _in_fewer_columns(self, batch: Batch, replayed: Any) -> tuple[Self, Batch, Spread | None]:
        """As they were played again."""
        if replayed is None or replayed.few is None:
            return super()._in_fewer_columns(batch, replayed)
        learner = copy(self)
        learner.state_ = replayed.twin
        return learner, *replayed.few

    def certify_rounds(self, question: Question) -> list[Certificate]:
        """One certificate a theorem; no comparator comes from scikit-learn."""
        return self.judge(question)

    def judge(self, question: Question) -> list[Certificate]:
        """One certificate a theorem: first those that apply, of these the smaller bound against every vector."""
        from .comparators import judge

        return sorted(judge(question, self._members()), key=_place)

    def by_sums(self) -> list[Certificate]:
        """The certificates for which no round is read again: the mixture beside its members, whose losses it has."""
        from .comparators import judge_members

        return [judge_members(self.state_, self.member_facts(), self._members())]

    # ---- probabilities

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray, shape (rows, classes)
            Each row sums to 1. With more than two classes, the odds of one against the rest divided by their sum.
        """
        shares: Array = self._boxed(np.exp(log_probabilities(self._scores_of(X), len(self.classes_))), X)
        return shares

    def predict_log_proba(self, X: Any) -> Array:
        """The natural logarithm of what `predict_proba` gives, also where that is below what floats can hold."""
        logarithms: Array = self._boxed(log_probabilities(self._scores_of(X), len(self.classes_)), X)
        return logarithms

    @property
    def scores_are_log_odds(self) -> bool:
        """A score is ln(p / (1 - p)), p the mixture's probability."""
        return True

    @property
    def counts_log_loss(self) -> bool:
        """Of several classes too."""
        return self.class_weight is None

    @property
    def has_probabilities(self) -> bool:
        """Those of the mixture."""
        return True

    def probabilities(self, scores: Array) -> Array:
        """The probabilities that go with some scores, shape (rows, classes)."""
        return np.exp(log_probabilities(scores, len(self.classes_)))

    # ---- what was learned

    @property
    def members_(self) -> list[str]:
        """What the members are called."""
        self._require_fitted()
        return [one.name for one, present in zip(self._members(), self.state_.present, strict=True) if present]

    def _members(self) -> list[MixtureMember]:
        rates = [MixtureMember(f"rate {rate:g}", "rate") for rate in self.member_rules().rates]
        rates += [MixtureMember("", "rate")] * (RATES - len(rates))
        matrix = "sketch" if self.state_.rank else "full"
        full = [MixtureMember(f"{matrix}, {reach:g}", "full", reach) for reach in REACHES]
        return [*rates, MixtureMember("coins", "coins"), *full, MixtureMember("stacked", "stacked", STACK_REACH)]

    @property
    def posterior_(self) -> Array:
        """The members' weights for the next round, shape (targets, members)."""
        self._require_fitted()
        return np.array(self.state_.part("weight")[:, self.state_.present])

    def influence(self) -> Array:
        """The posterior of the places before the stacked member's, which is divided among them by how long their
        weights are in its own; shape (targets, 7)."""
        self._require_fitted()
        state = self.state_
        weight, stack = state.part("weight"), state.part("stack_weights")[:, :STACK]
        each = [np.linalg.norm(state.member_weights(target)[:, :STACK], axis=0) for target in range(state.targets)]
        sizes = np.abs(stack) * np.array(each)
        total = sizes.sum(axis=1, keepdims=True)
        return np.asarray(weight[:, :STACK] + weight[:, [STACK]] * sizes / np.where(total > 0, total, 1))

    @property
    def losses_(self) -> Array:
        """The members' log losses, shape (targets, members)."""
        self._require_fitted()
        return np.array(self.state_.part("loss")[:, self.state_.present])


def _place(certificate: Certificate) -> tuple[bool, float]:
    """Those with bounds against every vector come before others, in the order of these; what does not apply is last."""
    bound = certificate.bound if certificate.theorem in EVERY_VECTOR else None
    return not certificate.applies, inf if bound is None else bound
