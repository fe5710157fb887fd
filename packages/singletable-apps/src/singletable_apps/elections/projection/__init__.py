"""The projection: apply the event log to the table, each event in order and exactly once."""
