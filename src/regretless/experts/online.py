"""One round at a time: predict, and report the outcome whenever it comes.

A forecast remembers by which weights it was made until its outcome is known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import names_of
from ..errors import RegretlessError
from ..ledger import ExpertLedger
from ..persist.validation import count, one
from ..picture import Bars, Pictured
from .losses import TABLE, Loss
from .state import ExpertState
from .validation import Array, complaint, in_order, outcomes_of, row_of


class Forecast(float):
    """The prediction of a round, a number, and the ticket by which its outcome is reported.

    Attributes
    ----------
    ticket : int
        Number of the prediction, from 0.
    """

    ticket: int = -1


class VectorForecast(np.ndarray[Any, np.dtype[np.float64]]):
    """The same for predictions of several numbers."""

    ticket: int = -1

    def __array_finalize__(self, _: object) -> None:
        self.ticket = -1  # what is computed from a forecast is none


class Round:
    """A round that waits for its outcome.

    Parameters
    ----------
    stored : ndarray
        The advice, the weights that were played, and the prediction, one after the other.
    experts, width : int
    """

    __slots__ = ("experts", "stored", "width")

    def __init__(self, waiting: Array, experts: int, width: int) -> None:
        self.stored, self.experts, self.width = waiting, experts, width

    @property
    def advice(self) -> Array:
        """The advice, shape (experts,) or (experts, width)."""
        flat = self.stored[: self.experts * self.width]
        return flat if self.width == 1 else flat.reshape(self.experts, self.width)

    @property
    def weights(self) -> Array:
        """The weights, shape (experts,)."""
        return self.stored[self.experts * self.width : -self.width]

    @property
    def prediction(self) -> Array:
        """The prediction, shape (width,)."""
        return self.stored[-self.width :]


Ticket = int | Forecast | VectorForecast
WIDEST = 2**24  # numbers of a forecast in a model file: no array of it bears witness to them


class OnlineCombiner(Pictured, ABC):
    """A learner whose outcomes may come late, out of order or never.

    It goes by what its state has learned; the rounds that wait for an outcome remember the weights they were played by.
    """

    _loss: Loss
    _state: ExpertState | None
    _pending: dict[int, Round]
    _tickets: int
    expert_names_: list[str] | None

    @abstractmethod
    def _known(self) -> ExpertState:
        """The state."""

    @abstractmethod
    def _begin(self, experts: int, width: int) -> ExpertState:
        """The state, made when the first advice comes."""

    @property
    def n_experts_(self) -> int:
        """How many experts there are."""
        return len(self._known().prior)

    @property
    def width_(self) -> int:
        """How many numbers a forecast has: of several where experts forecast the probabilities of classes."""
        return self._known().width

    @property
    def rounds_(self) -> int:
        """Rounds whose outcome is known."""
        return 0 if self._state is None else self._state.rounds

    @property
    def weights(self) -> Array:
        """The weights of the next round, if every expert speaks; they sum to one."""
        return self._known().weights()

    @property
    def rate_(self) -> float:
        """The learning rate of the next round; nan where each expert has its own."""
        return float(self._known().core.rate())

    @property
    def ledger_(self) -> ExpertLedger:
        """What was observed so far."""
        return self._known().ledger()

    def bars(self) -> list[Bars]:
        """The weights of the experts in the next round."""
        return [Bars("Weights of the experts", self.names(), self.weights)]

    def names(self) -> list[str]:
        """The experts' names, or their numbers from 0."""
        return self.expert_names_ or [str(place) for place in range(self.n_experts_)]

    @property
    def pending_(self) -> tuple[int, ...]:
        """Tickets of the predictions whose outcome is not known yet."""
        return tuple(self._pending)

    def predict(self, advice: Any = None) -> Any:
        """Predict one round.

        Parameters
        ----------
        advice : array-like of shape (experts,) or (experts, width)
            Forecasts, nan where an expert is silent. Where losses are given themselves there is no advice, but there
            may be a mask of who speaks.

        Returns
        -------
        Forecast, VectorForecast or ndarray
            The prediction; also the ticket with which `update` takes its outcome late or out of order. Where
            losses are given themselves, the weights.
        """
        if self._loss.name == TABLE:
            return self._predict_weights(advice)
        waiting, first = self._opened(advice)
        forecast: Any = Forecast(first) if waiting.width == 1 else waiting.prediction.copy().view(VectorForecast)
        forecast.ticket = self._tickets
        self._pending[self._tickets] = waiting
        self.__dict__["_tickets"] += 1  # past the look-out for parameters, which takes its time
        return forecast

    def _round(self, advice: Any) -> Round:
        """A round as it is predicted; nothing is moved by that."""
        return self._opened(advice)[0]

    def _opened(self, advice: Any) -> tuple[Round, float]:
        """The same, and the first number of its prediction."""
        state = self._state
        if state is not None and type(advice) is np.ndarray:
            waiting = np.empty(state.room)
            try:
                answer = state.core.open(advice, waiting)
                if type(answer) is float:
                    return Round(waiting, len(state.prior), state.width), answer
            except (TypeError, ValueError):  # another shape or type, which is seen to below
                pass
        row = in_order(row_of(advice), names_of(advice), self.expert_names_, 0)
        state = self._begin(len(row), row.shape[1] if row.ndim == 2 else 1)
        waiting = np.empty(state.room)
        answer = state.core.open(row, waiting)
        if type(answer) is tuple:
            raise self._complaint(answer, state)
        return Round(waiting, len(state.prior), state.width), answer

    def forecast(self, advice: Any) -> Any:
        """A prediction for which no outcome will be reported: no ticket is drawn, nothing waits, nothing is moved."""
        if self._loss.name == TABLE:
            raise RegretlessError("there is nothing to forecast where losses are given themselves; see weights")
        pending = self._round(advice)
        return float(pending.prediction[0]) if len(pending.prediction) == 1 else pending.prediction

    def waiting(self, ticket: Ticket) -> Round:
        """The round of a ticket, with the weights that it was predicted by.

        Raises
        ------
        RegretlessError
            If none waits by this ticket.
        """
        number = self._ticket(ticket)
        if number not in self._pending:
            raise RegretlessError(f"ticket {number}: its outcome was reported already, or it was never drawn")
        return self._pending[number]

    def _ticket(self, ticket: Any) -> int:
        """The number of a ticket; a mere float is none, for a prediction without its ticket looks like one."""
        number = getattr(ticket, "ticket", ticket)
        if isinstance(number, bool) or not hasattr(number, "__index__") or int(number) < 0:
            raise RegretlessError(f"{ticket!r} is no ticket: give the forecast itself, or its ticket")
        return int(number)

    def withdraw(self, ticket: Ticket) -> None:
        """Give up a prediction: its outcome will never be known."""
        self.waiting(ticket)
        del self._pending[self._ticket(ticket)]

    def _predict_weights(self, speaks: Any) -> Array:
        state = self._known() if speaks is None else self._begin(len(speaks), 1)
        row = np.zeros(len(state.prior))
        if speaks is not None:
            row[~np.asarray(speaks, dtype=bool)] = np.nan
        # Losses are not known yet: any that lie in the declared range tell the kernel who speaks.
        any_loss = max(state.rules.low, 0.0) if state.rules.high > 0 else state.rules.low
        waiting, _ = self._opened(row + any_loss)
        weights = waiting.weights.copy().view(VectorForecast)
        weights.ticket = self._tickets
        self._pending[self._tickets] = waiting
        self._tickets += 1
        return weights

    def update(self, *report: Any) -> float:
        """Report an outcome: ``update(outcome)`` of the one open prediction, or ``update(ticket, outcome)``.

        Wealth needs no outcome: ``update()``, or ``update(ticket, None)``.

        Parameters
        ----------
        ticket : Forecast or int, optional
            What `predict` returned, or its number.
        outcome : float, array-like, or array-like of losses
            What came; where losses are given themselves, everybody's losses, nan for who was silent.

        Returns
        -------
        float
            The learner's loss.
        """
        if not report and self._loss.of_relatives:
            report = (None,)  # the relatives say it all
        if len(report) == 1:
            if len(self._pending) != 1:
                fault = "no prediction waits" if not self._pending else f"{len(self._pending)} predictions wait"
                raise RegretlessError(
                    f"{fault} for an outcome; predict first, and name the ticket if there are several"
                )
            ticket = next(iter(self._pending))
        elif len(report) == 2:
            ticket = self._ticket(report[0])
        else:
            raise RegretlessError("give an outcome, or a ticket and an outcome")
        pending = self._pending[ticket] if len(report) == 1 else self.waiting(ticket)
        loss = self._settle(pending, report[-1])
        del self._pending[ticket]
        return loss

    def _complaint(self, refusal: tuple[str, int], state: ExpertState) -> RegretlessError:
        why, column = refusal
        return complaint(why, state.rounds, column, self.names(), self._loss)

    def _settle(self, pending: Round, outcome: Any) -> float:
        state = self._state or self._known()
        loss = self._loss
        if state.width == 1 and loss.own is None and loss.name != TABLE:
            answer = state.core.close(pending.stored, outcome if isinstance(outcome, float) else self._number(outcome))
            if type(answer) is float:
                return answer
            raise self._complaint(answer, state)
        if loss.own is not None:
            return self._settle_own(state, pending, outcome)
        if loss.name == TABLE:
            losses = row_of(outcome)
            if losses.shape != pending.weights.shape:
                raise RegretlessError(
                    f"losses of shape {losses.shape}: one for each of {len(pending.weights):,} experts"
                )
            silent = np.isnan(pending.advice)
            if not np.array_equal(np.isnan(losses), silent):
                raise RegretlessError("losses: a loss for each expert that spoke, nan for the others")
            answer = state.core.close(np.concatenate([losses, pending.weights, pending.prediction]), 0.0)
        else:
            vector = outcomes_of(np.asarray(outcome)[None], 1, state.width, classes=True)[0]
            answer = state.core.close(pending.stored, vector)
        if type(answer) is tuple:
            raise self._complaint(answer, state)
        return float(answer)

    def _number(self, outcome: Any) -> float:
        if outcome is None and self._loss.of_relatives:
            return 0.0
        try:
            return float(outcome)
        except (TypeError, ValueError) as error:
            raise RegretlessError(f"outcome {outcome!r}: a number is expected") from error

    def _settle_own(self, state: ExpertState, pending: Round, outcome: Any) -> float:
        speaks = ~np.isnan(pending.advice if pending.advice.ndim == 1 else pending.advice.sum(1))
        own = np.full(len(speaks), np.nan)
        own[speaks] = self._loss.of(pending.advice[speaks], outcome)
        prediction = pending.prediction[0] if state.width == 1 else pending.prediction
        loss = float(self._loss.of(prediction, outcome))
        if not (np.isfinite(own[speaks]).all() and np.isfinite(loss)):
            raise RegretlessError("the loss function must give finite numbers")
        mix = float(pending.weights[speaks] @ own[speaks])
        why = state.core.settle_charges(own, own, pending.weights, loss, mix)
        if why is not None:
            raise complaint(why, state.rounds, -1, self.names(), self._loss)
        return loss

    # The rounds that wait, in a file.

    def _waiting_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The tickets that were drawn, and the rounds of those that wait."""
        width = self._known().width
        if width > WIDEST:
            raise RegretlessError(f"forecasts of {width} numbers: a model file keeps those of {WIDEST} at most")
        waiting = [rest.stored for rest in self._pending.values()]
        arrays = {"waiting": np.stack(waiting)} if waiting else {}
        return {"tickets": self._tickets, "pending": list(self._pending)}, arrays

    def _waiting_shapes(self, description: Mapping[str, Any], experts: int, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of rounds that wait."""
        if width > WIDEST:
            raise ValueError(f"forecasts have more than {WIDEST} numbers")
        waiting = len(one(description["pending"], list, "pending"))
        return {"waiting": (waiting, (experts + 1) * width + experts)} if waiting else {}

    def _wait_again(
        self, description: Mapping[str, Any], tensors: Mapping[str, Array], experts: int, width: int
    ) -> None:
        """Wait for the outcomes of the rounds that `_waiting_state` gave."""
        drawn = count(description["tickets"], "tickets")
        pending = [count(ticket, "a ticket") for ticket in description["pending"]]
        if len(set(pending)) < len(pending) or any(ticket >= drawn for ticket in pending):
            raise ValueError("a ticket waits twice, or was never drawn")
        self._tickets = drawn
        for ticket, rest in zip(pending, tensors.get("waiting", ()), strict=True):
            self._pending[ticket] = waiting = Round(np.array(rest), experts, width)
            if not np.isfinite(waiting.weights).all():
                raise ValueError("the weights of a round that waits are no numbers")
