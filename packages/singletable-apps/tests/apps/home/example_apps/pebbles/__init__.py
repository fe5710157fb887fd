"""A small app for the tests of the site."""
