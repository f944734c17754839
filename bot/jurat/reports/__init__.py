"""What people read: comments, checks, reports, and the writes still to be made."""
