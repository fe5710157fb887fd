"""What is asked of every contender: the same items, the same requests."""
