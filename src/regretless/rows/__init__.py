"""What learners over rows share, of labels (`linear`) as of numbers (`regression`)."""
