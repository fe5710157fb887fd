"""What the tests of all houses use: parts, sample designs, helpers, and the runner."""
