"""What a user's type checker says of programs that call the package."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from regretless.catalogue import TABLES, class_of

api = pytest.importorskip("mypy.api", reason="`make lint` installs mypy, and runs this file")
ROOT = Path(__file__).resolve().parents[2]
LEARNERS = [(class_of(kind, name), entry) for kind, table in TABLES.items() for name, entry in table.items()]
NONE = ["from regretless.linear import Nope", "from regretless import Percept", "regretless.experts.Hegde()"]
SOUND = ["regretless.linear.AROW(r=2.0)", "regretless.Hedge()", "regretless.compare", "regretless.load('m.rgl')"]


def _built() -> list[str]:
    """Lines that import every learner from its room, and build it of no more than it requires."""
    lines = ["import regretless", "finite_class = regretless.finite_classes.FiniteClass.named('thresholds:4')"]
    for number, (learner, entry) in enumerate(LEARNERS):
        taken = inspect.signature(learner).parameters.values()
        required = ", ".join(one.name for one in taken if one.default is one.empty)
        lines += [f"from regretless.{entry.module.split('.')[0]} import {entry.attribute} as Learner{number}"]
        lines += [f"learner{number}: Learner{number} = Learner{number}({required})"]
    return lines


def test_a_type_checker_takes_every_learner_and_no_name_that_does_not_exist(tmp_path):
    """Programs that build learners of what they require are sound; a line with a name of nothing is an error, each."""
    sound = [*_built(), *SOUND]
    program = tmp_path / "program.py"
    program.write_text("\n".join([*sound, *NONE]) + "\n")
    said, _, _ = api.run([f"--config-file={ROOT / 'pyproject.toml'}", "--no-error-summary", str(program)])
    refused = [int(line) for line in re.findall(r":(\d+): error:", said)]
    assert refused == [len(sound) + 1 + place for place in range(len(NONE))], said
