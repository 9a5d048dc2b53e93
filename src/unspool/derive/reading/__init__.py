"""One entry -> one light message: what a line says, without its text."""
