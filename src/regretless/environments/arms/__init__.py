"""Natures that pick the losses of arms."""
