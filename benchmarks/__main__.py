"""One table of how fast everything is, beside peers and beside merely reading the data: ``python -m benchmarks``.

``--quick`` takes fewer turns, in two minutes at most on an idle machine once the data are made; ``--full`` adds files
of 460 MB and 30 million values. ``--only TEXT`` times the rows with this in their name or title. Peers that are not
installed are left out. The modules ``benchmarks.bench_*`` look at one subject each, with more to it than its speed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from importlib.util import find_spec
from typing import Any

# One thread for everybody, before numpy is there: an idle BLAS thread that waits for work counts as CPU time.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")

from benchmarks.table import page, show  # noqa: E402
from benchmarks.table.all_rows import GROUPS, rows_of  # noqa: E402
from benchmarks.table.row import take_turns  # noqa: E402


def main() -> None:
    """Time, print, and put the table into docs/speed.md if that is wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two turns each, or so many as half a second allows")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their name or title")
    parser.add_argument("--json", action="store_true", help="one JSON object in place of the table")
    parser.add_argument("--write", action="store_true", help="put the table into docs/speed.md")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write takes the whole table, without --only")
    if find_spec("pandas") is None:
        parser.error("the files that are timed are written with pandas, which is not installed: pip install pandas")
    warnings.simplefilter("ignore")
    machine = show.machine()
    text = [show.head(machine), "", show.top()]
    if not options.json:
        print("\n".join(text), flush=True)
    measured: list[dict[str, Any]] = []
    for title in GROUPS:
        rows = list(rows_of(title, large=options.full, only=options.only))
        shown = [show.title(title)] if rows else []
        for row in rows:
            times = take_turns(row.make().jobs(), *((0.4, 2) if options.quick else (1.5, 3)))
            measured.append({"group": title, **show.as_json(row, times)})
            shown.append(show.lines(row, times))
            if not options.json:
                print("\n".join(shown if row is rows[0] else shown[-1:]), flush=True)
        text += shown
    machine["load average after"] = [round(one, 1) for one in os.getloadavg()]
    if options.json:
        json.dump({"machine": machine, "rows": measured}, sys.stdout, indent=1)
    if options.write:
        page.write("\n".join(text))


if __name__ == "__main__":
    main()
