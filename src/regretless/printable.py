"""Text of users as a terminal may show it: nothing in it moves the cursor, changes colours, breaks or turns a line."""

from __future__ import annotations

import re

# Control characters but the tab, line and paragraph separators, and what changes the direction of writing.
_UNSHOWN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""The text with a backslash and a code in place of what a terminal would obey, as ``\x1b`` for Escape."""
    return _UNSHOWN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def is_printable(text: str) -> bool:
    """Whether it can be shown as it is."""
    return _UNSHOWN.search(text) is None
