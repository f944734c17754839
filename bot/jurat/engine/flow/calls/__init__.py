"""What a call comes to: of a function of the file, of a library, or of a value."""
