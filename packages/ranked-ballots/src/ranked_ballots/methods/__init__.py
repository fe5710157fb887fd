"""The counting methods, one file each, and what they share."""
