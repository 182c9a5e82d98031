"""Reports on logs, as ``regretless verify`` reads them: the log and the policies anew, as the report names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError
from .output import UsageError

if TYPE_CHECKING:
    from ..verify import Check
    from ..verify.off_policy import Policy
    from .logs import NamedPolicy
    from .verify import VerifyOptions


def check_log(arguments: VerifyOptions, report: dict[str, Any], _: dict[str, Any]) -> list[Check]:
    """The checks of what ``evaluate`` or ``pull --logged`` printed.

    Raises
    ------
    RegretlessError
        If the log cannot be read as the report says, or has no such policies.
    """
    from .. import verify
    from .logs import LogOptions, policies_of, read_evaluated

    parts = report.get("policies", [report])
    read = dict.fromkeys(LogOptions.fields()) | parts[0]["log"]
    texts = [one["policy"] for one in parts if "learner" not in one]
    options = LogOptions(**(read | {"file": arguments.file, "format": arguments.format}))
    try:
        log = read_evaluated(options)
        asked = policies_of(texts, options, log)
    except UsageError as error:
        raise RegretlessError(f"{arguments.report} and {arguments.file}: {error}") from error
    return verify.off_policy.check(report, log, [_plain(one) for one in asked])


def _plain(named: NamedPolicy) -> Policy:
    """A policy as arrays alone."""
    import numpy as np

    from ..bandits.off_policy import Choices, Randomised, Stated
    from ..verify.off_policy import Policy

    log, policy = named.log, named.policy
    if isinstance(policy, Stated):
        return Policy(named.name, log, stated=np.asarray(policy.probabilities, dtype=np.float64))
    if isinstance(policy, Randomised):
        return Policy(named.name, log, each=np.asarray(policy.probabilities))
    if isinstance(policy, Choices):
        places = {name: place for place, name in enumerate(log.names)}
        unknown = [str(name) for name in policy.actions if str(name) not in places]
        if unknown:
            raise RegretlessError(f"{log.name}: {named.text} takes {unknown[0]!r}, an action that the log never took")
        return Policy(named.name, log, chosen=np.array([places[str(name)] for name in policy.actions]))
    table = [policy.get(name, 0.0) for name in log.names] if isinstance(policy, Mapping) else policy
    shape = len(log.situations), len(log.names)
    return Policy(named.name, log, table=np.broadcast_to(np.asarray(table, dtype=np.float64), shape))
