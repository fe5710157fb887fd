"""A poll with many votes, and a crowd that votes in it."""
