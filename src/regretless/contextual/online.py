"""One decision at a time: draw an arm for a row of features, and learn what it lost whenever that is known."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..bandits.validation import arm_of, reward_of
from ..checks import whole
from ..errors import RegretlessError
from ..picture import Bars, Pictured
from .inputs import Asked, refused
from .state import ContextualState, Ticket

Array = np.ndarray[Any, Any]


class Deciding(Pictured, Asked):
    """A bandit whose decisions remember the probability that they were made with, until their losses come."""

    value_range: tuple[float, float]
    _state: ContextualState
    _labels: list[str]

    @property
    @abstractmethod
    def core(self) -> Any:
        """The compiled loop over the arrays as they stand."""

    @property
    def rounds_(self) -> int:
        """Decisions that were made."""
        return int(self._state.one("rounds"))

    @property
    def pending_(self) -> tuple[int, ...]:
        """Numbers of the tickets whose losses are not known yet."""
        return tuple(self._pending)

    @property
    def counts_(self) -> Array:
        """How often each arm was drawn."""
        return self._state.draws.astype(np.int64)

    def names(self) -> list[str]:
        """The arms' names, or their numbers from 0."""
        return list(self._labels)

    def bars(self) -> list[Bars]:
        """How often each arm was drawn."""
        return [Bars("Draws", self.names(), self._state.draws.copy())]

    def forecasts(self, x: Any) -> Array:
        """What each arm is expected to lose, in the units of what is reported.

        Parameters
        ----------
        x : array-like of shape (features,), or (arms, features) where arms have features of their own

        Returns
        -------
        ndarray of shape (arms,)
        """
        rows, _ = self._asked(x, None)
        with refused(rows):
            return self._reported(self.core.forecasts(rows))

    def _reported(self, units: Array) -> Array:
        """Losses in units of the declared range, in those of what is reported."""
        low, high = self.value_range
        return np.asarray(high - (high - low) * units if self.rewards else low + (high - low) * units)

    def probabilities(self, x: Any, available: Any = None) -> Array:
        """The probabilities with which `act` would draw; nothing is drawn or moved.

        Parameters
        ----------
        x, available
            As for `act`.

        Returns
        -------
        ndarray of shape (arms,)
        """
        rows, mask = self._asked(x, available)
        with refused(rows):
            return np.asarray(self.core.probabilities(rows, mask))

    # ---- a decision

    def act(self, x: Any, available: Any = None, advice: Any = None) -> Ticket:
        """Draw an arm for a row of features.

        Parameters
        ----------
        x : array-like of shape (features,), or (arms, features) where arms have features of their own
            Finite numbers; as many as in the rows before. Or values by their names (`hash_bits`).
        available : array-like, optional
            The arms that can be drawn: a mask over all of them, or a list of their numbers or names.
        advice : sequence of int or str, optional
            The arm that each of the policies would draw, where these were named, and only then.

        Returns
        -------
        Ticket
            With the arm, as ``action`` and ``name``, and its ``probability``. `learn` takes it.

        Raises
        ------
        RegretlessError
            If the row cannot be used, or no arm can be drawn.
        """
        rows, mask = self._asked(x, available)
        advised = self._advised(advice, mask)
        with refused(rows):
            arm, probability, forecast = self.core.act(rows, mask)
        number, row = int(self._state.book[0]), rows if rows.ndim == 1 else rows[arm]
        ticket = Ticket(number, arm, self._labels[arm], probability, forecast, row, mask, advised)
        self._pending[number] = ticket
        return ticket

    def learn(self, ticket: Any, loss: Any = None, *, reward: Any = None) -> None:
        """Report the loss of a decision; in any order, and however late.

        Parameters
        ----------
        ticket : Ticket or int
            What `act` returned, or its number.
        loss : float
            Or the reward with ``rewards=True``.
        reward : float, optional
            The same as `loss`, of a bandit with ``rewards=True`` and no other.

        Raises
        ------
        RegretlessError
            If the loss is none or lies outside the declared range, or the ticket does not wait. Nothing is learned
            then.
        """
        waiting = self._waiting(ticket)
        units = self._units(waiting.name, loss if reward is None else reward_of(self._scale, loss, reward))
        late = waiting.number < self.rounds_
        decision = waiting.action, waiting.probability, waiting.forecast
        with refused():
            self.core.settle(waiting.row, *decision, units, late, waiting.available)
        if waiting.advice is not None:
            self._state.credit(waiting.advice, waiting.action, waiting.probability, units)
        del self._pending[waiting.number]

    def withdraw(self, ticket: Any) -> None:
        """Give up a decision: its loss will never be known, and bounds count it as the largest there is.

        Parameters
        ----------
        ticket
            As for `learn`.
        """
        del self._pending[self._waiting(ticket).number]
        self._state.lose()

    def expire(self, age: int) -> tuple[int, ...]:
        """Give up all decisions after which so many others were made, or more, whose losses are not known.

        Each is withdrawn: bounds count it as the largest loss there is, whatever kept its loss from coming, and
        theorems that want each loss before the next decision say that they do not apply. A loss that comes later still
        is refused.

        Parameters
        ----------
        age : int
            At least 1.

        Returns
        -------
        tuple of int
            The numbers of their tickets.

        Raises
        ------
        ParameterError
            If it is no whole number of at least 1.
        """
        last = self.rounds_ - whole("age", age)
        old = tuple(number for number in self._pending if number <= last)
        for number in old:
            self.withdraw(number)
        return old

    # ---- another policy's decisions

    def foreseen(self, x: Any, available: Any = None) -> tuple[Array, Array]:
        """The probabilities with which `act` would draw, and what each arm is expected to lose, as `forecasts` say it.

        Parameters
        ----------
        x, available
            As for `act`.

        Returns
        -------
        probabilities, forecasts : ndarray of shape (arms,)
        """
        rows, mask = self._asked(x, available)
        with refused(rows):
            return np.asarray(self.core.probabilities(rows, mask)), self._reported(self.core.forecasts(rows))

    def observe(self, x: Any, action: Any, loss: Any) -> None:
        """Learn from a decision that another policy made, as a log has them; it is no decision of this learner.

        The regression of that arm learns the loss. How probable the arm was makes no difference to it.

        Parameters
        ----------
        x : array-like of shape (features,), or (arms, features) where arms have features of their own
        action : int or str
            The arm, by its number or name.
        loss : float
            Or the reward with ``rewards=True``.

        Raises
        ------
        RegretlessError
            If there is no such arm, or the loss lies outside the declared range. Nothing is learned then.
        """
        arm, (rows, mask) = arm_of(action, self.arm_names_, self.n_arms_), self._asked(x, None)
        if mask is not None and not mask[arm]:
            raise RegretlessError(f"arm {self._labels[arm]} has no row among the {np.count_nonzero(mask)} of x")
        row = rows if rows.ndim == 1 else rows[arm]
        units = self._units(self._labels[arm], loss)
        with refused():
            self.core.teach(row, arm, units)

    def credit(self, advice: Array, action: int, probability: float, loss: float) -> None:
        """Let policies that would have drawn an arm have lost what it did, as it was reported."""
        self._state.credit(advice, action, probability, self._units(self._labels[action], loss))
