"""The parts of the tests, as in all houses."""

pytest_plugins = ["tools.testing.parts"]
