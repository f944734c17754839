"""The adapter to Gemini, behind the Judge protocol of `bot.judgment`."""
