"""Commands that this package adds to `singletable`."""
