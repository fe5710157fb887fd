"""Tables with commas: a column for each candidate, or a column for each rank."""
