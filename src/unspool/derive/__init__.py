"""Entries -> meaning: pure folds, recomputable from the entries and nothing else."""
