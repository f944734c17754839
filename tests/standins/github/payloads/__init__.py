"""The JSON objects of GitHub's REST API and webhooks, whole, built from the stand-in's records."""
