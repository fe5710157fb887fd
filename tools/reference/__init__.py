"""Write the reference from the code: signatures, docstrings and the command line's own help."""
