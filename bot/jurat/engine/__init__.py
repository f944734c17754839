"""Rules decided without a model: constraints, patterns, and fixes that were tried."""
