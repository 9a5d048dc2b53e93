"""The one who writes: batches into tables, each whole or not at all."""
