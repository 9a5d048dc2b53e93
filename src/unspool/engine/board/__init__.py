"""The live board."""
