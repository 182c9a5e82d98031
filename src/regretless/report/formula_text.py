"""Formulas of theorems as text for a terminal: of TeX what they use, with fractions, roots and indices in one line."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|\d+(?:\.\d+)?|.")
WIDE = "\t"  # a gap that stays one
CLOSE = "\v"  # beside which there is no gap
ACCENTS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
WORDS = ("text", "mathrm", "mathbb")
FRACTIONS = ("frac", "tfrac")
FUNCTIONS = ("ln", "log", "max", "min", "det", "cosh", "inf", "exp")
NOTHING = ("left", "right", "Big", "textstyle")
GREEK = "alpha beta gamma delta epsilon varepsilon eta theta kappa lambda mu xi pi rho tau psi Delta Lambda ell"
SIGNS = "sum prod le ge ne in exists pm mid cdot Vert langle rangle lfloor rfloor lceil rceil top"
SYMBOLS = {
    **dict(zip(GREEK.split(), "αβγδεεηθκλμξπρτψΔΛℓ", strict=True)),
    **dict(zip(SIGNS.split(), "ΣΠ≤≥≠∈∃±|·‖⟨⟩⌊⌋⌈⌉ᵀ", strict=True)),
    **{name: name for name in FUNCTIONS},
    "quad": WIDE,
    "lVert": f"‖{CLOSE}",
    "rVert": f"{CLOSE}‖",
    "lvert": f"|{CLOSE}",
    "rvert": f"{CLOSE}|",
}
RAISED = str.maketrans("0123456789+-*ᵀ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻*ᵀ")
# What needs no brackets above or below a line.
ONE = re.compile(r"\d+|.[\u0304\u0302\u0303]?(_\w|_\([^()]*\)|[⁰¹²³⁴-⁹*])*")
BEFORE, AFTER = "(=≤≥<>+-,[{:⟨⌊⌈", ")=≤≥<>+-,]}:⟩⌋⌉"  # a fraction between these is seen to end there


def in_text(formula: str) -> str:
    """A formula in one line, such as ``R ≤ √(T ln N)``; what it does not know stays as it is in TeX."""
    line = re.sub(r" +", " ", _Reader(formula).sequence())
    return re.sub(rf"(?<=[⟨⌊⌈(]) | (?=[⟩⌋⌉)])| ?{CLOSE} ?", "", line).replace(WIDE, " ").rstrip()


class _Reader:
    """Reads tokens one by one."""

    def __init__(self, formula: str) -> None:
        self.tokens: list[str] = TOKEN.findall(formula)
        self.place = 0

    def sequence(self) -> str:
        """All up to the brace that closes, or the end."""
        parts: list[tuple[str, bool]] = []
        while (token := self._next()) not in ("", "}"):
            name = token[1:] if token.startswith("\\") else ""
            parts.append((self._one(token), name in FRACTIONS))
        line = ""
        for place, (text, fraction) in enumerate(parts):
            rest = "".join(one for one, _ in parts[place + 1 :]).lstrip()
            ends = line.rstrip()[-1:] in BEFORE and rest[:1] in AFTER  # an empty text is in both
            if text in FUNCTIONS and line[-1:].isalnum():
                line += " "
            line += f"({text})" if fraction and not ends else text
            if text in FUNCTIONS and rest and (rest[0].isalpha() or rest[0].isdecimal() or rest[0] in "√Σ"):
                line += " "
        return line

    def _next(self) -> str:
        if self.place == len(self.tokens):
            return ""
        self.place += 1
        return self.tokens[self.place - 1]

    def _argument(self) -> str:
        token = self._next()
        while token.isspace():
            token = self._next()
        if token.isdigit() and len(token) > 1:  # as in \tfrac12
            self.place -= 1
            self.tokens[self.place], token = token[1:], token[0]
        return self.sequence() if token == "{" else self._one(token)

    def _one(self, token: str) -> str:
        if not token.startswith("\\"):
            return self._plain(token)
        name = token[1:]
        if name in FRACTIONS:
            above, below = self._argument(), self._argument()
            return f"{_bracketed(above)}/{_bracketed(below)}"
        if name == "sqrt":
            return f"√{_bracketed(self._argument())}"
        if name in ACCENTS:
            return self._argument() + ACCENTS[name]
        if name in WORDS:
            return self._argument()
        if name in NOTHING:
            return ""
        if token in ("\\ ", "\\,"):
            return " "
        if not name.isalpha():
            return name
        return SYMBOLS.get(name, token)

    def _plain(self, token: str) -> str:
        if token == "{":
            return self.sequence()
        if token == "_":
            index = self._argument()
            return f"_{index}" if len(index) == 1 or index.isalnum() else f"_({index})"
        if token == "^":
            power = self._argument()
            if all(ord(one) in RAISED for one in power):
                return power.translate(RAISED)
            return f"^{power}" if len(power) == 1 else f"^({power})"
        return " " if token.isspace() else token


def _bracketed(text: str) -> str:
    """In brackets, unless it is one thing."""
    return text if ONE.fullmatch(text) else f"({text})"
