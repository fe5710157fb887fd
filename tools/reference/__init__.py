"""Generate docs/reference from signatures, docstrings and the help texts of commands."""
