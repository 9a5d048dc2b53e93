"""Tool calls, one module a tool: its line, a terminal preview, and the details of its page."""
