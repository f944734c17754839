"""Whether what arrives at a sink does harm there, and what speaks for it."""
