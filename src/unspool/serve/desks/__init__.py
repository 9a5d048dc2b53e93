"""Parts of the desk: each answers one family of questions, from any thread."""
