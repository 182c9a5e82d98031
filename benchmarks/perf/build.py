"""A commit as an environment of its own, in build/perf: its sources, its package, and the packages of this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "perf"
WHEEL = "import sys; from scikit_build_core.build import build_wheel; build_wheel(sys.argv[1])"


def commit_of(name: str) -> str:
    """The full hash of a commit."""
    arguments = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name!r} is no commit of this repository")
    return done.stdout.strip()


def built(commit: str) -> Path:
    """The Python of the commit's environment, which is made if it is not there.

    The sources are an archive and no worktree of git, of which `make clean` would leave a record behind.
    """
    folder = FOLDER / commit[:12]
    python = folder / "venv" / "bin" / "python"
    if (folder / "ready").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", str(source)], input=archive.stdout, check=True)
    wheel = _compiled(source, folder)
    venv.create(folder / "venv", with_pip=False)
    site = next((folder / "venv" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    # By this line the packages of this environment are found after those of the new one, and its .pth files are not
    # read: an editable regretless stays out.
    (site / "peers.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    (folder / "ready").touch()
    return python


def _compiled(source: Path, folder: Path) -> Path:
    """The wheel of the sources; a compiler's cache makes most of it a copy."""
    print(f"compiling {folder.name}, which takes minutes without a compiler's cache", file=sys.stderr, flush=True)
    usual = {"CMAKE_BUILD_PARALLEL_LEVEL": "2"}
    if shutil.which("ccache"):
        usual |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    log = folder / "build.log"
    with log.open("wb") as file:
        command = [sys.executable, "-c", WHEEL, str(folder)]
        done = subprocess.run(
            command, cwd=source, env={**usual, **os.environ}, stdout=file, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode:
        sys.exit(f"{folder.name} cannot be compiled; {log} ends with\n{log.read_text()[-2000:]}")
    return next(folder.glob("*.whl"))
