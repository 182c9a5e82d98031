"""Runs the commands that a document shows, so that what is printed below them is what they print.

``python docs/tour.py`` prints docs/tour.md with the output of its ``console`` blocks; with ``--write`` it puts it
there. A test compares. The commands run in a folder of their own, one after the other.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from regretless.cli import main

PAGE = Path(__file__).resolve().parent / "tour.md"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
ELSEWHERE = "/home/you"  # what stands for the folder


def filled(text: str, folder: str) -> str:
    """The document, each command of its console blocks followed by what it prints."""
    return BLOCK.sub(lambda block: "".join(_run(line, folder) for line in _commands(block[0])), text)


def _commands(block: str) -> list[str]:
    """The commands that the reader types: those behind a prompt, but for the ones that a command itself prints."""
    lines = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    return lines[:1] if lines[:1] == ["regretless demo"] else lines


def _run(command: str, folder: str) -> str:
    words = shlex.split(command)
    alone = words[0] == "regretless" and not set(command) & set("|<>;&$`*")
    printed = _in_this_process(words[1:], folder) if alone else _by_the_shell(command, folder)
    return f"$ {command}\n" + printed.replace(os.path.realpath(folder), ELSEWHERE)


def _in_this_process(words: list[str], folder: str) -> str:
    """What a verb prints; a process of its own would be most of what it takes."""
    screen = io.StringIO()
    with chdir(folder), redirect_stdout(screen), redirect_stderr(screen):
        code = main(words)
    if code != 0:
        raise RuntimeError(f"{words}: exit code {code}: {screen.getvalue()}")
    return screen.getvalue()


def _by_the_shell(command: str, folder: str) -> str:
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        text = filled(PAGE.read_text(encoding="utf-8"), folder)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
