"""Routes, one module per family: ask the desk once, answer once."""
