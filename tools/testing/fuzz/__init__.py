"""Valid requests, and ways to damage them and files."""
