"""What is known of a change beside its text: subjects, and facts given and derived."""
