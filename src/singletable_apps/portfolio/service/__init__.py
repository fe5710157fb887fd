"""The service of the portfolio: load items, apply the rules, write once."""
