"""``regretless export``: a model as a graph of ONNX."""

from __future__ import annotations

from argparse import ArgumentParser

from . import options
from .arguments import Arguments
from .output import DONE, write_json

SCHEMA = "regretless.export/1"
HELP = "write a model for other runtimes (ONNX)"
DESCRIPTION = (
    "Writes a model of `learn` that predicts by one product of weights and rows as a graph of ONNX, which predicts the "
    "same labels or numbers from the same columns. Others are refused."
)


class ExportOptions(Arguments):
    """Of `export`."""

    model: str
    onnx: str
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    options.add_model(parser)
    parser.add_argument("--onnx", metavar="OUT", required=True, help="where to write the graph")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: ExportOptions) -> int:
    """Export."""
    from .. import load
    from ..atomic_write import replacing
    from ..compat.onnx import to_onnx

    learner = load(arguments.model)
    model = to_onnx(learner)
    with replacing(arguments.onnx) as file:
        file.write(model.SerializeToString())
    columns = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    outputs = [output.name for output in model.graph.output]
    if arguments.json:
        write_json(
            {
                "schema": SCHEMA,
                "onnx": arguments.onnx,
                "learner": learner.name,
                "features": columns,
                "outputs": outputs,
            }
        )
    else:
        print(f"{arguments.onnx}: {learner.name}, input X of {columns} features, outputs {', '.join(outputs)}")
    return DONE
