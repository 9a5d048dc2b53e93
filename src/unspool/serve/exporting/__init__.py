"""A session that is open -> a file of it, in pieces; the command and the server share this."""
