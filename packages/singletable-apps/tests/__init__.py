"""The tests of the applications."""
