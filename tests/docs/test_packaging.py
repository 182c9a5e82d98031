"""What the files around the package say of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import regretless

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_written_once():
    """pyproject.toml has no version of its own, and the citation names that of the package."""
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert f"\nversion: {regretless.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_commands_that_exist(path):
    """Each step of a workflow is a target of the Makefile, a file of .ci, or cibuildwheel."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    steps = re.findall(r"- run: (.*)", path.read_text(encoding="utf-8"))
    assert len(steps) >= 3
    for step in steps:
        make, file = re.match(r"make ([\w-]+)", step), re.match(r"(?:sudo )?(\.ci/\w+)", step)
        known = (make and make[1] in targets) or (file and (ROOT / file[1]).is_file())
        assert known or "cibuildwheel" in step, step


def test_every_dependency_stands_in_the_table():
    """The table of dependencies has a row for each of pyproject.toml, and no other."""
    expected = {re.match(r"[\w-]+", one)[0] for one in PROJECT["project"]["dependencies"]}
    table = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8").partition("## Dependencies")[2]
    assert set(re.findall(r"^\| ([a-z][\w-]*) [^|]*\| [\d.]+ \|", table, re.MULTILINE)) == expected


def test_no_leftover_of_a_merge_or_a_patch_is_tracked():
    """Git tracks no file that a merge or a patch leaves behind, whose name ends in .orig or .rej."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no clone of the repository, or no git")
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True)
    names = listed.stdout.splitlines()
    assert "pyproject.toml" in names
    assert [name for name in names if name.endswith((".orig", ".rej"))] == []
