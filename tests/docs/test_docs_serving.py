"""What docs/serving.md shows of a server."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from regretless.cli import main

from ..serve.asking import Client, served
from .documents import page


def printed(line: str) -> str:
    """What a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main(shlex.split(line)[1:]) == 0
    return out.getvalue()


def undated(lines: str) -> str:
    """Lines without the digest of a model, in which it is written how late its labels were."""
    return re.sub(r"model [0-9a-f]{16}", "model", lines)


@pytest.mark.parametrize(("name", "requests"), [("serving", 7), ("../README", 2)])
def test_every_answer_is_what_is_shown(
    name: str, requests: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request of the first five minutes, and of the README, is answered the line below it, and `replay` prints
    what is shown."""
    monkeypatch.chdir(tmp_path)
    text = page(name).partition("## From Python")[0]
    rows = re.search(r"<<END\n(.*?)END\n", page("serving"), re.DOTALL)
    assert rows is not None
    Path("orders.csv").write_text(rows.group(1), encoding="utf-8")
    printed("regretless learn orders.csv --target fraud --save orders.rgl")
    shown = re.findall(r"^\$ curl (?:-s )?localhost:8765(\S+) --json (.*)\n(.*)$", text, re.MULTILINE)
    assert len(shown) == requests

    async def ask(client: Client) -> list[str]:
        return [(await client.ask(path, shlex.split(body)[0].encode())).body.decode() for path, body, _ in shown]

    assert served(Path("orders.rgl"), ask) == [answer for *_, answer in shown]
    replayed = re.findall(r"^\$ (regretless replay .*)\n(.*\n.*\n)", text, re.MULTILINE)
    assert [undated(printed(command)) for command, _ in replayed] == [undated(lines) for _, lines in replayed]
