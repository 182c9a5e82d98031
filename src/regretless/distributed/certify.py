"""Certificates over shards: of learners that were mixed, and of ordinary ones whose rounds are in shards.

**New rounds.** Where all rounds are independent draws from one distribution, the first epoch says what is to be
expected of new ones. Go over the shards one after the other: the hypothesis that played a round had learned from
earlier rounds of the same shard, and from the groups of shards before, so the round was new to it, and it is fixed by
rounds that come earlier in this order; what the risks exceed the mistakes by is a martingale. How weights are mixed at
the end of the epoch does not matter. From the second epoch on every hypothesis has seen all rounds.

Discovery has read all shards for labels and columns before. Columns that are still to come have weights of zero and
change nothing, unless p is "auto". Of classes, those that were not announced are known to no hypothesis of the
argument: its hypotheses choose among the classes that were announced, that earlier groups have had, or their own shard
so far. Each class against the rest learns apart from the others, so these are the scores that were played, and such a
hypothesis errs only where the learner erred, or where a class is new: at most once in each shard of the group that has
it first, which `unannounced_` adds to the mistakes. Where classes that are still to come do move the others there is no
such argument, and the certificates are declined: with several classes, for the multiclass perceptron, whose rivals they
may be, and for weights by updates, theirs included, over several groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from math import inf, isclose, isfinite
from typing import Any

import numpy as np

from ..blas import one_thread
from ..certificate import NOT_REPRODUCED, OTHER_ROUNDS, Certificate, Certificates
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..info import info_of
from ..linear.base import OnlineClassifier
from ..linear.comparators.question import Question
from ..linear.replay import reproduces
from ..theorem import NO_NUMBERS
from ..theory.mixing_facts import MixedFacts
from .checkpoint import SavedRun, no_guarantee
from .comparators import QuestionOfMixture, QuestionOverShards, Reading, Size, gather, rounds_at_hand, sizes_of
from .engine import Engine
from .epochs import Epochs
from .history import MixingSums
from .learner_adapter import kind_of
from .pools import engine_of
from .shards import FileShard, Shard
from .sources import shards_of

ALL_AT_ONCE = (
    "its comparators are made of rows, so that all rounds must be at hand at once, and those of all shards are too many"
)
MIXED_OTHERS = f"mixed again from the start, these shards do not give this model: it {OTHER_ROUNDS}"


@one_thread()
def certify_mixture(
    learner: OnlineClassifier,
    shards: list[Shard],
    run: SavedRun,
    executor: Any = None,
    *,
    against: Any = None,
    svm: bool = False,
    iid: bool = False,
    delta: float = 0.05,
    deep: bool = False,
    trusted: bool = True,
) -> Certificates:
    """Read every theorem about mixing against the shards that were mixed.

    Each shard is read again where it is, and only sums come back; small data, up to 32 MB in all, is brought here once
    for the maximum margin. The numbers are the same on every engine that has the same numpy, if the search for the
    maximum margin came to its end.

    Parameters
    ----------
    learner : OnlineClassifier
        As the run has left it.
    shards : list of Shard
        Those that were mixed.
    run : SavedRun
    executor : optional
        As in `mix`.
    against : array-like, optional
        Your own comparator; see `OnlineClassifier.certify`.
    svm : bool, default=False
        Whether to try scikit-learn's linear SVMs, if all rounds fit in memory.
    iid : bool, default=False
        Whether you vouch that all rounds are independent draws from one distribution; then the first epoch says what is
        to be expected of new ones, by the argument at the head of this module.
    delta : float, default=0.05
        How improbable it may be that this guarantee fails.
    deep : bool
        Whether searches may cost much more than a few passes, and the certificates say how much tighter that made them;
        of rounds that stay in their shards it changes no bound.
    trusted : bool, default=True
        Whether these are known to be the shards that were mixed. If not, they are mixed again from the start, and the
        certificates do not apply unless that gives the same model, bit for bit.

    Returns
    -------
    list of Certificate
        One a theorem. Weighted counts are named so; with several classes, each against the rest, both sides are sums.
        They do not apply if weights were averaged once instead of mixed, or a shard is not what it was. Of a learner
        without a theorem about mixing, the theorems about one sequence of rounds are named; they do not apply.

    Raises
    ------
    RegretlessError
        If a shard cannot be read, or holds features or labels that the model does not know; it is named.
    """
    engine = engine_of(executor)
    future = learner.certify_risk(delta) if iid else []
    if why := no_guarantee(learner, run):
        return Certificates(_decline(learner, why) + future)
    reading = Reading(run.schema, learner.state_.columns, learner.classes_)
    sizes = sizes_of(learner, shards, engine, reading)
    changed = _change_in(run.sums, sizes) or (None if trusted else _mixed_again(learner, shards, run, engine))
    if changed is not None:
        return Certificates(_decline(learner, changed) + future)
    question = _over(learner, shards, engine, reading, sizes, against=against, svm=svm, deep=deep)
    stated = learner.certify_rounds(_of_mixture(learner, run, question))
    return Certificates([*map(_finite, stated), *future])


def _finite(certificate: Certificate) -> Certificate:
    numbers = (certificate.observed, certificate.bound)
    if all(number is None or isfinite(number) for number in numbers):
        return certificate
    none = None if certificate.quick_bound is None else inf
    return Certificate(certificate.theorem, None, None, None, NO_NUMBERS, parts=certificate.parts, quick_bound=none)


def _decline(learner: OnlineClassifier, why: str) -> Certificates:
    theorems = learner.mixed_proven() or learner.proven()
    return Certificates(Certificate(theorem, None, None, None, why) for theorem in theorems)


@one_thread()
def certify_shards(
    learner: OnlineClassifier,
    shards: Any,
    executor: Any = None,
    *,
    against: Any = None,
    svm: bool = False,
    deep: bool = False,
    schema: dict[str, Any] | None = None,
    trusted: bool = True,
) -> Certificates:
    """Read every theorem of an ordinary learner against its rounds, which are in shards, in the order of these.

    Each shard is read where it is, and only sums come back. Where all shards together are small, up to 32 MB, this is
    `certify` on their rows.

    Parameters
    ----------
    learner : OnlineClassifier
        After its run over all shards, one after the other, in one pass or several.
    shards, executor
        As in `mix`.
    against, svm, deep
        As in `certify_mixture`.
    schema : dict, optional
        The columns that the shards are read to, where files do not have their own.
    trusted : bool, default=True
        Whether these are known to be the rounds that the learner played. If not, they are read here and played again.

    Returns
    -------
    list of Certificate
        One a theorem.

    Raises
    ------
    NotFittedError
        If the learner has not learned yet.
    RegretlessError
        If a shard cannot be read, or holds features or labels that the learner does not know; it is named.
    """
    if not isinstance(learner, OnlineClassifier):
        raise RegretlessError(f"{kind_of(learner)} is no learner of regretless.linear that has learned from shards")
    learner._require_fitted()
    parts, engine = shards_of(shards), engine_of(executor)
    reading = Reading(schema, learner.state_.columns, learner.classes_)

    def all_rounds() -> Iterator[tuple[Batch, Array]]:
        for shard in parts:
            yield from reading.rounds(shard)

    if not (trusted or reproduces(learner, all_rounds)):
        names = ", ".join(shard.name for shard in parts[:3])
        return Certificates(learner.declined(NOT_REPRODUCED.format(name=names)))
    sizes = sizes_of(learner, parts, engine, reading)
    question = _over(learner, parts, engine, reading, sizes, against=against, svm=svm, deep=deep)
    if question.local_rounds is not None:
        return Certificates(learner.certify_rounds(Question(**_fields(question, Question))))
    if not info_of(learner).by_sums:
        return Certificates(learner.declined(ALL_AT_ONCE))
    return Certificates(learner.certify_rounds(question))


def _over(
    learner: OnlineClassifier,
    shards: Sequence[Shard],
    engine: Engine,
    reading: Reading,
    sizes: Sequence[Size],
    **how: Any,
) -> QuestionOverShards:
    """The question that certificates of a learner over shards are made from."""
    local_rounds = gather(sizes, shards, engine, reading)
    rows = sum(size.rows for size in sizes)
    plain = learner.question(rounds_at_hand(local_rounds, sizes), rows, in_memory=local_rounds is not None, **how)
    plain = replace(plain, call=partial(_call_rows, shards, [size.rows for size in sizes], reading.schema))
    return QuestionOverShards(
        **_fields(plain, Question),
        engine=engine,
        shards=shards,
        reading=reading,
        sizes=sizes,
        local_rounds=local_rounds,
    )


def _call_rows(shards: Sequence[Shard], rows: Sequence[int], schema: dict[str, Any] | None, places: Array) -> str:
    """What rows are called, each in its own shard."""
    ends = np.cumsum(rows)
    homes = np.searchsorted(ends, places, side="right").tolist()
    within = (places + 1 - (ends - rows)[homes]).tolist()
    called = (
        f"{_call_row(shards[home], schema, row)} of {shards[home].name}"
        for home, row in zip(homes, within, strict=True)
    )
    return " and ".join(called)


def _call_row(shard: Shard, schema: dict[str, Any] | None, row: int) -> str:
    """What a row of a shard, counted from 1, is called: by its line, where that is known."""
    if not isinstance(shard, FileShard):
        return f"row {row - 1:,} (counted from 0)"
    with suppress(OSError, RegretlessError):  # a file may be where it was played and not here
        stream = shard.open(schema)
        if shard.reading.get("on_error") == "skip":  # and only who reads it all knows what lines it passes over
            for _ in stream.batches():
                pass
        (line,) = stream.lines_of([row])
        return f"{stream.call_rows(row)}{stream.counted}" if line is None else f"the row in line {line:,}"
    return f"row {row:,}"


def _fields(question: Question, kind: type[Question]) -> dict[str, Any]:
    """The fields of a question of this kind, by their names."""
    return {field.name: getattr(question, field.name) for field in fields(kind)}


def _of_mixture(learner: OnlineClassifier, run: SavedRun, plain: QuestionOverShards) -> QuestionOfMixture:
    """The same question with the ledgers of mixing, its theorems, and the facts that they may ask."""
    sums, least = run.sums, _least(run)
    target_facts: list[Any] = [
        MixedFacts(facts, run.weights, sums.whole.together, least, plain.state.targets) for facts in plain.target_facts
    ]
    own = _fields(plain, QuestionOverShards) | {
        "target_facts": target_facts,
        "theorems": learner.mixed_proven(),
        "other": _means(learner),
    }
    return QuestionOfMixture(
        **own,
        shares=sums.shares.tolist(),
        passes=run.passes,
        mixed=list(sums.mixed),
        whole=sums.whole,
    )


def _means(learner: OnlineClassifier) -> list[tuple[str, Array, Array]]:
    """The mean weights of a learner that predicts by them, as a comparator."""
    if learner.predicted_by != "average":
        return []
    intercept = learner.played_rules().intercept
    biases = learner.intercept_ / intercept if intercept else np.zeros(learner.state_.targets)
    return [("mean weights", learner.coef_.T, biases)]


def _least(run: SavedRun) -> float:
    """The smallest mu that a shard has in any mixing; that of mixing by updates is not known before."""
    together = run.sums.whole.together
    if run.weights != "rows":
        return 1 / together
    rows = run.sums.rounds.tolist()
    groups = [rows[begin : begin + together] for begin in range(0, len(rows), together)]
    return float(min(min(group) / sum(group) for group in groups))


def _change_in(sums: MixingSums, sizes: Sequence[Size]) -> str | None:
    """A sentence on the first shard whose size or squared lengths are not those that were played; None if all agree."""
    for size, rows, total in zip(sizes, sums.rounds.tolist(), sums.norms2.tolist(), strict=True):
        if size.rows != rows:
            return f"{size.name} has {size.rows:,} rows, and {rows:,} were played: the model {OTHER_ROUNDS}"
        if not isclose(size.norms2, total, rel_tol=1e-7, abs_tol=1e-300):
            return f"the rows of {size.name} have other lengths than those that were played: the model {OTHER_ROUNDS}"
    return None


def _mixed_again(learner: OnlineClassifier, shards: list[Shard], run: SavedRun, engine: Engine) -> str | None:
    """Mix from the start; a sentence if that gives another model, so that these are other shards."""
    # Classes that came unannounced may have had the first epoch begun anew, with more columns known from the start.
    results = (_again(learner, shards, run, engine, classes) for classes in (learner.classes_, None))
    return None if any(same for same in results) else MIXED_OTHERS


def _again(
    learner: OnlineClassifier, shards: list[Shard], run: SavedRun, engine: Engine, classes: Array | None
) -> bool:
    """Whether the same run over these shards gives the same model and the same books."""
    epochs = Epochs(type(learner)(**learner.get_params()), shards, engine, classes)
    other, so_far = None, replace(run, history=[])
    for _ in run.history:
        other, so_far = epochs.next(other, so_far)
    return other is not None and learner.state_.same(other.state_) and run.sums.mixed == so_far.sums.mixed
