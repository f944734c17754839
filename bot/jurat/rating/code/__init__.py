"""What code says, file by file: functions, calls, conditions and writes, as values."""
