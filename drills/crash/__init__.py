"""Kill a process that writes, again and again, and look at what it left."""
