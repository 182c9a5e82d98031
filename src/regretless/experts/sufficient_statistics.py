"""What a pass over the rounds keeps of them for hindsight, however many they are."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ..theory.expert_facts import MIXED
from ..theory.rounding import EPSILON
from .losses import Loss

Array = np.ndarray[Any, np.dtype[np.float64]]

MOST_SOLVED = 1000  # experts among whom combinations are searched
AT_ONCE, LEAST = 4, 384  # as many rounds as this times the experts are rotated in together, and no fewer than these


def silenced(advice: Any) -> Array:
    """Forecasts as float64, shape (rounds, experts) or (rounds, experts, numbers); an expert that misses a number of
    its forecast misses all."""
    table: Array = np.asarray(advice, dtype=np.float64)
    if table.ndim == 3:
        table = np.where(np.isnan(table).any(-1, keepdims=True), np.nan, table)
    return table


def own_losses(advice: Array, outcomes: Any, loss: Loss) -> Array:
    """What each expert loses in each round; nan where it is silent."""
    if advice.ndim == 3:
        return loss.of_vectors(advice, np.asarray(outcomes)[:, None, :])
    return loss.of(advice, np.nan if outcomes is None else np.asarray(outcomes)[:, None])


class Totals:
    """Sums over rounds.

    Parameters
    ----------
    experts : int
    loss : Loss

    Attributes
    ----------
    rounds : int
    always : ndarray, shape (experts,)
        Whether an expert spoke in every round.
    uniform : float
        The loss of the average of the awake experts; of labels and bare losses, the average of the losses.
    triangle : ndarray, shape (at most experts + 1, experts + 1)
        For the square loss and no more than `MOST_SOLVED` experts, what rotations leave of the rounds: R with R'R = Z'Z
        for the table Z of the experts' errors and, in the last column, the outcomes. Errors, not forecasts:
        combinations whose weights sum to one have these alone, and nothing cancels. Rotations, not sums of products:
        where forecasts are nearly collinear, those lose what tells them apart.
    """

    def __init__(self, experts: int, loss: Loss) -> None:
        self.loss = loss
        self.rounds = 0
        self.always = np.ones(experts, dtype=bool)
        self.uniform = 0.0
        self._squares = loss.name == "square" and experts <= MOST_SOLVED
        self._triangle = np.zeros((0, experts + 1))
        self._waiting: list[Array] = []

    def add(self, advice: Any, outcomes: Any) -> None:
        """A block of consecutive rounds."""
        table = silenced(advice)
        missing = np.isnan(table) if table.ndim == 2 else np.isnan(table[:, :, 0])
        self.rounds += len(table)
        self.always &= ~missing.any(0)
        self.uniform += self._average_loss(table, outcomes, missing)
        if self._squares:
            self._add_squares(table, np.asarray(outcomes, dtype=np.float64))

    def __add__(self, later: Totals) -> Totals:
        """Both in one, of the same experts and the same loss."""
        both = Totals(len(self.always), self.loss)
        both.always = self.always & later.always
        for name in ("rounds", "uniform"):
            setattr(both, name, getattr(self, name) + getattr(later, name))
        both._waiting = [self.triangle, later.triangle]
        return both

    @property
    def triangle(self) -> Array:
        """What rotations leave of the rounds."""
        if self._waiting:
            self._triangle = np.asarray(np.linalg.qr(np.vstack([self._triangle, *self._waiting]), mode="r"))
            self._waiting = []
        return self._triangle

    def _average_loss(self, table: Array, outcomes: Any, missing: Any) -> float:
        speak = (~missing).sum(1)
        if self.loss.name in MIXED:
            own = own_losses(table, outcomes, self.loss)
            return float((np.where(missing, 0.0, own).sum(1) / speak).sum())
        gone = missing if table.ndim == 2 else missing[:, :, None]
        known, among = np.where(gone, 0.0, table), speak if table.ndim == 2 else speak[:, None]
        with np.errstate(over="ignore"):
            said = known.sum(1) / among
        if not np.isfinite(said).all():  # the sum was beyond floats
            said = (known / among[:, None]).sum(1)
        if table.ndim == 3:
            return float(self.loss.of_vectors(said, outcomes).sum())
        return float(self.loss.of(said, np.nan if outcomes is None else outcomes).sum())

    def _add_squares(self, table: Array, y: Array) -> None:
        errors = np.nan_to_num(table - (y[:, None] if table.ndim == 2 else y[:, None, :]))
        if errors.ndim == 3:  # each number is a round of its own
            errors = errors.transpose(0, 2, 1).reshape(-1, errors.shape[1])
            y = y.ravel()
        room = max(AT_ONCE * len(self.always), LEAST)
        for begin in range(0, len(errors), room):
            self._waiting.append(np.column_stack([errors[begin : begin + room], y[begin : begin + room]]))
            if sum(map(len, self._waiting)) >= room:
                self._triangle = self.triangle

    def square_loss(self, u: Array) -> float:
        """The square loss of a linear combination."""
        missed = self.triangle @ np.append(u, u.sum() - 1)
        return float(missed @ missed)

    def unsure(self, u: Array) -> float:
        """By how much rounding may have changed that.

        Rotating m rows of k numbers into a triangle moves no column by more than a small multiple of m k units of
        rounding times its length (Higham 2002, Thm 19.4), so that with d for what that does to the combination of the
        columns, the root of the loss is off by d at most.
        """
        weights = np.append(u, u.sum() - 1)
        sizes = np.sqrt((self.triangle**2).sum(0))
        off = EPSILON * len(weights) * (self.rounds + len(weights)) * float(np.abs(weights) @ sizes)
        return off * (2 * sqrt(self.square_loss(u)) + off)
