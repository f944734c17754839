"""Jurat reviews pull requests against the rules an organisation has written down."""

__version__ = "0.1.0"
