"""A mutation fuzzer of everything that is read: ``python -m tests.fuzz --seconds N [--seed S] [--target T]``."""
