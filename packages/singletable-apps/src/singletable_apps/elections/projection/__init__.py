"""The projection: apply the event log to the table, each event in order and exactly once.

Handlers in `users` and `elections` write what an event changes. A large event (rename an election
with a thousand ballots) takes several transactions, its steps; the `Sync` item records the last
event and the steps of the next one, so that any process can continue after a crash.
"""
