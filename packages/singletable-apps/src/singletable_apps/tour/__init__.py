"""`singletable tour`: the designs of the five apps at work on the embedded engine."""
