"""How the gallery's pictures look: transparent, in tones to be read on white and on black, sized for telephones."""

from __future__ import annotations

import logging
from typing import Any

from sphinx_gallery.scrapers import matplotlib_scraper

GREY = "#767676"  # of text and axes: about as far from white as from the dark page
STYLE = {
    "figure.figsize": (5.2, 3.2),
    "font.size": 11,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.transparent": True,
    "legend.frameon": False,
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "regretless",  # or names inside would differ from build to build
}


def style(conf: dict[str, Any], name: str) -> None:
    """Before each example, matplotlib is as it is at first, but for this style."""
    import matplotlib as mpl

    mpl.rcdefaults()
    mpl.use("agg")
    mpl.rcParams.update(STYLE)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # or a client's requests would stand in the build's output


def svg(*block: Any, **more: Any) -> str:
    """The pictures of a block of an example, as lines instead of dots."""
    made: str = matplotlib_scraper(*block, format="svg", metadata={"Date": None}, **more)
    return made
