"""The adapter to GitHub: App authentication, what a review reads, what it writes."""
