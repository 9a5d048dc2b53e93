"""What `unspool cost` is made of; only `update` and `explain` load the model."""
