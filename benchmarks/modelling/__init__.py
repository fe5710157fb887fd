"""One item of ten fields, read and written by what models items as objects."""
