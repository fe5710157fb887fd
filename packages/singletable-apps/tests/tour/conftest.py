"""Run commands as the tests of the library's commands do."""

from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
from tests.cli.conftest import wide_terminal as wide_terminal
