"""The stand-in Gemini: the real REST shape on loopback, answered by a script."""
