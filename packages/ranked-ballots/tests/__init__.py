"""The tests of counting."""
