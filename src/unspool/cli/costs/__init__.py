"""What `unspool cost` is made of; only scanning, catching up and explaining load the model."""
