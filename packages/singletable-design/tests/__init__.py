"""The tests of plans, documents and deployments."""
