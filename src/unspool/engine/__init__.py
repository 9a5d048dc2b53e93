"""The engine joins the rooms: terminal, server and library ask it and hold no logic themselves."""
