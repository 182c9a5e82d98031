"""One round at a time: draw an arm, and report its loss whenever it comes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from ..info import BanditInfo
from ..ledger import BanditLedger
from ..persist.validation import whole_numbers
from ..picture import Bars, Pictured
from .state import SUM, BanditState, Scale
from .validation import advice_of, arm_of, mask_of, number_of, outside, refuse_unadvised, reward_of, row_of

Array = np.ndarray[Any, Any]
DrawRecord = tuple[int, float, float, int]  # arm, probability, implicit exploration, number: what the kernel gave
Among = tuple[Array | None, Array | None]  # who was awake, and what experts advised


class Draw(int):
    """The arm that was drawn, a whole number, and the ticket by which its loss is reported.

    Attributes
    ----------
    name : str
        The arm's name, or its number.
    """

    name: str
    record: DrawRecord
    maker: int  # the number of the learner

    def __repr__(self) -> str:
        return f"Draw({int(self)}, ticket={self.ticket}, probability={self.probability:.6g})"

    def __str__(self) -> str:
        return str(int(self))

    @property
    def ticket(self) -> int:
        """Number of the draw, from 1."""
        return self.record[3]

    @property
    def probability(self) -> float:
        """By which the arm was drawn."""
        return self.record[1]


class Drawing(Pictured, ABC):
    """A learner whose draws remember the probability that they were made with, until their losses come."""

    _state: BanditState | None
    _pending: dict[int, DrawRecord]
    _among: dict[int, Among]  # of those draws that were not made among all arms without advice
    _maker: (
        int  # by which draws are distinguished from those of other learners; a copy goes on with it, a model does not
    )
    _scale: Scale
    arm_names_: list[str] | None
    info: ClassVar[BanditInfo]

    @abstractmethod
    def _known(self) -> BanditState:
        """The state."""

    @abstractmethod
    def _begin(self, arms: int, comparators: int) -> BanditState:
        """The state, made when the number of arms is known."""

    @abstractmethod
    def probabilities(self, available: Any = None, advice: Any = None) -> Array:
        """Those that the next draw is made with."""

    def _label(self, arm: int) -> str:
        return str(arm) if self.arm_names_ is None else self.arm_names_[arm]

    @property
    def ledger_(self) -> BanditLedger:
        """What was observed so far."""
        return self._known().ledger()

    def bars(self) -> list[Bars]:
        """The probabilities of the next draw, if every arm is awake."""
        return [Bars("Probabilities of the next draw", self.names(), self.probabilities())]

    def names(self) -> list[str]:
        """The arms' names, or their numbers from 0."""
        return self.arm_names_ or [str(arm) for arm in range(self._known().arms)]

    @property
    def pending_(self) -> tuple[int, ...]:
        """Tickets of the draws whose losses are not known yet."""
        return tuple(self._pending)

    def draw(self, available: Any = None, advice: Any = None) -> Draw:
        """Draw an arm.

        Parameters
        ----------
        available : array-like, optional
            The arms that may be drawn: a mask over all of them, or a list of their numbers or names.
        advice : array-like of shape (experts, arms) or (experts,)
            Where experts advise the learner, and only then: the shares that each of them would give to the arms, or the
            arm that each would draw.

        Returns
        -------
        Draw
            The arm; also the ticket with which `update` takes its loss.
        """
        state = self._state or self._known_with(advice)
        if available is None and advice is None and not self.info.advised:
            record = self._opened(state)
        else:
            mask, advised = self._conditions(state, available, advice)
            record = self._opened(state, mask, advised)
            self._among[record[3]] = mask, advised
        self._pending[record[3]] = record
        draw = Draw(record[0])
        draw.record, draw.maker = record, self._maker
        draw.name = self._label(record[0])
        return draw

    def _opened(self, state: BanditState, *conditions: Any) -> DrawRecord:
        try:
            record: DrawRecord = state.core.open(*conditions)
        except ValueError as error:
            raise RegretlessError(f"no arm can be drawn: {self._open_bare(state) or error}") from error
        return record

    def _open_bare(self, state: BanditState) -> str | None:
        """The message about the draw of the bare core that is open, if one is."""
        if state.bare is None:
            return None
        number, arm = state.bare
        return (
            f"a draw is open, number {number}, of arm {self._label(arm)}, that bare() made; report its loss to "
            "bare().update, or withdraw() it"
        )

    def _known_with(self, advice: Any) -> BanditState:
        """The state, where the first advice may tell how many experts there are."""
        return self._known()

    def _conditions(self, state: BanditState, available: Any, advice: Any) -> Among:
        refuse_unadvised(self.info, advice)
        if self.info.advised and available is not None:
            raise ParameterError(
                "available", "", "the advice says which arms may be drawn; give none to those asleep", ": "
            )
        mask = None if available is None else mask_of(available, self.arm_names_, state.arms)
        advised = None if advice is None else advice_of(advice, state.comparators, state.arms, self.arm_names_)
        return mask, advised

    def update(self, draw: Any = None, loss: Any = None, *, ticket: int | None = None, reward: Any = None) -> None:
        """Report the loss of a draw; in any order, and however late.

        Parameters
        ----------
        draw : Draw, int or str
            What `draw` returned; an arm's number or name, if a single draw of it waits; nothing, if a single draw waits
            at all.
        loss : float, or array-like of shape (arms,)
            The loss of that arm, or its reward with ``rewards=True``; from a learner with full information, those of
            all arms.
        ticket : int, optional
            The number of the draw, instead of the draw.
        reward : float, or array-like of shape (arms,)
            The same as `loss`, of a bandit with ``rewards=True`` and no other.

        Raises
        ------
        RegretlessError
            If the loss is none or lies outside the declared range, or if no such draw waits. Nothing is learned then.
        """
        if reward is not None:
            loss = reward_of(self._scale, loss, reward)
        # As it mostly is; written out, for every microsecond of a round counts.
        if type(draw) is Draw and ticket is None and draw.maker == self._maker:
            record = draw.record
            if self._pending.get(record[3]) is not record:  # a copy of the draw, or one that does not wait
                record = self._record_of(draw, ticket)
        else:
            record = self._record_of(draw, ticket)
        self._settle(record, loss)
        self._forget(record)

    def withdraw(self, draw: Any = None, *, ticket: int | None = None) -> None:
        """Give up a draw: its loss will never be known.

        Bounds count it as the largest loss there is. With nothing said it is the only draw that waits, which may be
        one of the bare core.

        Parameters
        ----------
        draw, ticket
            As for `update`.
        """
        state = self._known()
        if draw is None and state.bare is not None:
            number = state.bare[0]
            meant = not self._pending if ticket is None else self._number(ticket) == number
            if meant:
                state.core.lose(number)
                return
        record = self._record_of(draw, ticket)
        state.core.lose(record[3])
        self._forget(record)

    def expire(self, age: int) -> tuple[int, ...]:
        """Give up all draws after which so many others were made, or more, whose losses are not known.

        Each is withdrawn: the observable bound counts it as the largest loss there is, whatever kept its loss from
        coming. Bounds in expectation count it so too, and say that they assume that draws have no say in which losses
        come: they are false where a draw is given up for its arm or its loss, or some runs give up more than others.
        Theorems that want every loss, or each before the next draw, do not apply. A loss that comes later still is
        refused, as one that comes twice is.

        Parameters
        ----------
        age : int
            At least 1.

        Returns
        -------
        tuple of int
            Their tickets.

        Raises
        ------
        ParameterError
            If it is no whole number of at least 1.

        Examples
        --------
        >>> from regretless.bandits import Exp3IX
        >>> bandit = Exp3IX(n_arms=2, seed=0)
        >>> draws = [bandit.draw() for _ in range(5)]
        >>> bandit.update(draws[0], 0.5)
        >>> bandit.expire(2)
        (2, 3)
        >>> bandit.pending_
        (4, 5)
        """
        last = self._known().rounds - whole("age", age)
        old = tuple(number for number in self._pending if number <= last)
        for number in old:
            self.withdraw(ticket=number)
        return old

    def _forget(self, record: DrawRecord) -> None:
        del self._pending[record[3]]
        if self._among:
            self._among.pop(record[3], None)

    def _record_of(self, draw: Any, ticket: Any) -> DrawRecord:
        """The draw that is meant, of those that wait."""
        if draw is not None and ticket is not None:
            raise RegretlessError("give a draw or its ticket, not both")
        if isinstance(draw, Draw):
            if draw.maker != self._maker or self._pending.get(draw.ticket) != draw.record:
                which = f"draw {draw.ticket}, of arm {draw.name}"
                raise RegretlessError(f"{which}: {self._why_not(draw)}; {self._waiting()}")
            return draw.record
        if ticket is not None:
            number = self._number(ticket)
            if number not in self._pending:
                raise RegretlessError(f"no draw waits by the ticket {number}; {self._waiting()}")
            return self._pending[number]
        if draw is None:
            if len(self._pending) != 1:
                raise RegretlessError(f"say which draw is meant; {self._waiting()}")
            return next(iter(self._pending.values()))
        return self._only(arm_of(draw, self.arm_names_, self._known().arms))

    def _number(self, ticket: Any) -> int:
        """The number of a draw that is given."""
        if isinstance(ticket, bool | np.bool_) or not hasattr(ticket, "__index__"):
            expected = "a whole number is expected, the .ticket of a draw"
            raise ParameterError("ticket", repr(ticket), f"{expected}; {self._waiting()}", ": ")
        return int(ticket)

    def _why_not(self, draw: Draw) -> str:
        """Why a draw does not wait."""
        if draw.maker != self._maker:
            return "another learner made it, or this one before it was saved: give its ticket= then"
        return "its loss was reported already, or it was withdrawn"

    def _only(self, arm: int) -> DrawRecord:
        """The one draw of an arm that waits."""
        waiting = [record for record in self._pending.values() if record[0] == arm]
        if not waiting:
            raise RegretlessError(f"no draw of arm {self._label(arm)} waits for its loss; {self._waiting()}")
        if len(waiting) > 1:
            tickets = ", ".join(str(record[3]) for record in waiting[:10])
            many = f"{len(waiting)} draws of arm {self._label(arm)} wait (tickets {tickets})"
            raise RegretlessError(f"{many}; give the draw itself, or ticket=")
        return waiting[0]

    def _waiting(self) -> str:
        many = len(self._pending)
        bare = None if self._state is None else self._open_bare(self._state)
        if not many:
            return bare or "none does: draw first"
        each = [f"{number} (arm {self._label(record[0])})" for number, record in list(self._pending.items())[:10]]
        more = f" and {many - 10} more" if many > 10 else ""
        return f"waiting are {', '.join(each)}{more}" + (f"; {bare}" if bare else "")

    def _settle(self, record: DrawRecord, loss: Any) -> None:
        state = self._state or self._known()
        mask, advice = self._among.get(record[3], (None, None)) if self._among else (None, None)
        if self.info.informed:
            self._settle_all(state, record, row_of(loss, self.arm_names_, state.arms), mask)
            return
        try:
            if mask is None and advice is None:
                state.core.settle(*record, loss)
            else:
                state.core.settle(*record, loss, mask, advice)
        except (TypeError, ValueError) as error:
            raise self._complaint(record[0], loss, error) from error

    def _settle_all(self, state: BanditState, record: DrawRecord, row: Array, mask: Array | None) -> None:
        try:
            state.core.settle(*record, 0.0, mask, None, row)
        except ValueError as error:
            awake = np.ones(len(row), dtype=bool) if mask is None else mask
            bad = np.flatnonzero(awake & ~((row >= self._scale.low) & (row <= self._scale.high)))
            arm = int(bad[0]) if len(bad) else record[0]
            raise self._complaint(arm, row[arm], error) from error

    def _complaint(self, arm: int, loss: Any, error: Exception) -> RegretlessError:
        """The error for a loss that the kernel refused."""
        what = "reward" if self._scale.rewards else "loss"
        number = number_of(loss, what, self._label(arm))
        if number != number:
            return RegretlessError(f"arm {self._label(arm)}: its {what} is nan; a number is expected")
        if self._scale.low <= number <= self._scale.high:
            return RegretlessError(f"arm {self._label(arm)}: {error}")
        fault, advice = outside((self._scale.low, self._scale.high), self._scale.rewards)
        return RegretlessError(f"arm {self._label(arm)}: {fault} ({number:g} was found); {advice}")

    # The draws that wait, in a file.

    def _waiting_state(self, state: BanditState) -> dict[str, Array]:
        """The draws whose losses are not known; a row of `awake` without a one stands for all arms."""
        pending = self._pending
        if not pending:
            return {}
        tensors = {"waiting": np.array(list(pending.values()), dtype=np.float64)}
        among = [self._among.get(number, (None, None)) for number in pending]
        if any(mask is not None for mask, _ in among):
            tensors["awake"] = np.zeros((len(pending), state.arms))
            for row, (mask, _) in zip(tensors["awake"], among, strict=True):
                row[:] = 0.0 if mask is None else mask
        if self.info.advised:
            tensors["advice"] = np.stack([_shares(advice, state.arms) for _, advice in among])
        return tensors

    def _waiting_shapes(self, arms: int, comparators: int, tensors: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
        """The shapes of these arrays."""
        if "waiting" not in tensors:
            return {}
        many = len(tensors["waiting"])
        if not many:
            raise ValueError("no draw waits, and there is room for some")
        shapes: dict[str, tuple[int, ...]] = {"waiting": (many, 4)}
        if self.info.advised:
            shapes["advice"] = (many, comparators, arms)
        elif "awake" in tensors:
            shapes["awake"] = (many, arms)
        return shapes

    def _wait_again(self, state: BanditState, tensors: Mapping[str, Array]) -> None:
        """Wait for the losses of the draws that `_waiting_state` gave."""
        waiting = tensors.get("waiting", np.empty((0, 4)))
        if not (whole_numbers(waiting[:, [0, 3]]) and np.isfinite(waiting).all()):
            raise ValueError("a draw that waits has no arm or no number")
        for place, (arm, probability, gamma, number) in enumerate(waiting.tolist()):
            if arm >= state.arms or not 0 < probability <= 1 or gamma < 0 or not 1 <= number <= state.rounds:
                raise ValueError("a draw that waits was never made")
            mask, advice = _conditions(place, int(arm), tensors)
            self._pending[int(number)] = int(arm), probability, gamma, int(number)
            if mask is not None or advice is not None:
                self._among[int(number)] = mask, advice
        if len(self._pending) < len(waiting):
            raise ValueError("a draw waits twice")


def with_one_asleep(conditions: Among | None, arms: int) -> Among:
    """The conditions of a draw that was made before an arm came, which could not be drawn then nor advised."""
    mask, advice = conditions or (None, None)
    if advice is not None:
        return None, np.column_stack([advice, np.zeros(len(advice))]) if advice.ndim == 2 else advice
    return np.append(np.ones(arms, dtype=bool) if mask is None else mask, False), None


def _shares(advice: Array | None, arms: int) -> Array:
    """Advice as shares, also where each expert named an arm."""
    assert advice is not None
    return advice if advice.ndim == 2 else np.eye(arms)[advice]


def _conditions(place: int, arm: int, tensors: Mapping[str, Array]) -> Among:
    """Under which conditions an arm was drawn."""
    mask = tensors["awake"][place] if "awake" in tensors else None
    advice = tensors["advice"][place].copy() if "advice" in tensors else None
    if mask is not None and not ((mask == 0) | (mask == 1)).all():
        raise ValueError("an arm is neither awake nor asleep")
    if mask is not None and mask.any() and not mask[arm]:
        raise ValueError("an arm was drawn that is asleep")
    if advice is not None and not (
        (advice >= 0).all() and (np.abs(advice.sum(1) - 1) <= SUM).all() and advice[:, arm].any()
    ):
        raise ValueError("an arm was drawn that no expert advised, or the advice is no distribution")
    return (None if mask is None or not mask.any() else mask.astype(bool)), advice
