"""The types of a report's entries: a malformed report is refused, and the error names the wrong key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .checks import Malformed

Fields = Mapping[str, Any]
Test = Callable[[Any], bool]


def _number(value: Any) -> bool:
    """What JSON has as text for a number that is not finite is one."""
    return value in ("inf", "-inf", "nan") if isinstance(value, str) else _plain(value)


def _plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _listed(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _keyed(test: Test) -> Test:
    return lambda value: isinstance(value, dict) and all(map(test, value.values()))


def _stretch(value: Any) -> bool:
    return isinstance(value, list) and [type(one) for one in value] == [str, int, int]


TESTS: dict[str, Test] = {
    "a number": _number,
    "a whole number": _count,
    "text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "an object": lambda value: isinstance(value, dict),
    "a list of objects": _listed(lambda value: isinstance(value, dict)),
    "a list of numbers": _listed(_number),
    "a list of labels": _listed(lambda value: isinstance(value, str) or _plain(value)),
    "lists of numbers": lambda value: _listed(_number)(value) or _listed(_listed(_number))(value),
    "two numbers": lambda value: _listed(_plain)(value) and len(value) == 2,
    "an object of numbers": _keyed(_number),
    "an object of objects": _keyed(lambda value: isinstance(value, dict)),
    "stretches of a name and two rounds": _listed(_stretch),
    "null": lambda value: value is None,
}


def _keys(types: str, *names: str) -> dict[str, str]:
    return {name: types for line in names for name in line.split()}


CERTIFICATE = {
    **_keys("text", "theorem kind quantity source formula"),
    **_keys("a number or null", "observed bound rounding confidence"),
    **_keys("true or false", "vacuous applies"),
    **_keys("true or false or null", "at_once"),
    **_keys("text or null", "why assuming"),
    **_keys("an object or null", "comparator constants"),
    "parts": "a list of objects or null",
}
OF_DEEP = {"quick_bound": "a number or null"}  # that a certificate of a deep search alone has
COMPARATOR = {
    **_keys("text", "name"),
    **_keys("a number", "norm hinge squared_hinge rounds bias"),
    **_keys("a number or null", "loss margin regret"),
    **_keys("a whole number or null", "expert switches place row column"),
    **_keys("lists of numbers or null", "vector weights"),
    "detail": "an object",
}
CONSTANTS = _keys("an object", "ledger comparator learner")
PARAMETERS = {
    **_keys("a number", "intercept tau epsilon C r a quantile"),
    **_keys("a number or null", "eta beta explore alpha delta gamma"),
    **_keys("a number or true or false or null", "share"),
    **_keys("a number or text", "p"),
    **_keys("a whole number or null", "horizon switches"),
    **_keys("a whole number", "passes"),
    **_keys("true or false", "rewards balanced until_clean epochs coins"),
    **_keys("true or false or null", "linearize"),
    **_keys("text", "matrix variant estimator around update_on loss"),
    **_keys("a number or text", "ties"),
    **_keys("a whole number or text", "full"),
    **_keys("a list of numbers", "rates priors"),
    **_keys("two numbers or null", "value_range"),
    **_keys("a number or a list of numbers or null", "prior"),
}
PARAMETERS["rate"] = "a number or text or null"
ASKED = _keys("a number", "share") | _keys("a whole number", "seed rounds outcomes")
HEADS = {
    **_keys("text", "learner task loss_name method game best_arm"),
    **_keys("a whole number", "experts arms rows columns seed runs missing"),
    **_keys("a number", "rounds mean_loss pseudo_regret best_arm_loss value gap lower upper"),
    **_keys("a whole number or an object of numbers", "mistakes updates"),
    **_keys("a number or an object or null", "loss"),
    **_keys("a number or null", "joint_confidence"),
    **_keys("a number", "confidence anytime_confidence"),
    **_keys("an object of objects", "estimates"),
    **_keys("an object", "parameters log"),
    **_keys("a list of labels", "classes"),
    **_keys("an object of numbers", "expert_losses row_strategy column_strategy draws"),
    "comparators": "an object of objects",
    **_keys("a list of objects", "certificates policies"),
    "observable": "an object or null",
}
IN_TURNS = _keys("an object of objects", "row_strategy column_strategy")  # by information set
EXPLORED = {
    **_keys("an object of numbers", "estimates"),  # of one policy, the learner
    **_keys("a whole number", "features"),
    **_keys("text", "regressor"),
    **_keys("an object", "regressor_parameters"),
    **_keys("a list of numbers", "halvings"),
    **_keys("lists of numbers", "curve"),
    **_keys("two numbers or null", "interval"),
}


def refuse_misshapen(report: Fields) -> None:
    """Look at the types of all that is read.

    Raises
    ------
    Malformed
        With the key that is wrong, what is there, and what was expected.
    """
    explored = str(report["schema"]).startswith("regretless.explore/")
    in_turns = report.get("game") == "sequence form"
    _look(report, HEADS | (EXPLORED if explored else {}) | (IN_TURNS if in_turns else {}), "")
    _look(report.get("parameters", {}), PARAMETERS, "parameters.")
    if str(report["schema"]).startswith("regretless.combine/") and "asked" in report:
        _one(report["asked"], "an object", "asked")
        for name, expected in ASKED.items():
            _one(report["asked"].get(name), expected, f"asked.{name}")
        if report["asked"]["seed"] >= 2**64:
            raise Malformed(f"asked.seed is {report['asked']['seed']}; a whole number below 2^64 was expected")
    for name, fields in (report.get("comparators") or {}).items():
        _look(
            fields,
            {"loss": "a number or null", "regret": "a number or null", "detail": "an object"},
            f"comparators.{name}.",
        )
        _detail(fields, f"comparators.{name}.")
    for part in report.get("policies", ()):
        refuse_misshapen(part)
    for place, one in enumerate(report["certificates"] if "policies" not in report else ()):
        here = f"certificates[{place}]."
        missing = [name for name in CERTIFICATE if name not in one]
        if missing:
            raise Malformed(f"{here}{missing[0]} is missing; {CERTIFICATE[missing[0]]} was expected")
        _look(one, CERTIFICATE | OF_DEEP, here)
        for part, where in _parts(one, here):
            _part(part, where)


def _parts(certificate: Fields, here: str) -> Iterator[tuple[Fields, str]]:
    yield certificate, here
    for place, part in enumerate(certificate["parts"] or ()):
        yield part, f"{here}parts[{place}]."


def _part(part: Fields, here: str) -> None:
    for name in ("observed", "bound", "comparator", "constants"):
        if name not in part:
            raise Malformed(f"{here}{name} is missing; {CERTIFICATE[name]} was expected")
    _look(part, CERTIFICATE, here)
    _look(part["comparator"] or {}, COMPARATOR, f"{here}comparator.")
    _detail(part["comparator"] or {}, f"{here}comparator.")
    constants = part["constants"]
    if constants is None:
        return
    for owner, expected in CONSTANTS.items():
        _one(constants.get(owner), expected, f"{here}constants.{owner}")
    for name, value in constants["ledger"].items():
        if isinstance(value, str):
            _one(value, "a number", f"{here}constants.ledger.{name}")


def _detail(comparator: Fields, here: str) -> None:
    fields = {"stretches": "stretches of a name and two rounds", "weights": "an object of numbers"}
    _look(comparator.get("detail") or {}, fields, f"{here}detail.")


def _look(fields: Fields, types: Mapping[str, str], here: str) -> None:
    for name, expected in types.items():
        if name in fields:
            _one(fields[name], expected, f"{here}{name}")


def _one(value: Any, expected: str, key: str) -> None:
    if not any(TESTS[choice](value) for choice in _choices(expected)):
        shown = "null" if value is None else "true" if value is True else "false" if value is False else repr(value)
        raise Malformed(f"{key} is {shown[:60]}; {expected} was expected")


def _choices(expected: str) -> list[str]:
    """The tests of which one must hold; "true or false" is one."""
    types = expected.replace("true or false", "true|false").split(" or ")
    return [one.replace("true|false", "true or false") for one in types]
