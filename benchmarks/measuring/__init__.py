"""How something is measured, compared with a bar, and shown."""
