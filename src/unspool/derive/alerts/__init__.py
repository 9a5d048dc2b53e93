"""Alert rules of the user, and the alerts they raise about sessions."""
