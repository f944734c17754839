"""What people ask of the App in comments and by the check's buttons: one function a command."""
