"""Elections at the terminal: what an operator does, and reads."""
