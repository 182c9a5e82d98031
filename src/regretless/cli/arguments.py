"""Records of arguments: what they have in common, and those of options that several verbs have.

The record of a verb stands in the file of the verb: its fields are the verb's arguments by their names and types.
"""

from __future__ import annotations

from typing import Any, Literal, NoReturn, Self, dataclass_transform

Names = Literal["both", "rows", "columns", "none"]


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Arguments:
    """Values by the names of its fields, of which none is left out and none comes besides; they stay as they are.

    It is a frozen dataclass in all but one thing: `dataclasses` loads `inspect`, for which --help would have to wait.

    Raises
    ------
    TypeError
        If a value is missing, or is of no field.
    """

    def __init__(self, **values: Any) -> None:
        if odd := values.keys() ^ self.fields().keys():
            raise TypeError(f"{type(self).__name__}: missing, or no field of it: {', '.join(sorted(odd))}")
        vars(self).update(values)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} stays as it is: {name}")

    @classmethod
    def fields(cls) -> dict[str, str]:
        """The types of the fields by their names, as they are written."""
        kinds = [vars(kind).get("__annotations__", {}) for kind in reversed(cls.__mro__)]
        return {name: str(written) for written_in in kinds for name, written in written_in.items()}

    def but(self, **changes: Any) -> Self:
        """The same with other values."""
        return type(self)(**(vars(self) | changes))


class WatchedOptions(Arguments):
    """Of a verb that shows how far it is."""

    json: bool
    quiet: bool
    progress: bool | None


class ReportOptions(WatchedOptions):
    """Of a verb that writes a report."""

    report: str | None


class ReadingOptions(Arguments):
    """How a file of rows is read."""

    format: str | None
    target: str | None
    header: bool | None
    ids_from: int | None
    missing: str | None
    categorical: list[str]
    on_error: str
    threads: int


class FeatureOptions(Arguments):
    """Features that are made of a row, beside its own, or left out."""

    ignore: list[str]
    text: list[str]
    ngrams: int | None
    interactions: list[str]
    normalize: bool
    hash_bits: int | None
    keep_names: int | None
    max_features: int | None


class CertifyingOptions(ReadingOptions):
    """What certificates are read against: one file, or several that are shards."""

    files: list[str]
    cache: str | None
    against: str | None
    save_comparators: str | None
    svm: bool
    deep: bool
    iid: bool
    delta: float | None
    workers: int | None
    dask: str | None
    pieces: int | None


class SavingOptions(Arguments):
    """Of a verb that writes a model, or goes on with one."""

    save: str | None
    resume: str | None
    checkpoint_every: int | None


class IntervalOptions(SavingOptions):
    """Of one whose forecasts may have intervals."""

    interval: float | None
    interval_step: float | None
