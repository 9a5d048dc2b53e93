"""What can happen in a session, each happening a function that plays it."""
