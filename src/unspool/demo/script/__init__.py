"""Hand-written stories -> transcripts: the words they are written in, and how they are played."""
