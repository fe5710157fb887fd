"""A directory of people and their skills, on the single table `glad-entities`."""
