"""A session as one file: HTML or Markdown."""
