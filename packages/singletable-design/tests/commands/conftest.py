"""Run commands in this process, as in a terminal of eighty columns."""

from tools.testing.commands import folder as folder
from tools.testing.commands import run as run
from tools.testing.commands import wide_terminal as wide_terminal
