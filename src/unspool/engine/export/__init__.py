"""What leaves as text: files of a session, and live events. No other part uses `show`."""
