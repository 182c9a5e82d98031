"""Run every benchmark, one after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    failed = []
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"\n== {script.stem}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{script.stem}", *sys.argv[1:]], check=False)
        if done.returncode:
            failed.append(script.stem)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
