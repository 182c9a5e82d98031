"""``regretless certify``: read a model's theorems against the file that it learned from."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from . import options
from .output import certificate_line, coloured, plain, verdict, warn_skipped, write_json

HELP = "certify a model against the file that it learned from"
DESCRIPTION = (
    "Every theorem about the model's learner, with what it bounds. First the rows are learned from once more: if that "
    "does not give the same model, bit for bit, they are not the rounds it played, and nothing is certified."
)


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    options.add_file(parser)
    options.add_certifying(parser)
    options.add_cache(options.add_reading(parser))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: Namespace) -> int:
    """Certify."""
    from ..certify import certify_stream
    from ..run import Continuation
    from .known import known_schema
    from .reading import read_classifier

    options.refuse_delta_alone(arguments)
    learner, extra = read_classifier(arguments.model)
    against = options.load_against(arguments)
    with options.copied_for_against(arguments):
        stream = options.open_input(arguments, known_schema(learner, Continuation.read(extra).schema))
        certificates = certify_stream(learner, stream, against=against, svm=arguments.svm, trusted=False)
    certificates += options.future(arguments, learner)
    warn_skipped(stream)
    if arguments.json:
        ledger = learner.ledger_
        write_json(
            {
                "schema": "regretless.certify/1",
                "model": arguments.model,
                "input": arguments.file,
                "learner": learner.name,
                "parameters": {name: plain(value) for name, value in learner.get_params().items()},
                "rounds": int(ledger.rounds),
                "mistakes": int(ledger.mistakes),
                "updates": int(ledger.updates),
                "certificates": [certificate.describe() for certificate in certificates],
            }
        )
    else:
        colour = coloured(sys.stdout)
        for certificate in certificates:
            print(certificate_line(certificate, colour))
    return verdict(certificates)
