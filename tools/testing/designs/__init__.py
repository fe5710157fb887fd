"""Sample designs that the tests of several houses use."""
