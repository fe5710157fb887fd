"""Servers that speak DynamoDB's protocol, and how load is put on them."""
