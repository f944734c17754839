"""The stand-ins for GitHub and Gemini, which the tests use too, and the demo itself."""
