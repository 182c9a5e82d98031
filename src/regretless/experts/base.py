"""What all learners that combine experts share: predict, see the outcome, suffer, update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import names_of
from ..checks import whole
from ..errors import ParameterError, RegretlessError
from ..frames import index_of
from ..info import ExpertInfo, HasInfo
from ..persist.model import PersistentRecord
from ..persist.validation import count, names, parameters, refuse_shapes, stored_as
from ..turns import Turn, in_turn
from .certificates import CertifiedCombiner
from .losses import TABLE, WITHOUT_OUTCOME, Own, named_loss
from .online import Round
from .result import CombinerPlay, Schedule, schedule
from .state import CombinerRules, ExpertState
from .validation import AdviceError, Array, complaint, in_order, normalised, outcomes_of, table_of

_MAKING = Lock()  # or threads whose advice is a learner's first would each make a state, and all but one be forgotten


@dataclass(kw_only=True, eq=False)
class ExpertLearner(HasInfo, PersistentRecord, CertifiedCombiner):
    """The parameters and manners that every combiner of experts has.

    Parameters
    ----------
    n_experts : int, optional
        How many there are; by default as many as the first advice has.
    loss : str or callable, optional
        What forecasts cost: absolute, square, pinball, log (probabilities), zero-one, percentage, wealth (price
        relatives), or ``loss(forecasts, outcome) -> losses``. None: the advice are the losses themselves.
    tau : float
        The quantile that the pinball loss asks for.
    value_range : (float, float), optional
        Declared range of forecasts and outcomes (of the losses, when they are given themselves); what lies outside is
        an error. Without it rates follow the largest difference of charges seen so far.
    linearize : bool, optional
        The gradient trick: charge each expert the slope of the loss at the prediction times its forecast. The learner
        then competes with the best convex combination instead of the best expert.
    prior : array-like of shape (n_experts,), optional
        Weights at the start, uniform by default; ln N in the bounds becomes a Kullback-Leibler divergence.
    """

    n_experts: int | None = None
    loss: str | Own | None = "square"
    tau: float = 0.5
    value_range: tuple[float, float] | None = None
    linearize: bool | None = field(default=None, metadata=stored_as(bool, int))
    prior: Any = field(default=None, metadata=stored_as(list))

    info: ClassVar[ExpertInfo]
    kind = "experts"
    _FIXED = "is given when a learner is made"
    _state_class: ClassVar[type[ExpertState]] = ExpertState

    def __post_init__(self) -> None:
        self._loss = named_loss(self.loss, self.tau, self._value_range())
        self._linear = self._linearised()
        self._state: ExpertState | None = None
        self._pending: dict[int, Round] = {}
        self._tickets = 0
        self.turn = Turn()
        self._width = 1  # how many numbers a forecast has
        self.expert_names_: list[str] | None = None
        if self.n_experts is not None:
            self._rules(whole("n_experts", self.n_experts))  # so that a parameter without meaning is refused at once
        self._made = True

    # What a learner is.

    @abstractmethod
    def _rules(self, experts: int) -> CombinerRules:
        """The composition for so many experts; it refuses parameters that have no meaning."""

    def _compose(self, rule: str, **more: Any) -> CombinerRules:
        """The composition of a rule with this learner's loss."""
        return CombinerRules(
            rule,
            self._loss.name if self._loss.own is None else TABLE,
            span=self._loss.span(self._linear, self._width) or 0.0,
            tau=self._loss.tau,
            low=self._loss.low,
            high=self._loss.high,
            linear=self._linear,
            **more,
        )

    def _value_range(self) -> tuple[float, float] | None:
        """The declared range; a learner may assume one."""
        return self.value_range

    def _own_draws(self, stream: int) -> dict[str, Any]:
        """The parameters by which a clone has draws of its own, others for each stream; none if nothing is drawn."""
        return {}

    def _linearised(self) -> bool:
        able = self._loss.convex
        if self.linearize and not able:
            what = "bare losses" if self._loss.name == TABLE else f"loss={self.loss!r}"
            raise ParameterError("linearize", "True", f"needs a convex loss with a slope, and {what} has none", " ")
        if self._loss.of_relatives:
            if self.linearize is False:
                raise ParameterError("linearize", "False", "wealth is always played by its gradient", ": ")
            return True
        return (self.info.linearizes and able) if self.linearize is None else bool(self.linearize)

    # The state.

    def _known(self) -> ExpertState:
        if self._state is None:
            if self.n_experts is None:
                raise RegretlessError("nothing was played yet: give n_experts=, or advice first")
            self._begin(int(self.n_experts), 1)
        assert self._state is not None
        return self._state

    def _begin(self, experts: int, width: int) -> ExpertState:
        """The state, made when the first advice comes."""
        with _MAKING:
            return self._state_of(experts, width)

    def _state_of(self, experts: int, width: int) -> ExpertState:
        if self._state is None:
            if self.n_experts not in (None, experts):
                raise RegretlessError(f"advice of {experts:,} experts, and n_experts={self.n_experts}")
            self._refuse_width(width)
            self._state = self._make(normalised(self.prior, experts), width)
        elif (len(self._state.prior), self._state.width) != (experts, width):
            if self._state.rounds == 0 and len(self._state.prior) == experts and not self._pending:
                self._state = None
                return self._state_of(experts, width)
            known = (len(self._state.prior), self._state.width)
            raise RegretlessError(
                f"advice of {experts} experts (width {width}), after advice of {known[0]} ({known[1]})"
            )
        return self._state

    def _make(self, prior: Array, width: int) -> ExpertState:
        self._width = width
        return ExpertState(prior, width, self._rules(len(prior)))

    def _refuse_width(self, width: int) -> None:
        if width > 1 and self._loss.name not in ("square", "log", "own"):
            raise ParameterError("loss", repr(self.loss), "is one of numbers; vectors go with square and log", " ")

    # A whole table.

    @in_turn
    def play(self, advice: Any, outcomes: Any = None, *, arrivals: Any = None, weights: bool = False) -> CombinerPlay:
        """Play the rows of a table in their order.

        Parameters
        ----------
        advice : array-like of shape (rounds, experts) or (rounds, experts, width)
            Forecasts, nan where an expert is silent; price relatives for wealth; losses when there is no loss. The
            columns of a data frame name the experts.
        outcomes : array-like of shape (rounds,) or (rounds, width), optional
            What came; whole numbers may name the class that came, where forecasts are probabilities of classes.
        arrivals : int or array-like of shape (rounds,), optional
            When each outcome was known: before the prediction of that row (from 0), at the earliest of the next one;
            a single number k means k rows later. All that arrive after the last row are settled at the end.
        weights : bool
            Whether to keep the weights of every round.

        Returns
        -------
        CombinerPlay
            Predictions, losses and, if wanted, weights.

        Raises
        ------
        AdviceError
            If a row cannot be played; those before it are learned, as far as their outcomes had come.
        ValueError
            If another thread is playing with this learner. Then nothing is learned.
        """
        if self._pending:
            raise RegretlessError("predictions wait for their outcomes: report these first, or use a fresh learner")
        table, named = table_of(advice), names_of(advice)
        experts, width = table.shape[1], table.shape[2] if table.ndim == 3 else 1
        state = self._begin(experts, width)
        table = in_order(table, named, self.expert_names_, 1)
        self.expert_names_ = self.expert_names_ or named
        known = self._outcomes(outcomes, len(table), state)
        plan = schedule(arrivals, len(table), draws=self.info.draws)
        before = state.copy()
        bare = self._loss.name == TABLE and plan is None
        played = CombinerPlay.room(len(table), experts, width, weights=weights, bare=bare)
        played._index = index_of(advice)
        self._run(state, table, known, plan, played)
        return played.of(self, before, table, known, plan)

    def _outcomes(self, outcomes: Any, rounds: int, state: ExpertState) -> Array | None:
        if self._loss.name in WITHOUT_OUTCOME:
            return None
        if outcomes is None:
            raise RegretlessError("outcomes are missing")
        return outcomes_of(outcomes, rounds, state.width, classes=True)

    def _run(
        self, state: ExpertState, table: Array, outcomes: Array | None, plan: Schedule | None, out: CombinerPlay
    ) -> None:
        """The compiled loop, or the plain one for a loss that only Python knows."""
        if self._loss.own is not None:
            self._run_own(state, table, outcomes, plan, out)
            return
        predictions = out.predictions if state.width > 1 else out.predictions.reshape(-1, 1)
        if plan is None:
            result = state.core.play(
                table,
                outcomes,
                predictions=None if out.predictions is out.losses else predictions,
                losses=out.losses,
                weights=out.weights,
                **self._draws(out),
            )
        else:
            pool = np.empty((plan.room, table.shape[1]))
            result = state.core.play_delayed(
                table,
                outcomes,
                plan.settle,
                plan.starts,
                plan.slots,
                pool,
                predictions=predictions,
                losses=out.losses,
                weights=out.weights,
            )
        self._refuse(result)

    def _draws(self, out: CombinerPlay) -> dict[str, Any]:
        """What a learner that draws experts gives to the loop."""
        return {}

    def _run_own(
        self, state: ExpertState, table: Array, outcomes: Any, plan: Schedule | None, out: CombinerPlay
    ) -> None:
        if plan is not None:
            raise RegretlessError("arrivals go with the losses that have a name; report late outcomes by their tickets")
        for t, (row, outcome) in enumerate(zip(table, outcomes, strict=True)):
            try:
                forecast = self.predict(row)
                out.predictions[t] = np.asarray(forecast)
                if out.weights is not None:
                    out.weights[t] = self._pending[forecast.ticket].weights
                out.losses[t] = self._settle(self._pending.pop(forecast.ticket), outcome)
            except AdviceError as error:
                self._pending.clear()
                raise error.at(t) from error
            except RegretlessError as error:
                self._pending.clear()
                raise AdviceError(t, None, str(error), "see to the loss function") from error

    def _refuse(self, result: tuple[int, str | None, int], row: int | None = None) -> None:
        played, why, column = result
        if why is not None:
            raise complaint(why, played if row is None else row, column, self.names(), self._loss)

    def _learn_names(self, names: Sequence[str] | None) -> None:
        if names is None:
            return
        if self.expert_names_ is not None and list(names) != self.expert_names_:
            raise RegretlessError(f"experts {', '.join(names)} after {', '.join(self.expert_names_)}")
        self.expert_names_ = list(names)

    # In a file.

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """How many experts there are, their names, the rounds that wait, and the arrays of the state."""
        if callable(self.loss):
            raise RegretlessError("a loss that is a function cannot be kept in a model file; use one that has a name")
        state = self._known()
        waiting, arrays = self._waiting_state()
        description = {
            "experts": len(state.prior),
            "width": state.width,
            "names": self.expert_names_,
            "draws": self._draws_state(),
        }
        return description | waiting, state.arrays() | arrays

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        learner = cls(**parameters(description["parameters"], cls))
        experts, width = count(description["experts"], "experts", 1), count(description["width"], "width", 1)
        rules = learner._rules(experts)
        # Before memory is set aside for them: the file has shown that it holds as much.
        shapes = cls._state_class.shapes(rules, experts, width)
        refuse_shapes(shapes | learner._waiting_shapes(description, experts, width), tensors)
        arrays = {name: tensors[name] for name in shapes}
        cls._state_class.refuse(rules, arrays)
        learner.expert_names_ = names(description["names"], experts, "experts")
        learner._begin(experts, width).adopt(arrays)
        learner._wait_again(description, tensors, experts, width)
        learner._draw_on(description["draws"])
        return learner

    def _draws_state(self) -> dict[str, Any] | None:
        """What of its draws a learner that draws keeps, as JSON values."""
        return None

    def _draw_on(self, draws: Any) -> None:
        """Go on from there."""
        if draws is not None:
            raise ValueError("this learner draws no experts")
