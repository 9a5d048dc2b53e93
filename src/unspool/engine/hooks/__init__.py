"""Hook events: where they are read from, and how new ones come in."""
