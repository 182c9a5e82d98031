"""What a pass over the rounds keeps of them for hindsight, however many they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..theory.expert_standing import MIXED
from .losses import Loss

Array = np.ndarray[Any, np.dtype[np.float64]]

MOST_SOLVED = 1000  # experts among whom combinations are searched


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
        The loss of the average of those who speak; of labels and bare losses, the average of the losses.
    errors : ndarray, shape (experts, experts)
        For the square loss and no more than `MOST_SOLVED` experts, sum of products of the experts' errors. Errors, not
        forecasts: combinations whose weights sum to one have these alone, and nothing cancels.
    drift : ndarray, shape (experts,)
        Sum of errors times outcomes.
    outcomes2 : float
        Sum of squared outcomes.
    """

    def __init__(self, experts: int, loss: Loss) -> None:
        self.loss = loss
        self.rounds = 0
        self.always = np.ones(experts, dtype=bool)
        self.uniform = 0.0
        self._squares = loss.name == "square" and experts <= MOST_SOLVED
        self.errors = np.zeros((experts, experts) if self._squares else (0, 0))
        self.drift = np.zeros(experts)
        self.outcomes2 = 0.0

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
        for name in ("rounds", "uniform", "errors", "drift", "outcomes2"):
            setattr(both, name, getattr(self, name) + getattr(later, name))
        return both

    def _average_loss(self, table: Array, outcomes: Any, missing: Any) -> float:
        speak = (~missing).sum(1)
        if self.loss.name in MIXED:
            own = own_losses(table, outcomes, self.loss)
            return float((np.where(missing, 0.0, own).sum(1) / speak).sum())
        gone = missing if table.ndim == 2 else missing[:, :, None]
        said = np.where(gone, 0.0, table).sum(1)
        if table.ndim == 3:
            return float(self.loss.of_vectors(said / speak[:, None], outcomes).sum())
        return float(self.loss.of(said / speak, np.nan if outcomes is None else outcomes).sum())

    def _add_squares(self, table: Array, y: Array) -> None:
        errors = np.nan_to_num(table - (y[:, None] if table.ndim == 2 else y[:, None, :]))
        if errors.ndim == 3:  # each number is a round of its own
            errors = errors.transpose(0, 2, 1).reshape(-1, errors.shape[1])
            y = y.ravel()
        self.errors += errors.T @ errors
        self.drift += errors.T @ y
        self.outcomes2 += float(y @ y)

    def square_loss(self, u: Array) -> float:
        """The square loss of a linear combination."""
        excess = float(u.sum()) - 1
        return max(0.0, float(u @ self.errors @ u + 2 * excess * (self.drift @ u) + excess**2 * self.outcomes2))
