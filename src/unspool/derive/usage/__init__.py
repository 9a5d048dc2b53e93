"""What was used and what it costs: decided here for every report, page, file scan and database."""
