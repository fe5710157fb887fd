"""What is asked: random tables, items, expressions and requests, most of them right."""
