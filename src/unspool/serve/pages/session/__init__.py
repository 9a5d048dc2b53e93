"""The pages of one session: its story by windows, the other views of it, and their parts."""
