"""Which examples the suite looks at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DRAWN = """
import tests.conftest
{imports}
from hypothesis import given, strategies as st

numbers = []

@given(st.integers(), st.floats(), st.text())
def look(i, x, s):
    numbers.append((i, repr(x), s))

look()
print(numbers)
"""


def drawn(imports: str) -> str:
    """What a test is given in a process of its own, after these imports."""
    root = Path(__file__).parent.parent
    command = [sys.executable, "-c", DRAWN.format(imports=imports)]
    return subprocess.run(
        command, cwd=root, env=os.environ | {"HYPOTHESIS_PROFILE": "quick"}, capture_output=True, text=True, check=True
    ).stdout


def test_examples_do_not_depend_on_the_modules_that_are_loaded():
    """A test is given the same examples, whichever modules the tests before it have loaded."""
    assert drawn("") == drawn("import regretless.bandits, regretless.games, regretless.linear, tests.known")
