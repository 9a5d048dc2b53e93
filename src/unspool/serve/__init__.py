"""The server: authentication, REST routes, pages and the live channel."""
