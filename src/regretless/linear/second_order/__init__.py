"""Learners that remember which directions they know."""
