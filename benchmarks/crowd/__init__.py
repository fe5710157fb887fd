"""People who all come at once, over HTTP."""
