"""The base of learners of finite classes: predict, read the label, drop the hypotheses that disagree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ... import html
from ...certificate import Certificate, Certificates, CertifiedState
from ...comparator import ClassComparator
from ...errors import RegretlessError
from ...info import ClassInfo, HasInfo
from ...ledger import ClassLedger
from ...persist.model import PersistentRecord
from ...persist.validation import count, names, one, parameters
from ...theorem import Theorem
from ...theory.finite_classes import ClassFacts, certified
from ..finite_class import FiniteClass, Words, packed, unpacked
from .rounds import ClassPlay, Label, label_of, labels_of, points_of
from .state import ClassState, rank, whole_row

Array = np.ndarray[Any, Any]
APART = ("finite_class", "order")  # parameters that a file stores as arrays,
STORED = ("rows", "order")  # under these names
ROUNDING = 4e-15  # of a sum of probabilities below 32, for each of its terms
SLICE = 1 << 24  # words that the kernel reads between checks of Ctrl-C


@dataclass(eq=False)
class ClassLearner(HasInfo, CertifiedState, PersistentRecord):
    """The base of every learner of a finite class.

    At most one prediction waits for its label: with late labels several predictions could be wrong for one reason, and
    no bound would hold.

    A label that leaves no hypothesis is ignored. The learner continues unchanged, but from then on its theorems do not
    apply.

    Parameters
    ----------
    finite_class : FiniteClass or array-like of shape (hypotheses, points)
        The class to learn.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, the sharpest first.
    """

    finite_class: FiniteClass

    kind = "class"
    info: ClassVar[ClassInfo]
    theorems: ClassVar[tuple[Theorem, ...]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.finite_class, FiniteClass):
            self.finite_class = FiniteClass(self.finite_class)
        names = self.finite_class.point_names
        self._places = {} if names is None else {name: place for place, name in enumerate(names)}
        self._state = self._begin()
        self._open: tuple[int, Label] | None = None
        self._tickets = 0
        self._made = True

    def _repr_html_(self) -> str:
        """The learner as it is made, its ledger and its certificates."""
        certificates = html.titled("Certificates", Certificates(self.certify())._repr_html_())
        return html.code(repr(self)) + self.ledger_._repr_html_() + (certificates if self.rounds_ else "")

    # The prediction rule.

    def _begin(self) -> ClassState:
        """The initial state; invalid parameters are refused."""
        return ClassState(self.finite_class)

    @abstractmethod
    def _say(self, point: int) -> Label:
        """The prediction for a point, without a ticket."""

    def copy(self) -> Self:
        """An independent copy of the learner; an open prediction is open in both."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__["_state"] = self._state.copy()
        return other

    def __copy__(self) -> Self:
        # Copies must not share arrays, which labels change.
        return deepcopy(self)

    # The state.

    @property
    def rounds_(self) -> int:
        """Number of rounds with a label."""
        return int(self._state.book[0])

    @property
    def mistakes_(self) -> int:
        """Number of mistakes."""
        return int(self._state.book[1])

    @property
    def alive_(self) -> Array:
        """Numbers of the hypotheses that agree with all labels so far."""
        return self._state.agreeing()

    @property
    def version_space_(self) -> Words:
        """The hypotheses that the learner predicts from, as bits: at least one."""
        return self._state.version_space.copy()

    @property
    def realizable_(self) -> bool:
        """Whether some hypothesis agrees with all labels so far."""
        return self._state.died is None

    @property
    def died_(self) -> int | None:
        """The round, from 1, whose label left no hypothesis; None if there is one."""
        return self._state.died

    @property
    def ledger_(self) -> ClassLedger:
        """Running totals."""
        return self._state.ledger()

    @property
    def pending_(self) -> tuple[int, ...]:
        """The ticket of the open prediction, if there is one."""
        return () if self._open is None else (self._open[1].ticket,)

    def state(self) -> bytes:
        """A key of the state on which predictions depend."""
        return self._state.version_space.tobytes()

    # One round at a time.

    def predict(self, point: int | str) -> Label:
        """Predict one round.

        Parameters
        ----------
        point : int or str
            Its number, from 0, or its name.

        Returns
        -------
        Label
            0 or 1.

        Raises
        ------
        RegretlessError
            If a prediction is open, or there is no such point.
        """
        if self._open is not None:
            raise RegretlessError("the last prediction has no label yet: update or withdraw it first")
        place = self._place(point)
        label = self._say(place)
        label.ticket = self._tickets
        self.__dict__["_open"] = place, label  # bypasses the check of parameters, which is slow
        self.__dict__["_tickets"] += 1
        return label

    def forecast(self, point: int | str) -> int | float:
        """The prediction without a round; of learners that draw labels, the probability of 1."""
        return int(self._say(self._place(point)))

    def update(self, *report: Any) -> int:
        """Report a label: ``update(label)`` of the open prediction, or ``update(ticket, label)``.

        Parameters
        ----------
        ticket : Label or int, optional
            The label that `predict` returned, or its ticket number.
        label : {0, 1}
            The label of the point.

        Returns
        -------
        int
            1 if the prediction was wrong, else 0.
        """
        if len(report) not in (1, 2):
            raise RegretlessError("a label, or a ticket and a label, is expected")
        point, predicted = self._waiting(report[0] if len(report) == 2 else None)
        label = label_of(report[-1])
        self._settle(point, label, predicted)
        self.__dict__["_open"] = None
        return int(label != predicted)

    def withdraw(self, ticket: Label | int) -> None:
        """Close a prediction without a label."""
        self._waiting(ticket)
        self.__dict__["_open"] = None

    def _place(self, point: int | str) -> int:
        if type(point) is int and 0 <= point < self.finite_class.points:
            return point
        place = self._places.get(point) if isinstance(point, str) else None
        return self.finite_class.point(point) if place is None else place

    def _waiting(self, ticket: Any) -> tuple[int, Label]:
        if self._open is None:
            raise RegretlessError("no prediction waits for a label; predict first")
        if ticket is not None and getattr(ticket, "ticket", ticket) != self._open[1].ticket:
            raise RegretlessError(f"ticket {ticket!r}: its label was reported already, or there was no such prediction")
        return self._open

    def _settle(self, point: int, label: int, predicted: Label) -> None:
        self._state.core.settle(point, label, int(predicted))

    # Many rounds.

    def play(self, points: Any, labels: Any) -> ClassPlay:
        """Play rounds in order.

        Parameters
        ----------
        points : array-like of shape (rounds,)
            Numbers of points, or their names.
        labels : array-like of shape (rounds,)
            0 or 1.

        Returns
        -------
        ClassPlay

        Raises
        ------
        RegretlessError
            If there is no such point, or a label is not 0 or 1; then no round is played.
        """
        if self._open is not None:
            raise RegretlessError("a prediction has no label yet: update or withdraw it first")
        asked = points_of(points, self.finite_class, self._places)
        played = ClassPlay(
            np.empty(len(asked), np.uint8),
            labels_of(labels, len(asked)),
            np.empty(len(asked), np.int64),
            self._room(asked),
        )
        self._play(asked, played)
        return played

    def _room(self, points: Array) -> Array | None:
        """An array for the probabilities of drawn labels; None if labels are not drawn."""
        return None

    def _play(self, points: Array, played: ClassPlay) -> None:
        """The compiled loop, in slices."""
        step = max(1, SLICE // len(self._state.version_space))
        for begin in range(0, len(points), step):
            part = slice(begin, begin + step)
            self._state.core.play(points[part], played.labels[part], played.predictions[part], played.alive[part])
            self.__dict__["_tickets"] += len(played.labels[part])

    # Certificates.

    def _facts(self) -> dict[str, Any]:
        """Facts of the class for this learner's theorems: fields of a `ClassFacts`."""
        return {}

    def facts(self) -> ClassFacts:
        """Facts of the learner for theorems, besides its ledger."""
        return ClassFacts(
            learner=self.name,
            hypotheses=self.finite_class.hypotheses,
            tie=getattr(self, "tie", None),
            prune=getattr(self, "prune", ""),
            **(self._facts() if self.realizable_ else {}),
        )

    def comparators(self) -> list[ClassComparator]:
        """The first hypothesis that agrees with all labels, or no comparator."""
        alive = self.alive_
        if not len(alive):
            return []
        first, ledger = int(alive[0]), self.ledger_
        rounding = ROUNDING * ledger.rounds if self.info.draws else 0.0
        label = f"hypothesis {self.finite_class.hypothesis_name(first)}"
        return [ClassComparator(first, label, float(ledger.rounds), len(alive), rounding)]

    def certify(self, *, comparators: Sequence[ClassComparator] | None = None) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run.

        Parameters
        ----------
        comparators : sequence of ClassComparator, optional
            Comparators to use instead of the learner's own.
        """
        candidates = self.comparators() if comparators is None else comparators
        return certified(self.theorems, self.ledger_, candidates, self.facts())

    def _ranks(self) -> dict[str, Any]:
        """The ranks of the class and of the version space."""
        return {"rank": rank(self.finite_class), "rank_left": rank(self.finite_class, self.version_space_)}

    # Model files, which contain the class.

    def stored_params(self) -> dict[str, Any]:
        """The parameters but for those that a file stores as arrays."""
        parameters = {name: value for name, value in self.get_params().items() if name not in APART}
        return parameters | self._settled()

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The class, the open prediction, and the arrays of the state."""
        finite_class, state = self.finite_class, self._state
        description = {
            "given": finite_class.table_rows,
            "points": finite_class.points,
            "point_names": finite_class.point_names,
            "names": finite_class.hypothesis_names,
            "tickets": self._tickets,
            "open": None if self._open is None else [self._open[0], int(self._open[1])],
            "more": self._more(),
        }
        tensors = {"rows": finite_class.rows, **state.arrays()}
        if getattr(self, "order", None) is not None:
            assert state.order is not None
            tensors["order"] = state.order
        return description, tensors

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """The learner of a `state_dict`."""
        known = parameters(description["parameters"], cls)
        if "order" in tensors:
            known["order"] = whole_row(tensors["order"], "order")
        learner = cls(_class_of(description, tensors["rows"]), **known)
        learner._state = learner._state.with_arrays({n: array for n, array in tensors.items() if n not in STORED})
        learner._tickets = count(description["tickets"], "tickets", learner.rounds_)
        learner._go_on(description["more"])
        learner._reopen(description["open"])
        return learner

    def _reopen(self, prediction: Any) -> None:
        """Restore the open prediction: the learner predicts the point again."""
        if prediction is None:
            return
        point, predicted = (
            count(number, "an open prediction") for number in one(prediction, list, "an open prediction")
        )
        if point >= self.finite_class.points or predicted > 1 or self._tickets == self.rounds_:
            raise ValueError("it has an open prediction that it never made")
        label = self._label(point, predicted)
        label.ticket = self._tickets - 1
        self._open = point, label

    def _settled(self) -> dict[str, Any]:
        """Values of parameters that the user left open."""
        return {}

    def _more(self) -> Any:
        """Further state as JSON values."""
        return None

    def _go_on(self, extra: Any) -> None:
        """Restore the further state."""
        if extra is not None:
            raise ValueError("this learner has no further state")

    def _label(self, point: int, predicted: int) -> Label:
        """An earlier prediction for a point."""
        label = self._say(point)
        if label != predicted:
            raise ValueError("it cannot have predicted that")
        return label


def _class_of(description: Mapping[str, Any], rows: Array) -> FiniteClass:
    """The class of a file, without equal hypotheses."""
    points, total = count(description["points"], "points", 1), count(description["given"], "given", 1)
    if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] != -(-points // 64) or not 0 < len(rows) <= total:
        raise ValueError("its class has not the shape or type that it declares")
    table = unpacked(rows, points)
    if not np.array_equal(packed(table), rows):
        raise ValueError("its hypotheses have labels beyond the last point")
    finite_class = FiniteClass(
        table,
        hypotheses=names(description["names"], len(rows), "hypotheses"),
        points=names(description["point_names"], points, "points"),
    )
    if finite_class.hypotheses != len(rows):
        raise ValueError("two hypotheses are equal")
    finite_class.table_rows = total
    return finite_class
