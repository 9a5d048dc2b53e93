"""The search: words into lines, newest or best first."""
