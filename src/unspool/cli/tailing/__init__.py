"""Sessions followed line by line: what is written to them, as something that happened."""
