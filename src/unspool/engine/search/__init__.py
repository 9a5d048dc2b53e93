"""Full-text search over the index."""
