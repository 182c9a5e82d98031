"""Environments whose labels do not depend on what is predicted: those of a target, or of a file."""
