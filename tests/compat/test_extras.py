"""What is not installed is asked for by its extra and by its packages."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regretless import client
from regretless.compat.onnx import to_onnx
from regretless.errors import MissingError
from regretless.linear import Perceptron
from regretless.serve.server import server_package

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def river() -> Any:
    sys.modules.pop("regretless.compat.river", None)
    return importlib.import_module("regretless.compat.river")


@pytest.mark.parametrize(
    ("extra", "package", "use"),
    [
        ("onnx", "onnx", lambda: to_onnx(Perceptron().fit([[1.0], [-1.0]], [1, 0]))),
        ("river", "river", river),
        ("client", "httpx", client._httpx),
        ("serve", "uvicorn", server_package),
    ],
)
def test_a_missing_extra_is_named_with_its_packages(
    extra: str, package: str, use: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says the extra, and for a clone all packages that it has in pyproject.toml."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, "regretless.compat.river", sys.modules.get("regretless.compat.river"))
    with pytest.raises(MissingError) as raised:
        use()
    packages = " ".join(re.split("[>=;]", one)[0] for one in EXTRAS[extra])
    advice = f"pip install 'regretless[{extra}]', or where that would compile, as in a clone, pip install {packages}"
    assert str(raised.value).endswith(f": {advice}")
