"""Numbers of every verb's JSON, computed again from the data alone.

The modules called `plain_...` import numpy, scipy and the standard library, and nothing of the library under test; only
the tests beside them run its command line. What cannot be computed again is listed with the reason.
"""
