"""Tokens and dollars: which line counts, which session owns a response, and its price."""
