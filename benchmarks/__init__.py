"""What unspool costs, measured: `python -m benchmarks`."""
