"""What is sent and what is answered, with words and examples for the description."""
