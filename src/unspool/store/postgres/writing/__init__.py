"""Batches into tables, each whole or not at all."""
