"""Notes of people with accounts: pages and an API on one table."""
