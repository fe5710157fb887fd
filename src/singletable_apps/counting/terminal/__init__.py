"""A count at the terminal: a file is read, counted as asked for, and shown as tables."""
