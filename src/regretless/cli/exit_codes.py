"""How a command can end."""

from __future__ import annotations

DONE = 0
FAILED = 1  # bad data, or something that went wrong on the way
USAGE = 2
VIOLATED = 3  # a bound that always holds did not
HUNG_UP = 129  # the terminal was closed
INTERRUPTED = 130  # Ctrl-C
TERMINATED = 143


class UsageError(Exception):
    """The command line itself makes no sense."""


class Ended(Exception):
    """The user or the system asked the command to end.

    Parameters
    ----------
    message : str
        What is left of the work.
    code : int
        The exit code.
    """

    def __init__(self, message: str, code: int = INTERRUPTED) -> None:
        super().__init__(message)
        self.code = code
