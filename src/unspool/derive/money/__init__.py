"""What a session used and what that costs: one ledger, one price table, one sum."""
