"""What a request asks of a model, the rows and labels in its body, and what it is answered that cannot be done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import RegretlessError
from .wire import MalformedBody, TooManyRows, read_arrow, read_json, read_lines

# A page from elsewhere cannot have a browser send these without asking first, as it can others.
JSON, LINES, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
UNSUPPORTED = f"the header Content-Type says what the body is: {JSON}, {LINES} or {ARROW}"
LONGEST_ID = 200  # characters
LOOKS = 4  # at bodies that are late, in the time that is allowed
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
class RowRequest:
    """A row to be predicted; where it stands in its request, for messages, if there are several."""

    id: str | None
    value: Any
    place: str = ""


@dataclass(slots=True)
class LabelReport:
    """A label; with the input where the prediction was not written down."""

    id: str | None
    label: Any
    value: Any = None
    with_input: bool = False


def check_id(id: Any) -> str:
    """An id of a client.

    Raises
    ------
    RequestError
        If it is none.
    """
    if type(id) is not str or not 0 < len(id) <= LONGEST_ID or "\x00" in id:
        raise RequestError(400, f"an id is a text of 1 to {LONGEST_ID} characters")
    return id


def read_rows(kind: str, body: bytes, most: int) -> tuple[list[RowRequest], bool]:
    """The rows to be predicted, and whether they are many.

    Raises
    ------
    RequestError
        If the body is not what it is to be.
    """
    items, many = _items(kind, body, "rows", most)
    asked = []
    for place, item in items:
        if type(item) is not dict or not set(item) <= {"id", "input"}:
            raise RequestError(400, f"{place}a row to be predicted is an object with input and, if you like, id")
        asked.append(RowRequest(item.get("id"), item.get("input"), place))
    return asked, many


def read_labels(kind: str, body: bytes, most: int) -> tuple[list[LabelReport], bool]:
    """The labels, and whether they are many.

    Raises
    ------
    RequestError
        If the body is not what it is to be.
    """
    items, many = _items(kind, body, "labels", most)
    reported = []
    for place, item in items:
        if type(item) is not dict or not set(item) <= {"id", "label", "input"} or not {"id", "input"} & set(item):
            fault = "a label is an object with id and label; with input where nothing was predicted"
            raise RequestError(400, f"{place}{fault}")
        if "label" not in item:
            raise RequestError(400, f"{place}label is missing")
        reported.append(LabelReport(item.get("id"), item["label"], item.get("input"), "input" in item))
    return reported, many


def read_promotion(kind: str, body: bytes) -> str:
    """The name of the second learner that is to answer.

    Raises
    ------
    RequestError
        If the body is not what it is to be.
    """
    if kind != JSON:
        raise RequestError(415, f"the header Content-Type says what the body is: {JSON}")
    try:
        value = read_json(body)
    except MalformedBody as error:
        raise RequestError(400, str(error)) from error
    if type(value) is not dict or set(value) != {"shadow"} or type(value["shadow"]) is not str:
        raise RequestError(400, "an object is expected whose shadow is the name of the second learner")
    name: str = value["shadow"]
    return name


def _items(kind: str, body: bytes, name: str, most: int) -> tuple[list[tuple[str, Any]], bool]:
    """The items of a body, each behind its place in words for a message, where they may be many; and whether so."""
    try:
        if kind == JSON:
            value = read_json(body)
            many = type(value) is dict and set(value) == {name}
            if many and type(value[name]) is not list:
                raise RequestError(400, f"{name} is a list of objects")
            items = _placed(value[name]) if many else [("", value)]
        elif kind == LINES:
            if body.count(b"\n") + (not body.endswith(b"\n")) > most:  # empty lines take their time too
                raise _too_many(most)
            items, many = [(f"line {number}: ", value) for number, value in read_lines(body)], True
        elif kind == ARROW:
            items, many = _placed(_of_arrow(body, most)), True
        else:
            raise RequestError(415, UNSUPPORTED)
    except MalformedBody as error:
        raise RequestError(400, str(error)) from error
    if not items:
        raise RequestError(400, f"there are no {name} in the body")
    return items, many


def _placed(items: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"row {number}: ", value) for number, value in enumerate(items, 1)]


def _too_many(most: int) -> RequestError:
    return RequestError(413, f"more than {most} rows in one request")


def _of_arrow(body: bytes, most: int) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow stream: of its columns id and label are such, all others are the input by their names."""
    try:
        for row in read_arrow(body, most):
            item: dict[str, Any] = {name: row.pop(name) for name in ("id", "label") if name in row}
            if row:
                item["input"] = {name: value for name, value in row.items() if value is not None}
            yield item
    except TooManyRows:
        raise _too_many(most) from None


class SlowBodies:
    """The tasks that wait for bodies; one look at all of them costs less than a timer for each.

    Parameters
    ----------
    seconds : float
        In which a body must have come, and hardly more.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began: dict[asyncio.Task[Any], float] = {}
        self._ended: set[asyncio.Task[Any]] = set()
        self._looking = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While the current task waits for its body.

        Raises
        ------
        RequestError
            If that does not come in time.
        """
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._began[task] = loop.time()
        if not self._looking:
            self._looking = True
            loop.call_later(self._seconds / LOOKS, self._look, loop)
        try:
            yield
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            raise RequestError(408, f"the body did not come within {self._seconds:g} seconds") from None
        finally:
            del self._began[task]
            self._ended.discard(task)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        late = loop.time() - self._seconds
        for task in [task for task, began in self._began.items() if began <= late and task not in self._ended]:
            self._ended.add(task)
            task.cancel()
        self._looking = bool(self._began)
        if self._looking:
            loop.call_later(self._seconds / LOOKS, self._look, loop)
