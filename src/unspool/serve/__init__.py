"""The server: one desk that knows, thin routes that ask it, and one door in front of all."""
