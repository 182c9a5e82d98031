"""Who may ask what: bearer tokens with scopes, and without them the names by which a server is asked.

A page from elsewhere can have its own name resolve to this machine (DNS rebinding); a browser then takes the server for
part of that page. What it sends as Host is still the name of the page.
"""

from __future__ import annotations

import hmac
import os
from base64 import b64decode
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path

from ..errors import RegretlessError

SCOPES = ("predict", "label", "admin")
VARIABLE = "REGRETLESS_TOKENS"
SHORTEST = 16  # characters


class AccessTokens:
    """The tokens of a server.

    Parameters
    ----------
    scopes : mapping of str to set of str
        Of each token what it allows. Empty: everything is allowed to everybody.
    """

    def __init__(self, scopes: Mapping[str, frozenset[str]]) -> None:
        self._scopes = {token.encode(): allowed for token, allowed in scopes.items()}

    def __bool__(self) -> bool:
        return bool(self._scopes)

    def status(self, authorization: bytes | None, scope: str) -> int:
        """200 if this is allowed; 401 without a token that is known, 403 if it does not allow this.

        Parameters
        ----------
        authorization : bytes or None
            The header.
        scope : {"predict", "label", "admin", "read"}
            "read" is allowed to every token, which may then also be the password of a browser (Basic): it sends that
            with every request, also with those that a page from elsewhere makes it send.
        """
        if not self._scopes:
            return 200
        kind, token_sent = _sent(authorization or b"")
        allowed: frozenset[str] = frozenset()
        for token, scopes in self._scopes.items():  # all of them, so that the time does not say which is near
            if hmac.compare_digest(token, token_sent):
                allowed = scopes
        if not allowed or not (kind == b"bearer" or (kind == b"basic" and scope == "read")):
            return 401
        return 200 if scope == "read" or scope in allowed or "admin" in allowed else 403


def _sent(authorization: bytes) -> tuple[bytes, bytes]:
    """The kind of a header, and the token in it; of a name and a password the password."""
    kind, _, text = authorization.partition(b" ")
    kind, text = kind.lower(), text.strip()
    if kind == b"basic":
        try:
            text = b64decode(text, validate=True).partition(b":")[2]
        except ValueError:
            return kind, b""
    return kind, text


def read_tokens(path: str | None) -> AccessTokens:
    """Tokens of a file, or of the variable REGRETLESS_TOKENS if there is none.

    Each line, or in the variable each part between semicolons, has scopes and a token: ``predict,label TOKEN``.

    Raises
    ------
    RegretlessError
        If a line is no token.
    """
    if path is not None:
        lines, place = Path(path).read_text().splitlines(), path
    else:
        lines, place = os.environ.get(VARIABLE, "").split(";"), VARIABLE
    scopes: dict[str, frozenset[str]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = line.split()
        named = frozenset(words[0].split(","))
        where = f"{place}:{number}"
        if len(words) != 2 or not named <= set(SCOPES):
            raise RegretlessError(f"{where}: scopes and a token are expected, as in 'predict,label TOKEN'")
        if len(words[1]) < SHORTEST:
            raise RegretlessError(
                f"{where}: the token has {len(words[1])} characters; at least {SHORTEST} are expected"
            )
        if words[1] in scopes:
            raise RegretlessError(f"{where}: this token stands there twice; each is expected once, with all its scopes")
        scopes[words[1]] = named
    if path is not None and not scopes:
        raise RegretlessError(f"{path}: there are no tokens")
    return AccessTokens(scopes)


@lru_cache(maxsize=256)  # it is asked at every request
def is_known(host: str, names: tuple[str, ...]) -> bool:
    """Whether the header Host has a loopback address, localhost, or one of some names.

    Parameters
    ----------
    host : str
        The header, with or without a port.
    names : tuple of str
        In lower case.
    """
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    name = name.removesuffix(".")
    if name == "localhost" or name in names:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
