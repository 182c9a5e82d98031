"""Comparators in hindsight: where to look for them, and how they are read against the rounds."""
