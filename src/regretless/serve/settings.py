"""Settings of a server: limits, and what happens to labels that never come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DAY = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits of a server.

    Attributes
    ----------
    body : int
        Bytes of a request, at most.
    rows : int
        Rows or labels of a request, at most.
    queue : int
        Rows and labels that wait for the disk, at most; beyond, requests are asked to come again.
    body_seconds : float
        In which the body of a request must have come.
    log_predictions : bool
        Whether predictions are written down before they are answered. If not, labels come with their inputs.
    expire : float or None
        Seconds after which a prediction without a label is given up.
    default_loss : float or None
        What bandits learn then.
    snapshot_every : int
        Predictions and labels from one snapshot to the next.
    hosts : tuple of str or None
        Names by which a server without tokens may be asked, besides those of the loopback; None: by any.
    log_requests : {"none", "paths", "bodies"}
        What the server's own log says of each request.
    alarm : mapping or None
        Settings of `regretless.alarms.Watch` for the mistakes, the losses or minus the rewards of each model; the
        reference in the unit of these, or of rewards themselves.
    most_loss : float or None
        As which larger losses count, in the alarm and beside a second learner.
    alert_url : str or None
        To which each alarm is posted.
    """

    body: int = 8 * 2**20
    rows: int = 1000
    queue: int = 20_000
    body_seconds: float = 30.0
    log_predictions: bool = True
    expire: float | None = None
    default_loss: Any = None
    snapshot_every: int = 10_000
    hosts: tuple[str, ...] | None = ()
    log_requests: str = "none"
    alarm: Mapping[str, Any] | None = None
    most_loss: float | None = None
    alert_url: str | None = None
