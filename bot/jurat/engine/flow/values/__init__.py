"""What is known of a value: its origins, its text, its parts, and the names it goes by."""
