"""``regretless certify``: read a model's theorems against the file that it learned from."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from . import mixing, options
from .files import refuse_foreign, refuse_overwriting, write_vectors
from .output import described, plain, print_certificates, verdict, warn_skipped, write_json
from .signals import certifying

if TYPE_CHECKING:
    from ..linear.base import OnlineClassifier
    from ..theorem import Certificate
    from .arguments import CertifyOptions

HELP = "certify a model against the file that it learned from"
DESCRIPTION = (
    "Every theorem about the model's learner, with what it bounds. First the rows are learned from once more: if that "
    "does not give the same model, bit for bit, they are not the rounds it played, and nothing is certified."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    options.add_files(parser)
    options.add_certifying(parser)
    mixing.add_workers(parser)
    options.add_cache(options.add_reading(parser))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: CertifyOptions) -> int:
    """Certify."""
    from .read_model import read_classifier

    options.refuse_delta_alone(arguments)
    refuse_foreign(arguments.save_comparators)
    inputs = [arguments.model, *arguments.files, *filter(None, [arguments.against])]
    refuse_overwriting(inputs, [arguments.cache, arguments.save_comparators])
    if mixing.asked(arguments):
        mixing.refuse_nonsense(arguments)
    else:
        mixing.only_file(arguments)
    learner, extra = read_classifier(arguments.model)
    against = options.load_against(arguments)
    if mixing.asked(arguments):
        from .mixing_engine import certify_over_shards as certify
    else:
        mixing.refuse_mixed(arguments.model, extra)
        certify = _certify
    with certifying(lambda: "the model is as it was"):
        certificates = certify(arguments, learner, extra, against)
    certificates += options.future(arguments, learner)
    write_vectors(arguments.save_comparators, certificates)
    _tell(arguments, learner, certificates)
    return verdict(certificates)


def _certify(
    arguments: CertifyOptions, learner: OnlineClassifier, extra: dict[str, Any], against: Any
) -> list[Certificate]:
    from ..certify import certify_stream
    from ..run.linear import Continuation
    from .read_model import known_schema

    path = mixing.only_file(arguments)
    with options.copied_for_against(arguments, path) as copied:
        stream = options.open_input(path, copied, known_schema(learner, Continuation.read(extra).schema))
        certificates = certify_stream(learner, stream, against=against, svm=arguments.svm, trusted=False)
    warn_skipped(stream)
    return certificates


def _tell(arguments: CertifyOptions, learner: OnlineClassifier, certificates: list[Certificate]) -> None:
    if not arguments.json:
        print_certificates(certificates)
        return
    ledger = learner.ledger_
    write_json(
        {
            "schema": "regretless.certify/1",
            "model": arguments.model,
            "input": arguments.files if mixing.asked(arguments) else arguments.files[0],
            "learner": learner.name,
            "parameters": {name: plain(value) for name, value in learner.get_params().items()},
            "rounds": int(ledger.rounds),
            "mistakes": int(ledger.mistakes),
            "updates": int(ledger.updates),
            "loss": ledger.loss,
            "classes": [plain(label) for label in learner.classes_],
            **described(certificates),
        }
    )
