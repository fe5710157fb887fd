"""Take the picture of the plan's page in the guide: python -m tools.plan_pictures."""

from __future__ import annotations

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

from singletable_design.planning import create_report, report_page, show_plan
from tools.screenshots import FOLDER, launch_browser, open_page, save, screenshot, side_by_side

SHOP = FOLDER.parent / "guide/shop.py"


def main() -> None:
    """Take the top of the page in light mode, and the charts on a phone in dark mode."""
    report = create_report([runpy.run_path(str(SHOP))["patterns"]])
    with TemporaryDirectory() as folder, launch_browser() as browser:
        file = Path(folder, "plan.html")
        file.write_text(report_page(show_plan(report)))
        wide = open_page(browser, "light", 1080, 800)
        wide.goto(file.as_uri())
        wide.get_by_role("heading", name="Access patterns").evaluate(
            "heading => scrollTo(0, heading.offsetTop - 20)"
        )
        save("plan_page.webp", screenshot(wide))
        phone = open_page(browser, "dark", 390, 844)
        phone.goto(file.as_uri())
        first = screenshot(phone)
        phone.get_by_role("heading", name="Load by hour of day").evaluate(
            "heading => scrollTo(0, heading.offsetTop - 20)"
        )
        save("plan_phone.webp", side_by_side(browser, first, screenshot(phone)))


if __name__ == "__main__":
    main()
