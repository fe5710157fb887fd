"""Applications built on the public API of singletable, and the site that serves them."""
