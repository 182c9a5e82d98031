"""Weighted majority: by vote, and by drawing an expert."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any, ClassVar, Literal

import numpy as np

from ..checks import drawn_seed, one_of, positive, whole
from ..errors import ParameterError, ParameterMissing
from ..info import ExpertInfo
from ..persist.validation import count, digits, one
from ..theorem import Theorem
from ..theory.majority import RANDOMIZED_MAJORITY, WEIGHTED_MAJORITY
from .base import ExpertLearner
from .losses import Own
from .online import Forecast, Round, Ticket
from .result import CombinerPlay, Schedule
from .state import FIELDS, CombinerRules, ExpertState
from .validation import AdviceError, Array

SAMPLED = FIELDS.index("sampled")


@dataclass(eq=False)
class WeightedMajority(ExpertLearner):
    """The majority of experts that say 0 or 1, each vote multiplied by beta for every mistake of its expert's.

    Ties predict 1. With beta = 0 an expert that errs has no say any more while there are better ones: that is halving.

    Parameters
    ----------
    beta : float
        From 0 up to but not including 1.
    update_on : {"mistake", "always"}
        Whether votes lose weight in the rounds in which the majority errs, or in all of them.

    References
    ----------
    Littlestone and Warmuth 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import WeightedMajority
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.integers(0, 2, 200)
    >>> wrong = rng.random((200, 3)) < [0.05, 0.3, 0.5]
    >>> votes = np.where(wrong, 1 - outcomes[:, None], outcomes[:, None])
    >>> learner = WeightedMajority(beta=0.5)
    >>> played = learner.play(votes, outcomes)
    >>> print(str(learner.certify(votes, outcomes)[0]).partition("  [")[0])
    Weighted majority: mistakes 11 <= 15, against best expert 0
    """

    beta: float = 0.5
    update_on: Literal["mistake", "always"] = "mistake"
    loss: str | Own | None = field(default="zero-one", kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="weighted-majority",
        default_of="",
        summary="deterministic vote of experts that say 0 or 1",
        draws=False,
        forecasts=True,
        one_loss=False,
        linearizes=False,
        twin="weighted_majority",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = WEIGHTED_MAJORITY

    def _rules(self, experts: int) -> CombinerRules:
        if self.loss != "zero-one":
            raise ParameterError("loss", repr(self.loss), "a majority is right or wrong, zero-one is its loss", ": ")
        if positive("beta", self.beta, or_zero=True) >= 1:
            raise ParameterError("beta", repr(self.beta), "must lie below 1", " ")
        if self.prior is not None:
            raise ParameterError("prior", "", "the majority starts with equal votes", ": ")
        one_of("update_on", self.update_on, ("mistake", "always"))
        return self._compose("majority", beta=float(self.beta), always=self.update_on == "always")


@dataclass(eq=False)
class RandomizedWeightedMajority(ExpertLearner):
    """Follow an expert drawn by its weight, which is multiplied by beta^loss after every round.

    Two losses are kept apart: the expected one, which the theorem bounds, and the one that was drawn.

    Parameters
    ----------
    beta : float, optional
        Between 0 and 1.
    horizon : int, optional
        The number of rounds to come, for which beta = max(1/2, 1 - sqrt(ln N / T)). One of the two is needed.
    random_state : int, optional
        Seed of the draws.

    References
    ----------
    Littlestone and Warmuth 1994; Freund and Schapire 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import RandomizedWeightedMajority
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.integers(0, 2, 200)
    >>> wrong = rng.random((200, 3)) < [0.05, 0.3, 0.5]
    >>> votes = np.where(wrong, 1 - outcomes[:, None], outcomes[:, None])
    >>> learner = RandomizedWeightedMajority(beta=0.7, random_state=0)
    >>> played = learner.play(votes, outcomes)
    >>> print(str(learner.certify(votes, outcomes)[0]).partition("  [")[0])
    Randomised majority, sharp: expected loss 8.5203 <= 9.60662, against best expert 0
    """

    beta: float | None = None
    horizon: int | None = None
    random_state: int | None = None
    loss: str | Own | None = field(default="zero-one", kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="randomized-weighted-majority",
        default_of="",
        summary="follow an expert drawn by weight; expected and drawn loss kept apart",
        draws=True,
        forecasts=False,
        one_loss=False,
        linearizes=False,
        twin="randomized_majority",
    )
    example_options: ClassVar[str] = "--set beta=0.5"
    theorems: ClassVar[tuple[Theorem, ...]] = RANDOMIZED_MAJORITY

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.beta is None) == (self.horizon is None):
            raise ParameterMissing("horizon", "give either beta= or horizon=")
        self.seed_ = drawn_seed(self.random_state)
        self.generator_ = np.random.Generator(np.random.PCG64(self.seed_))
        self._drawn: dict[int, int] = {}
        self._withdrawn = 0

    def _value_range(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.value_range is None and self.loss is None else self.value_range

    def _rules(self, experts: int) -> CombinerRules:
        if self.loss not in ("zero-one", None):
            raise ParameterError("loss", repr(self.loss), "zero-one, or None for a table of losses in [0, 1]", ": ")
        if self.value_range not in (None, (0, 1)):
            raise ParameterError("value_range", "", "the losses lie in [0, 1]", ": ")
        return self._compose("hedge", rate=log(1 / self.beta_of(experts)))

    def _own_draws(self, stream: int) -> dict[str, Any]:
        seeds = np.random.SeedSequence([self.seed_, stream])
        return {"random_state": int(seeds.generate_state(1, np.uint64)[0] >> np.uint64(1))}

    def beta_of(self, experts: int) -> float:
        """The beta that the parameters ask for."""
        if self.horizon is not None and experts == 1:
            return 0.5
        if self.horizon is not None:
            return max(0.5, 1 - sqrt(log(experts) / whole("horizon", self.horizon)))
        if not 0 < positive("beta", self.beta) < 1:
            raise ParameterError("beta", repr(self.beta), "must lie between 0 and 1", " ")
        return float(self.beta or 0.0)

    def _run(
        self, state: ExpertState, table: Array, outcomes: Array | None, plan: Schedule | None, out: CombinerPlay
    ) -> None:
        before, done = self.generator_.bit_generator.state, state.rounds
        out.chosen = np.empty(len(table), np.int64)
        try:
            super()._run(state, table, outcomes, plan, out)
        except ValueError as error:
            # As many draws are used up as rounds were played.
            self.generator_.bit_generator.state = before
            if isinstance(error, AdviceError):
                self.generator_.random(state.rounds - done)
            raise

    def _draws(self, out: CombinerPlay) -> dict[str, Any]:
        return {"uniforms": self.generator_.random(len(out.losses)), "chosen": out.chosen}

    def predict(self, advice: Any = None) -> Any:
        """The advice of an expert drawn by its weight; the weights themselves where losses are given."""
        forecast = super().predict(advice)
        rest = self._pending[forecast.ticket]
        shares = np.cumsum(rest.weights)
        self._drawn[forecast.ticket] = place = int((shares <= self.generator_.random() * shares[-1]).sum())
        if self._loss.name != "zero-one":
            return forecast
        drawn = Forecast(rest.advice[place])
        drawn.ticket = forecast.ticket
        return drawn

    def withdraw(self, ticket: Ticket) -> None:
        """Give up a prediction: its outcome will never be known."""
        super().withdraw(ticket)
        self._withdrawn += self._drawn.pop(int(getattr(ticket, "ticket", ticket)), None) is not None

    def _settle(self, pending: Round, outcome: Any) -> float:
        ticket = next(ticket for ticket, one in reversed(self._pending.items()) if one is pending)
        loss = super()._settle(pending, outcome)
        place = self._drawn.pop(ticket)
        known = self._known()
        drawn = float(outcome[place]) if self._loss.name == "table" else float(pending.advice[place] != outcome)
        known.book[SAMPLED] += drawn
        return loss

    # A file keeps where the generator stands, and which experts were drawn for the predictions that wait.

    def _draws_state(self) -> dict[str, Any]:
        state: Any = self.generator_.bit_generator.state
        return {
            "seed": str(self.seed_),
            "state": {name: str(value) for name, value in state["state"].items()},  # JSON has no numbers of 128 bits
            "drawn": [[ticket, place] for ticket, place in self._drawn.items()],
            "withdrawn": self._withdrawn,
        }

    def _draw_on(self, draws: Any) -> None:
        state: Any = self.generator_.bit_generator.state
        rest = {name: digits(value) for name, value in one(draws["state"], dict, "the generator").items()}
        if set(rest) != set(state["state"]) or any(value >= 2**128 for value in rest.values()) or rest["inc"] % 2 == 0:
            raise ValueError("the generator has no such state")
        self.seed_ = digits(draws["seed"])
        self.generator_.bit_generator.state = state | {"state": rest}
        drawn = {one(ticket, int, "a ticket"): count(place, "a drawn expert") for ticket, place in draws["drawn"]}
        if len(drawn) != len(draws["drawn"]) or set(drawn) != set(self._pending):
            raise ValueError("there is not one drawn expert for each prediction that waits")
        for ticket, place in drawn.items():
            if np.isnan(self._pending[ticket].advice[place]):
                raise ValueError("an expert was drawn that is silent")
        self._drawn, self._withdrawn = drawn, count(draws.get("withdrawn", 0), "withdrawn draws")
