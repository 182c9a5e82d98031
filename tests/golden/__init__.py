"""What the command line prints and what the package offers, kept as text: ``python -m tests.golden``."""
