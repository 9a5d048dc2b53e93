"""Routes, one module per family: ask the context once, answer once."""
