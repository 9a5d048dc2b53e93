"""The machine's side: what the hub lacks is found by comparing, and shipped."""
