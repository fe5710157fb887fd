"""The items of a table, grouped as they lie together."""
