"""One viewer for each tool: what lies behind a call when a reader opens it."""
