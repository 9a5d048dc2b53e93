"""Who may make a request, and what every response carries."""
