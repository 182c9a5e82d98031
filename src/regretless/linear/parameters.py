"""The constructor of a learner, made from its parameters."""

from __future__ import annotations

from dataclasses import MISSING, Field, field, make_dataclass
from inspect import get_annotations
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
PARAMETERS = "_constructor_parameters"  # the attribute of a class that holds them, each with its name and annotation


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
    made = make_dataclass(learner.__qualname__, known.values(), kw_only=True)
    learner.__init__ = vars(made)["__init__"]  # type: ignore[method-assign]
    return learner
