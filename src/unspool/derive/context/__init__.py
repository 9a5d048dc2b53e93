"""What fills a session's context: by category, by turn, by phase between compactions."""
