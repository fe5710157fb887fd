"""What a table is: its declaration, its state, its changes, its description."""
