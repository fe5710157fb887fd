"""Save every page of the sample site, and compare two such folders: before and after a change.

    make page-snapshots FOLDER=.run/before PICTURES=1
    make page-snapshots FOLDER=.run/after PICTURES=1 BEFORE=.run/before

Both runs need the same sample data, which the first one creates.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from difflib import unified_diff
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, cast
from urllib.parse import parse_qsl, quote, urldefrag, urljoin, urlsplit

import typer
from PIL import Image, ImageChops
from playwright.sync_api import Browser
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.shared.apps import RunningApp, ServeOptions
from singletable_apps.shared.serve import PublicUrl
from tools.screenshots import launch_browser, open_page, serve

cli = typer.Typer(help="Save every page of the sample site, and compare two such folders.")
HOST = "127.0.0.1"
URL = f"http://{HOST}:8000"
# Pages of one shape, such as /skills/people/…/edit, that are saved; further ones look the same.
MOST_OF_A_SHAPE = 100
WIDTHS = (1280, 390)
# What differs between two runs of the same code: times, random keys, and hashes of static files.
NOISE = re.compile(
    r"/static/[^/\"]+|\b\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(Z|\+00:00)?|\b\d\d:\d\d(:\d\d)?\b"
    r"|(?<=name=\"key\" value=\")[^\"]*|(?<=/sessions/)[\w-]{22}|[\w-]*\.[\w-]{6,}\.[\w-]{20,}"
    r"|((?<=cursor=)|gAAAA)[\w%-]{20,}|\d+(\.\d+)? (ms|cores)\b"
    r"|(?<=Cores for passwords</dt><dd><span class=\"stat-value\">)\d+"
)


@contextmanager
def sample_site(data: Path) -> Generator[tuple[ASGIApp, tuple[RunningApp, ...]]]:
    """Yield the site on a copy of the sample data, which is created if it is missing."""
    public, options = PublicUrl(URL, is_local=True), ServeOptions(sample=True)
    if not data.exists():
        with open_apps(find_apps(), data, public, options):
            pass
    with TemporaryDirectory() as folder:
        shutil.copytree(data, folder, dirs_exist_ok=True)
        with open_apps(find_apps(), Path(folder), public, options) as apps:
            yield make_site_app(apps, settings=public.settings()), apps


def visitors(site: ASGIApp, app: RunningApp) -> Iterator[tuple[str, TestClient, str]]:
    """Yield name, browser and first page: of a visitor, and of each sample account."""
    yield f"{app.info.name} visitor", TestClient(site, URL), app.info.url
    sample = app.sample()
    for entry in sample.entries if sample else ():
        browser, method = TestClient(site, URL), "POST" if entry.form else "GET"
        answer = browser.request(method, entry.url, data=dict(entry.form))
        yield f"{app.info.name} {entry.name}", browser, answer.url.path


def crawl(browser: TestClient, first: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield URL and HTML of every page that links lead to; of lists, the first two pages."""
    waiting, known, shapes = [first], set[tuple[str, ...]](), Counter[tuple[str, int]]()
    while waiting:
        url = waiting.pop(0)
        parts = urlsplit(url)
        same = (parts.path, *(name for name, _ in parse_qsl(parts.query)))
        shape = ("/".join(parts.path.split("/")[:3]), parts.path.count("/"))
        is_new = same not in known and shapes[shape] < MOST_OF_A_SHAPE
        if not is_new or not f"{parts.path}/".startswith(f"{prefix}/"):
            continue
        known.add(same)
        shapes[shape] += 1
        answer = browser.get(url, headers={"Accept": "text/html"})
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        yield url, f"<!-- {answer.status_code} {answer.url.path} -->\n{answer.text}"
        links = re.findall(r"<a\s[^>]*?href=\"([^\"]*)", answer.text)
        targets = (urldefrag(urljoin(str(answer.url), unescape(each))).url for each in links)
        waiting += [each.removeprefix(URL) for each in targets if each.startswith(f"{URL}/")]


def take_pictures(
    chromium: Browser, address: str, browser: TestClient, files: dict[str, Path]
) -> None:
    """Take a screenshot of each page in each width, with the cookies of the browser."""
    for width in WIDTHS:
        page = open_page(chromium, "light", width, 900)
        for one in browser.cookies.jar:
            cookie = {"name": one.name, "value": one.value or "", "path": one.path, "domain": HOST}
            page.context.add_cookies([cast(Any, cookie)])
        for url, file in files.items():
            page.goto(f"{address}{url}", wait_until="load")
            page.screenshot(path=file.with_suffix(f".{width}.png"), full_page=True)
        page.context.close()


@cli.command()
def take(
    folder: Path,
    data: Annotated[Path, typer.Option(help="Sample data; created if missing.")],
    pictures: Annotated[bool, typer.Option(help="Also take screenshots.")] = False,
    only: Annotated[str, typer.Option(help="Only this app, such as Polls.")] = "",
) -> None:
    """Save every page that a visitor or a sample account can reach by links."""
    folder.mkdir(parents=True)
    with sample_site(data) as (site, apps), serve(site) as address, launch_browser() as chromium:
        chosen = [app for app in apps if only in ("", app.info.name)]
        for app, (name, browser, first) in ((a, v) for a in chosen for v in visitors(site, a)):
            files: dict[str, Path] = {}
            for url, text in crawl(browser, first, app.info.url):
                title = quote(NOISE.sub("…", f"{name} {url}"), safe=" ")
                files[url] = folder / f"{title[:200]}.html"
                files[url].write_text(NOISE.sub("…", text))
            typer.echo(f"{name}: {len(files)} pages")
            if pictures:
                take_pictures(chromium, address, browser, files)


@cli.command()
def compare(before: Path, after: Path) -> None:
    """Print which pages differ, and by how many lines and pixels."""
    names = sorted({file.name for folder in (before, after) for file in folder.iterdir()})
    differing = list(filter(None, (_difference(before / name, after / name) for name in names)))
    typer.echo("\n".join([*differing, f"{len(differing)} of {len(names)} files differ."]))
    raise typer.Exit(bool(differing))


def _difference(before: Path, after: Path) -> str:
    if not (before.exists() and after.exists()):
        return f"{before.name}: only {'before' if before.exists() else 'after'}"
    if before.read_bytes() == after.read_bytes():
        return ""
    if before.suffix == ".png":
        with Image.open(before) as one, Image.open(after) as other:
            grey = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
            count = grey.width * grey.height - grey.histogram()[0]
            return f"{before.name}: {count:,} pixels of {one.size} differ, now {other.size}"
    old, new = before.read_text().splitlines(), after.read_text().splitlines()
    return "\n".join([f"{before.name}:", *list(unified_diff(old, new, n=0, lineterm=""))[2:]])


if __name__ == "__main__":
    cli()
