"""The errors of the package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Self


def did_you_mean(text: str, names: Iterable[str], most: int = 2) -> str:
    """The names that a text is much like, as ``did you mean this or that? ``; nothing if there are none."""
    from difflib import get_close_matches  # which takes its time, and only errors do

    plain = {_plain(name): name for name in reversed(list(names))}
    most = 1 if _plain(text) in plain else most
    near = [plain[one] for one in get_close_matches(_plain(text), plain, n=most, cutoff=LIKE)]
    return f"did you mean {' or '.join(near)}? " if near else ""


COUNTED = " (of those that can be used)"  # of the number of a row, where others are passed over

LIKE = 0.7  # the share of letters in the same order from which a name may have been meant


def _plain(name: str) -> str:
    return name.casefold().translate({ord(sign): None for sign in "-_ "})


class RegretlessError(ValueError):
    """The base of every error that the library raises on its own account."""


class DataError(RegretlessError):
    """Something in the data cannot be used; the message says where, what was found and what to do.

    Parameters
    ----------
    path : str
        The file, or what stands for it (``<stdin>``, ``X``).
    line, column : int or None
        1-based position; None where there is none.
    fault : str
        What stands there.
    advice : str
        What was expected, or what to do about it.
    more : tuple of str
        Lines that the command line prints below the message: what there is to choose from.
    """

    def __init__(
        self, path: str, line: int | None, column: int | None, fault: str, advice: str, more: tuple[str, ...] = ()
    ) -> None:
        self.path, self.line, self.column, self.fault, self.advice = path, line, column, fault, advice
        self.more = more
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        super().__init__(f"{place}: {fault}; {advice}")

    def __reduce__(self) -> tuple[type[DataError], tuple[str, int | None, int | None, str, str, tuple[str, ...]]]:
        # By default an error is made again from its message alone; this one travels between processes whole.
        return type(self), (self.path, self.line, self.column, self.fault, self.advice, self.more)


class InputError(RegretlessError):
    """What was passed cannot be used; a caller that has it from a file says which.

    Parameters
    ----------
    fault : str
        What it is.
    advice : str, optional
        What is expected.
    """

    def __init__(self, fault: str, advice: str | None = None) -> None:
        self.fault, self.advice = fault, advice
        super().__init__(fault if advice is None else f"{fault}; {advice}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str | None]]:
        return type(self), (self.fault, self.advice)


class ParameterError(RegretlessError):
    """A parameter is what it must not be.

    Parameters
    ----------
    name : str
        Its name.
    value : str or None
        What it is, as it is printed; None where that is not said.
    expected : str
        What it must be, or what is wrong with it.
    between : str, optional
        What stands before that.
    """

    def __init__(self, name: str, value: str | None, expected: str, between: str | None = None) -> None:
        self.name, self.value, self.expected = name, value, expected
        self.between = between or (": " if value is None else "; ")
        super().__init__(f"{name}{'' if value is None else '='}{value or ''}{self.between}{expected}")

    def called(self, name: str) -> Self:
        """The same of a parameter that has this name where it was set: an option, say."""
        return type(self)(name, self.value, self.expected, self.between)

    @property
    def fault(self) -> str:
        """The message without the name."""
        return self.expected if self.value is None else f"{self.value}{self.between}{self.expected}"

    def __reduce__(self) -> tuple[type[ParameterError], tuple[str, str | None, str, str]]:
        return type(self), (self.name, self.value, self.expected, self.between)


class ParameterMissing(RegretlessError):
    """A parameter that a learner cannot do without was not given.

    Parameters
    ----------
    name : str
        Its name.
    message : str
        What is to be given, or what else.
    """

    def __init__(self, name: str, message: str) -> None:
        self.name, self.message = name, message
        super().__init__(message)

    def __reduce__(self) -> tuple[type[ParameterMissing], tuple[str, str]]:
        return type(self), (self.name, self.message)


class ModelError(RegretlessError):
    """A model file is damaged, foreign, or newer than this version reads."""


class NotFittedError(RegretlessError, AttributeError):
    """The learner has not seen a round yet."""


class MissingError(RegretlessError, ImportError):
    """A package that this needs is not installed; the message says how to install it."""

    @classmethod
    def of_extra(cls, needs: str, extra: str, packages: str) -> Self:
        """What needs which package, an extra of ours that has it, and the packages of that extra by themselves."""
        own = f"where that would compile, as in a clone, pip install {packages}"
        return cls(f"{needs}: pip install 'regretless[{extra}]', or {own}")


class EngineError(RegretlessError):
    """What runs the shards broke: a process that played one ended without an answer, or no worker is left to play."""


class Interrupted(RegretlessError):
    """The run was asked to stop; what was learned is saved if there was a place for it."""


class RowError(RegretlessError):
    """A row cannot be played.

    Attributes
    ----------
    why : str
        What is wrong with it.
    learned : int
        How many rows before it were learned.
    row : int
        Its place in what was given, from 0.
    fault, advice : str
        What is wrong, for callers that know the row by its place in a file, and what to do about it.
    """

    def __init__(self, why: str, learned: int, row: int, fault: str, advice: str) -> None:
        self.why, self.learned, self.row, self.fault, self.advice = why, learned, row, fault, advice
        super().__init__(why + (f" The {learned:,} rows before it were learned." if learned else ""))

    def __reduce__(self) -> tuple[type[RowError], tuple[str, int, int, str, str]]:
        return type(self), (self.why, self.learned, self.row, self.fault, self.advice)

    def in_file(self, path: str, line: int | None, row: str, skipped: int = 0) -> DataError:
        """The same of a file where the row is called so, among those that were not passed over."""
        return DataError(path, line, None, f"{row}{COUNTED if skipped else ''} {self.fault}", self.advice)


class RoundError(RegretlessError):
    """A round of a table that cannot be played; those before it are learned.

    Parameters
    ----------
    row : int
        Its place in what was given, from 0.
    whose : str or None
        The column that is at fault, by its name; None for the outcome or the row as a whole.
    reason : str
        What is wrong.
    advice : str
        What to do about it.
    column : int, optional
        The place of that column, from 0.
    """

    noun: ClassVar[str]
    """What a column is."""

    def __init__(self, row: int, whose: str | None, reason: str, advice: str, column: int | None = None) -> None:
        where = "" if whose is None else f", {self.noun} {whose}"
        super().__init__(f"row {row} (from 0){where}: {reason}; {advice}")
        self.row, self.whose, self.reason, self.advice, self.column = row, whose, reason, advice, column

    @property
    def fault(self) -> str:
        """What is wrong, and whose it is, for callers that name the row otherwise."""
        return self.reason if self.whose is None else f"{self.noun} {self.whose}: {self.reason}"

    def at(self, row: int) -> Self:
        """The same of another row."""
        return type(self)(row, self.whose, self.reason, self.advice, self.column)

    def __reduce__(self) -> tuple[type[RoundError], tuple[int, str | None, str, str, int | None]]:
        # By default an error is made again from its message alone; this one travels between processes whole.
        return type(self), (self.row, self.whose, self.reason, self.advice, self.column)
