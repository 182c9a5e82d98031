"""Natures whose labels come from a target that was there before the first round."""
