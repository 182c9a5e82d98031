"""What requests ask of a model, and what they are answered that cannot be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import RegretlessError

LONGEST_ID = 200  # characters
UNAVAILABLE, CONFLICT, GONE, UNKNOWN, UNFIT = 503, 409, 410, 404, 422


class RequestError(RegretlessError):
    """What a request is answered that cannot be done.

    Parameters
    ----------
    status : int
        Of HTTP.
    words : str
    again : float, optional
        Seconds after which to try again.
    """

    def __init__(self, status: int, words: str, again: float | None = None) -> None:
        self.status, self.again = status, again
        super().__init__(words)


@dataclass(slots=True)
class Asked:
    """A row to be predicted; where it stands in its request, for messages, if there are several."""

    id: str | None
    value: Any
    place: str = ""


@dataclass(slots=True)
class Reported:
    """A label; with the input where the prediction was not written down."""

    id: str | None
    label: Any
    value: Any = None
    with_input: bool = False


def checked(id: Any) -> str:
    """An id of a client.

    Raises
    ------
    RequestError
        If it is none.
    """
    if type(id) is not str or not 0 < len(id) <= LONGEST_ID or "\x00" in id:
        raise RequestError(400, f"an id is a text of 1 to {LONGEST_ID} characters")
    return id
