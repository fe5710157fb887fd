"""The web toolkit of the apps: what at least two of them need. See README.md."""
