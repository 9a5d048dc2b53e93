"""What was used: prices, totals, cost reports, and the fast scan of files."""
