"""What an access pattern is, does and costs, shown to a person."""
