"""By which names a server without tokens may be asked.

A page from elsewhere can have its own name resolve to this machine (DNS rebinding); a browser then takes the server for
part of that page. What it sends as Host is still the name of the page.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address


def is_known(host: str, names: Collection[str]) -> bool:
    """Whether the header Host has a loopback address, localhost, or one of some names.

    Parameters
    ----------
    host : str
        The header, with or without a port.
    names : collection of str
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
