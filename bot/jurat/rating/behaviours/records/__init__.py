"""What is written of people and inferences, how long it stays, and how it is erased."""
