"""Environments that pick the losses of arms."""
