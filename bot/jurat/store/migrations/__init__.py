"""The schema's history. A released revision never changes: what is new is a new file."""
