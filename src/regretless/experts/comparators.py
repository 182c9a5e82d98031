"""What fixed uses of the experts would have lost in the rounds that were played, and the sums that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, inf, sqrt
from typing import Any

import numpy as np

from ..best_switching import Shifting
from ..blas import one_thread
from ..comparator import ExpertComparator
from ..ledger import ExpertLedger
from ..theory.expert_facts import MIXED, divergence
from ..theory.rounding import EPSILON, of_regret
from .best_mixture import Minimum, least_kinked, least_losses, least_quadratic
from .losses import CONVEX, LOGARITHMIC, Loss

Array = np.ndarray[Any, np.dtype[np.float64]]
Blocks = Callable[[], Iterable[tuple[Any, Any]]]

MOST_SOLVED = 1000  # experts among whom combinations are searched
AT_ONCE, LEAST = 4, 384  # as many rounds as this times the experts are rotated in together, and no fewer than these
CELLS = 1 << 20  # forecasts that are looked at together
MOST_STORED = 1 << 25  # forecasts that are kept in memory, as 268 MB
COLLINEAR = 1e-14  # singular values that are smaller parts of the largest are rounding
MOST_WEIGHTS, SMALL = 10, 1e-6  # of a combination that are shown


def comparators(
    ledger: ExpertLedger,
    loss: Loss,
    prior: Array,
    blocks: Blocks,
    *,
    names: Sequence[str] | None = None,
    switches: Sequence[int] = (),
    totals: Totals | None = None,
    ridge: float = 0.0,
    start: Array | None = None,
) -> list[ExpertComparator]:
    """Comparators in hindsight, those that there are.

    Parameters
    ----------
    ledger : ExpertLedger
        Of the run.
    loss : Loss
    prior : ndarray, shape (experts,)
    blocks : callable
        ``blocks()`` reads the same rounds again: blocks of forecasts, shape (rounds, experts) or (rounds, experts,
        numbers), and outcomes.
    names : sequence of str, optional
        Of the experts.
    switches : sequence of int
        For each, the best sequence of experts with at most so many switches is found.
    totals : Totals, optional
        Of these rounds, if somebody has kept them.
    ridge : float
        What the squared distance of linear weights from `start` costs.
    start : ndarray, optional, shape (experts,)
        Equal weights by default.

    Returns
    -------
    list of ExpertComparator
        The best expert first. `absent_reasons` says why others are missing.

    Notes
    -----
    Under the square loss the best combination is found from sums that one pass over the rounds leaves, whatever their
    number. Under other losses the rounds are read once or more for every step of a search: forecasts of at most 268 MB
    are kept in memory for that, more are read again each time. The search under the absolute, pinball and percentage
    losses itself needs about twenty numbers of 8 bytes a round.
    """
    return ForecastHindsight(ledger, loss, prior, blocks, names, totals).comparators(switches, ridge, start)


def absent_reasons(
    ledger: ExpertLedger, loss: Loss, *, switches: Sequence[int] = (), rounds: int | None = None
) -> dict[str, str]:
    """Comparators that there cannot be, and why.

    Parameters
    ----------
    ledger : ExpertLedger
    loss : Loss
    switches : sequence of int
    rounds : int, optional
        How many rounds the blocks have; those of the ledger by default.
    """
    reasons = {}
    if loss.name in MIXED:
        reasons["best_convex"] = "mixed losses are never less than the least of them, the best expert's"
    elif loss.name not in CONVEX:
        reasons["best_convex"] = "nothing is known of the shape of this loss, so that no best combination can be found"
    elif not (ledger.spoke == ledger.rounds).any():
        reasons["best_convex"] = "no expert spoke in every round, so that no fixed combination always has a forecast"
    elif len(ledger.spoke) > MOST_SOLVED:
        reasons["best_convex"] = f"more than {MOST_SOLVED} experts are too many to search for the best combination"
    if loss.name != "square":
        reasons["best_linear"] = "weights of any sign and sum are sought for the square loss alone"
    elif "best_convex" in reasons:
        reasons["best_linear"] = reasons["best_convex"]
    if not switches:
        reasons["best_shifting"] = "no number of switches was asked for"
    return reasons


def one_expert(
    ledger: ExpertLedger,
    place: int,
    prior: Array,
    name: str,
    label: str,
    off: Callable[[float], float],
    detail: dict[str, Any],
) -> ExpertComparator:
    """The expert at this place, over the rounds in which it spoke; `off` is what rounding may do to such a loss."""
    lost = float(ledger.losses[place])
    with np.errstate(divide="ignore"):
        rarity = float(-np.log(prior[place]))
    return ExpertComparator(
        name,
        label,
        lost,
        float(ledger.faced[place]),
        float(ledger.spoke[place]),
        expert=place,
        norm2=1.0,
        divergence=max(0.0, rarity),
        off=off(lost),
        detail=detail,
    )


class ForecastHindsight:
    """The rounds of a run, read as often as need be.

    Parameters
    ----------
    ledger, loss, prior, blocks, names, totals
        As for `comparators`.
    """

    def __init__(
        self,
        ledger: ExpertLedger,
        loss: Loss,
        prior: Array,
        blocks: Blocks,
        names: Sequence[str] | None = None,
        totals: Totals | None = None,
    ) -> None:
        self.ledger, self.loss, self.prior, self.blocks = ledger, loss, prior, blocks
        self.names = list(names) if names is not None else [str(i) for i in range(len(prior))]
        self._totals = totals

    @one_thread()
    def comparators(self, switches: Sequence[int], ridge: float, start: Array | None) -> list[ExpertComparator]:
        """All that there are."""
        absent = absent_reasons(self.ledger, self.loss, switches=switches)
        totals = self._totals or self._read()
        compared = [self.best_expert(), self.uniform(totals)]
        if "best_convex" not in absent:
            compared += self.best_convex(totals)
        if "best_linear" not in absent:
            compared += self.best_linear(totals, ridge, start)
        if switches:
            compared += self.best_shifting(switches)
        return compared

    def pieces(self) -> Iterator[tuple[Array, Any]]:
        """The rounds in pieces of a bounded size; silent experts are nan in all numbers."""
        for advice, outcomes in self.blocks():
            step = max(1, CELLS // max(1, int(np.prod(np.shape(advice)[1:]))))
            for begin in range(0, len(advice), step):
                piece = slice(begin, begin + step)
                yield silenced(advice[piece]), None if outcomes is None else np.asarray(outcomes)[piece]

    def _read(self) -> Totals:
        totals = Totals(len(self.prior), self.loss)
        for advice, outcomes in self.pieces():
            totals.add(advice, outcomes)
        return totals

    def best_expert(self) -> ExpertComparator:
        """The expert that is regretted most, over the rounds in which it spoke."""
        book = self.ledger
        with np.errstate(invalid="ignore"):
            regrets = np.where(book.spoke > 0, book.faced - book.losses, -inf)
        best = int(np.argmax(np.where(np.isnan(regrets), -inf, regrets)))
        detail = {"expert": self.names[best], "rounds": int(book.spoke[best])}
        return one_expert(book, best, self.prior, "best_expert", f"best expert {self.names[best]}", self._off, detail)

    def uniform(self, totals: Totals) -> ExpertComparator:
        """The average of the awake experts."""
        n = len(self.prior)
        weights = np.full(n, 1 / n) if self.ledger.absent == 0 else None
        return self._combination("uniform", "plain average", totals.uniform, weights, {})

    @one_thread()
    def best_convex(self, totals: Totals) -> list[ExpertComparator]:
        """The best convex combination of the experts that always spoke."""
        among = np.flatnonzero(self.ledger.spoke == self.ledger.rounds)
        if self.loss.name == "square":
            errors = totals.triangle[:, among]
            part = least_quadratic(2 * (errors.T @ errors), np.zeros(len(among)))
            missed = errors @ part
            slopes = 2 * (errors.T @ missed)
            solution = Minimum(part, float(missed @ missed), max(0.0, float(part @ slopes - slopes.min())))
        else:
            solve = least_losses if self.loss.name in LOGARITHMIC else least_kinked
            solution = solve(self._rows(among), self._of_features(), len(among))
        if not np.isfinite(solution.loss):
            return []
        weights = np.zeros(len(self.prior))
        weights[among] = solution.weights
        detail = self._detail(weights) | {"gap": solution.gap}
        label = "best convex combination"
        if len(among) < len(self.prior):
            label += f" of the {len(among)} that always spoke"
            detail["among"] = len(among)
        if self.loss.of_relatives:
            detail["wealth"] = exp(-solution.loss) if solution.loss > -700 else inf
        off = totals.unsure(weights) if self.loss.name == "square" else 0.0
        return [self._combination("best_convex", label, solution.loss, weights, detail, off=off)]

    @one_thread()
    def best_linear(self, totals: Totals, ridge: float, start: Array | None) -> list[ExpertComparator]:
        """The best linear combination of the experts that always spoke, at a price for its distance from the start."""
        among = self.ledger.spoke == self.ledger.rounds
        u = np.where(among, 1 / among.sum(), 0.0) if start is None else np.array(start, dtype=np.float64)
        missed = totals.triangle @ np.append(u, u.sum() - 1)
        forecasts = totals.triangle[:, :-1][:, among] + totals.triangle[:, -1:]
        priced = np.vstack([forecasts, sqrt(ridge) * np.eye(forecasts.shape[1])])
        weights = u.copy()
        weights[among] -= _least_squares(priced, np.append(missed, np.zeros(forecasts.shape[1])))
        label = "best linear combination"
        detail = self._detail(weights)
        if ridge:
            detail["ridge"] = float(ridge)
        lost, off = totals.square_loss(weights), totals.unsure(weights)
        if not np.isfinite(lost):
            return []
        return [self._combination("best_linear", label, lost, weights, detail, rarity=inf, off=off)]

    def best_shifting(self, switches: Sequence[int]) -> list[ExpertComparator]:
        """The best sequences of awake experts."""
        book = self.ledger
        table = Shifting(len(self.prior), max(switches), int(book.rounds))
        for advice, outcomes in self.pieces():
            table.add(own_losses(advice, outcomes, self.loss))
        results = []
        for most in sorted(set(switches)):
            lost, used, stretches = table.best(most)
            if not np.isfinite(lost):
                continue
            detail: dict[str, Any] = {"switches": used}
            if stretches is not None:
                detail["stretches"] = [[self.names[i], first + 1, last + 1] for i, first, last in stretches]
            label = f"best sequence with {most} switch{'' if most == 1 else 'es'}"
            sequence = (label, lost, book.loss, book.rounds)
            off = self._off(lost)
            results.append(ExpertComparator("best_shifting", *sequence, switches=used, off=off, detail=detail))
        return results

    def _of_features(self) -> Loss:
        """The loss of a mixture of features: -ln for the log loss of vectors, the loss itself for numbers."""
        wide = next(iter(self.pieces()), (np.zeros((0, 0)), None))[0].ndim == 3
        return Loss("wealth") if wide else self.loss

    def _rows(self, among: Any) -> Callable[[], Iterator[tuple[Array, Any]]]:
        """A way to read the features again and again; from memory if they are not too many."""
        if self.ledger.rounds * len(among) > MOST_STORED:
            return lambda: self._features(among)
        rest = list(self._features(among))
        return lambda: iter(rest)

    def _features(self, among: Any) -> Iterator[tuple[Array, Any]]:
        """Rows whose mixtures with the weights decide the loss; vectors matter by their product with the outcome."""
        for advice, outcomes in self.pieces():
            part = advice[:, among]
            if part.ndim == 3:
                yield (part * np.asarray(outcomes)[:, None, :]).sum(-1), np.ones(len(part))
            else:
                yield part, outcomes

    def _combination(
        self,
        name: str,
        label: str,
        lost: float,
        weights: Array | None,
        detail: dict[str, Any],
        *,
        rarity: float = 0.0,
        off: float = 0.0,
    ) -> ExpertComparator:
        book = self.ledger
        off += self._off(lost)
        if weights is None:
            return ExpertComparator(name, label, lost, book.loss, book.rounds, off=off, detail=detail)
        apart = divergence(weights, self.prior) if rarity != inf else inf
        return ExpertComparator(
            name,
            label,
            lost,
            book.loss,
            book.rounds,
            weights=weights,
            norm2=float(weights @ weights),
            divergence=apart,
            off=off,
            detail=detail,
        )

    def _off(self, lost: float) -> float:
        """What rounding may have to do with the regret against what lost so much."""
        return of_regret(self.ledger, self.loss.name, self.loss.tau, lost)

    def _detail(self, weights: Array) -> dict[str, Any]:
        """The largest weights by name."""
        order = np.argsort(-np.abs(weights), kind="stable")[:MOST_WEIGHTS]
        return {"weights": {self.names[i]: float(weights[i]) for i in order if abs(weights[i]) > SMALL}}


def _least_squares(table: Array, aim: Array) -> Array:
    """The shortest weights whose mixture of the columns is nearest; none where floats cannot say."""
    try:
        return np.asarray(np.linalg.lstsq(table, aim, rcond=COLLINEAR * max(table.shape[1], 1))[0], dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(table.shape[1], np.nan)


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
            with one_thread():
                self._triangle = np.asarray(np.linalg.qr(np.vstack([self._triangle, *self._waiting]), mode="r"))
            self._waiting = []
        return self._triangle

    def _average_loss(self, table: Array, outcomes: Any, missing: Any) -> float:
        speak = (~missing).sum(1)
        if self.loss.name in MIXED:
            own = own_losses(table, outcomes, self.loss)
            return float((np.where(missing, 0.0, own).sum(1) / speak).sum())
        silent = missing if table.ndim == 2 else missing[:, :, None]
        known, among = np.where(silent, 0.0, table), speak if table.ndim == 2 else speak[:, None]
        with np.errstate(over="ignore"):
            forecast_mean = known.sum(1) / among
        if not np.isfinite(forecast_mean).all():  # the sum was beyond floats
            forecast_mean = (known / among[:, None]).sum(1)
        if table.ndim == 3:
            return float(self.loss.of_vectors(forecast_mean, outcomes).sum())
        return float(self.loss.of(forecast_mean, np.nan if outcomes is None else outcomes).sum())

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
