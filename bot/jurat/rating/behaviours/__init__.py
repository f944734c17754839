"""What a program does, by signs: each behaviour is registered by its name."""
