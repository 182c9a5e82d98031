"""The sums of a contextual bandit's run, and its decisions that wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import _core
from ..ledger import ContextualLedger
from ..persist.validation import refuse_shapes, whole_numbers


class Ticket:
    """An arm that was drawn for a row of features, by which its loss is reported.

    Attributes
    ----------
    number : int
        Of the decision, from 1.
    action : int
        The arm, counted from 0.
    name : str
        The arm's name, or its number.
    probability : float
        With which it was drawn: above 0, at most 1.
    forecast : float
        What it was expected to lose, in units of the declared range.
    row : ndarray, shape (features,)
        The features.
    available : ndarray of bool, shape (arms,), or None
        Which arms could be drawn; None: all.
    advice : ndarray of int, shape (policies,), or None
        Which arm each policy that was named would have drawn.
    """

    __slots__ = ("action", "advice", "available", "forecast", "name", "number", "probability", "row")

    def __init__(
        self,
        number: int,
        action: int,
        name: str,
        probability: float,
        forecast: float,
        row: Array,
        available: Array | None,
        advice: Array | None = None,
    ) -> None:
        self.number, self.action, self.name, self.probability = number, action, name, probability
        self.forecast, self.row, self.available, self.advice = forecast, row, available, advice

    def __repr__(self) -> str:
        return f"Ticket({self.number}, action={self.name}, probability={self.probability:.6g})"


Array = np.ndarray[Any, Any]
FIELDS = tuple(_core.EXPLORE_FIELDS)
COUNTS = [FIELDS.index(name) for name in ("rounds", "settled", "lost", "late", "restricted", "taught")]
DRAWS, LOSSES, MISSED, ASLEEP, GROWN = range(_core.EXPLORE_TALLIES)  # rows of the tallies


class ContextualState:
    """The sums that theorems read, in arrays.

    Parameters
    ----------
    arms : int
    policies : int
        How many were named.
    most_error : float
        What a forecast can be charged at most.

    Attributes
    ----------
    book : ndarray, shape (12,)
        The numbers of `FIELDS`.
    tallies : ndarray, shape (5, arms)
        Of each arm: draws, losses, the learner's losses in rounds in which the arm could not be drawn, how many these
        rounds were, and by how much the logarithm of the determinant of its matrix has grown, where a rule asks for it.
    estimates : ndarray, shape (10, arms)
        For each implicit exploration, estimates of what each arm would have lost.
    advised : ndarray, shape (10, policies)
        The same of each policy.
    """

    ARRAYS: ClassVar[tuple[str, ...]] = ("book", "tallies", "estimates", "advised")
    IMPLICIT: ClassVar[tuple[float, ...]] = tuple(2.0**-power for power in range(1, _core.EXPLORE_IMPLICIT + 1))

    def __init__(self, arms: int, policies: int = 0, most_error: float = 1.0) -> None:
        self.most_error = most_error
        self.book = np.zeros(len(FIELDS))
        self.tallies = np.zeros((_core.EXPLORE_TALLIES, arms))
        self.estimates = np.zeros((len(self.IMPLICIT), arms))
        self.advised = np.zeros((len(self.IMPLICIT), policies))

    def one(self, name: str) -> float:
        """One of `FIELDS`."""
        return float(self.book[FIELDS.index(name)])

    @property
    def draws(self) -> Array:
        """How often each arm was drawn."""
        return np.asarray(self.tallies[DRAWS])

    def credit(self, advice: Array, action: int, probability: float, loss: float) -> None:
        """Let policies that would have drawn an arm have lost what it did, in units, over how probable it was."""
        self.advised[:, advice == action] += (loss / (probability + np.array(self.IMPLICIT)))[:, None]

    def lose(self) -> None:
        """Take note of a decision whose loss will never be known."""
        self.book[FIELDS.index("lost")] += 1

    def ledger(self, width: float) -> ContextualLedger:
        """What was observed so far."""
        draws, losses, missed, asleep, _ = self.tallies.copy()
        return ContextualLedger(
            **dict(zip(FIELDS, self.book.tolist(), strict=True)),
            width=width,
            draws=draws,
            losses=losses,
            missed=missed,
            asleep=asleep,
            estimates=self.estimates.copy(),
            advised=self.advised.copy(),
        )

    def arrays(self) -> dict[str, Array]:
        """The arrays by name."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    # ---- decisions that wait, in a file

    def waiting(self, tickets: Iterable[Ticket]) -> dict[str, Array]:
        """The decisions whose losses are not known; a row of `awake` without a one stands for all arms."""
        each = list(tickets)
        if not each:
            return {}
        numbers = [[one.number, one.action, one.probability, one.forecast] for one in each]
        awake = np.zeros((len(each), self.tallies.shape[1]))
        for row, ticket in zip(awake, each, strict=True):
            row[:] = 0 if ticket.available is None else ticket.available
        advice = {"advice": np.array([one.advice for one in each], np.float64)} if self.advised.size else {}
        return advice | {"waiting": np.array(numbers), "rows": np.stack([one.row for one in each]), "awake": awake}

    def resume(self, arrays: Mapping[str, Array], names: Sequence[str], columns: int) -> list[Ticket]:
        """Take over what a file has, and give its decisions that wait.

        Raises
        ------
        ValueError
            If no run can have left it so.
        """
        many, arms = len(arrays.get("waiting", ())), len(names)
        shapes: dict[str, tuple[int, ...]] = {name: array.shape for name, array in self.arrays().items()}
        if "waiting" in arrays:
            shapes |= {"waiting": (many, 4), "rows": (many, columns), "awake": (many, arms)}
            shapes |= {"advice": (many, self.advised.shape[1])} if self.advised.size else {}
        refuse_shapes(shapes, arrays)
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise ValueError("its arrays hold something else than finite numbers")
        for name in self.ARRAYS:
            getattr(self, name)[...] = arrays[name]
        self._refuse(many)
        return [self._ticket(place, arrays, names) for place in range(many)]

    def _refuse(self, waiting: int) -> None:
        """Refuse sums that no run can have left."""
        if not whole_numbers(self.book[COUNTS], self.tallies[[DRAWS, ASLEEP]]):
            raise ValueError("what counts decisions is no whole number >= 0")
        if any((array < 0).any() for array in self.arrays().values()):
            raise ValueError("a sum of losses is below 0")
        settled = self.one("settled")
        if max(self.one("loss"), self.one("error") / self.most_error) > settled * (1 + 1e-9):
            raise ValueError("a sum of losses is larger than it can be")
        rounds = self.one("rounds")
        if rounds != settled + self.one("lost") + waiting or rounds != self.draws.sum():
            raise ValueError("its decisions do not add up")

    def _ticket(self, place: int, arrays: Mapping[str, Array], names: Sequence[str]) -> Ticket:
        """One decision that waits."""
        number, action, probability, forecast = arrays["waiting"][place].tolist()
        awake = arrays["awake"][place]
        if number not in range(1, int(self.one("rounds")) + 1) or action not in range(len(names)):
            raise ValueError("a decision that waits was never made")
        if not (0 < probability <= 1 and 0 <= forecast <= 1 and set(awake.tolist()) <= {0.0, 1.0}):
            raise ValueError("a decision that waits has no probability or forecast")
        if awake.any() and not awake[int(action)]:
            raise ValueError("an arm was drawn that could not be")
        mask = awake.astype(bool) if awake.any() else None
        advice = arrays["advice"][place].astype(np.int64) if "advice" in arrays else None
        if advice is not None and not np.isin(arrays["advice"][place], np.arange(len(names))).all():
            raise ValueError("a policy named an arm that there is not")
        arm = int(action)
        return Ticket(int(number), arm, names[arm], probability, forecast, arrays["rows"][place].copy(), mask, advice)
