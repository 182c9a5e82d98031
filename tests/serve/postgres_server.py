"""A PostgreSQL of its own for a test: Debian's package, as a user without privileges, on a socket in a folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


def binaries() -> Path:
    """The folder of initdb and pg_ctl; a test that wants them is skipped where there are none."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("pg_ctl")
    if installed:
        return installed[-1].parent
    if on_path is None:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    return Path(on_path).parent


class Postgres:
    """A cluster that is started and stopped.

    Attributes
    ----------
    url : str
        Of its database.
    """

    def __init__(self, folder: Path) -> None:
        self._bin, self._folder = binaries(), folder
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        self.url = f"postgresql://{self._user or pwd.getpwuid(os.geteuid()).pw_name}@/postgres?host={folder}"
        self._run("initdb", "-D", folder / "data", "--auth=trust", "--no-sync", "--no-instructions")
        self.start()

    def _run(self, name: str, *words: object) -> None:
        command = [str(self._bin / name), *map(str, words)]
        done = subprocess.run(
            command, user=self._user, cwd=self._folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        """Start it."""
        options = f"-c listen_addresses='' -c fsync=off -k {self._folder}"
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-l", self._folder / "log", "-o", options, "start")

    def stop(self) -> None:
        """Stop it at once."""
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A cluster in a folder that goes away."""
    binaries()
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'regretless[postgres]'")
    with TemporaryDirectory(prefix="pg") as folder:
        os.chmod(folder, 0o755)
        server = Postgres(Path(folder))
        try:
            yield server
        finally:
            server.stop()
