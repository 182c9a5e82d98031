"""What users give a bandit: its parameters, arms, losses and advice as the kernel wants them, and errors in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from math import isfinite
from typing import Any

import numpy as np

from ..arrays import names_of, numbers, reordered
from ..checks import whole
from ..errors import ParameterError, RegretlessError, RoundError
from ..info import BanditInfo
from ..learner_table import BANDITS
from .state import SUM, Scale

Array = np.ndarray[Any, Any]
KEYS = 2**64  # seeds and runs are below
LONGEST = 2**53  # rounds that floats count
LEAST = 1e-200  # of a share or a rate, whose inverse is the most
MOST = 2**31 - 1  # arms that have a number in what is kept of a play


def arm_names(arms: Any) -> list[str]:
    """The names of arms, each once.

    Raises
    ------
    RegretlessError
        If they are none.
    """
    names = list(arms) if hasattr(arms, "__iter__") and not isinstance(arms, str) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ParameterError(
            "arms", repr(arms), 'a list of names is expected, as ["a", "b"]; give n_arms= to number them', ": "
        )
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise RegretlessError(f"arms: {twice!r} stands there twice; each arm needs a name of its own")
    return [str(name) for name in names]


def arm_of(arm: Any, names: list[str] | None, arms: int) -> int:
    """The place of an arm that is given by name or number.

    Raises
    ------
    RegretlessError
        If there is no such arm.
    """
    if isinstance(arm, str):
        if names is None or arm not in names:
            known = f"the arms are {_listed(names)}" if names else f"the arms have no names, but numbers below {arms}"
            raise RegretlessError(f"there is no arm {arm!r}; {known}")
        return names.index(arm)
    if isinstance(arm, bool | np.bool_) or not hasattr(arm, "__index__"):
        raise RegretlessError(f"{arm!r} is no arm: give what draw() returned, an arm's number, or its name")
    place = int(arm)
    if not 0 <= place < arms:
        raise RegretlessError(f"there is no arm {place}: there are {arms}, numbered from 0")
    return place


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 20 else f"{', '.join(names[:20])} and {len(names) - 20} more"


def mask_of(available: Any, names: list[str] | None, arms: int) -> Array | None:
    """Who is awake, from a mask, or from a list of arms; a copy, that can wait for a loss. None if all are.

    Raises
    ------
    RegretlessError
        If it is neither, may be either, or no expert is awake.
    """
    plain = type(available) is np.ndarray and available.dtype == np.bool_ and available.shape == (arms,)
    mask = available.copy() if plain else _mask_from(available, names, arms)
    awake = np.count_nonzero(mask)
    if not awake:
        raise ParameterError("available", "", "leaves no arm awake; there is nothing to draw", " ")
    return mask if awake < arms else None  # bounds for draws among all arms then go on holding


def _mask_from(available: Any, names: list[str] | None, arms: int) -> Array:
    if isinstance(available, str | Mapping) or not hasattr(available, "__iter__"):
        raise ParameterError("available", repr(available), "a mask over the arms, or a list of arms, is expected", ": ")
    choice = available if isinstance(available, np.ndarray) else list(available)
    if _truths(choice):
        if np.shape(choice) != (arms,):
            raise ParameterError("available", "", f"is a mask of {len(choice):,} arms; there are {arms:,}", " ")
        return np.array(choice, dtype=bool)
    mask = np.zeros(arms, dtype=bool)
    mask[_listed_arms(choice, names, arms, in_order=not isinstance(available, Set | range))] = True
    return mask


def _listed_arms(values: Any, names: list[str] | None, arms: int, *, in_order: bool) -> list[int]:
    """The places of arms in a list; what has an order could also be meant as a mask of zeros and ones."""
    arms_listed = [arm_of(one, names, arms) for one in values]
    if len(set(arms_listed)) < len(arms_listed):
        twice, _ = Counter(arms_listed).most_common(1)[0]
        name = twice if names is None else names[twice]
        raise ParameterError("available", "", f"arm {name} stands there twice; a mask holds True and False", ": ")
    if in_order and arms == len(arms_listed) == 2 and not any(isinstance(one, str) for one in values):
        raise ParameterError(
            "available",
            str(arms_listed),
            "two arms, or a mask? A mask holds True and False; leave it out if both are awake",
            ": ",
        )
    return arms_listed


def _truths(values: Any) -> bool:
    """Whether a list is a mask."""
    if isinstance(values, np.ndarray):
        return bool(values.dtype == np.bool_)
    return bool(values) and all(isinstance(one, bool | np.bool_) for one in values)


def _in_order(losses: Array, names_there: list[str] | None, names: list[str] | None, axis: int) -> Array:
    """The losses in the order in which a learner knows the arms, where both are named."""
    ordered = reordered(losses, names_there, names, axis)
    if ordered is None:
        raise RegretlessError(f"arms {_listed(names_there or [])}; the learner's are {_listed(names or [])}")
    return ordered


def table_of(losses: Any, names: list[str] | None, arms: int | None) -> tuple[Array, list[str] | None]:
    """A table of losses, a row for each round, its columns in the order of the arms; and their names, if it has any.

    Raises
    ------
    RegretlessError
        If it is no such table.
    """
    names_there = names_of(losses)
    table = numbers(losses, "losses")
    if table.ndim != 2 or not table.shape[1]:
        raise RegretlessError(f"losses of shape {table.shape}: a row for each round, a column for each arm")
    if arms is not None and table.shape[1] != arms:
        raise RegretlessError(f"losses of {table.shape[1]:,} arms; there are {arms:,}")
    if names_there is not None and names is None:
        names_there = arm_names(names_there)
    return _in_order(table, names_there, names, 1), names_there


def row_of(losses: Any, names: list[str] | None, arms: int) -> Array:
    """The losses of all arms in one round.

    Raises
    ------
    RegretlessError
        If they are not as many.
    """
    as_it_is = type(losses) is np.ndarray and losses.dtype == np.float64 and losses.flags.c_contiguous
    if as_it_is and losses.shape == (arms,):
        return losses  # type: ignore[no-any-return]
    row = numbers(losses, "losses")
    if row.shape != (arms,):
        raise RegretlessError(f"losses of shape {row.shape}: one for each of the {arms} arms is expected")
    result: Array = _in_order(row, names_of(losses), names, 0).astype(np.float64, copy=False)
    return result


def advice_of(advice: Any, experts: int | None, arms: int, names: list[str] | None = None) -> Array:
    """What experts advise in one round: (experts, arms) shares, or (experts,) arms, by number or name; a copy, that can
    wait for a loss.

    Raises
    ------
    RegretlessError
        If it is neither.
    """
    result: Array = _advised(_array(advice)[None], experts, arms, names)[0].copy()
    return result


def refuse_unadvised(info: BanditInfo, advice: Any) -> None:
    """Refuse to go without advice where it is needed, and advice that the learner does not take.

    Raises
    ------
    ParameterError
        If there is none, or it was not asked for.
    """
    if info.advised and advice is None:
        raise ParameterError("advice", "", "is missing: this learner draws as its experts advise", " ")
    if advice is not None and not info.advised:
        takers = ", ".join(entry.attribute for entry in BANDITS.values() if entry.info.advised)
        raise ParameterError("advice", "", f"this learner has no experts, unlike {takers}", ": ")


def advices_of(advice: Any, rounds: int, experts: int | None, arms: int, names: list[str] | None = None) -> Array:
    """The same for every round of a table.

    Raises
    ------
    RegretlessError
        If it is no such advice.
    """
    advices = _advised(_array(advice), experts, arms, names)
    if len(advices) != rounds:
        raise RegretlessError(f"advice of {len(advices):,} rounds, and losses of {rounds:,}")
    return advices


def _array(advice: Any) -> Array:
    try:
        return np.asarray(advice)
    except ValueError as error:  # rows of different lengths
        raise RegretlessError(f"advice: as much from each expert is expected ({error})") from error


def _advised(advice: Array, experts: int | None, arms: int, names: list[str] | None) -> Array:
    if advice.ndim not in (2, 3) or not advice.shape[1] or advice.shape[2:] not in ((), (arms,)):
        raise RegretlessError(
            f"advice of shape {advice.shape[1:]} a round: shares of shape (experts, {arms}), or an arm of each expert"
        )
    if experts is not None and advice.shape[1] != experts:
        raise RegretlessError(f"advice of {advice.shape[1]:,} experts; there are {experts:,}")
    if advice.ndim == 2 and all(isinstance(one, str) for one in advice.flat[:1]):
        places = [arm_of(str(one), names, arms) for one in advice.flat]
        advice = np.array(places, dtype=np.int64).reshape(advice.shape)
    return _picks(advice, arms) if advice.ndim == 2 else _shares(advice)


def _picks(advice: Array, arms: int) -> Array:
    advice = np.array(advice)  # what is checked must be what is used: another thread may write to what was given
    if advice.dtype.kind not in "iu":
        raise RegretlessError("advice: an arm is named by its number, a whole one; shares need a row for each expert")
    bad = np.argwhere((advice < 0) | (advice >= arms))
    if len(bad):
        row, expert = bad[0].tolist()
        raise RegretlessError(f"advice, row {row} (from 0): expert {expert} names arm {advice[row, expert]} of {arms}")
    return np.ascontiguousarray(advice, dtype=np.int64)


def _shares(advice: Array) -> Array:
    shares = np.ascontiguousarray(numbers(advice, "advice"), dtype=np.float64)
    # Written so that nan fails too.
    good = (shares >= 0).all(2) & (np.abs(shares.sum(2) - 1) <= SUM)
    if not good.all():
        row, expert = np.argwhere(~good)[0].tolist()
        fault = f"sum to {shares[row, expert].sum():g}" if (shares[row, expert] >= 0).all() else "are not all >= 0"
        raise RegretlessError(f"advice, row {row} (from 0): the shares of expert {expert} {fault}; they must sum to 1")
    return shares


def reward_of(scale: Scale, loss: Any, reward: Any) -> Any:
    """What was reported as a reward, checked against the scale and a loss beside it."""
    if not scale.rewards:
        raise ParameterError("reward", "", "this bandit takes losses; one that takes rewards has rewards=True", ": ")
    if loss is not None:
        raise RegretlessError("give loss= or reward=, which are the same here, not both")
    return reward


def number_of(loss: Any, what: str, arm: str) -> float:
    """A loss as a number.

    Raises
    ------
    RegretlessError
        If it is none.
    """
    if isinstance(loss, str | bytes) or not (hasattr(loss, "__float__") or hasattr(loss, "__index__")):
        raise RegretlessError(f"arm {arm}: its {what} is {loss!r}; a number is expected")
    try:
        return float(loss)
    except (TypeError, ValueError, OverflowError) as error:
        raise RegretlessError(f"arm {arm}: its {what} is {loss!r}; a number is expected") from error


# Parameters.


def tangible(name: str, value: float) -> float:
    """A number that is neither so small nor so large that it would be lost when it is scaled."""
    if not LEAST <= value <= 1 / LEAST:
        raise ParameterError(name, repr(value), f"it must be {LEAST:g} at least, and {1 / LEAST:g} at most")
    return value


def at_most(most: int, name: str, value: Any) -> int:
    """A whole number from 1 to the largest there can be."""
    if whole(name, value) > most:
        raise ParameterError(name, repr(value), f"it must be {most} at most")
    return int(value)


def seed_of(name: str, value: Any) -> int:
    """A whole number that keys a generator."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= int(value) < KEYS:
        raise ParameterError(name, repr(value), "it must be a whole number from 0 to 2^64 - 1")
    return int(value)


def scale_of(value_range: Any, rewards: Any) -> Scale:
    """What a loss is, by the declared range."""
    try:
        low, high = (float(end) for end in value_range)
    except (TypeError, ValueError) as error:
        raise ParameterError("value_range", repr(value_range), "two numbers are expected") from error
    if not (low < high and isfinite(low) and isfinite(high) and isfinite(high - low)):
        raise ParameterError("value_range", repr(value_range), "a finite number and a larger one are expected")
    if not isfinite(max(abs(low), abs(high)) * LONGEST):
        raise ParameterError("value_range", repr(value_range), "so large that a sum of losses would not be finite")
    if not isinstance(rewards, bool | np.bool_):
        raise ParameterError("rewards", repr(rewards), "it must be True or False")
    return Scale(low, high, bool(rewards))


ADVISED_ASLEEP = ("an expert advises it, and it is asleep", "advise arms that are awake")


class LossError(RoundError):
    """A round whose losses cannot be played."""

    noun = "arm"


def complaint(
    why: str, row: int, column: int, names: Sequence[str], value_range: tuple[float, float], rewards: bool
) -> LossError:
    """The error for what the kernel refused; a column below 0 is the row as a whole."""
    arm, place = (names[column], column) if column >= 0 else (None, None)
    words = ADVISED_ASLEEP if why == "asleep" and arm is not None else _words(why, value_range, rewards)
    return LossError(row, arm, *words, column=place)


def outside(value_range: tuple[float, float], rewards: bool) -> tuple[str, str]:
    """The message about a loss that does not lie in the declared range, and what to do."""
    what = "reward" if rewards else "loss"
    low, high = value_range
    return (
        f"the {what} lies outside [{low:g}, {high:g}]",
        f"correct it, or declare the range of all {what}{'s' if rewards else 'es'} (value_range=, --range)",
    )


def _words(why: str, value_range: tuple[float, float], rewards: bool) -> tuple[str, str]:
    if why == "out of range":
        return outside(value_range, rewards)
    return {
        "asleep": ("no arm is awake", "leave the row out: there is nothing to draw"),
        "advice": ("the advice is no distribution over the arms", "probabilities that sum to one, or one arm"),
    }.get(why, (why, "a finite number is expected"))
