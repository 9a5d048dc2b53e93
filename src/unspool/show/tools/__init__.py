"""One viewer for each tool: what a call did on one line, and what came of it on a few."""
