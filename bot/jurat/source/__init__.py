"""Diffs and files as they are: parsed, with functions, languages and suppressions."""
