"""The fast scan: only what was used is taken from the transcripts, for the first report."""
