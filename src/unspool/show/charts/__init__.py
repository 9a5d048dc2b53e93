"""Charts: numbers -> where each mark of an SVG stands; the templates draw them."""
