"""What a bandit is compared with: in hindsight on a table, and of a learner that was played live.

Draws that wait for their losses are included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from ..best_switching import Shifting
from ..comparator import BanditComparator
from ..errors import ParameterError, RegretlessError
from ..ledger import BanditLedger
from .online import Drawing
from .state import Scale
from .validation import LossError, advices_of, complaint, table_of
from .validation import outside as beyond

Array = np.ndarray[Any, Any]
TOLERANCE = 1e-6  # a round; a table may be one of floats of 32 bits
Read = Callable[[int, int], Array]
CELLS = 1 << 18  # losses that are looked at together
MOST_STORED = 1 << 22  # sums of arms up to marks that are kept, as 34 MB
MOST_ROUNDS = 2_000_000  # in which a best sequence is sought: rounds are looked at one by one


def in_units(losses: Array, scale: Scale) -> Array:
    """Losses or rewards as parts of the declared range, from 0, the best, to 1."""
    values = losses.astype(np.float64, copy=False)
    if scale.rewards:
        return (scale.high - values) / scale.width
    return values if (scale.low, scale.high) == (0.0, 1.0) else (values - scale.low) / scale.width


@dataclass(eq=False)
class Hindsight:
    """What each arm, and each expert who advises, loses in units, summed while the rounds go by.

    Parameters
    ----------
    arms : int
    marks : ndarray of int
        Numbers of rounds, ascending, up to which the best arm is wanted; the last one is how many rounds there will be.
    experts : int
        How many advise the learner.
    switches : int or None
        Of the sequences of arms among which the best one is sought; None: of none.

    Attributes
    ----------
    rounds : int
        Seen so far.
    losses, asleep : ndarray, shape (arms,)
        What each arm lost while it was awake, and in how many rounds it was not.
    advised : ndarray, shape (experts,)
        What each expert lost, drawing as advised.
    least : ndarray, shape (marks,)
        The least loss of an arm, or of an expert where experts advise, up to each mark.
    at_marks : tuple of ndarray of shape (marks, arms), or None
        All arms' losses up to each mark, and for how many rounds they were asleep; None if these were too many numbers.
    """

    arms: int
    marks: Array
    experts: int = 0
    switches: int | None = None
    rounds: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.losses, self.asleep = np.zeros(self.arms), np.zeros(self.arms)
        self.advised = np.zeros(self.experts)
        self.least = np.full(len(self.marks), inf)
        few = self.arms * len(self.marks) <= MOST_STORED
        shape = len(self.marks), self.arms
        self.at_marks = (np.zeros(shape), np.zeros(shape)) if few else None
        sought = self.switches is not None and self.marks[-1] <= MOST_ROUNDS
        self._shifting = Shifting(self.arms, int(self.switches or 0), int(self.marks[-1])) if sought else None

    @property
    def slept(self) -> bool:
        """Whether some arm was asleep at times."""
        return bool(self.asleep.any())

    def add(self, units: Array, advice: Array | None = None) -> None:
        """The next rounds.

        Parameters
        ----------
        units : ndarray, shape (rounds, arms)
            In units; nan where an arm is asleep.
        advice : ndarray, optional, shape (rounds, experts, arms) or (rounds, experts)
            Shares, or arms.
        """
        if self._shifting is not None:
            self._shifting.add(units)
        away, first = np.isnan(units), self.rounds
        parts = [(self.losses, np.where(away, 0.0, units)), (self.advised, _taken(units, advice))]
        if away.any():
            parts.append((self.asleep, away))
        marks = range(*np.searchsorted(self.marks, [first, first + len(units)], side="right").tolist())
        if not marks:
            for total, rows in parts:
                total += _sum(rows)
            self.rounds += len(units)
            return
        # Blocks are summed row by row from their beginning, so that the numbers do not depend on what is marked.
        running = [(total, total.copy(), np.cumsum(rows, axis=0)) for total, rows in parts]
        for mark in [*marks, None]:
            end = len(units) if mark is None else int(self.marks[mark]) - first
            for total, before, sums in running:
                np.add(before, sums[end - 1], out=total)
            self.rounds = first + end
            if mark is not None:
                self._note(mark)

    def _note(self, mark: int) -> None:
        if self.at_marks is not None:
            self.at_marks[0][mark], self.at_marks[1][mark] = self.losses, self.asleep
        self.least[mark] = self.advised.min() if self.experts else self.losses.min()

    def regret(self, mark: int, loss: float, missed: Array) -> float:
        """Against the best arm, or expert, up to a mark, of a learner who lost so much; nan if that was not kept.

        Parameters
        ----------
        mark : int
            Its place among all.
        loss : float
        missed : ndarray, shape (arms,)
            What of it the learner lost while each arm was asleep.
        """
        if self.experts or not self.slept:
            return float(loss - self.least[mark])
        if self.at_marks is not None:
            losses, asleep = (sums[mark] for sums in self.at_marks)
        elif self.rounds == self.marks[mark]:
            losses, asleep = self.losses, self.asleep
        else:
            return nan
        return float(np.max(loss - missed - losses, where=asleep < self.marks[mark], initial=-inf))

    def comparators(
        self, ledger: BanditLedger, names: Sequence[str], experts: Sequence[str] | None = None
    ) -> list[BanditComparator]:
        """What a learner's run is compared with: the best arm, or expert, and the best sequence if that was sought."""
        if self.experts:
            return [self.expert(ledger, int(np.argmin(self.advised)), experts)]
        compared = [self.arm(ledger, self.best(ledger.loss - ledger.missed), names)]
        sequence = self.sequence(ledger.loss, names)
        return compared if sequence is None else [*compared, sequence]

    def best(self, faced: Array | float = 0.0) -> int:
        """The arm that is regretted most by a learner who lost so much while each arm was awake."""
        regrets = faced - self.losses
        if not self.slept:
            return int(np.argmax(regrets))
        return int(np.argmax(np.where(self.asleep < self.rounds, regrets, -inf)))

    def arm(
        self, ledger: BanditLedger, place: int, names: Sequence[str], *, beforehand: bool = False
    ) -> BanditComparator:
        """One arm: the best in hindsight, or any other one, that was fixed beforehand."""
        detail: dict[str, Any] = {"arm": names[place]}
        if self.asleep[place]:
            detail["asleep"] = int(self.asleep[place])
        return BanditComparator(
            "arm" if beforehand else "best_arm",
            f"{'' if beforehand else 'best '}arm {names[place]}",
            float(self.losses[place]),
            float(ledger.loss - ledger.missed[place]),
            float(self.rounds - self.asleep[place]),
            place,
            detail=detail,
        )

    def expert(self, ledger: BanditLedger, place: int, names: Sequence[str] | None) -> BanditComparator:
        """One expert."""
        name = str(place) if names is None else names[place]
        lost = float(self.advised[place])
        return BanditComparator(
            "best_expert", f"best expert {name}", lost, ledger.loss, self.rounds, place, detail={"expert": name}
        )

    def sequence(self, faced: float, names: Sequence[str]) -> BanditComparator | None:
        """The best sequence of arms that are awake, with at most so many switches; None if none was sought or is."""
        if self._shifting is None or self.switches is None:
            return None
        lost, used, stretches = self._best_sequence()
        if not isfinite(lost):
            return None
        detail: dict[str, Any] = {"switches": used}
        if stretches is not None:
            detail["stretches"] = [[names[arm], first + 1, last + 1] for arm, first, last in stretches]
        label = f"best sequence with {self.switches} switch{'' if self.switches == 1 else 'es'}"
        return BanditComparator("best_sequence", label, lost, faced, self.rounds, switches=self.switches, detail=detail)

    def _best_sequence(self) -> tuple[float, int, list[tuple[int, int, int]] | None]:
        """Found once: it is the same for all runs."""
        if not hasattr(self, "_sequence"):
            assert self._shifting is not None
            assert self.switches is not None
            self._sequence = self._shifting.best(self.switches)
        return self._sequence


def hindsight(
    table: Array,
    scale: Scale,
    names: Sequence[str],
    *,
    marks: Array | None = None,
    advice: Array | None = None,
    switches: int | None = None,
) -> Hindsight:
    """Look at a whole table, and refuse it if some round of it cannot be played.

    Parameters
    ----------
    table : ndarray, shape (rounds, arms)
        Of losses or rewards, nan where an arm is asleep.
    scale : Scale
    names : sequence of str
        Of the arms.
    marks : ndarray of int, optional
        Ascending, the last one the number of rounds to look at; all by default.
    advice : ndarray, optional, shape (rounds, experts, arms) or (rounds, experts)
    switches : int, optional

    Raises
    ------
    LossError
        If a number lies outside the declared range, or no arm is awake.
    """
    rounds, arms = table.shape
    ends = np.array([rounds]) if marks is None else marks
    seen = Hindsight(arms, ends, 0 if advice is None else advice.shape[1], switches)
    return look(seen, lambda begin, end: table[begin:end], scale, names, advice)


def look(seen: Hindsight, read: Read, scale: Scale, names: Sequence[str], advice: Array | None = None) -> Hindsight:
    """Look at rounds that are read in blocks, ``read(begin, end)``; as `hindsight` does."""
    last = int(seen.marks[-1])
    step = max(1, CELLS // (seen.arms if advice is None else max(seen.arms, int(np.prod(advice.shape[1:])))))
    for begin in range(0, last, step):
        end = min(begin + step, last)
        block = read(begin, end)
        units = in_units(block, scale)
        _refuse(block, units, begin, names, scale)
        advised = None if advice is None else advice[begin:end]
        if advised is not None:
            _refuse_advice(units, advised, begin, names)
        seen.add(units, advised)
    return seen


def _refuse(block: Array, units: Array, first: int, names: Sequence[str], scale: Scale) -> None:
    """Refuse the first number that lies outside the range, and the first row with no arm awake."""
    outside = (units < 0) | (units > 1)
    dark = np.zeros(len(units), dtype=bool)
    if np.isnan(units[:, 0]).any():
        dark |= np.isnan(units).all(1)
    if not (outside.any() or dark.any()):
        return
    row = int(np.argmax(outside.any(1) | dark))
    span = scale.low, scale.high
    if dark[row]:
        raise complaint("asleep", first + row, -1, names, span, scale.rewards)
    column = int(np.argmax(outside[row]))
    fault, advice = beyond(span, scale.rewards)
    raise LossError(first + row, names[column], f"{fault} ({block[row, column]:g} was found)", advice, column)


def _refuse_advice(units: Array, advice: Array, first: int, names: Sequence[str]) -> None:
    """Refuse the first expert who advises an arm that is asleep."""
    if not np.isnan(units).any():
        return
    bad = np.argwhere(np.isnan(_taken(units, advice)))
    if len(bad):
        row, expert = bad[0].tolist()
        advised = advice[row, expert]
        arm = int(advised) if advice.ndim == 2 else int(np.argmax(np.isnan(units[row]) & (advised > 0)))
        fault = f"expert {expert} (from 0) advises it, and it is asleep"
        raise LossError(first + row, names[arm], fault, "experts may advise arms that are awake, and no others", arm)


def _sum(rows: Array) -> Array:
    """Row by row; a single column would be summed in another order."""
    sums: Array = np.add.reduce(rows, axis=0) if rows.shape[1] > 1 else np.cumsum(rows, axis=0)[-1]
    return sums


def _taken(units: Array, advice: Array | None) -> Array:
    """What each expert loses in each round; nan for one who advises an arm that is asleep."""
    if advice is None:
        return np.zeros((len(units), 0))
    if advice.ndim == 2:
        named: Array = np.take_along_axis(units, advice, axis=1)
        return named
    with np.errstate(invalid="ignore"):
        parts = advice * units[:, None, :]
    parts[advice == 0] = 0  # also of an arm that is asleep
    lost: Array = np.add.reduce(parts, axis=2)
    return lost


def unseen(learner: Drawing, switches: int | None) -> list[BanditComparator]:
    """The comparators of a learner that does not know what the other arms lost."""
    book = learner.ledger_
    if learner.info.advised:
        return [BanditComparator("best_expert", "the best expert", nan, book.loss, book.rounds)]
    compared = [_revealed(learner, book) or BanditComparator("best_arm", "the best arm", nan, book.loss, book.rounds)]
    if switches is not None:
        label = f"the best sequence with {switches} switch{'' if switches == 1 else 'es'}"
        compared.append(BanditComparator("best_sequence", label, nan, book.loss, book.rounds, switches=switches))
    return compared


def _revealed(learner: Drawing, book: BanditLedger) -> BanditComparator | None:
    """The best arm of a learner with full information; None without it."""
    if not learner.info.informed or book.restricted:  # what an arm lost is mixed with what others lost while it slept
        return None
    place = int(np.argmin(book.estimates))
    name, lost = learner._label(place), float(book.estimates[place])
    return BanditComparator("best_arm", f"best arm {name}", lost, book.loss, book.settled, place, detail={"arm": name})


def in_hindsight(learner: Drawing, losses: Any, advice: Any, switches: int | None) -> list[BanditComparator]:
    """The comparators by the losses of all arms in the rounds that were drawn.

    The rows are taken on trust but for their sums. A learner with full information knows what each lost
    in all, if none ever slept; any other one knows how often it drew an arm and what that cost: as many rows of the
    arm's column must be able to add up to that.

    Raises
    ------
    RegretlessError
        If these are other rounds, as far as that can be seen, or the learner's loss in some of them is not known.
    """
    state, book = learner._known(), learner.ledger_
    table, _ = table_of(losses, learner.arm_names_, state.arms)
    if len(table) != state.rounds:
        raise RegretlessError(f"losses of {len(table):,} rounds; {state.rounds:,} were drawn, and each needs a row")
    if book.lost:
        raise RegretlessError(
            f"draws were withdrawn ({book.lost:.0f}): which, and what they lost, is not known; certify without losses"
        )
    advised = None
    if learner.info.advised:
        if advice is None:
            raise ParameterError("advice", "", "is missing: what an expert lost depends on it", " ")
        advised = advices_of(advice, len(table), state.comparators, state.arms, learner.arm_names_)
    seen = hindsight(table, state.scale, learner.names(), advice=advised, switches=switches)
    _refuse_others(learner, book, table, seen.losses)
    if advised is None and not book.unsettled:
        _refuse_awake(learner, book, seen.asleep)
    return seen.comparators(_faced(learner, book, table), learner.names())


def _faced(learner: Drawing, book: BanditLedger, table: Array) -> BanditLedger:
    """The book as it will be once the draws that wait are settled."""
    loss, missed = book.loss, book.missed.copy()
    for arm, _, _, number in learner._pending.values():
        row = in_units(table[number - 1], learner._scale)
        loss += float(row[arm])
        missed[np.isnan(row)] += row[arm]
    return replace(book, loss=loss, missed=missed)


def _refuse_others(learner: Drawing, book: BanditLedger, table: Array, sums: Array) -> None:
    """Refuse losses that cannot be those that the learner received."""
    apart = TOLERANCE * max(1.0, book.rounds)
    if learner.info.informed and not book.unsettled and not book.restricted:
        wrong = np.abs(sums - book.estimates) > apart
    else:
        settled = book.draws.copy()
        for arm, _, _, _ in learner._pending.values():
            settled[arm] -= 1
        least, most = _extremes(in_units(table, learner._scale), settled.astype(np.int64))
        wrong = ~((least - apart <= book.losses) & (book.losses <= most + apart))
    if wrong.any():
        name = learner.names()[int(np.argmax(wrong))]
        raise RegretlessError(
            f"arm {name}: these are not the losses that were reported when it was drawn; a row for each draw, in their "
            "order, is expected"
        )


def _refuse_awake(learner: Drawing, book: BanditLedger, asleep: Array) -> None:
    """Refuse losses of an arm in rounds in which it could not be drawn, or none in rounds in which it could."""
    if len(wrong := np.flatnonzero(asleep != book.asleep)):
        arm = int(wrong[0])
        raise RegretlessError(
            f"arm {learner.names()[arm]}: it could not be drawn in {book.asleep[arm]:.0f} rounds, and its losses are "
            f"missing in {asleep[arm]:.0f}; nan is expected where an arm could not be drawn, and a number elsewhere"
        )


def _extremes(units: Array, many: Array) -> tuple[Array, Array]:
    """The least and the largest sum of so many losses of each arm; nan if it was awake less often."""
    least, most = np.full((2, units.shape[1]), nan)
    for arm, taken in enumerate(many.tolist()):
        awake = np.sort(units[:, arm][~np.isnan(units[:, arm])])
        if taken <= len(awake):
            least[arm], most[arm] = awake[:taken].sum(), awake[len(awake) - taken :].sum()
    return least, most
