"""The perceptron that asks for a label only where it pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import islice
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..blas import one_thread
from ..certificate import NOT_REPRODUCED, OTHER_ROUNDS, Certificate
from ..checks import positive, share, whole
from ..data.batch import Array, Batch
from ..errors import ParameterError, RegretlessError
from ..info import Cost, LinearInfo, LinearWords
from ..ledger import FIELDS, Ledger
from ..rows.estimator import with_constructor
from ..rows.learner import played_in_order
from ..rows.one_row import RowAsTable
from ..rows.state import BaseState, Rules
from ..rows.validation import read_rows
from ..theory.facts import LinearFacts
from ..theory.selective import LABELS_KNOWN, OF_ASKED, SELECTIVE, SelectiveFacts, SelectiveLedger
from ..turns import in_turn
from .labels import encode, read_labels, weigh
from .multiclass import AllInOne, DirectState
from .state import CLOCK

OWN = tuple(one.name for one in fields(SelectiveLedger))[len(FIELDS) : -1]  # as the kernel writes them down
PLACES = {name: place for place, name in enumerate(OWN)}
COUNTED = [FIELDS.index(name) for name in ("rounds", "total_norm2", "max_norm2", "reach2")]  # by a question
ROUNDS, UPDATES, LONGEST = (FIELDS.index(name) for name in ("rounds", "updates", "max_norm2"))
LEARNED = [FIELDS.index(name) for name in ("updates", "loss", "update_norm2", "weighted")]  # by labels that were asked
MOST_SEED = 2**64 - 1
ASKED_ONLY = (
    "of {unknown:,} of its rounds nobody gave the label, so that rows with all labels are not what it learned from; "
    "certify_asked(X, y) reads what is sure of the rows whose labels were learned"
)


@dataclass(frozen=True, slots=True)
class SelectiveRules(Rules):
    """The composition, and how labels are asked."""

    b: float = 1.0
    share: float = 0.0
    most: float = inf
    seed: int = 0


class SelectiveState(DirectState):
    """The weights of all classes, and what was asked."""

    TARGETS: ClassVar[dict[str, int]] = {**DirectState.TARGETS, "asking": _core.ASKING_SIZE}

    asking: Array  # in the first row

    def __init__(self, columns: int, targets: int) -> None:
        super().__init__(columns, targets)
        self.asking[0, PLACES["pace"]] = 1

    def options(self) -> dict[str, Any]:
        """Nothing: no average is kept."""
        return {}

    def make_player(self, rules: Rules) -> Any:
        """The loop that asks."""
        assert isinstance(rules, SelectiveRules)
        return _core.Player(
            self.weights,
            self.memory,
            self.books,
            np.zeros(4 * self.targets),
            geometry=rules.geometry,
            loss="selective",
            rate=rules.rate,
            intercept=rules.intercept,
            asking=self.asking,
            b=rules.b,
            share=rules.share,
            most=rules.most,
            key=rules.seed,
        )

    def answering(self, rules: Rules) -> Any:
        """The loop that learns every label, over the same arrays."""
        return super().make_player(rules)

    def ledger(self) -> Ledger:
        """What was observed, a round being one update, though it moves two classes."""
        whole = Ledger.read(self.books[-1])
        behind = whole.loss if self.targets == 1 else whole.loss / 2
        counts = zip((*FIELDS, *OWN), (*self.books[-1].tolist(), *self.asking[0].tolist()), strict=True)
        return SelectiveLedger(**dict(counts), behind=behind)


@dataclass(frozen=True, slots=True)
class LabelQuestion:
    """A row whose label may be wanted; true if it is.

    Attributes
    ----------
    wanted : bool
        Whether to find out the label.
    number : int
        The round, from 1.
    probability : float
        With which the label was asked.
    predicted : label
        What the row was taken for.
    """

    wanted: bool
    number: int
    probability: float
    predicted: Any
    reach: float = field(repr=False)
    row: Any = field(repr=False, compare=False)
    updates: float = field(repr=False)

    def __bool__(self) -> bool:
        return self.wanted


@with_constructor
class SelectiveSamplingPerceptron(AllInOne):
    """The perceptron that asks for a label only where it pays (Cesa-Bianchi, Gentile & Zaniboni 2006).

    ::

        predict   the class with the largest <w_c, x>; of two classes sign <w, x>
        ask       with probability b' / (b' + g), b' = b R^2, where R is the length of the longest row so far and g half
                  of the lead of the best score; of two classes |<w, x>|
        update    as the perceptron, where the label was asked

    Far from the boundary labels are hardly ever asked, and the expected number of mistakes has a bound of the same form
    as if all were. `fit` and `partial_fit` take the labels of all rows, and look at those alone that they ask, besides
    counting mistakes; classes that were not announced are taken up where they come first, asked or not. A stream whose
    labels cost something goes by `ask` and `learn`.

    Parameters
    ----------
    b : float, default=1.0
        How gladly it asks, > 0, in units of the squared length of the longest row so far; large ones ask always.
    share : float or None, default=None
        About which share of the rounds may be asked, above 0 and below 1: b is multiplied by a pace between 0 and 1
        that falls with each question and rises with each round. At no time more than this share of the rounds, or 30
        if that is more, has been asked.
    most_labels : int or None, default=None
        How many labels may be asked in all; after them nothing is learned.
    seed : int, default=0
        Of the draws, from 0 to 2^64 - 1. Round t has the same draw however the rounds come.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`. A run until a pass is clean is refused: a pass may be clean for nobody asked.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.
    ledger_ : SelectiveLedger
        What was observed, `asked` and `expected` among it.
    pending_ : tuple of int
        Numbers of the questions whose label was wanted, and is not known yet.

    References
    ----------
    Cesa-Bianchi, Gentile & Zaniboni 2006, Worst-case analysis of selective sampling for linear classification, JMLR 7.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import SelectiveSamplingPerceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 5))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> learner = SelectiveSamplingPerceptron(share=0.05).partial_fit(X[:1], y[:1], classes=[-1, 1])
    >>> for x, label in zip(X[1:], y[1:]):
    ...     question = learner.ask(x)
    ...     if question:
    ...         learner.learn(question, label)
    >>> int(learner.ledger_.asked), bool(np.mean(learner.predict(X) == y) > 0.8)
    (100, True)
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="selective-perceptron",
        task="classification",
        default_of="learn with few labels",
        charged="max(0, best other score - score), where asked",
        geometry="euclidean, all classes in one",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=False,
        additive=False,
        not_mixed="which labels it asks hangs on the weights of its shard, and the proof of its bound follows one "
        "sequence of them and says nothing of a mean of several",
        by_sums=True,
        constant=True,
        twin="selective_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="⟨w_y, x⟩ ≤ ⟨w_r, x⟩, where its label was asked: with probability b R² / (b R² + g), g half of "
        "the lead of the best score, |⟨w, x⟩| of two classes",
        update="as `multiclass-perceptron`, with η = 1",
        costs=(Cost("", "n for each class", "d", "n"),),
        small_if="as `multiclass-perceptron`; counts mistakes in expectation, asked or not, and surely the updates",
        at_most="(1 + 1/(2b)) H + (1 + 2b)² / (4b) r₂² ‖V‖²",
    )
    theorems = SELECTIVE

    b: float = 1.0
    share: float | None = None
    most_labels: int | None = None
    seed: int = 0
    intercept: float = 0.0

    late_: int = field(default=0, init=False)  # labels that were learned after others had changed the weights

    def checked(self) -> Rules:
        """The composition, once all parameters are known to have a meaning."""
        if self.until_clean:
            expected = "a pass may be clean because nobody asked; give passes"
            raise ParameterError("until_clean", repr(self.until_clean), expected)
        return super().checked()

    def rules(self) -> Rules:
        """The loss of the best other class, Euclidean steps, and how labels are asked."""
        if whole("seed", self.seed, 0) > MOST_SEED:
            raise ParameterError("seed", repr(self.seed), "it must be below 2^64")
        return SelectiveRules(
            loss="direct",
            intercept=positive("intercept", self.intercept, or_zero=True),
            b=positive("b", self.b),
            share=0.0 if self.share is None else share("share", self.share),
            most=inf if self.most_labels is None else float(whole("most_labels", self.most_labels)),
            seed=int(self.seed),
        )

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights of all classes, and what was asked."""
        return SelectiveState(columns, targets)

    def extended(self, classes: Array) -> BaseState:
        """The state for one class more; what was asked is of all classes together."""
        grown = super().extended(classes)
        if grown is not self.state_:
            _selective(grown).asking[1:], _selective(grown).asking[0] = 0, _selective(self.state_).asking[0]
        return grown

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask, b among it."""
        more: dict[str, Any] = {"b": self.played_rules().b, "late": float(self.late_)}  # type: ignore[attr-defined]
        return [SelectiveFacts(**asdict(facts), **more) for facts in super().target_facts()]

    def declined(self, why: str) -> list[Certificate]:
        """Certificates that do not apply; of a stream that was asked row by row no rows play it again."""
        unknown = int(_selective(self.state_).asking[0, PLACES["unlabelled"]])
        return super().declined(ASKED_ONLY.format(unknown=unknown) if unknown and why.endswith(OTHER_ROUNDS) else why)

    def certify_risk(self, delta: float = 0.05) -> list[Certificate]:
        """What the first pass guarantees of new rounds, where the labels of all its rounds were known."""
        certificates = super().certify_risk(delta)
        if not _selective(self.state_).asking[0, PLACES["unlabelled"]]:
            return certificates
        return [Certificate(one.theorem, None, None, None, LABELS_KNOWN[0]) for one in certificates]

    @one_thread()
    def certify_asked(
        self, X: Any, y: Any, *, against: Any = None, svm: bool = False, deep: bool = False
    ) -> list[Certificate]:
        """Read what is sure of the asked rows against these alone: of a stream nobody knows the other labels.

        The rows that were not asked did not move the weights, so that the asked ones are a run of the perceptron, of
        which its theorems hold, also where labels came late; that on asked labels needs hinge losses of these alone.

        Parameters
        ----------
        X : array-like or sparse, shape (labels, features)
            The rows whose labels were learned, in the order in which that was. They must give the same weights again.
        y : array-like, shape (labels,)
            Their labels.
        against, svm, deep
            As of `certify`.

        Returns
        -------
        list of Certificate
            One a sure theorem; R in them is the length of the longest row of all.

        Raises
        ------
        RegretlessError
            If there are more or fewer rows than labels that were learned.
        """
        self._require_fitted()
        batch = read_rows(X, learner=self, reset=False, text="known")
        labels = read_labels(y, len(batch))
        codes = self.codes(labels)
        answered = int(_selective(self.state_).asking[0, PLACES["asked"]]) - len(self._waiting())
        if len(batch) != answered:
            raise RegretlessError(f"{len(batch):,} rows, and {answered:,} labels were learned: give the rows of these")
        run = self._asked_run(batch, codes, weigh(self.class_weight, labels, None, None))
        titled = [replace(one, title=f"{one.title}, of the rounds asked") for one in OF_ASKED]
        if run is None:
            return [Certificate(one, None, None, None, NOT_REPRODUCED.format(name="X")) for one in titled]
        question = self.question(
            partial(iter, [(batch, codes)]), len(batch), in_memory=True, svm=svm, against=against, deep=deep
        )
        certificates = self.certify_rounds(replace(question, state=run, theorems=OF_ASKED))
        return [replace(one, theorem=its) for one, its in zip(certificates, titled, strict=True)]

    def _asked_run(self, batch: Batch, codes: Array, weights: Array | None) -> SelectiveState | None:
        """The state after a run over asked rows alone, with what the questions showed; None if it is another one."""
        ours = _selective(self.state_)
        run = _selective(ours.blank(ours.columns, ours.targets))
        player = run.answering(self.played_rules())
        if player.play(batch.values, batch.indices, batch.starts, codes, weights, None)[1] is not None:
            return None
        pairs = (
            (run.books[-1, LEARNED], ours.books[-1, LEARNED]),
            (run.coefficients(), ours.coefficients()),
            (run.biases(), ours.biases()),
        )
        if not all(np.array_equal(*pair) for pair in pairs):
            return None
        run.asking[:], run.books[-1, LONGEST] = ours.asking, ours.books[-1, LONGEST]
        return run

    def snapshot(self) -> dict[str, Any]:
        """How many labels were asked so far."""
        ledger = self.ledger_
        assert isinstance(ledger, SelectiveLedger)
        return {"rounds": int(ledger.rounds), "asked": int(ledger.asked)}

    # ---- a stream whose labels cost something

    @property
    def pending_(self) -> tuple[int, ...]:
        """Numbers of the questions whose label was wanted, and is not known yet."""
        return tuple(self._waiting())

    def _waiting(self) -> dict[int, float]:
        """The questions that wait, by number, with which probability each was asked."""
        if not hasattr(self, "open_"):
            self.open_: dict[int, float] = {}
        return self.open_

    @in_turn
    def ask(self, x: Array | Mapping[str, float | str]) -> LabelQuestion:
        """Take in a row, and say whether its label is wanted; the learner must be fitted.

        Parameters
        ----------
        x : array-like, shape (features,), or mapping of str to float or str
            As of `update_one`.

        Returns
        -------
        LabelQuestion
            True if the label is wanted: `learn` takes it with the label. A question may stay without an answer.

        Raises
        ------
        RegretlessError
            If nothing was learned yet, or the row cannot be used.
        """
        self._require_fitted()
        row = self._plain(x)
        batch, rules = self._read(row), self.checked()
        state, book = _selective(self.state_), self.state_.books[-1]
        scores, (asked, _, closed, pace) = self.scores(batch), state.asking[0, :4].tolist()
        updates = float(book[UPDATES])
        self._playing = rules
        self._play(batch, np.array([_core.UNKNOWN_LABEL], np.int32), None, None, rules)
        reach = pace * float(book[LONGEST]) if state.asking[0, PLACES["closed"]] == closed else 0.0
        assert isinstance(rules, SelectiveRules)
        probability = float(1 / (1 + gap_of(scores[0]) / (rules.b * reach))) if reach > 0 else 0.0
        wanted, number = bool(state.asking[0, PLACES["asked"]] > asked), int(book[ROUNDS])
        if wanted:
            self._waiting()[number] = probability
        return LabelQuestion(wanted, number, probability, self.labels(scores)[0], reach, row, updates)

    @in_turn
    def learn(self, question: LabelQuestion, label: Any) -> None:
        """Learn the label of a row that was asked.

        Parameters
        ----------
        question : LabelQuestion
            What `ask` gave, of this learner or of one whose model it is; late, or in another order, if need be. The
            weights are changed if the label is wrong by what they are now; of labels that come after others have
            changed the weights the theorems about mistakes say nothing.
        label
            Of any class; a new one is taken up.

        Raises
        ------
        RegretlessError
            If no label is waited for by this question, or the label cannot be used.
        """
        self._require_fitted()
        if not isinstance(question, LabelQuestion):
            raise ParameterError("question", repr(question), "what ask() returned is expected", ": ")
        if self._waiting().get(question.number) != question.probability:
            waiting = ", ".join(map(str, islice(self._waiting(), 10))) or "none"
            raise RegretlessError(
                f"no label is waited for by question {question.number}: it was not wanted, is known, or is another "
                f"learner's; those that wait: {waiting}"
            )
        labels = read_labels([label], 1)
        if labels[0] not in self.classes_:
            self.unannounced_ += 1
            self._meet(labels[0])
        late = float(self.state_.books[-1, UPDATES]) != question.updates
        self._answer(self._read(question.row), labels, question)
        self.late_ += late
        del self._waiting()[question.number]

    def _answer(self, batch: Batch, labels: Array, question: LabelQuestion) -> None:
        """Play a row whose round was counted when it was asked."""
        state, codes = _selective(self.state_), encode(labels, self.classes_)[0]
        scores, weights = self.scores(batch)[0], weigh(self.class_weight, labels, None, None)
        books, clock = state.books.copy(), state.memory[:, CLOCK].copy()
        batch, _, why = played_in_order(
            batch,
            0,
            lambda rows, first: state.answering(self._playing).play(
                rows.values, rows.indices, rows.starts, codes, weights, None, first, 1
            ),
        )
        if why is not None:
            raise self._refused(batch, 0, why)
        state.books[:, COUNTED], state.memory[:, CLOCK] = books[:, COUNTED], clock
        asking = state.asking[0]
        asking[PLACES["unlabelled"]] -= 1
        if behind_of(scores, int(codes[0])) >= 0:
            asking[PLACES["weighed"]] += question.reach
            asking[PLACES["learned"]] += question.reach
            asking[PLACES["estimate"]] += 1 / question.probability

    def _read(self, row: Any) -> Batch:
        """One row as a batch, whose columns the state has."""
        X = row if isinstance(row, RowAsTable) else row[None]
        batch = read_rows(X, learner=self, reset=False, in_order=False, text="learn")
        self.state_.grow(batch.columns)
        return batch

    # ---- in a file

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Besides, the questions that wait, and how many answers were late."""
        described, tensors = super().state_dict()
        return described | {
            "asked": {"open": [list(one) for one in self._waiting().items()], "late": self.late_}
        }, tensors

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        # Files of versions before this one may have the count of late labels among the parameters as well.
        parameters = {name: value for name, value in description["parameters"].items() if name != "late_"}
        learner = super().from_state({**description, "parameters": parameters}, tensors)
        asked = description["asked"]
        learner.open_ = {int(number): float(probability) for number, probability in asked["open"]}
        learner.late_ = int(asked["late"])
        if any(not 0 < number <= learner.ledger_.rounds for number in learner.open_) or learner.late_ < 0:
            raise ValueError("a question that waits is none of its rounds")
        return learner


def gap_of(scores: Array) -> float:
    """Half of the lead of the best score; the size of one that stands for two classes."""
    if len(scores) == 1:
        return abs(float(scores[0]))
    best = int(scores.argmax())
    return 0.5 * float(scores[best] - np.delete(scores, best).max())


def behind_of(scores: Array, code: int) -> float:
    """By how much the best other class is above the right one; 0 and more is an update."""
    if len(scores) == 1:
        return -code * float(scores[0])
    return float(np.delete(scores, code).max() - scores[code])


def _selective(state: BaseState) -> SelectiveState:
    assert isinstance(state, SelectiveState)
    return state
