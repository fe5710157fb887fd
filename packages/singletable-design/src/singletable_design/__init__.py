"""Plan, simulate, document and deploy a single-table design."""
