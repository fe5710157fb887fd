"""The matrix: headers stick while it scrolls, columns sort, and a phone shows a list."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE


def _place(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def test_headers_stick_while_the_matrix_scrolls(open_as: Callable[..., Page]) -> None:
    page = open_as("priya", "matrix")
    region = page.get_by_role("region", name="People and skills")
    name = region.get_by_role("columnheader", name="Name")
    column = region.get_by_role("columnheader").nth(5)
    row = region.get_by_role("rowheader").nth(20)
    cell = region.locator("tbody tr").nth(20).locator("td").nth(4)
    before = {each: _place(each) for each in (name, column, row, cell)}
    region.evaluate("element => element.scrollTo(300, 400)")
    left, top = (
        region.evaluate(f"element => element.{side}") for side in ("scrollLeft", "scrollTop")
    )
    assert (left, top) == (300, 400)
    # The corner stays, column headers move across only, row headers down only, and cells both.
    assert _place(name) == before[name]
    assert _place(column) == (before[column][0] - left, before[column][1])
    assert _place(row) == (before[row][0], before[row][1] - top)
    assert _place(cell) == (before[cell][0] - left, before[cell][1] - top)


def test_cells_are_rated_by_click_and_keyboard_and_undone(open_as: Callable[..., Page]) -> None:
    page = open_as("tomasz", "matrix")
    page.goto(f"{page.url}?q=Priya+Raman&skills=Mobile")
    cell, other = (page.get_by_role("gridcell").nth(place) for place in (0, 1))
    saved = page.locator("#cell-status")
    expect(cell).to_be_empty()
    cell.click()
    editor = page.get_by_role("dialog", name="Rate a skill")
    editor.get_by_label("Years").fill("7")
    editor.get_by_role("button", name="3 Advanced").click()
    expect(cell).to_have_text("3")
    expect(cell).to_have_attribute("title", re.compile("Advanced, 7 years"))
    expect(cell).to_be_focused()
    cell.press("Delete")
    expect(cell).to_be_empty()
    cell.press("Control+z")
    expect(cell).to_have_attribute("title", re.compile("Advanced, 7 years"))
    cell.press("End")
    expect(page.get_by_role("gridcell").last).to_be_focused()
    page.get_by_role("gridcell").last.press("Home")
    cell.press("ArrowRight")
    expect(other).to_be_focused()
    # There is nothing to clear in an empty cell.
    other.press("Enter")
    expect(editor.get_by_role("button", name="Clear")).to_be_hidden()
    expect(editor.get_by_role("button", name="1 Beginner")).to_be_focused()
    page.keyboard.press("2")
    expect(other).to_have_text("2")
    other.press("Control+z")
    expect(other).to_be_empty()
    page.get_by_role("button", name="Undo").click()
    expect(cell).to_be_empty()
    expect(saved).to_contain_text("Undone: Priya Raman")


def test_ratings_are_saved_in_order_and_nothing_typed_is_lost(
    open_as: Callable[..., Page],
) -> None:
    page = open_as("tomasz", "matrix")
    page.goto(f"{page.url}?q=Priya+Raman&skills=Mobile")
    cell, saved = page.get_by_role("gridcell").first, page.locator("#cell-status")
    # The answer to the first rating is late.
    page.evaluate(
        """() => {
          const send = window.fetch;
          window.fetch = async (...request) => {
            window.fetch = send;
            await new Promise((done) => setTimeout(done, 200));
            return send(...request);
          };
        }"""
    )
    cell.focus()
    for key in ("1", "3", "Control+z"):
        page.keyboard.press(key)
    expect(saved).to_have_text(re.compile("Undone: Priya Raman, .*: Beginner"))
    expect(cell).to_have_text("1")
    cell.click()
    years = page.get_by_role("dialog", name="Rate a skill").get_by_label("Years")
    years.fill("99")
    years.press("Enter")
    expect(years).to_have_value("99")
    years.fill("6")
    page.get_by_role("heading", level=1).click()
    expect(cell).to_have_attribute("title", re.compile("Beginner, 6 years"))
    page.context.set_offline(True)
    page.keyboard.press("Control+z")
    expect(saved).to_contain_text("Nothing was saved")
    page.context.set_offline(False)
    for title in (re.compile("Beginner, 0 years"), ""):
        page.get_by_role("button", name="Undo").click()
        expect(cell).to_have_attribute("title", title)


def test_column_sorts_and_a_cell_opens_the_skill(open_as: Callable[..., Page]) -> None:
    page = open_as("priya", "matrix")
    page.get_by_role("link", name="Python", exact=True).click()
    header = page.get_by_role("columnheader", name="Python", exact=True)
    expect(header).to_have_attribute("aria-sort", "descending")
    place = header.evaluate("element => element.cellIndex")
    levels = page.locator(f"tbody tr > :nth-child({place + 1})").all_inner_texts()
    assert levels == sorted(levels, reverse=True)
    assert levels[0] == "4"
    page.locator(f"tbody tr:not([data-user]) > :nth-child({place + 1})").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Python")


def test_phone_shows_each_person_with_skills(open_as: Callable[..., Page]) -> None:
    page = open_as("priya", "matrix", viewport=PHONE)
    first = page.locator(".matrix tbody tr").first
    skill = first.locator("td:not(:empty)").first
    name = skill.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert name == f'"{skill.get_attribute("data-name")}"'
    expect(first.locator("td:empty").first).to_be_hidden()
    expect(page.locator(".matrix thead")).not_to_be_in_viewport()
    row, chip = first.bounding_box(), skill.bounding_box()
    assert row is not None
    assert chip is not None
    assert row["width"] <= PHONE["width"]
    assert chip["y"] > _place(first.locator("th"))[1]


def test_phone_shows_what_was_saved_and_its_undo(open_as: Callable[..., Page]) -> None:
    page = open_as("tomasz", "matrix", viewport=PHONE)
    page.goto(f"{page.url}?team=line")
    saved, undo = page.locator("#cell-status"), page.get_by_role("button", name="Undo")
    expect(saved).to_be_hidden()
    page.locator("tr[data-user] td.level-2").first.click()
    page.get_by_role("button", name="3 Advanced").click()
    expect(saved).to_contain_text("Advanced")
    expect(saved).to_be_in_viewport()
    undo.click()
    expect(saved).to_be_hidden()
