"""Results in sentences made of their own numbers: one file a method."""
