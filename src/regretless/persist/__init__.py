"""Model files: their format, and what their metadata may say."""
