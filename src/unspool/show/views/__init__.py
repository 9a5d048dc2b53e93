"""What pages show: the model -> Structs that hold every word of a page."""
