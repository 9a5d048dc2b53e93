"""A terminal taken over for a while: keys in, screens out, and given back as it was."""
