"""What differs from machine to machine in a record, and whether two records say the same but for that."""

from __future__ import annotations

import re
from difflib import SequenceMatcher, unified_diff

from regretless import __version__

RELATIVE, ABSOLUTE = 1e-9, 1e-12
ROUGH = 1e-6  # relative, of numbers that an iteration ended with
POWERS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
TIME = rf"[-+.,e\d]+(?: × 10[{POWERS}]+)?"
PROGRESS = re.compile(r"(?m)^.*\d a second$\n")  # lines that are shown every so many seconds
# What differs from run to run, or from one release, or Python, to the next; nothing else is masked.
MASKS = [
    (re.compile(r'("(?:seconds|cpu|reading)": )[-+.e\d]+'), r"\1<seconds>"),
    (re.compile(rf"\bin {TIME} s\b"), "in <seconds> s"),
    (re.compile(rf"(Seconds(?:\s|<[^>]*>)*){TIME}(?=\s*(?:\n|<))"), r"\1<seconds>"),  # in a page and in its text
    (re.compile(rf"(?m)^(\d+ \| \d+ \| \d+ \| [.\d]+% \| .* \| ){TIME}$"), r"\1<seconds>"),  # the table of epochs
    (re.compile(rf"(?i)(regretless,? (?:version )?){re.escape(__version__)}"), r"\1<version>"),
    # How many digits two ways to compute agree in is a matter of the last ones.
    (re.compile(r"\bto \d+ digits\b"), "to <n> digits"),
    (re.compile(r'("digits": )[.\d]+'), r"\1<n>"),
    # Python quotes the choices of an option up to 3.13, and not from then on.
    (re.compile(r"\(choose from ([^()]*)\)"), lambda match: f"(choose from {match[1].replace(chr(39), '')})"),
]
# How often an iteration went on is a matter of the solver's release.
COUNTS = [
    (re.compile(r"\b\d+ (iterations|steps)\b"), r"<n> \1"),
    (re.compile(r'("iterations": )\d+'), r"\1<n>"),
    (re.compile(r"(Iterations\s*\n)\d+"), r"\1<n>"),
]
# Numbers that stand alone: not those in names, as of exp3, nor the digits of a hash.
NUMBER = re.compile(
    rf"(?<![\w.])[-+−]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+| × 10[{POWERS}]+)?(?![\w{POWERS}])"
)
WHOLE = re.compile(r"[-+−]?[\d,]+")


def mask(text: str, *, exact: bool = True) -> str:
    """The text without what differs from run to run, or from one solver to the next."""
    for pattern, put in MASKS if exact else [*MASKS, *COUNTS]:
        text = pattern.sub(put, text)
    return text


def close(one: str, other: str, relative: float = RELATIVE) -> bool:
    """Whether two texts are the same but for the last digits of numbers that are not whole."""
    if one == other:
        return True
    if NUMBER.split(one) != NUMBER.split(other):
        return False
    return all(_near(a, b, relative) for a, b in zip(NUMBER.findall(one), NUMBER.findall(other), strict=True))


def settled(expected: str, actual: str, relative: float = RELATIVE) -> str:
    """What was recorded, line by line in the words of what is expected where the two are close."""
    old, new = expected.splitlines(), actual.splitlines()
    shapes = [[NUMBER.sub("0", line) for line in lines] for lines in (old, new)]
    for begin, start, size in SequenceMatcher(None, *shapes, autojunk=False).get_matching_blocks():
        for step in range(size):
            if close(old[begin + step], new[start + step], relative):
                new[start + step] = old[begin + step]
    return "".join(f"{line}\n" for line in new)


def difference(expected: str, actual: str, name: str) -> str:
    """A unified diff of two texts."""
    lines = unified_diff(expected.splitlines(), actual.splitlines(), f"{name} (expected)", f"{name} (now)", lineterm="")
    return "\n".join(lines)


def value(number: str) -> float:
    """What a number is, as :data:`NUMBER` finds it."""
    plain = number.replace(",", "").replace("−", "-")
    digits, _, power = plain.partition(" × 10")
    return float(digits) * 10.0 ** int(power.translate(str.maketrans(POWERS, "-0123456789")) or 0)


def _near(one: str, other: str, relative: float) -> bool:
    if one == other:
        return True
    if WHOLE.fullmatch(one) and WHOLE.fullmatch(other):
        return False
    a, b = value(one), value(other)
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), ABSOLUTE)
