"""The words of which Gambit's files consist: braces, quoted text, numbers and names, and where each stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..errors import DataError
from .exact_numbers import Exact, exact_number, looks_like_number

# Commas separate numbers as blanks do. A quote inside of quoted text stands behind a backslash.
_WORD = re.compile(r'[\s,]*+(?:([{}])|"((?:[^"\\]|\\.)*)"|([^\s,{}"]+)|(.))', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

Kind = Literal["brace", "text", "number", "name", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """One of the words.

    Attributes
    ----------
    kind : {"brace", "text", "number", "name", "end"}
    text : str
        Without quotes.
    place : int
        Where it begins in the file's text.
    """

    kind: Kind
    text: str
    place: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return f'"{" ".join(shown.split())}"' if self.kind == "text" else repr(shown)


class Tokens:
    """The words of a file, one after the other, with a look at the next.

    Parameters
    ----------
    name : str
        What errors call the file.
    text : str

    Attributes
    ----------
    next : Token
        The one that comes next; at the end of the file one that says so.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text, self._place = name, text, 0
        self.next = self._read()

    @property
    def size(self) -> int:
        """How many characters the file has, and so more than it has words."""
        return len(self._text)

    def take(self) -> Token:
        """The next word."""
        taken = self.next
        if taken.kind != "end":
            self.next = self._read()
        return taken

    def is_brace(self, brace: str) -> bool:
        """Whether this brace comes next."""
        return self.next.kind == "brace" and self.next.text == brace

    def skip(self, brace: str, expected: str) -> None:
        """Take a brace that must come."""
        if not self.is_brace(brace):
            raise self.error(self.next, f"{brace} is expected ({expected})")
        self.take()

    def word(self, expected: str) -> str:
        """A quoted text that must come."""
        if self.next.kind != "text":
            raise self.error(self.next, f"{expected} in quotes is expected")
        return self.take().text

    def number(self, expected: str) -> Exact:
        """A number that must come."""
        token = self.next
        if token.kind != "number":
            raise self.error(token, f"{expected} is expected")
        try:
            result = exact_number(token.text)
        except ValueError as error:
            fault, _, advice = str(error).partition("; ")
            raise self._error(token, fault, advice) from None
        self.take()
        return result

    def whole(self, expected: str, least: int, most: int | None = None) -> int:
        """A whole number that must come, within these bounds."""
        token = self.next
        result = self.number(expected)
        if not isinstance(result, int) or result < least or (most is not None and result > most):
            limits = f"from {least} to {most}" if most is not None else f"of {least} or more"
            raise self.error(token, f"{expected} is expected, a whole number {limits}")
        return result

    def texts(self, what: str) -> list[str]:
        """Quoted texts in braces."""
        self.skip("{", what)
        texts = []
        while not self.is_brace("}"):
            texts.append(self.word(f"a name ({what})"))
        self.take()
        return texts

    def error(self, token: Token, expected: str) -> DataError:
        """The complaint that something else stands where a word was expected."""
        return self._error(token, f"{token} stands here", expected)

    def _error(self, token: Token, fault: str, advice: str) -> DataError:
        line = self._text.count("\n", 0, token.place) + 1
        column = token.place - (self._text.rfind("\n", 0, token.place) + 1) + 1
        return DataError(self.name, line, column, fault, advice)

    def _read(self) -> Token:
        result = _WORD.match(self._text, self._place)
        if result is None:
            return Token("end", "", len(self._text.rstrip()))
        self._place = result.end()
        brace, text, other, stray = result.groups()
        if brace is not None:
            return Token("brace", brace, result.start(1))
        if text is not None:
            return Token("text", _ESCAPED.sub(r"\1", text), result.start(2) - 1)
        if other is not None:
            return Token("number" if looks_like_number(other) else "name", other, result.start(3))
        # A quote that nothing closes is the only sign that fits nothing else.
        assert stray == '"'
        begun = Token("text", self._text[result.start(4) + 1 :], result.start(4))
        raise self._error(begun, f"{begun} is never closed", 'another " is expected')
