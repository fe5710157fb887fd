"""The tests of the mapper."""
