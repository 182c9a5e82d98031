"""How a learner has its theorems read against the rounds that it played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..blas import one_thread
from ..certificate import NOT_REPRODUCED, OTHER_ROUNDS, Certificate, Certificates, tighter_of
from ..data.batch import Array, Batch
from ..data.sample import sample_of
from ..errors import RegretlessError
from ..rows.narrowed import Narrow, Spread, Wide, widened
from ..rows.sample_weights import read_weights
from ..rows.state import BaseState, Rules
from ..rows.validation import read_rows
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from .first_pass import FirstPass
from .labels import codes_of, decode, distinct, read_labels, weigh
from .replay import Rounds, reproduces
from .state import Geometry

if TYPE_CHECKING:
    from .comparators.question import Question

WEIGHTS_WANTED = (
    "its rounds were learned with weights; give certify the same sample_weight, or set class_weight as it was"
)
OTHER_WEIGHTS = (
    "played again from the start, the rounds of X do not give this model: it had other weights (sample_weight, "
    f"class_weight), or {OTHER_ROUNDS}"
)
WEIGHTED_MEASURED = (
    "the squared lengths of the rows times their weights are too large or too small for floats of full precision: "
    "scale these weights, or the rows"
)
NO_SVMS = "SVMs were not tried, for scikit-learn is not installed"


class InFewColumns(NamedTuple):
    """A learner and its rows with fewer columns, and which these are."""

    learner: Any
    rows: Batch
    which: Narrow


class CertifiedLearner(FirstPass, ABC):
    """What a learner offers of certificates, and what learners of other kinds do in their own way.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, whatever its parameters.
    """

    theorems: ClassVar[tuple[Theorem, ...]]

    classes_: Array
    state_: BaseState
    until_clean: bool = False
    shuffle: bool = False
    random_state: Any = None

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values."""

    @abstractmethod
    def observe(self, batch: Batch, weights: Array | None = None) -> None:
        """Play a batch of a stream, whose columns and classes may be new."""

    @abstractmethod
    def rules(self) -> Rules:
        """The composition that the parameters stand for."""

    @abstractmethod
    def played_rules(self) -> Rules:
        """The rules of the rounds played last."""

    @abstractmethod
    def _require_fitted(self) -> None:
        """Refuse a learner that has learned nothing."""

    def geometry(self) -> Geometry:
        """How this learner's theorems measure a comparator."""
        return Geometry()

    def judge(self, question: Question) -> list[Certificate]:
        """One certificate a theorem."""
        from .comparators.search import certify

        return certify(question)

    def declined(self, why: str) -> list[Certificate]:
        """Certificates that do not apply, all for the same reason."""
        return [Certificate(theorem, None, None, None, why) for theorem in self.proven()]

    def multiplies_rows(self) -> bool:
        """Whether a row of weight c teaches as c times the row does, so that theorems speak of these."""
        return False

    def by_sums(self) -> list[Certificate]:
        """The certificates for which no round is read again; of most learners none."""
        return []

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner with its parameters."""
        return self.theorems

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about it where its weights are mixed over shards; none if they cannot be."""
        return ()

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target: of the rules that were played, should the parameters be others now."""
        rules = self.played_rules()
        radius = rules.radius if rules.geometry == "ball" else inf
        steady = self.state_.steady
        return [LinearFacts(norm, rules.eta, rules.rate, rules.loss, radius, steady) for norm in self.state_.norms()]

    def plays_again(self, rounds: Rounds) -> tuple[bool, Any]:
        """Whether the rounds are those that it played, and what was written down when they were played again: the
        learner and the rows in the columns that occur, if these are few."""
        ((batch, codes),) = rounds()
        few = self._in_few_columns(batch)
        if few is not None and few.learner.state_.whole and reproduces(few.learner, partial(iter, [(few.rows, codes)])):
            return True, few
        return reproduces(self, rounds), few

    @one_thread()
    def certify(
        self,
        X: Any,
        y: Any,
        *,
        against: Any = None,
        svm: bool = False,
        deep: bool = False,
        iid: bool = False,
        delta: float = 0.05,
        sample_weight: Any = None,
    ) -> list[Certificate]:
        """Read every theorem of this learner against the rounds that it played.

        Parameters
        ----------
        X, y
            The rounds, once, as they were given to `fit` (which may have made several passes) or, all together, to
            `partial_fit`.
        against : array-like, shape (features,) or (targets, features), optional
            Your own comparator, instead of those found in hindsight; with an intercept it may have one column more, for
            the weight of the constant feature.
        svm : bool, default=False
            Whether to try scikit-learn's linear SVMs as comparators, which takes hundreds of times longer. Where it is
            not installed the certificates say that they were not tried.
        deep : bool, default=False
            Whether to search for comparators for up to ten seconds or so besides the quick search, which costs about as
            much as a few passes. Each certificate is the tighter one of the two and says by how much. Either way the
            limit is counted in work, so that the same call prints the same numbers on every machine.
        iid : bool, default=False
            Whether you vouch that the rounds are independent draws from one distribution; `certify_risk` then says
            what the first pass guarantees of new ones.
        delta : float, default=0.05
            How improbable it may be that this guarantee fails.
        sample_weight : array-like, shape (rounds,), optional
            Those that the rounds were learned with. To the perceptron, averaged, voted and of several classes too, a
            row x of weight c is the row c x: its theorems then speak of these rows. Those of other learners count each
            round once, and do not apply if one weighs something else.

        Returns
        -------
        list of Certificate
            One a theorem. With several classes both sides are summed over the one-against-rest problems.
        """
        self._require_fitted()
        future = self.certify_risk(delta) if iid else []
        batch = read_rows(X, learner=self, reset=False, text="known")
        labels = read_labels(y, len(batch))
        codes, weights = self.codes(labels), self._weights_of_rounds(sample_weight, labels)
        again = partial(iter, [(batch, codes)])
        why, replayed = self._of_other_rounds(again, weights)
        if why is not None:
            return Certificates(self.declined(why) + future)
        how: dict[str, Any] = {"against": against, "svm": svm, "deep": deep}
        return Certificates(certify_at_hand(self, batch, codes, weights, replayed=replayed, **how) + future)

    def _of_other_rounds(self, again: Rounds, weights: Array | None) -> tuple[str | None, Any]:
        """Why nothing can be said of this run by these rounds, if so; and what was written down when they were played
        again. Where no theorem would apply anyway, they are not."""
        weighted, replayed = self.ledger_.weighted > 0, None
        if self.multiplies_rows() and weighted and weights is None:
            return WEIGHTS_WANTED, None
        same = weights is None or weighted
        if same and weights is not None and self.multiplies_rows():
            same = reproduces(self, again, weights)
        elif same and not weighted and self.state_.steady:
            same, replayed = self.plays_again(again)
        if same:
            return None, replayed
        return OTHER_WEIGHTS if weighted or weights is not None else NOT_REPRODUCED.format(name="X"), replayed

    def _weights_of_rounds(self, sample_weight: Any, labels: Array) -> Array | None:
        """What the rounds weigh, by themselves and, where that makes them other rows, by their classes; None if 1."""
        weights = read_weights(sample_weight, len(labels), all_zero=True)
        if self.multiplies_rows():
            weights = weigh(self.class_weight, labels, weights, distinct(labels))
        return None if weights is None or (weights == 1).all() else weights

    def _judged(self, question: Question, weights: Array | None) -> list[Certificate]:
        """The certificates of rounds that are all in memory, and weigh 1 or so much."""
        apart = False
        if weights is not None and self.multiplies_rows():
            from .weighted_rows import with_constant_apart, with_weights

            weighted = with_weights(question, weights)
            if weighted is None:
                return self.declined(WEIGHTED_MEASURED)
            apart, question = bool(question.rules.intercept), weighted
        ((batch, codes),) = question.rounds()
        certificates = self.certify_rounds(replace(question, sample=sample_of(batch, codes)))
        return [with_constant_apart(one) for one in certificates] if apart else certificates

    def _in_fewer_columns(self, batch: Batch, replayed: Any) -> tuple[Self, Batch, Spread | None]:
        """The learner and its rows with fewer columns, and which these are; as they are, and None, where most are
        needed."""
        few = replayed if isinstance(replayed, InFewColumns) else self._in_few_columns(batch)
        return few or (self, batch, None)

    def _in_few_columns(self, batch: Batch) -> InFewColumns | None:
        """The learner and its rows with fewer columns; None where most are needed."""
        few = self.state_.few_columns(replace(batch, columns=self.state_.columns))
        state = self.state_.narrowed(few.which) if few else None
        if few is None or state is None:
            return None
        learner = copy(self)
        learner.state_ = state
        return InFewColumns(learner, *few)

    def certify_rounds(self, question: Question) -> list[Certificate]:
        """One certificate a theorem, whose comparators tell if those of scikit-learn are not among them; if it is deep,
        each with the bound of the quick search, and no looser."""
        from .comparators.candidates import svms_are_there

        certificates = self._judged_twice(question) if question.deep else self.judge(question)
        if not question.svm or not question.in_memory or question.against is not None or svms_are_there():
            return certificates
        return [
            replace(one, comparator=replace(one.comparator, left_out=NO_SVMS)) if one.comparator is not None else one
            for one in certificates
        ]

    def _judged_twice(self, question: Question) -> list[Certificate]:
        """One certificate a theorem, by the quick search and by the deep one, whichever is tighter."""
        quick = replace(question, deep=False)
        if question.against is not None:  # nothing is searched
            return self.judge(quick)
        if not question.at_hand():  # there is nothing more to look for
            return [tighter_of(one, one) for one in self.judge(quick)]
        deep = replace(question, sample=None) if question.in_memory else question
        both = self.judge(deep), self.judge(quick)
        return [tighter_of(*each) for each in zip(*both, strict=True)]

    def question(
        self, rounds: Rounds, rows: int, *, in_memory: bool, svm: bool, against: Any, deep: bool = False
    ) -> Question:
        """What is to be certified, and the way to read the rounds again.

        Parameters
        ----------
        rounds : callable
            Gives an iterator over the rounds that were played, as batches with codes of labels.
        rows : int
            How many rows one reading has.
        in_memory : bool
            Whether all rows come as one batch.
        svm : bool
            Whether scikit-learn's linear SVMs may be tried as comparators.
        against : array-like or None
            The user's comparator, instead of those found in hindsight.
        deep : bool, default=False
            Whether searches may cost much more than a few passes.

        Raises
        ------
        RegretlessError
            If `against` is not of the learner's shape.
        """
        from .comparators.question import Question

        return Question(
            state=self.state_,
            rules=self.played_rules(),
            target_facts=self._completed(self.target_facts(), rows),
            theorems=self.proven(),
            rounds=rounds,
            in_memory=in_memory,
            rows=rows,
            svm=svm,
            against=None if against is None else self.comparators(against),
            deep=deep,
            geometry=self.geometry(),
        )

    def _completed(self, target_facts: list[LinearFacts], rows: int) -> list[LinearFacts]:
        """The facts, which know how wide rows are, and of a run until clean how many passes over them it made."""
        passes = self.ledger_.rounds / rows if rows and self.until_clean and len(target_facts) == 1 else nan
        wide = [replace(one, width=self.state_.columns + 1.0) for one in target_facts]
        return [replace(one, passes=passes) for one in wide] if passes.is_integer() else wide

    def codes(self, labels: Array) -> Array:
        """What the kernel plays for labels that are all known."""
        return codes_of(labels, self.classes_)

    def comparators(self, against: Any) -> tuple[Array, Array]:
        """A user's comparators as (columns, targets) and the weights of the constant feature, (targets,)."""
        vectors = np.atleast_2d(np.asarray(against, dtype=np.float64))
        columns, targets = self.state_.columns, self.state_.targets
        widths = (columns, columns + 1) if self.rules().intercept else (columns,)
        if (
            vectors.ndim != 2
            or vectors.shape[0] != targets
            or vectors.shape[1] not in widths
            or not np.isfinite(vectors).all()
        ):
            wanted = " or ".join(f"({targets}, {width})" for width in widths)
            raise RegretlessError(f"the comparator has shape {vectors.shape}; it must be finite and of shape {wanted}")
        biases = vectors[:, columns] if vectors.shape[1] > columns else np.zeros(targets)
        return np.ascontiguousarray(vectors[:, :columns].T), biases


def weights_by_class(learner: CertifiedLearner, codes: Array) -> Array | None:
    """What rounds weigh by their classes, where that makes them other rows; None if 1."""
    return learner._weights_of_rounds(None, decode(codes, learner.classes_))


def certify_at_hand(
    learner: CertifiedLearner,
    batch: Batch,
    codes: Array,
    weights: Array | None,
    *,
    against: Any,
    svm: bool,
    deep: bool,
    replayed: Any = None,
    **known: Any,
) -> list[Certificate]:
    """One certificate a theorem of the rounds that a learner played, all of them in memory; vectors are looked for in
    the columns that occur, if these are few.

    Parameters
    ----------
    learner : OnlineClassifier
    batch, codes
        All rows, and what the kernel plays for their labels.
    weights : ndarray, shape (rows,), or None
        What they weigh, where that makes them other rows; None if 1.
    against, svm, deep
        As of `OnlineClassifier.certify`.
    replayed : object or None
        What its `plays_again` wrote down.
    **known
        More of what `Question` knows.
    """
    whole = learner, batch, None
    its, few, which = whole if against is not None else learner._in_fewer_columns(batch, replayed)
    question = its.question(
        partial(iter, [(few, codes)]), len(batch), in_memory=True, svm=svm, against=against, deep=deep
    )
    facts = [replace(one, width=learner.state_.columns + 1.0) for one in question.target_facts]
    joined = batch.entries / max(1, few.entries)
    question = replace(question, replayed=replayed, target_facts=facts, joined=joined, **known)
    certificates = learner._judged(question, weights)
    if which is None:
        return certificates
    made: dict[int, Wide] = {}
    return [widened(one, which, made) for one in certificates]
