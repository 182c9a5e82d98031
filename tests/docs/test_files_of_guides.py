"""Guides make the files that their first commands read."""

from __future__ import annotations

import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from ..command_line import CommandLine

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ["linear", "experts", "bandits", "logs", "regression", "intervals", "alarms", "coming-from"]


def make(line: str) -> None:
    """The file that a line of Python in a shell makes."""
    _, _, code, _, name = shlex.split(line)
    with redirect_stdout(StringIO()) as printed:
        exec(code, {})
    Path(name).write_text(printed.getvalue())


@pytest.mark.parametrize("guide", GUIDES)
def test_commands_of_a_guide_run_on_the_file_that_it_makes(
    guide: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After its line of Python no command of the block says that a file is missing or has another column."""
    run = CommandLine(capsys, monkeypatch)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```\n(python3 -c .*?)^```", (DOCS / f"{guide}.md").read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    for line in "".join(blocks).splitlines():
        words = shlex.split(line)
        if words[0] == "python3":
            make(line)
        elif words[0] == "printf":
            Path(words[-1]).write_text(words[1].replace("\\n", "\n"))
        elif words[0] == "cut":
            rows = Path("flights.csv").read_text().splitlines()[:6]
            Path(words[-1]).write_text("\n".join(row.rpartition(",")[0] for row in rows) + "\n")
        else:
            command = run(*("5" if one == "100" else one for one in words[1:]))  # runs
            assert command.code == 0, (line, command.err)
