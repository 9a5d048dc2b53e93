"""Where bytes come from: the disk Claude Code writes to, and nothing about JSON."""
