"""Whenever a run is killed its file is the whole old one or the whole new one, and the next run ends as if it were not.

`make kills` kills 500; REGRETLESS_KILLS says how many, REGRETLESS_SEED at which moments.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KINDS = ("learn", "combine", "mixing", "pull")
KILLS = int(os.environ.get("REGRETLESS_KILLS", "20"))
SEED = int(os.environ.get("REGRETLESS_SEED", "0"))
LONGEST = 120 + 30 * KILLS  # seconds, of a machine that has much other work
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forks of one process, and this system has none")
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_run_loses_nothing_that_was_saved(tmp_path, kind):
    """Killed at any moment, a run leaves no half of a file, what is kept of it finishes to the bytes of a run that was
    never killed, and the next run removes what it left over."""
    command = [sys.executable, "-m", "tests.kills", kind, tmp_path, -(-KILLS // len(KINDS)), SEED]
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    print(done.stdout, end="")
