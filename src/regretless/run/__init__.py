"""Runs over a stream, from its first row or from a checkpoint: of classifiers, and of combiners."""
