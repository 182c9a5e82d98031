"""The base of learners of finite classes: predict, see the label, drop the hypotheses that disagree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ...errors import RegretlessError
from ...info import HasInfo
from ...ledger import ClassLedger
from ...persist.model import Persistent
from ...persist.validation import count, names, one, parameters
from ..finite_class import FiniteClass, Words, packed, unpacked
from .certificates import Certified
from .result import ClassPlay, Label
from .state import ClassState, whole_row
from .validation import label_of, labels_of, points_of

Array = np.ndarray[Any, Any]
APART = ("finite_class", "order")  # parameters that a file keeps as arrays,
STORED = ("rows", "order")  # by these names
SLICE = 1 << 24  # words that are looked at before Python sees to Ctrl-C


@dataclass(eq=False)
class ClassLearner(HasInfo, Persistent, Certified):
    """The manners that every learner of a finite class has.

    One prediction at a time waits for its label. A late one would be no use: predictions that are made before what is
    known already is learned can all be wrong in the same way, and no bound would hold.

    A label that no hypothesis is left to agree with is passed over. The learner goes on as it was, but from then on its
    theorems do not apply.

    Parameters
    ----------
    finite_class : FiniteClass or array-like of shape (hypotheses, points)
        What it learns.
    """

    finite_class: FiniteClass

    kind = "class"

    def __post_init__(self) -> None:
        if not isinstance(self.finite_class, FiniteClass):
            self.finite_class = FiniteClass(self.finite_class)
        names = self.finite_class.point_names
        self._places = {} if names is None else {name: place for place, name in enumerate(names)}
        self._board = self._begin()
        self._open: tuple[int, Label] | None = None
        self._tickets = 0
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_made" in self.__dict__ and name in self.__dataclass_fields__:
            raise RegretlessError(f"{name}= cannot be changed; see clone({name}=...)")
        object.__setattr__(self, name, value)

    # What a learner is.

    def _begin(self) -> ClassState:
        """A board on which nothing was played; it refuses parameters that have no meaning."""
        return ClassState(self.finite_class)

    @abstractmethod
    def _say(self, point: int) -> Label:
        """What it predicts of a point, without a ticket."""

    # Parameters.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def clone(self, **changes: Any) -> Self:
        """A new learner with the same parameters but for the changes."""
        return type(self)(**(self.get_params() | changes))

    def copy(self) -> Self:
        """The learner as it stands, to go on by itself; a prediction that waits for its label waits in both."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__["_board"] = self._board.copy()
        return other

    def __copy__(self) -> Self:
        # Two that shared their arrays would learn from each other's labels.
        return deepcopy(self)

    # The state.

    @property
    def rounds_(self) -> int:
        """Rounds whose label is known."""
        return int(self._board.book[0])

    @property
    def mistakes_(self) -> int:
        """How many of them were predicted wrongly."""
        return int(self._board.book[1])

    @property
    def alive_(self) -> Array:
        """Numbers of the hypotheses that agree with all labels so far."""
        return self._board.agreeing()

    @property
    def version_space_(self) -> Words:
        """The hypotheses that the learner goes by, as bits: never none."""
        return self._board.version_space.copy()

    @property
    def realizable_(self) -> bool:
        """Whether some hypothesis agrees with all labels so far."""
        return self._board.died is None

    @property
    def died_(self) -> int | None:
        """The round, from 1, whose label no hypothesis was left to agree with."""
        return self._board.died

    @property
    def ledger_(self) -> ClassLedger:
        """What was observed so far."""
        return self._board.ledger()

    @property
    def pending_(self) -> tuple[int, ...]:
        """The ticket of the prediction whose label is not known yet, if there is one."""
        return () if self._open is None else (self._open[1].ticket,)

    def state(self) -> bytes:
        """All that future predictions depend on, as a key."""
        return self._board.version_space.tobytes()

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
            If the last prediction still waits for its label, or there is no such point.
        """
        if self._open is not None:
            raise RegretlessError("the label of the last prediction is not known yet: update or withdraw it first")
        place = self._place(point)
        label = self._say(place)
        label.ticket = self._tickets
        self.__dict__["_open"] = place, label  # past the look-out for parameters, which takes its time
        self.__dict__["_tickets"] += 1
        return label

    def forecast(self, point: int | str) -> int | float:
        """What it would predict, without playing a round; where labels are drawn, the probability of 1."""
        return int(self._say(self._place(point)))

    def update(self, *report: Any) -> int:
        """Report a label: ``update(label)`` of the open prediction, or ``update(ticket, label)``.

        Parameters
        ----------
        ticket : Label or int, optional
            What `predict` returned, or its number.
        label : {0, 1}
            What it should have been.

        Returns
        -------
        int
            1 if the prediction was wrong, else 0.
        """
        if len(report) not in (1, 2):
            raise RegretlessError("give a label, or a ticket and a label")
        point, predicted = self._waiting(report[0] if len(report) == 2 else None)
        label = label_of(report[-1])
        self._settle(point, label, predicted)
        self.__dict__["_open"] = None
        return int(label != predicted)

    def withdraw(self, ticket: Label | int) -> None:
        """Give up a prediction: its label will never be known."""
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
            raise RegretlessError(f"ticket {ticket!r}: its label was reported already, or it was never drawn")
        return self._open

    def _settle(self, point: int, label: int, predicted: Label) -> None:
        self._board.core.settle(point, label, int(predicted))

    # Many rounds.

    def play(self, points: Any, labels: Any) -> ClassPlay:
        """Play rounds in their order.

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
            If there is no such point, or a label is something else; nothing is played then.
        """
        if self._open is not None:
            raise RegretlessError("a prediction waits for its label: update or withdraw it first")
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
        """Room for the probabilities of the labels, where they are drawn."""
        return None

    def _play(self, points: Array, played: ClassPlay) -> None:
        """The compiled loop, in slices."""
        step = max(1, SLICE // len(self._board.version_space))
        for begin in range(0, len(points), step):
            part = slice(begin, begin + step)
            self._board.core.play(points[part], played.labels[part], played.predictions[part], played.alive[part])
            self.__dict__["_tickets"] += len(played.labels[part])

    # In a file, in which the class stands too.

    def stored_params(self) -> dict[str, Any]:
        """The parameters but for those that a file stores as arrays."""
        parameters = {name: value for name, value in self.get_params().items() if name not in APART}
        return parameters | self._settled()

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The class, the prediction that waits, and the arrays of the state."""
        finite_class, board = self.finite_class, self._board
        description = {
            "given": finite_class.table_rows,
            "points": finite_class.points,
            "point_names": finite_class.point_names,
            "names": finite_class.hypothesis_names,
            "tickets": self._tickets,
            "open": None if self._open is None else [self._open[0], int(self._open[1])],
            "more": self._more(),
        }
        tensors = {"rows": finite_class.rows, **board.arrays()}
        if getattr(self, "order", None) is not None:
            assert board.order is not None
            tensors["order"] = board.order
        return description, tensors

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        known = parameters(description["parameters"], cls)
        if "order" in tensors:
            known["order"] = whole_row(tensors["order"], "order")
        learner = cls(_class_of(description, tensors["rows"]), **known)
        learner._board = learner._board.with_arrays({n: array for n, array in tensors.items() if n not in STORED})
        learner._tickets = count(description["tickets"], "tickets", learner.rounds_)
        learner._go_on(description["more"])
        learner._reopen(description["open"])
        return learner

    def _reopen(self, prediction: Any) -> None:
        """The prediction that waits for its label: what the learner says of the point again."""
        if prediction is None:
            return
        point, predicted = (
            count(number, "an open prediction") for number in one(prediction, list, "an open prediction")
        )
        if point >= self.finite_class.points or predicted > 1 or self._tickets == self.rounds_:
            raise ValueError("a prediction waits that was never made")
        label = self._said(point, predicted)
        label.ticket = self._tickets - 1
        self._open = point, label

    def _settled(self) -> dict[str, Any]:
        """Parameters that were left open, as they came to be."""
        return {}

    def _more(self) -> Any:
        """What else there is to keep, as JSON values."""
        return None

    def _go_on(self, extra: Any) -> None:
        """Go on from there."""
        if extra is not None:
            raise ValueError("this learner keeps nothing else")

    def _said(self, point: int, predicted: int) -> Label:
        """A prediction that was made of a point."""
        label = self._say(point)
        if label != predicted:
            raise ValueError("it would never have predicted that")
        return label


def _class_of(description: Mapping[str, Any], rows: Array) -> FiniteClass:
    """The class; a file holds no hypothesis twice."""
    points, total = count(description["points"], "points", 1), count(description["given"], "given", 1)
    if rows.ndim != 2 or rows.dtype != np.uint64 or rows.shape[1] != -(-points // 64) or not 0 < len(rows) <= total:
        raise ValueError("its class has another shape or type than it says")
    table = unpacked(rows, points)
    if not np.array_equal(packed(table), rows):
        raise ValueError("its hypotheses speak of points that are not there")
    finite_class = FiniteClass(
        table,
        hypotheses=names(description["names"], len(rows), "hypotheses"),
        points=names(description["point_names"], points, "points"),
    )
    if finite_class.hypotheses != len(rows):
        raise ValueError("a hypothesis is there twice")
    finite_class.table_rows = total
    return finite_class
