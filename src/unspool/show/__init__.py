"""A session -> text for a terminal, web pages, exports and JSON."""
