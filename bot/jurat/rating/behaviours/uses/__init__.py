"""What a system is for, with whom it talks, and the practices that Article 5 prohibits."""
