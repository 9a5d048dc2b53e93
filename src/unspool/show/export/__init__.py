"""A session as a file that stands alone: one page of HTML, or Markdown."""
