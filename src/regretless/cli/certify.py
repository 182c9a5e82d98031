"""``regretless certify``: read a model's theorems against the file that it learned from."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..catalogue import CLASSIFICATION
from . import options, shards
from .arguments import CertifyingOptions
from .files import copied_for_against, load_against, refuse_foreign, refuse_overwriting, refuse_swapped, write_vectors
from .output import (
    FAILED,
    Console,
    UsageError,
    certificate_values,
    complain,
    learner_values,
    print_certificates,
    verdict,
    warn_skipped,
    write_json,
)
from .signals import certifying

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..linear.base import OnlineClassifier
    from ..regression.base import OnlineRegressor

HELP = "certify a model against the file that it learned from"
DESCRIPTION = (
    "Every theorem about the model's learner, with what it bounds. First the rows are learned from once more: if that "
    "does not give the same model, bit for bit, they are not the rounds it played, and nothing is certified."
)


class CertifyOptions(CertifyingOptions):
    """Of `certify`."""

    model: str
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    options.add_files(parser, needed=False)
    options.add_certifying(parser)
    shards.add_workers(parser)
    options.add_cache(options.add_reading(parser))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: CertifyOptions) -> int:
    """Certify."""
    from .read_model import read_predictor

    refuse_swapped(arguments.model, arguments.files)
    refuse_foreign(arguments.save_comparators)
    inputs = [arguments.model, *arguments.files, *filter(None, [arguments.against])]
    refuse_overwriting(inputs, [arguments.cache, arguments.save_comparators])
    if shards.are_shards(arguments):
        shards.refuse_contradictions(arguments)
    elif arguments.files:
        shards.only_file(arguments)
    learner, extra = read_predictor(arguments.model)
    if not arguments.files:
        return _certify_without_rows(arguments, learner, extra)
    against = load_against(arguments)
    options.warn_idle_search(arguments, learner)
    certify: Callable[[CertifyOptions, Any, dict[str, Any], Any], list[Certificate]]
    if learner.info.task != CLASSIFICATION:
        certify = _certify_numbers
    elif shards.are_shards(arguments):
        certify = _certify_shards
    else:
        shards.refuse_mixed(arguments.model, extra)
        certify = _certify_file
    with certifying(lambda: "the model is as it was"):
        certificates = certify(arguments, learner, extra, against)
    if learner.info.task == CLASSIFICATION:
        certificates += options.future(arguments, learner)
    write_vectors(arguments.save_comparators, certificates)
    _tell(arguments, learner, certificates, extra)
    if any(one.of_other_rounds for one in certificates):
        where = "learned from other rows than these, in another order, or by a version that rounds otherwise"
        complain(f"{arguments.model} {where}")
        return verdict(certificates) or FAILED
    return verdict(certificates)


def _certify_without_rows(arguments: CertifyOptions, learner: Any, extra: dict[str, Any]) -> int:
    """Certify by the sums that a model has: of labels the risk on new rows, of numbers what compares with all vectors.

    Raises
    ------
    UsageError
        If there are no such certificates.
    """
    from .outcomes import coverage_of
    from .read_model import continuation_of

    of_rows = {
        "--against": arguments.against,
        "--save-comparators": arguments.save_comparators,
        "--svm": arguments.svm,
        "--workers": arguments.workers,
        "--dask": arguments.dask,
    }
    options.refuse_set(of_rows, "needs the FILE of the rows")
    if learner.info.task != CLASSIFICATION:
        options.refuse_set({"--iid": arguments.iid}, "is for learners of labels")
        certificates = learner.declined("the rounds must be read again: give the file that it learned from")
        certificates += coverage_of(continuation_of(learner, extra).progressive)
    elif not arguments.iid:
        raise UsageError("name the FILE that the model learned from, whose rows are read again; --iid alone needs none")
    else:
        certificates = options.future(arguments, learner)
    _tell(arguments, learner, certificates, extra)
    return verdict(certificates)


def _certify_numbers(
    arguments: CertifyOptions, learner: OnlineRegressor, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    """Certify a model of numbers.

    Raises
    ------
    UsageError
        If something is asked that is about labels or shards.
    """
    from ..certify import certify_outcomes
    from .outcomes import coverage_of
    from .read_model import continuation_of, known_schema

    if shards.are_shards(arguments):
        raise UsageError("numbers are learned from one file; shards are for labels")
    options.refuse_set(
        {"--svm": arguments.svm, "--deep": arguments.deep, "--iid": arguments.iid}, "is for learners of labels"
    )
    path, goes_on = shards.only_file(arguments), continuation_of(learner, extra)
    with copied_for_against(arguments, path) as copied:
        stream = options.open_input(path, copied, known_schema(learner, goes_on.schema))
        certificates = certify_outcomes(learner, stream, against=against, trusted=False)
    warn_skipped(stream)
    return certificates + coverage_of(goes_on.progressive)


def _certify_file(
    arguments: CertifyOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    from ..certify import certify_stream
    from ..run.linear import Continuation
    from .read_model import known_schema

    path = shards.only_file(arguments)
    with copied_for_against(arguments, path) as copied:
        stream = options.open_input(path, copied, known_schema(learner, Continuation.read(extra).schema))
        certificates = certify_stream(
            learner, stream, against=against, svm=arguments.svm, deep=arguments.deep, trusted=False
        )
    warn_skipped(stream)
    return certificates


def _certify_shards(
    arguments: CertifyOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    """Certify a model, mixed or not, over shards.

    Raises
    ------
    RegretlessError
        If these are other shards, or one cannot be read.
    """
    from ..distributed.certify import certify_shards
    from ..distributed.checkpoint import SavedRun
    from ..distributed.result import Mixture
    from ..run.linear import Continuation
    from .read_model import known_schema
    from .shards import open_engine, open_shards, paths_of

    saved = None if extra.get("mixing") is None else SavedRun.of(extra)
    schema = known_schema(learner, Continuation.read(extra).schema)
    parts = open_shards(arguments, saved, schema)
    refuse_overwriting(paths_of(parts), [arguments.save_comparators])
    how = {"against": against, "svm": arguments.svm, "deep": arguments.deep, "trusted": False}
    console = Console(quiet=arguments.json)
    try:
        with open_engine(arguments, len(parts), console) as engine:
            engine.begin("certificates")
            if saved is not None:
                return Mixture.read(arguments.model, parts).certify(engine, **how)
            return certify_shards(learner, parts, engine, schema=schema, **how)
    finally:
        console.settle()


def _tell(arguments: CertifyOptions, learner: Any, certificates: list[Certificate], extra: Mapping[str, Any]) -> None:
    if not arguments.json:
        print_certificates(certificates)
        return
    target = arguments.target or (extra.get("schema") or {}).get("target")
    read: Any = arguments.files if shards.are_shards(arguments) else next(iter(arguments.files), None)
    write_json(
        {
            "schema": "regretless.certify/1",
            "model": arguments.model,
            "input": read,
            **({} if target is None else {"target": target}),
            **learner_values(learner),
            **certificate_values(certificates),
        }
    )
