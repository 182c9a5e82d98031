"""Dimensions of a finite class, and their witnesses."""
