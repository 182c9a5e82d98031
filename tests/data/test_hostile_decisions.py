"""Files of decisions that were damaged in any way."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from regretless.data import CostTable, DecisionLog, LogColumns, WabbitDecisions
from regretless.errors import RegretlessError

COLUMNS = LogColumns(action="arm", cost="cost", probability="p", probabilities=("pa", "pb"))
KINDS = {
    "lines.vw": (b"1:0:.5 2 3 | a b:2 |n c\n2:1:.25 'tag| d\n", WabbitDecisions),
    "blocks.vw": (b"shared |s x:2\n|a r\n0:.5:.25 |a g\n\n0:1:1 |a r\n|a g\n", WabbitDecisions),
    "costs.vw": (b"1:0 2:1 | a\n1:1 2:0 | b:3\n", WabbitDecisions),
    "costs.csv": (b"x,t,a,b\n1,u,0,1\n2,v,.5,.25\n", lambda path: CostTable(path, ["a", "b"])),
    "log.csv": (
        b"x,arm,cost,p,pa,pb\n1,A,1,.5,.5,.5\n2,B,0,.25,.75,.25\n",
        lambda path: DecisionLog(path, COLUMNS, actions=["A", "B"]),
    ),
}
PIECES = (b"", b"|", b":", b"\n", b"\n\n", b"nan", b"1e400", b"-1", b"\0", b"\xff", b"shared ", b"'", b'"', b",", b"\t")


@pytest.mark.parametrize("name", KINDS)
def test_damaged_text_has_rounds_or_an_error(tmp_path: Path, name: str) -> None:
    """Whatever bytes are put in its place, a file of decisions gives rounds, as many rows as costs, or says what is
    wrong; some of both."""
    whole, make = KINDS[name]
    draw, path, refused, read = Random(name), tmp_path / name, 0, 0
    for _ in range(60):
        text = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            begin = draw.randint(0, len(text))
            text[begin : begin + draw.randint(0, 3)] = draw.choice(PIECES)
        path.write_bytes(text)
        try:
            assert all(len(part.rows) == len(part.costs) for part in make(path).rounds())
            read += 1
        except RegretlessError:
            refused += 1
    assert min(read, refused) > 0
