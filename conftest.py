"""The parts of the tests, for the folders of all packages."""

pytest_plugins = ["tests.parts"]
