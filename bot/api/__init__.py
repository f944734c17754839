"""The REST API: a door to the same pipeline as a pull request."""
