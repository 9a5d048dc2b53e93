"""Web pages: a Struct for each page and component, and the templates' environment."""
