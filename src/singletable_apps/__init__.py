"""Five complete applications built on nothing but the public face of singletable."""
