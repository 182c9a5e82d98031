"""Asking a server of models from Python: predictions now, labels later, and nothing counted twice."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import uuid4

from .errors import MissingError, ParameterError, RegretlessError

if TYPE_CHECKING:
    import httpx

__all__ = ["Client", "ServiceError"]

ADDRESS = "http://127.0.0.1:8765"
PASSING = (408, 429, 502, 503, 504)  # statuses after which the same request may well be answered
FIRST_WAIT, LONGEST_WAIT = 0.1, 10.0  # seconds


class ServiceError(RegretlessError):
    """The server refused a request, or could not be reached.

    Parameters
    ----------
    status : int or None
        Of HTTP; None if no answer came.
    words : str
        What the server says.
    """

    def __init__(self, status: int | None, words: str) -> None:
        self.status, self.words = status, words
        super().__init__(words if status is None else f"{status}: {words}")

    def __reduce__(self) -> tuple[type[ServiceError], tuple[int | None, str]]:
        return type(self), (self.status, self.words)


class Client:
    """A client of ``regretless serve``.

    Every prediction has an id, the caller's or one made here. A request that was not answered is sent again with the
    same ids: the server answers the same bytes, and learns a label once, however often it comes.

    Parameters
    ----------
    url : str
    model : str, optional
        The name of the model, where the server has several.
    token : str, optional
        A bearer token.
    timeout : float
        Seconds that one attempt may take.
    attempts : int
        How often a request is sent at most, at least once. Between two attempts the client waits as long as the server
        says, or a random time that doubles.
    batch : int
        Rows or labels in one request at most; the server's own limit is 1000 by default.
    transport : httpx.BaseTransport, optional
        How requests are sent: for proxies, and for tests.

    Examples
    --------
    To a server, ``Client("http://127.0.0.1:8765")``; here one that is played, so that the example runs anywhere:

    >>> import httpx
    >>> def played(request):
    ...     asked = json.loads(request.content)
    ...     more = {"status": "learnt", "sequence": 1} if "label" in asked else {"label": "honest"}
    ...     return httpx.Response(200, json={"id": asked["id"]} | more)
    >>> with Client(transport=httpx.MockTransport(played)) as client:
    ...     client.predict_one({"amount": 12.5, "country": "FI"}, id="order-17")
    ...     client.label_one("order-17", "fraud")
    {'id': 'order-17', 'label': 'honest'}
    {'id': 'order-17', 'status': 'learnt', 'sequence': 1}
    """

    def __init__(
        self,
        url: str = ADDRESS,
        *,
        model: str | None = None,
        token: str | None = None,
        timeout: float = 10.0,
        attempts: int = 6,
        batch: int = 1000,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if attempts < 1:
            raise ParameterError("attempts", str(attempts), "a whole number, at least 1")
        if batch < 1:
            raise ParameterError("batch", str(batch), "a whole number, at least 1")
        self.attempts, self.batch = attempts, batch
        self._path = "/v1" if model is None else f"/v1/models/{quote(model, safe='')}"
        self._http = _httpx().Client(
            base_url=url,
            timeout=timeout,
            headers={} if token is None else {"authorization": f"Bearer {token}"},
            transport=transport,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # ---- predictions and labels

    def predict(self, rows: Any, ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Predict rows.

        Parameters
        ----------
        rows : array of shape (n_rows, n_features), data frame, or sequence
            Of a sequence each row is a list of numbers or a mapping of values by their names; a missing value (None or
            NaN) of a mapping is left out. None is a draw of a bandit, which has no input.
        ids : sequence of str, optional
            One a row, each new. By default they are made here.

        Returns
        -------
        list of dict
            One a row, in order; each has its id under ``"id"``.

        Raises
        ------
        ServiceError
            If the server refuses the rows, or cannot be reached. What was answered before stays written down there:
            with the caller's own ids the whole call can be made again.
        """
        inputs = [_row(row) for row in _rows_of(rows)]
        keys = [uuid4().hex for _ in inputs] if ids is None else list(ids)
        if len(keys) != len(inputs):
            raise RegretlessError(f"{len(keys):,} ids for {len(inputs):,} rows; one a row is expected")
        asked = [{"id": one, "input": row} for one, row in zip(keys, inputs, strict=True)]
        return [
            answer for part in self._parts(asked) for answer in self._post("predict", {"rows": part})["predictions"]
        ]

    def predict_one(self, row: Any, id: str | None = None) -> dict[str, Any]:
        """Predict one row; see `predict`."""
        answer: dict[str, Any] = self._post("predict", {"id": id or uuid4().hex, "input": _row(row)})
        return answer

    def label(self, labels: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
        """Report labels by the ids of their predictions; they are learned in this order.

        Parameters
        ----------
        labels : mapping or iterable of pairs
            Of ids and labels, outcomes or losses.

        Returns
        -------
        list of dict
            One a label, with its ``"sequence"`` where it was learned, its ``"code"`` and ``"reason"`` where not: one
            that is refused does not keep the others from being learned.
        """
        pairs = labels.items() if isinstance(labels, Mapping) else labels
        reported = [{"id": one, "label": _plain(label)} for one, label in pairs]
        parts = (self._post("label", {"labels": part})["labels"] for part in self._parts(reported))
        return [result for part in parts for result in part]

    def label_one(self, id: str, label: Any) -> dict[str, Any]:
        """Report one label.

        Raises
        ------
        ServiceError
            Also if the server does not know the id (404), or another label was learned for it (409).
        """
        result: dict[str, Any] = self._post("label", {"id": id, "label": _plain(label)})
        return result

    # ---- what can be read

    def model(self) -> dict[str, Any]:
        """The learner, what may be sent to it, and how far it is."""
        return self._get("model")

    def certificate(self) -> dict[str, Any]:
        """Its theorems beside what was observed."""
        return self._get("certificate")

    def history(self) -> dict[str, Any]:
        """How the counts grew, how late labels were, and the latest mistakes."""
        return self._get("history")

    def shadow(self) -> dict[str, Any]:
        """The second learner, and the difference of the mistakes of both within its interval."""
        return self._get("shadow")

    def alarms(self) -> dict[str, Any]:
        """The alarm on mistakes, and what is promised of false ones."""
        return self._get("alarms")

    def promote(self, shadow: str) -> dict[str, Any]:
        """Let the second learner of this name answer from here on; asked again, nothing changes."""
        answer: dict[str, Any] = self._post("promote", {"shadow": shadow})
        return answer

    # ---- requests

    def _get(self, verb: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._answered("GET", verb, None)
        return answer

    def _post(self, verb: str, value: Any) -> Any:
        try:
            body = json.dumps(value, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise RegretlessError(
                f"this cannot be sent as JSON: {error}; finite numbers and texts are expected"
            ) from error
        return self._answered("POST", verb, body)

    def _answered(self, method: str, verb: str, body: bytes | None) -> Any:
        """The answer to a request that may be sent several times."""
        for attempt in range(1, self.attempts + 1):
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * random.uniform(0.5, 1)
            try:
                answer = self._http.request(
                    method, f"{self._path}/{verb}", content=body, headers={"content-type": "application/json"}
                )
            except _httpx().TransportError as error:
                failure = ServiceError(None, f"{self._http.base_url} does not answer ({error or type(error).__name__})")
            else:
                if answer.status_code < 400:
                    return _json(answer)
                failure = ServiceError(answer.status_code, _words(answer))
                if answer.status_code not in PASSING:
                    raise failure
                wait = max(wait, _seconds(answer.headers.get("retry-after")))
            if attempt < self.attempts:
                time.sleep(wait)
        raise failure

    def _parts(self, items: list[Any]) -> Iterator[list[Any]]:
        return (items[start : start + self.batch] for start in range(0, len(items), self.batch))


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise MissingError.of_extra("the client needs httpx", "client", "httpx") from error
    return httpx


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError as error:
        words = f"{answer.url} does not answer in JSON; is a proxy in between? Its answer begins: {answer.text[:200]!r}"
        raise ServiceError(answer.status_code, words) from error


def _words(answer: httpx.Response) -> str:
    """What the server says of a refusal; of another server than ours the beginning of its page."""
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return str(answer.text[:200])


def _seconds(header: str | None) -> float:
    return min(LONGEST_WAIT, float(header)) if header and header.isdigit() else 0.0


def _rows_of(rows: Any) -> Iterable[Any]:
    if isinstance(rows, Mapping | str | bytes):
        raise RegretlessError("several rows are expected; predict_one takes a single one")
    if hasattr(rows, "iter_rows"):  # of polars
        return list(rows.iter_rows(named=True))
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # of pandas
        return list(rows.to_dict("records"))
    return list(rows)


def _row(row: Any) -> Any:
    if row is None:  # a draw of a bandit has no input
        return None
    if hasattr(row, "to_dict"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        values = {str(name): _plain(value) for name, value in row.items()}
        return {name: value for name, value in values.items() if value is not None and value == value}
    return [_plain(value) for value in row]


def _plain(value: Any) -> Any:
    """A value of numpy as Python's own."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
