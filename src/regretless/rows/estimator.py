"""The interface of a scikit-learn estimator, without importing scikit-learn until scikit-learn itself asks."""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, make_dataclass
from functools import cache
from inspect import get_annotations
from operator import is_
from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from ..data.batch import Array
from ..errors import NotFittedError, RegretlessError
from ..frames import container, index_of, series, several
from ..turns import Turn
from .one_row import RowAsTable, named_row, read_as_features, row_as_table, row_in_order

UNCHANGED = "$UNCHANGED$"  # scikit-learn's own word for "leave this request as it is"
# The attribute that holds a schema and the features that it stands for, which take long to build; dropped as TURN is.
FEATURE_MAP = "_feature_map"
PACKAGE = __name__.partition(".")[0] + "."
CHECKED = "_checked"  # parameters, and what they stand for, which is made anew when it is asked for
SCALARS = frozenset((int, float, bool, str, type(None)))
TURN = "_turn"  # the attribute that holds whose turn it is to learn; neither copied nor pickled
CONSUMERS = ("fit", "partial_fit", "predict", "decision_function", "score")
PARAMETERS = "_constructor_parameters"  # the attribute of a class that holds them, each with its name and annotation

T = TypeVar("T")


class Estimator(ABC):
    """What every learner over rows shares as a scikit-learn estimator.

    The parameters are those of ``__init__``, kept unchanged under their own names. What a fit learns ends in
    an underscore.

    Attributes
    ----------
    n_features_in_ : int
        How many columns the rows have.
    schema_ : dict
        What the columns are of a table with columns of text, or of one that the command line read.
    feature_names_in_ : ndarray of str
        The names of the columns; only there if they have any.
    """

    _sklearn_type: ClassVar[str]  # "classifier" or "regressor"
    _begins: ClassVar[str] = ""  # the call before the first single row, of those that learn such

    n_features_in_: int
    feature_names_in_: Array
    schema_: dict[str, Any]

    @abstractmethod
    def predict(self, X: Any) -> Array:
        """The label or the forecast of each row of X."""

    @abstractmethod
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How well the rows of X are predicted; 1 is best."""

    # ---- parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values; ``deep`` makes no difference, for a learner holds no other."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Set some of the parameters; with a name that is wrong, none of them."""
        valid = _parameters(type(self))
        for name in params:
            if name not in valid:
                raise RegretlessError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(valid)!r}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = _parameters(type(self))
        # Compared in print: an array has no single answer to `==`, and NaN differs from itself.
        parameters = [f"{k}={v!r}" for k, v in self.get_params(deep=False).items() if repr(v) != repr(defaults[k])]
        return f"{type(self).__name__}({', '.join(parameters)})"

    def set_output(self, *, predict: str | None = None) -> Self:
        """Say in what predictions come: as scikit-learn's transformers say it of what they make.

        Parameters
        ----------
        predict : {"default", "pandas", "polars"}, optional
            Of `predict`, and of probabilities and scores: an array, or a Series (a data frame with a column for each
            class). One of pandas has the index of the rows, where these have one. None changes nothing.

        Raises
        ------
        ParameterError
            If it is none of these.
        """
        if predict is not None:
            # The name is scikit-learn's, whose clone() carries it over.
            self._sklearn_output_config = {"predict": container(predict)}
        return self

    def _boxed(self, values: Array, X: Any) -> Any:
        """Predictions of some rows in what was asked for by `set_output`."""
        kind = vars(self).get("_sklearn_output_config", {}).get("predict", "default")
        if kind == "default":
            return values
        if values.ndim == 1:
            return series(values, kind, index_of(X))
        return several(values, vars(self)["classes_"].tolist(), kind, index_of(X))

    # ---- fitted or not

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether anything was learned."""

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            by_rows = f"; to learn row by row begin with {self._begins}" if self._begins else ""
            raise _not_fitted(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                f"arguments before using this estimator{by_rows}."
            )

    def _forget(self) -> None:
        """Drop what an earlier fit has learned, so that a fit that fails leaves no half of two models."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    # ---- what scikit-learn asks

    def __sklearn_tags__(self) -> Any:
        """What kind of estimator it is, in scikit-learn's words."""
        from sklearn import utils  # type: ignore[import-untyped, unused-ignore]

        kind = self._sklearn_type
        return utils.Tags(
            estimator_type=kind,
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags() if kind == "classifier" else None,
            regressor_tags=utils.RegressorTags() if kind == "regressor" else None,
            input_tags=utils.InputTags(sparse=True),
        )

    @property
    def turn(self) -> Turn:
        """Held by the thread that learns, while any number of them may predict; made when it is first asked for."""
        made: Turn = vars(self).get(TURN) or vars(self).setdefault(TURN, Turn(again=True))
        return made

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, for a copy learns by itself, and but what can be built again."""
        return {name: value for name, value in vars(self).items() if name not in (TURN, FEATURE_MAP, CHECKED)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        _ = self.turn

    def _row_of(self, values: Any, *, learns: bool = False) -> Array | RowAsTable:
        """One row as the loops take it, from values by the names of their columns, or in the order of these.

        Parameters
        ----------
        values : array-like, mapping or pandas.Series
        learns : bool
            Whether words that are new become features; a row that has some comes back as a table.
        """
        self._require_fitted()
        columns, schema = vars(self)["state_"].columns, vars(self).get("schema_")
        mapping = isinstance(values, Mapping)
        if not mapping and not (hasattr(values, "keys") and getattr(values, "ndim", 0) == 1):  # no Series of pandas
            return row_in_order(values, columns, schema)
        if not read_as_features(schema):
            return row_as_table(values, schema or {}, learns=learns)
        names = self._feature_names()
        if names is not None:
            return named_row(values, names, schema, learns=learns)
        if not mapping:
            return row_in_order(values, columns, schema)
        raise RegretlessError(
            f"{type(self).__name__} learned from rows without names of features: give an array of "
            f"{columns} numbers, or fit a data frame"
        )

    def _feature_names(self) -> list[str] | None:
        """What the features are called; None if they have numbers alone."""
        if "feature_names_in_" in vars(self):
            return [str(name) for name in self.feature_names_in_]
        if "schema_" in vars(self):
            from ..data.names import all_names

            return all_names(self.schema_, vars(self)["state_"].columns)
        return None

    def get_metadata_routing(self) -> Any:
        """Which of the optional arguments of its methods a learner asks a meta-estimator for."""
        from sklearn.utils import metadata_routing  # type: ignore[import-untyped, unused-ignore]

        if "_metadata_request" in vars(self):
            return metadata_routing.get_routing_for_object(vars(self)["_metadata_request"])
        return self._get_default_requests()

    def _get_default_requests(self) -> Any:
        # The name is scikit-learn's: the scorers of its older versions ask for it.
        from sklearn.utils import metadata_routing  # type: ignore[import-untyped, unused-ignore]

        request = metadata_routing.MetadataRequest(owner=type(self).__name__)
        for method in CONSUMERS:
            for argument in _optional_arguments(type(self), method):
                getattr(request, method).add_request(param=argument, alias=None)
        return request

    def set_fit_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Self:
        """Say whether a meta-estimator is to pass ``sample_weight`` on to ``fit``.

        Parameters
        ----------
        sample_weight : bool, None or str
            True: pass it on. False: do not. None: refuse it. A string: pass on what is given by that name.
        """
        return self._request("fit", sample_weight=sample_weight)

    def set_partial_fit_request(
        self, *, classes: bool | str | None = UNCHANGED, sample_weight: bool | str | None = UNCHANGED
    ) -> Self:
        """Say whether a meta-estimator is to pass ``classes`` and ``sample_weight`` on to ``partial_fit``.

        Parameters
        ----------
        classes, sample_weight : bool, None or str
            True: pass it on. False: do not. None: refuse it. A string: pass on what is given by that name.
        """
        return self._request("partial_fit", classes=classes, sample_weight=sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Self:
        """Say whether a meta-estimator is to pass ``sample_weight`` on to ``score``.

        Parameters
        ----------
        sample_weight : bool, None or str
            True: pass it on. False: do not. None: refuse it. A string: pass on what is given by that name.
        """
        return self._request("score", sample_weight=sample_weight)

    def _request(self, method: str, **aliases: bool | str | None) -> Self:
        from sklearn import get_config  # type: ignore[import-untyped, unused-ignore]

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled. You can enable it using "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        request = self.get_metadata_routing()
        for argument, alias in aliases.items():
            if alias != UNCHANGED:
                getattr(request, method).add_request(param=argument, alias=alias)
        self._metadata_request = request  # the name under which sklearn.base.clone carries it over
        return self


@cache
def _parameters(learner: type) -> dict[str, Any]:
    """The parameters of a learner in alphabetical order, each with its default."""
    parameters = list(inspect.signature(learner).parameters.values())
    return {p.name: p.default for p in sorted(parameters, key=lambda p: p.name)}


def scalar_parameters(learner: Estimator) -> tuple[Any, ...] | None:
    """The values of all parameters; None if one may change without being set, or the class is no learner of ours."""
    values = tuple(map(vars(learner).get, _parameters(type(learner))))
    ours = type(learner).__module__.startswith(PACKAGE)
    inside = [each for value in values for each in (value if type(value) is tuple else (value,))]
    return values if ours and SCALARS.issuperset(map(type, inside)) else None


def same_parameters(learner: Estimator, values: tuple[Any, ...]) -> bool:
    """Whether the values of all parameters are the very same objects."""
    return all(map(is_, map(vars(learner).get, _parameters(type(learner))), values))


def _optional_arguments(learner: type, method: str) -> list[str]:
    arguments = inspect.signature(getattr(learner, method)).parameters if hasattr(learner, method) else {}
    return [name for name in arguments if name not in ("self", "X", "y")]


def _not_fitted(message: str) -> NotFittedError:
    """The error that both libraries call NotFittedError, once the other one is there."""
    exceptions = sys.modules.get("sklearn.exceptions")
    error = NotFittedError if exceptions is None else _not_fitted_in_both(exceptions.NotFittedError)
    return error(message)


@cache
def _not_fitted_in_both(theirs: type[Exception]) -> type[NotFittedError]:
    # Found by no name, the class is rebuilt where it is unpickled: errors travel between joblib's processes.
    attributes = {"__module__": NotFittedError.__module__, "__reduce__": lambda error: (_not_fitted, error.args)}
    return cast(type[NotFittedError], type("NotFittedError", (NotFittedError, theirs), attributes))


# ---- the constructor, made from the parameters


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def with_constructor(learner: type[T]) -> type[T]:
    """Give a learner the constructor that a dataclass of its annotated values has, but its own parameters come first.

    The learner is no dataclass: to Dask two of these are the same if their fields are, whatever they have learned.
    """
    inherited: dict[str, tuple[str, Any, Field[Any]]] = getattr(learner, PARAMETERS, {})
    own = {}
    for name, kind in get_annotations(learner).items():
        value = vars(learner).get(name, MISSING)
        if value is MISSING or "ClassVar" in str(kind):
            continue
        parameter = value if isinstance(value, Field) else field(default=value)
        own[name] = (name, kind, parameter)
        if parameter.default is MISSING:
            delattr(learner, name)
        else:
            setattr(learner, name, parameter.default)
    known = {name: one for name, one in own.items() if name not in inherited} | inherited | own
    setattr(learner, PARAMETERS, known)
    record = make_dataclass(learner.__qualname__, known.values(), kw_only=True)
    learner.__init__ = vars(record)["__init__"]  # type: ignore[method-assign]
    return learner
