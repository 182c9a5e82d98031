"""How a learner is mixed: its start of an epoch, the part that it returns, and how it takes in the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalogue import LEARNERS, learner_class
from ..data.batch import Array
from ..errors import ParameterError, RegretlessError
from ..ledger import FIELDS
from ..linear.averaged import AveragedState
from ..linear.base import OnlineClassifier
from ..linear.mirror_steps import MirrorState
from ..linear.second_order_learner import SecondOrderLearner
from ..linear.second_order_state import SecondOrderState
from ..linear.state import CLOCKS, NORM2, State
from .messages import WEIGHTINGS, MeanPart, Start, Weighting
from .state_weights import (
    add_sums,
    columns_seen_of,
    differences,
    place,
    place_duals,
    reach_of,
    replace,
    sum_arrays,
    sums_beyond,
    weights_in,
    weights_of,
)
from .weighted_mean import matrices_of, pack, place_matrices, rows_to_send, unpack

if TYPE_CHECKING:
    from .messages import Count, ShardResult

UPDATES, FIRST_RATE, LAST_RATE = (FIELDS.index(name) for name in ("updates", "first_rate", "last_rate"))
LARGEST = [FIELDS.index(name) for name in ("max_norm2", "reach2")]
SUMS = [place for place in range(len(FIELDS)) if place not in (FIRST_RATE, LAST_RATE, *LARGEST)]
RUNNING = [FIELDS.index(name) for name in ("rounds", "slope2")]  # sums, from which the clock's start is taken off


def learner_of(learner: Any, *, one_shot: bool = False) -> OnlineClassifier:
    """The learner that is to be mixed.

    Parameters
    ----------
    learner : OnlineClassifier or str
        A learner, or the name of one, which then has its parameters as they come.
    one_shot : bool
        As in `refuse`.

    Raises
    ------
    RegretlessError
        If it is something else, or cannot be mixed; the message says why.
    """
    learner = learner_class(learner)() if isinstance(learner, str) else learner
    refuse(learner, one_shot=one_shot)
    assert isinstance(learner, OnlineClassifier)
    return learner


def refuse(learner: Any, *, one_shot: bool = False, weights: Weighting = "uniform") -> None:
    """Refuse what cannot be mixed.

    Parameters
    ----------
    learner : object
    one_shot : bool
        Whether shards learn apart and are united once, without a bound: second-order learners add up their matrices
        then.
    weights : {"uniform", "updates", "rows"}
        What shards are to count.

    Raises
    ------
    RegretlessError
        If it is no learner of weights, one for which mixing has no bound, or one that asks for all rows at once; or if
        shards cannot count by these weights. The message says why.
    """
    name = getattr(learner, "name", "")
    why = LEARNERS[name].info.not_mixed if name in LEARNERS else ""
    added = isinstance(learner, SecondOrderLearner)
    if why and not (one_shot and added):
        once = "; average_once (--one-shot) adds up its matrices, without a bound" if added else ""
        raise RegretlessError(f"{name} cannot be mixed over shards: {why}{once}; {mixable_names()}")
    if why and weights != "uniform":
        expected = f"has no meaning for {name}, whose matrices are added: every update counts the same"
        raise ParameterError("weights", repr(weights), expected, " ")
    if not isinstance(learner, OnlineClassifier) or type(learner) is not learner_class(name):
        raise RegretlessError(f"{kind_of(learner)} cannot be mixed over shards: {mixable_names()}{_instead(learner)}")
    learner.checked()
    if getattr(learner, "initial", None) is not None:
        raise RegretlessError("initial= has no meaning over shards, whose theorems are about weights that begin at 0")
    if getattr(learner, "shuffle", False):
        raise RegretlessError("shuffle has no meaning over shards: each is played in the order of its rows")
    if isinstance(learner.class_weight, str):
        raise ParameterError(
            "class_weight",
            repr(learner.class_weight),
            "needs all labels before the first round, and no shard has them; give the weight of each class",
            " ",
        )


def mixable_names() -> str:
    """Which learners can be mixed, in words."""
    *names, last = (name for name, entry in LEARNERS.items() if not entry.info.not_mixed)
    return f"{', '.join(names)} and {last} can be mixed"


def kind_of(learner: Any) -> str:
    """The name of something that is no learner of weights, with its module if it is not one of ours."""
    kind = learner if isinstance(learner, type) else type(learner)
    whole = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    ours = kind.__module__.startswith("regretless.")
    what = kind.__qualname__ if ours else whole
    return f"the class {what}" if isinstance(learner, type) else what


def _instead(learner: Any) -> str:
    """Advice on what can be done with it instead."""
    if isinstance(learner, type):
        return f"; give a learner that is made of it, {learner.__name__}(...)" * issubclass(learner, OnlineClassifier)
    home = type(learner).__module__
    if home.startswith("regretless.experts."):
        return "; regretless.distributed.combine goes over shards with learners that combine experts"
    if home.startswith("regretless.bandits."):
        return "; regretless.distributed.simulate goes over runs with learners that draw arms"
    return "; they are in regretless.linear" if not home.startswith("regretless.") else ""


def make_start(
    learner: OnlineClassifier,
    *,
    schema: dict[str, Any] | None,
    epoch: int,
    weighting: Weighting,
    clock: Any = None,
    passes: int = 1,
    alone: bool = False,
) -> Start:
    """The start of the next epoch for all shards, made of the state of the learner and the clock alone.

    Parameters
    ----------
    learner : OnlineClassifier
        Announced or settled.
    schema, epoch, weighting, passes
        As in `Start`.
    clock : array-like, shape of the books, optional
        What `take_in` gave after the epoch before.
    alone : bool
        Whether there is one shard only, which then goes on with all that the learner remembers.

    Raises
    ------
    ParameterError
        If `weighting` is none.
    """
    if weighting not in WEIGHTINGS:
        raise ParameterError("weights", repr(weighting), f"it must be one of {', '.join(WEIGHTINGS)}")
    state, parameters = learner.state_, dict(learner.get_params())
    mirror = state if isinstance(state, MirrorState) else None
    if mirror is not None and parameters.get("p") == "auto":
        parameters["p"] = mirror.power  # of the columns that were known when the driver began
    return Start(
        learner=learner.name,
        parameters=parameters,
        classes=learner.classes_,
        columns=state.columns,
        schema=schema,
        epoch=epoch,
        weighting=weighting,
        weights=weights_of(state),
        norms2=state.memory[:, NORM2].copy() if isinstance(state, State) else np.zeros(state.targets),
        clock=np.zeros_like(state.books) if clock is None else np.array(clock, dtype=np.float64),
        passes=passes,
        columns_seen=columns_seen_of(state),
        whole={name: array.copy() for name, array in state.tensors().items()} if alone else None,
    )


def learner_at(start: Start) -> OnlineClassifier:
    """A learner as it stands at the start of an epoch, its books at the clock."""
    learner: OnlineClassifier = learner_class(start.learner)(**start.parameters)
    learner.announce(start.classes, start.columns)
    state = learner.state_
    if start.whole is not None:
        state.adopt(start.columns, {name: array.copy() for name, array in start.whole.items()})
    elif isinstance(state, MirrorState) and start.columns_seen is not None:
        place_duals(state, start.weights, learner.rules(), start.columns_seen, np.zeros(state.targets))
    elif isinstance(state, State):
        place(state, start.weights, start.norms2)
    state.books[:] = start.clock
    return learner


def part_of(learner: OnlineClassifier, start: Start, weight: float, rounds: float) -> MeanPart:
    """The part that a shard returns after its epoch.

    Parameters
    ----------
    learner : OnlineClassifier
        After the epoch on the shard.
    start : Start
        What it began with.
    weight : float
        What the shard counts in the mean.
    rounds : float
        How many rows it played.

    Raises
    ------
    RegretlessError
        If the weights have overflowed.
    """
    state = learner.state_
    averaged = state if isinstance(state, AveragedState) else None
    if start.whole is None and isinstance(state, State):  # of many columns only those are copied that have moved
        rows = rows_to_send(differences(state, start.weights), averaged is not None)
        weights = weights_of(state) if rows is None else weights_in(state, rows)
    else:
        rows, weights = None, weights_of(state)
    if not _finite(weights):  # where they have not moved they are what they were
        raise RegretlessError("the weights have overflowed; lower the rate or scale X")
    if start.whole is not None:
        whole = {name: array for name, array in state.tensors().items() if name != "books"}
        return MeanPart(len(weights), None, weights, None, weight, rounds, whole)
    if isinstance(state, SecondOrderState):
        matrices = matrices_of(state)
        _refuse_overflown(*matrices.values())
        return MeanPart(len(weights), None, weights[:0], None, weight, rounds, matrices=matrices)
    if not isinstance(state, State):
        return pack(start.weights, weights, None, weight, rounds)
    sums = None if averaged is None else sums_beyond(averaged, start.weights, rows)
    return MeanPart(1 + state.columns, rows, weights, sums, weight, rounds)


def rate_clock(learner: OnlineClassifier) -> Array:
    """The books with those fields alone that the rates of the next rounds depend on; all else is zero."""
    clock = np.zeros_like(learner.state_.books)
    fields = [FIELDS.index(name) for name in CLOCKS[learner.played_rules().rate]]
    targets = learner.state_.targets
    clock[:targets, fields] = learner.state_.books[:targets, fields]
    return clock


def books_of_epoch(learner: OnlineClassifier, start: Start) -> Array:
    """The books of this epoch alone.

    Counts are exact. Where rates go by the sum of squared gradients, `slope2` is a difference of that sum, and wrong by
    the rounding of the whole sum; where they go by the longest row too, `max_norm2` is that of the clock's path.
    """
    books = learner.state_.books.copy()
    books[:, RUNNING] -= start.clock[:, RUNNING]
    return books


def take_in(learner: OnlineClassifier, start: Start, outcome: ShardResult) -> Array:
    """Mix the result of an epoch into the learner that began it; the clock of the next one.

    The books hold the sums over all shards and epochs, and `first_pass_` those of the first epoch.

    Parameters
    ----------
    learner : OnlineClassifier
        As it was when `make_start` made the start of it.
    start : Start
    outcome : ShardResult
        Of all shards.

    Returns
    -------
    ndarray, shape of the books

    Raises
    ------
    RegretlessError
        If the mixed weights, or what was charged for them, have overflowed; then the learner is of no use any more.
    """
    part, counts = outcome.part, outcome.counts
    if part is None:
        raise ValueError("some shards have labels or columns that the start did not know; begin anew")
    state = learner.state_
    if start.epoch > 0:
        learner.repeats()
    elif start.passes > 1:
        _add_first_passes(learner, counts)
    books = _totals(state.books, [count.books for count in counts])
    _refuse_overflown(books, *(part.whole or {}).values())
    if part.whole is not None:
        state.adopt(part.size - 1, {**part.whole, "books": books})
    else:
        state.grow(part.size - 1)
        _settle(learner, start, part, counts)
        state.books[:] = books
    learner.n_features_in_ = state.columns
    state.follow(learner.rules())
    return np.asarray(np.max([count.clock for count in counts], axis=0))


def _settle(learner: OnlineClassifier, start: Start, part: MeanPart, counts: tuple[Count, ...]) -> None:
    state = learner.state_
    if isinstance(state, MirrorState):
        weights, _ = unpack(start.weights, part)
        _refuse_overflown(weights)
        columns_seen = [count.columns_seen for count in counts if count.columns_seen is not None]
        reach = [one for one in (reach_of(state), *(count.reach for count in counts)) if one is not None]
        place_duals(state, weights, learner.rules(), np.max(columns_seen, axis=0), np.max(reach, axis=0))
    elif isinstance(state, SecondOrderState) and part.matrices is not None:
        _refuse_overflown(*part.matrices.values())
        place_matrices(state, part.matrices)
        _refuse_overflown(weights_of(state))
    elif isinstance(state, State):
        _refuse_overflown(part.weights)
        if isinstance(state, AveragedState) and part.sums is not None:
            add_sums(state, start.weights, part.rows, part.weights, part.sums, part.rounds)
            _refuse_overflown(*sum_arrays(state))
        else:
            replace(state, start.weights, part.rows, part.weights)


def _refuse_overflown(*arrays: Array) -> None:
    if not all(map(_finite, arrays)):
        what = "the mixed weights have overflowed, or what they are charged"
        raise RegretlessError(f"{what}; lower the rate or scale the rows")


def _finite(array: Array) -> bool:
    """Whether all are finite: as a rule their sum says so, which is quicker."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _add_first_passes(learner: OnlineClassifier, counts: tuple[Count, ...]) -> None:
    """Add the first passes of shards that are gone over several times in an epoch to those of the learner."""
    rounds, mistakes = getattr(learner, "first_pass_", (0, learner.unannounced_))
    rounds += sum(count.fresh[0] for count in counts)
    learner.first_pass_ = rounds, min(rounds, mistakes + sum(count.fresh[1] for count in counts))


def _totals(books: Array, more: list[Array]) -> Array:
    """The books with those of all shards, in their order: `Ledger.__add__` of all targets at once."""
    total = books.copy()
    for book in more:
        moved = total[:, UPDATES] > 0, book[:, UPDATES] > 0
        total[:, FIRST_RATE] = np.where(moved[0], total[:, FIRST_RATE], book[:, FIRST_RATE])
        total[:, LAST_RATE] = np.where(moved[1], book[:, LAST_RATE], total[:, LAST_RATE])
        total[:, LARGEST] = np.maximum(total[:, LARGEST], book[:, LARGEST])
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks whether they are finite
            total[:, SUMS] += book[:, SUMS]
    return total
