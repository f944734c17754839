"""What people read: findings, comments, the check's summary, and the edits still to be made."""
