"""Take the picture of a simulation's page in the guide: python -m tools.simulation_picture."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from singletable.cli import main as run_command
from tools.screenshots import launch_browser, open_page, save, screenshot

PAGE = Path(__file__).resolve().parents[1] / "docs/guide/simulation.md"
COMMAND = ("simulate", "skills", "--minutes", "30", "--scale", "300,000 users", "--html", "r.html")
_FILE = re.compile(r"^```python\n(# skills\.py\n.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Simulate the example of the guide and take a picture of the page."""
    example = _FILE.search(PAGE.read_text())
    assert example is not None
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("skills.py").write_text(example[1])
        with contextlib.suppress(SystemExit):
            run_command(COMMAND)
        with launch_browser() as browser:
            page = open_page(browser, "light", 1000, 860)
            page.goto(Path("r.html").resolve().as_uri())
            heading = page.locator("figcaption", has_text="directory/GSI1: write units")
            heading.evaluate("one => scrollTo(0, one.getBoundingClientRect().top - 24)")
            save("simulation.webp", screenshot(page))


if __name__ == "__main__":
    main()
