"""Any labels become signs (two classes) or numbers (more), also when a stream reveals its classes one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalogue import DEFAULT_OF_TASK, REGRESSORS
from ..checks import positive
from ..data.batch import Array
from ..errors import ParameterError, RegretlessError, RowError
from ..memory import allowed, more
from ..rows.sample_weights import what_is_not_finite
from ..rows.targets import one_dimensional, target_array
from ..rows.validation import JUDGED_ROWS, warn_user

if TYPE_CHECKING:
    from ..rows.state import BaseState

MANY = 1000
FEW_CLASSES = 100  # different whole numbers that may be labels if few rows have one of their own
FEW_NUMBERS = 20  # different whole numbers that may be labels whatever they are
OFTEN = 0.5  # different numbers a row: more are no labels
FEW = 16  # labels that are looked up one by one, which is quicker than numpy for a handful
MOVES = 32  # times the memory that is allowed at once


def read_labels(y: Any, rows: int) -> Array:
    """One label a row, as a one-dimensional array of numbers, truth values or strings (dtype U).

    Parameters
    ----------
    y : array, sequence or series
        A column vector is accepted with a warning. Numbers must be whole.
    rows : int
        How many labels there must be.
    """
    labels = one_dimensional(y if type(y) is np.ndarray else _label_array(y))
    if labels.dtype.kind not in "iubU":
        labels = _discrete(labels)
    _require_length(labels, rows)
    return labels


def read_classes(y: Any, rows: int) -> tuple[Array, Array, Array]:
    """The same, with the classes among the labels in order, and what the kernel plays for each label.

    Where many labels are of few classes that the first ones show, they are compared with these once, rather than
    checked, sorted and encoded: what equals a whole number is one.
    """
    labels = one_dimensional(y if type(y) is np.ndarray else _label_array(y))
    if len(labels) > MANY and labels.dtype.kind in "iubUf":
        _require_length(labels, rows)
        few = ascending(labels[:MANY])
        if len(few) <= FEW_CLASSES and (labels.dtype.kind != "f" or are_whole(few)):
            codes, known = encode(labels, few)
            if known.all():
                return labels, few, codes
    labels = read_labels(labels, rows)
    classes = distinct(labels)
    return labels, classes, encode(labels, classes)[0]


def _require_length(labels: Array, rows: int) -> None:
    if len(labels) != rows:
        raise RegretlessError(f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}")


def encode(labels: Array, classes: Array) -> tuple[Array, Array]:
    """What the kernel plays for each label, and which labels are among the classes.

    Two classes become signs, the larger one being +1; more become their place in `classes`. A class that is alone so
    far is a sign too: the larger of two if it is a string or positive, so that -1 and 0 turn out right when +1 follows.
    """
    if labels.dtype.kind != classes.dtype.kind and "U" in (labels.dtype.kind, classes.dtype.kind):
        raise RegretlessError(
            f"the labels are {labels.dtype} and the classes {classes.dtype}: strings and numbers never agree"
        )
    if len(classes) == 2:  # by far the most frequent, and quicker compared than searched
        positive = labels == classes[1]
        known = labels == classes[0]
        known |= positive
        signs = positive.astype(np.int32)
        signs *= 2
        signs -= 1
        return signs, known
    places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    known = classes[places] == labels
    if len(classes) > 2:
        return places.astype(np.int32), known
    return np.full(len(labels), lone_sign(classes[0]), dtype=np.int32), known


def codes_until_new(labels: Array, classes: Array, known_codes: Mapping[Any, int]) -> tuple[Array, int | None]:
    """What the kernel plays for each label, and where the first label stands that is none of the classes.

    Parameters
    ----------
    labels, classes : ndarray
    known_codes : mapping
        What the kernel plays for each of the classes.

    Returns
    -------
    codes : ndarray of int32, shape (labels,)
        From the first new label on they mean nothing, but the kernel accepts them.
    new : int or None
        None if there is no new label.
    """
    if len(labels) <= FEW:
        codes = [known_codes.get(label) for label in labels.tolist()]
        if None not in codes:
            return np.array(codes, dtype=np.int32), None
    places, known = encode(labels, classes)
    if known.all():
        return places, None
    first = int(np.argmin(known))
    # The rows behind are played later; until then they need some number that the kernel accepts.
    places[~known] = places[0] if first else encode(classes[:1], classes)[0][0]
    return places, first


def codes_of(labels: Array, classes: Array) -> Array:
    """What the kernel plays for labels that are all known.

    Raises
    ------
    RegretlessError
        If one is not.
    """
    codes, known = encode(labels, classes)
    if not known.all():
        row = int(np.argmin(known))
        label = repr(labels[row].item())
        advice = "give the rows that the model learned from"
        fault = f"has the label {label}, which was never met in learning"
        raise RowError(f"the label {label} was never met in learning", 0, row, fault, advice)
    return codes


def decode(codes: Array, classes: Array) -> Array:
    """The labels that the kernel plays so."""
    if len(classes) > 2:
        return np.asarray(classes[codes])
    return np.asarray(classes[np.minimum((codes + 1) // 2, len(classes) - 1)])


def stored_classes(values: Any, kind: Any) -> Array:
    """The classes that a model file has as JSON values, by their numpy kind.

    Raises
    ------
    ValueError
        If they are none, or not in order; or a LookupError, a TypeError or an ArithmeticError.
    """
    kinds = {"U": np.str_, "f": np.float64, "i": np.int64, "u": np.uint64, "b": np.bool_}
    classes: Array = np.array(values, dtype=kinds[kind])
    if classes.ndim != 1 or not len(classes) or not (classes[1:] > classes[:-1]).all():
        raise ValueError("its classes are not in order")
    return classes


def distinct(labels: Array) -> Array:
    """The classes among some labels, in order; many labels of few kinds are compared rather than sorted."""
    if len(labels) > MANY:
        few = ascending(labels[:MANY])
        if len(few) <= FEW_CLASSES and encode(labels, few)[1].all():
            return few
    return ascending(labels) if len(labels) <= MANY or labels.dtype.kind != "U" else np.unique(labels)


def ascending(labels: Array) -> Array:
    """The different labels, in order, NaN last; `numpy.unique` imports all of `numpy.ma` to say the same."""
    ordered = np.sort(labels)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    if ordered.dtype.kind == "f":
        first[1:] &= ~np.isnan(ordered[:-1])
    return ordered[first]


def are_numbered(values: Array) -> bool:
    """Whether different numbers, in order, are as those of classes: few, or from 0 or 1 on."""
    return len(values) <= FEW_NUMBERS or values[0] in (0, 1)


def warn_of_quantity(labels: Array, classes: Array) -> None:
    """Warn where whole numbers are rather a quantity than labels: many rows have one of their own, or there are many of
    them, not from 0 or 1 on, or very many."""
    if labels.dtype.kind not in "iuf" or len(labels) < JUDGED_ROWS:
        return
    if len(classes) <= min(FEW_CLASSES, OFTEN * len(labels)) and are_numbered(classes):
        return
    forecaster = REGRESSORS[DEFAULT_OF_TASK["regression"]].attribute
    warn_user(
        f"y has {len(classes):,} different whole numbers, {classes[0]:g} to {classes[-1]:g}, and each becomes a class; "
        f"if it is a quantity, forecast it with regretless.regression.{forecaster}, or make a few classes of it"
    )


def lone_sign(label: Any) -> int:
    """The sign of a class that has no rival yet."""
    return 1 if isinstance(label, str) or label > 0 else -1


def positive_labels(classes: Array, targets: int) -> list[Any]:
    """The labels that positive scores speak for; of a class that is known alone it may be what it is not."""
    if len(classes) == 1 and lone_sign(classes[0]) < 0:
        return [f"not {classes[0]:g}"]
    return list(classes[-1:].tolist() if targets == 1 else classes.tolist())


def targets_for(classes: Array) -> int:
    """How many one-against-rest learners these classes need."""
    return 1 if len(classes) <= 2 else len(classes)


def with_class(classes: Array, label: Any) -> Array:
    """The classes with one more, in order."""
    # Not np.unique, which imports all of numpy's masked arrays.
    return np.array(sorted({*classes.tolist(), np.asarray(label).item()}))


def _refuse_moves(size: int, columns: int, classes: int) -> None:
    """Refuse to go on result classes when that takes hours: for each, all that is known of the others is moved."""
    if size * classes > MOVES * allowed():
        problem = f"{classes:,} classes of {columns:,} features are too many to be met one by one"
        advice = f"are the labels classes at all? If so, hash the features (--hash-bits), or {more()}"
        raise RegretlessError(f"{problem}; {advice}")


def extend(state: BaseState, old: Array, new: Array) -> BaseState:
    """The state that has learned `old` classes, ready for `new` ones.

    A learner of two classes is two one-against-rest learners, one the mirror image of the other, so nothing is lost
    when a third class comes. What comes late starts from nothing, with an empty ledger;
    second-order learners put what they have learned of it in that place.

    Parameters
    ----------
    state : BaseState
        Changed in place, or copied into one of more targets.
    old, new : ndarray, shape (classes,)
        Classes, ascending; `new` has all that `old` has.

    Returns
    -------
    BaseState
        Of as many targets as the new classes need.

    Raises
    ------
    RegretlessError
        If so many classes, met one by one, would move more memory than is allowed.
    """
    if targets_for(new) == 1:
        if len(old) == 1 and len(new) == 2:
            sign = 1 if new[1] == old[0] else -1
            if sign != lone_sign(old[0]):
                state.mirror(0)
        return state
    _refuse_moves(state.size(state.columns), state.columns, len(new))
    grown = state.blank(state.columns, targets_for(new))
    grown.books[-1] = state.books[-1]
    grown.steady, grown.rules = state.steady, state.rules
    before, after = old.tolist(), {label: place for place, label in enumerate(new.tolist())}
    places = [after[label] for label in before]
    if len(before) > 2:
        grown.copy_targets(state, dict(enumerate(places)))
        return grown
    for label, place in zip(before, places, strict=True):
        grown.copy_target(state, 0, place)
        sign = lone_sign(old[0]) if len(old) == 1 else 1 if label == before[-1] else -1
        if sign < 0:
            grown.mirror(place)
    return grown


# ---- labels as Python keeps them


def _label_array(y: Any) -> Array:
    labels = target_array(y)
    if labels.dtype.kind in "SU" and isinstance(y, (list, tuple)):
        return np.asarray(y, dtype=object)  # numpy has turned any numbers among them into strings
    return labels


def _discrete(labels: Array) -> Array:
    kind = labels.dtype.kind
    if kind == "f":
        return _whole(labels)
    if kind == "O":
        return _same_kind(labels)
    if kind == "T":  # numpy's strings of any length, among which some may be missing
        return _same_kind(labels.astype(object))
    if kind == "c":
        raise RegretlessError(f"Complex data not supported\n{labels}\n")
    if kind == "S":
        raise RegretlessError(
            "Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    raise RegretlessError(f"Unknown label type: {labels.dtype}")


def are_whole(labels: Array) -> bool:
    """Whether all of some floats are whole numbers."""
    if len(labels) <= 8:  # a few calls of numpy cost more than a few numbers
        return all(label.is_integer() for label in labels.tolist())
    return bool(np.isfinite(labels).all()) and np.array_equal(np.floor(labels), labels)


def _whole(labels: Array) -> Array:
    if are_whole(labels):
        return labels
    if not np.isfinite(labels).all():
        raise RegretlessError(f"Input y contains {what_is_not_finite(labels)}.")
    raise RegretlessError(
        "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
        "classes on a regression target with continuous values."
    )


def _same_kind(labels: Array) -> Array:
    values = labels.tolist()
    types = set(map(type, values))
    if all(issubclass(kind, str) for kind in types):
        return labels.astype(np.str_)
    if all(issubclass(kind, (bool, int, float, np.number, np.bool_)) for kind in types):
        numbers = np.array(values)
        if numbers.dtype.kind in "iub":
            return numbers
        if numbers.dtype.kind == "f":
            return _whole(numbers)
    if any(map(_missing, values)):
        raise RegretlessError("Input y contains NaN.")
    names = ", ".join(sorted(kind.__name__ for kind in types))
    raise RegretlessError(f"Unknown label type: {names}. Labels must all be numbers or all be strings.")


def _missing(label: object) -> bool:
    # pandas.NA refuses to be compared, so it is known by its type's name.
    nothing = label is None or type(label).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(label, float) and label != label)


# ---- what a round weighs by its class


def weigh(class_weight: Any, labels: Array, weights: Array | None, classes: Array | None) -> Array | None:
    """The weight of each round: its own times that of its class; None where all weigh the same.

    Parameters
    ----------
    class_weight : mapping, "balanced" or None
        Weights of classes, 1 where none is given; "balanced": rounds / (classes * rounds of the class).
    labels : ndarray, shape (rounds,)
    weights : ndarray, shape (rounds,), or None
        Of the rounds themselves.
    classes : ndarray or None
        All classes among the labels; None in a stream, which does not know yet how many rounds each will have.

    Raises
    ------
    RegretlessError
        If there is no such weight.
    """
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        by_class = np.ones(len(labels))
        for label, weight in class_weight.items():
            by_class[is_class(labels, label)] = positive(f"class_weight[{label!r}]", weight, or_zero=True)
    elif isinstance(class_weight, str) and class_weight == "balanced":
        if classes is None:
            raise RegretlessError(
                'class_weight="balanced" needs all labels at once; in a stream, give the weight of each class'
            )
        places = np.searchsorted(classes, labels)
        counts = np.bincount(places, weights=weights, minlength=len(classes))
        by_class = (counts.sum() / (len(classes) * counts))[places]
    else:
        raise ParameterError("class_weight", repr(class_weight), "it must be a mapping, 'balanced' or None")
    return np.asarray(by_class if weights is None else by_class * weights)


def weights_without_rows(class_weight: Any, classes: Array) -> Iterator[str]:
    """What to say of classes that were given a weight and never came."""
    for label in class_weight if isinstance(class_weight, Mapping) else ():
        if not is_class(classes, label).any():
            named = repr(label) if isinstance(label, str) else str(label)
            yield f"class_weight: no row is of the class {named}, so that its weight changes nothing"


def is_class(labels: Array, label: Any) -> Array:
    """Which labels are the one of this name; a command line and a model file call numbers by their text."""
    if labels.dtype.kind == "U":
        return np.asarray(labels == str(label))
    try:
        return np.asarray(labels == (float(label) if isinstance(label, str) else label))
    except ValueError:
        return np.zeros(len(labels), dtype=np.bool_)
