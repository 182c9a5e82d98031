"""Vovk, Azoury and Warmuth's forecaster over shards: each is learned by itself, and what they know adds up.

**Sums add up.** Each shard measures outcomes from its own first one. With o and o' the first outcomes of two
neighbours, the sum of x (y - o) over the second is that of x (y - o') plus (o' - o) times the sum of x. The first row
of a shard, which its copy does not learn from, is kept beside the sums and added when it is not the first of all. So
the result is that of one pass over all rows, but for rounding: in its weights, in what it predicts, and in what it
learns next. Rounding is that of normal equations in units of the features, which the prior keeps from being singular:
where two of eight columns agreed but for a part in 10^7, forecasts of outcomes that spread by 3 differed by less than
1e-9 for priors from 1e-6 on, and by 1e-3 for the prior 1e-12.

**The bound.** What the copies lost on the way is bounded beside every vector at once by `against_all_over_shards`. It
is no bound on what one pass would have lost: each copy pays for finding out by itself, and has its first round for
free. The merged vector has made no forecast yet; what is known of it is that it is ridge regression on these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..catalogue import REGRESSORS
from ..certificate import Certificates
from ..data.batch import Array, Batch
from ..data.stream import Stream
from ..errors import DataError, RegretlessError, RowError
from ..ledger import Ledger
from ..regression.base import OnlineRegressor
from ..regression.validation import read_outcomes
from ..rows.validation import read_rows
from ..theory.regression import RegressionFacts, against_all_over_shards
from .combined import OverShards
from .pools import engine_of
from .regression_sums import RidgeSums, add_sums, place_sums, sums_of
from .shards import ArrayShard, CallShard, Shard
from .sources import shards_of


@dataclass(frozen=True, slots=True)
class PlayedShard:
    """What one shard was.

    Attributes
    ----------
    name : str
    rounds : int
    loss : float
        Of the copy that played it from the prior; its first round is free.
    """

    name: str
    rounds: int
    loss: float


class Regressed:
    """A forecaster that was learned over shards.

    Attributes
    ----------
    learner : OnlineRegressor
        Ridge regression on the rows of all shards but the very first; it learns on by `partial_fit`.
    ledger : Ledger
        The sum of the ledgers of the shards: what their copies lost on the way.
    facts : RegressionFacts
        What the theorem asks: the least sum of the penalised losses, and the sum of the energies.
    plays : tuple of PlayedShard
        In the order of the shards.
    """

    def __init__(self, learner: OnlineRegressor, sums: RidgeSums, plays: tuple[PlayedShard, ...]) -> None:
        self.learner, self.plays, self.ledger = learner, plays, sums.ledger
        width = sums.high - sums.low
        self.facts = RegressionFacts(
            gap=sums.gap, width=width, worst=width * width, least=sums.least, energy=sums.energy
        )

    def __repr__(self) -> str:
        return f"<Regressed: {self.rounds} rounds on {len(self.plays)} shards, loss {self.ledger.loss:.6g}>"

    @property
    def rounds(self) -> int:
        """Of all shards."""
        return int(self.ledger.rounds)

    def certify(self) -> Certificates:
        """The bound on the loss of all shards' copies beside every vector at once; no row is read again.

        Returns
        -------
        list of Certificate
            One. It is about the forecasts that the copies made; the merged learner made none yet.
        """
        one = against_all_over_shards.certify(self.ledger, [None], self.facts)
        shards = len(self.plays)
        return Certificates(
            [OverShards(one.theorem, one.observed, one.bound, None, one.why, most=one.most, shards=shards)]
        )

    @property
    def violated(self) -> bool:
        """Whether the theorem was broken: a bug, in the code or in the theorem."""
        return any(one.violated for one in self.certify())

    def describe(self) -> dict[str, Any]:
        """What was observed and certified, as JSON values."""
        return {
            "learner": self.learner.name,
            "shards": [{"name": one.name, "rounds": one.rounds, "loss": one.loss} for one in self.plays],
            "rounds": self.rounds,
            "loss": self.ledger.loss,
            "certificates": [one.describe() for one in self.certify()],
        }


def regress(
    learner: OnlineRegressor,
    shards: Any,
    executor: Any = None,
    *,
    on_shard: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
    **reading: Any,
) -> Regressed:
    """Learn ridge regression from shards in one pass, as one learner would that goes over all rows.

    A copy of the learner plays each shard from the prior. What it knows then are sums: A less its prior, which is the
    sum of x x', and the sum of x z; these add up, in a tree whose shape depends on the number of shards alone. So the
    result is that of one pass over all rows but for rounding, of which the head of this module says how small it is.
    The bound is about the forecasts of the copies.

    Parameters
    ----------
    learner : OnlineRegressor
        With the full matrix, that has not played; it is left as it is.
    shards : str, path, sequence of paths, of pairs (X, y), or of callables
        Files, by a quoted pattern or by their paths; rows and outcomes as `fit` takes them, without words; or functions
        that give such a pair, or a stream, where the shard is played. Columns with names belong together by these,
        others by their numbers. A shard may be empty.
    executor : Executor or Engine, optional
        The engine; by default this process, one after the other. The result has the same bits on every engine.
    on_shard : callable, optional
        Called with the place of each shard that is over.
    stop : callable, optional
        Called before each shard of this process and now and then by other engines; true stops the run.
    **reading
        Of files: options of `regretless.data.open_stream`.

    Returns
    -------
    Regressed

    Raises
    ------
    DataError
        If a shard cannot be used; it is named.
    RegretlessError
        If the learner has played or keeps a diagonal, or no shard has a row.
    Interrupted
        If `stop` was true.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.distributed import regress
    >>> from regretless.regression import VovkAzouryWarmuth
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2))
    >>> y = X @ [2.0, -1.0] + 3 + 0.1 * rng.normal(size=90)
    >>> regressed = regress(VovkAzouryWarmuth(), [(X[:40], y[:40]), (X[40:], y[40:])])
    >>> bool(np.allclose(regressed.learner.coef_, VovkAzouryWarmuth().fit(X, y).coef_))
    True
    >>> regressed.violated
    False
    """
    task = _checked(learner)
    rules = task.rules()
    parts = [NumberShard(one.name, one) for one in shards_of(shards, **reading)]
    learned = engine_of(executor).fold(learn_shard, add_shards, task, parts, done=on_shard, stop=stop)
    if learned.sums is None:
        raise RegretlessError("no shard has a row; give at least one row with its outcome")
    sums, merged = learned.sums, _fresh(task)
    state = merged.new_state(sums.features - 1)
    state.follow(rules)
    place_sums(state, sums, rules.priors[0])
    merged._adopt(state, rules)
    merged.n_iter_, merged.n_features_in_ = 1, state.columns
    if sums.names is not None:
        merged.feature_names_in_ = np.array(sums.names, dtype=object)
    return Regressed(merged, sums, learned.plays)


def _checked(learner: Any) -> OnlineRegressor:
    if not isinstance(learner, OnlineRegressor) or not learner.info.adds_up:
        kind = type(learner).__name__
        others = " or ".join(one.attribute for one in REGRESSORS.values() if one.info.adds_up)
        raise RegretlessError(f"{kind}: what it knows is no sum over the rows; {others} is expected")
    if learner.rules().diagonal:
        raise RegretlessError(
            "matrix='diagonal': its weights depend on the order of the rows, and do not add up; take matrix='full'"
        )
    if hasattr(learner, "state_"):
        raise RegretlessError("the learner has played already; give one that has not")
    return _fresh(learner)


def _fresh(learner: OnlineRegressor) -> OnlineRegressor:
    return type(learner)(**learner.get_params())


# ---- what is run on a shard, and how two results become one


@dataclass(frozen=True, slots=True)
class NumberShard:
    """A shard whose labels are numbers of any kind.

    Attributes
    ----------
    name : str
        What messages call it.
    shard : Shard
    """

    name: str
    shard: Shard

    def batches(self) -> Iterator[tuple[Batch, tuple[str, ...] | None, Stream | None]]:
        """The rows, what their columns are called, and the stream that they come from, if they do."""
        value = self.shard
        if isinstance(value, ArrayShard):
            yield self._held(value.X, value.y)
            return
        source: Any = _called(value) if isinstance(value, CallShard) else value.open(None)
        if not isinstance(source, Stream):
            yield self._held(*self._pair(source))
            return
        for batch in source.batches():
            names = source.feature_names()
            yield batch, None if names is None else tuple(names), source

    def _pair(self, value: Any) -> tuple[Any, Any]:
        if isinstance(value, tuple | list) and len(value) == 2:
            return value[0], value[1]
        fault = f"this is {type(value).__name__}"
        raise DataError(self.name, None, None, fault, "rows and their outcomes are expected: (X, y), or a Stream")

    def _held(self, X: Any, y: Any) -> tuple[Batch, tuple[str, ...] | None, None]:
        shape = np.shape(X) if not hasattr(X, "shape") else X.shape
        if len(shape) == 2 and shape[0] == 0 and len(y) == 0:
            return Batch(np.zeros((0, shape[1])), np.zeros(0), shape[1]), None, None
        known = _Columns()
        rows = read_rows(X, learner=known, reset=True, in_order=False)
        outcomes = read_outcomes(y, len(rows))
        names = known.feature_names_in_
        batch = Batch(rows.values, outcomes, rows.columns, rows.indices, rows.starts)
        return batch, None if names is None else tuple(str(name) for name in names), None


class _Columns:
    """What reading rows says of their columns."""

    feature_names_in_: Any = None


def _called(shard: CallShard) -> Any:
    try:
        return shard.function()
    except RegretlessError:
        raise
    except Exception as error:  # whatever readers raise; not all of it could travel between processes
        fault = f"its reader raised {type(error).__name__}: {error}"
        raise DataError(shard.name, None, None, fault, "call the function by itself to see where") from error


@dataclass(frozen=True, slots=True, eq=False)
class LearnedShards:
    """The result of some neighbouring shards.

    Attributes
    ----------
    sums : RidgeSums or None
        None where there is no row.
    plays : tuple of PlayedShard
    numbering : int or None
        The id of the first column, in svmlight files.
    columns : int or None
        How many dense rows without names have.
    """

    sums: RidgeSums | None
    plays: tuple[PlayedShard, ...]
    numbering: int | None = None
    columns: int | None = None


def learn_shard(task: OnlineRegressor, shard: NumberShard) -> LearnedShards:
    """Let a copy of the learner play a shard, from the prior."""
    learner, size = _fresh(task), task.rules().intercept
    first, total = np.zeros(1), np.zeros(1)
    rows, names, columns, schema = 0, None, None, dict[str, Any]()
    for batch, called, stream in shard.batches():
        names = called
        if len(batch):
            try:
                learner.observe(batch)
            except RowError as error:
                if stream is None:
                    raise RegretlessError(error.why) from error
                raise stream.refused(error, rows) from error
            first, total = _added(first, total, batch, size, new=not rows)
            rows += len(batch)
        schema = {} if stream is None else dict(stream.schema())
        columns = batch.columns if stream is None and names is None and not batch.sparse else None
    numbering = schema.get("ids_from")
    if not rows:
        return LearnedShards(None, (PlayedShard(shard.name, 0, 0.0),), numbering, columns)
    ledger: Ledger = learner.ledger_
    sums = sums_of(learner.state_, learner.played_rules(), first, total, names)
    return LearnedShards(sums, (PlayedShard(shard.name, rows, ledger.loss),), numbering, columns)


def add_shards(task: OnlineRegressor, left: LearnedShards, right: LearnedShards) -> LearnedShards:
    """Add what neighbours know."""
    plays, name = left.plays + right.plays, right.plays[0].name
    numbering = _common(
        left.numbering, right.numbering, name, "ids begin at {} and at {}; say ids_from=0 or ids_from=1"
    )
    columns = _common(left.columns, right.columns, name, "dense rows of {} columns before, and of {} here")
    if left.sums is None or right.sums is None:
        return LearnedShards(left.sums or right.sums, plays, numbering, columns)
    if (left.sums.names is None) != (right.sums.names is None):
        raise RegretlessError(f"{name}: some shards have names of columns, and others none")
    sums = add_sums(left.sums, right.sums, task.rules().intercept)
    return LearnedShards(sums, plays, numbering, columns)


def _common(left: int | None, right: int | None, name: str, unlike: str) -> int | None:
    """What neighbours agree on."""
    if left is not None and right is not None and left != right:
        raise RegretlessError(f"{name}: {unlike.format(left, right)}")
    return right if left is None else left


def _added(first: Array, total: Array, batch: Batch, size: float, *, new: bool) -> tuple[Array, Array]:
    """The first row and the sum of the others, with those of a batch; the constant feature first."""
    count = 1 + batch.columns
    first, total = (np.append(one, np.zeros(max(0, count - len(one)))) for one in (first, total))
    if new:
        first[0] = size
        first[1:count] = _sum(batch.slice(0, 1))
        batch = batch.slice(1, len(batch))
    total[0] += size * len(batch)
    total[1:count] += _sum(batch)
    return first, total


def _sum(batch: Batch) -> Array:
    """Of the rows, shape (columns,)."""
    if batch.indices is None:
        return np.asarray(batch.values.sum(axis=0, dtype=np.float64))
    entries = batch.values.astype(np.float64)
    return np.bincount(batch.indices, weights=entries, minlength=batch.columns)
