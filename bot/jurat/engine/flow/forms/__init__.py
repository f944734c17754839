"""From the syntax trees of the languages to one small program form."""
