"""Messages -> what happened: chunks, steps, tools, turns, threads."""
