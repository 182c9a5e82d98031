"""The same algorithms as the books print them: numpy alone, no classes, a screen each.

The compiled kernels are tested against these, and they are the place to start reading.
"""
