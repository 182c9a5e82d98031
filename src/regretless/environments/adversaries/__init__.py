"""Environments that pick rows and labels so that a learner errs."""
