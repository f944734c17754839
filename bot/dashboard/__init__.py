"""The door for people: a page that says how Bylaw is doing."""
