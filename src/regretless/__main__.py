"""The script ``regretless``, and ``python -m regretless``."""

# What the module `signal` is made of, which takes its time to import.
import _signal  # type: ignore[import-not-found]  # typeshed has no stub of it
import sys

# From here on Ctrl-C ends the process as it does any other, until the command line is there to say so in words. Before
# this line no code of ours has run but the package's own few lines: what comes while Python starts and looks for the
# package (`site`, `runpy`, an editable installation) is Python's to answer, and that shows a traceback.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
