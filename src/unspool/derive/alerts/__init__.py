"""Rules and what sessions do -> alerts: pure, each told once."""
