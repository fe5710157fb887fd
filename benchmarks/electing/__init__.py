"""What the crowd of elections is served by."""
