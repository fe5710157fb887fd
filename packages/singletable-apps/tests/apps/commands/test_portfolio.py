"""`singletable portfolio`: sample, export, import and migrate, and errors that say what to do."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from zipfile import ZipFile

import pytest
from fastapi.testclient import TestClient

from singletable import Engine, Store
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import LikeCount
from singletable_apps.portfolio.migration import OLD_TABLES, OldBlog, OldUser
from singletable_apps.portfolio.sample import list_sample
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.serve import PublicUrl, open_driver
from singletable_apps.shared.service import check_found
from tests.apps.commands.typed import Run, RunOf
from tests.apps.support.mailbox import deliver, read_outbox


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about portfolios."""
    return type_of("portfolio")


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site with the sample of a portfolio that is alone."""
    site = tmp_path_factory.mktemp("site")
    APP.create_sample(site / "portfolio", PublicUrl("http://127.0.0.1:8000"), alone=True)
    return site


@pytest.fixture
def site(sampled: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample."""
    return Path(shutil.copytree(sampled, tmp_path / "site"))


@contextmanager
def opened(site: Path) -> Generator[PortfolioService]:
    """Open the site at the root."""
    with (
        open_driver(APP.address_in(site / "portfolio")) as driver,
        APP.open(Opening(driver, site / "portfolio", alone=True)) as service,
    ):
        yield service


def of(site: Path) -> list[str]:
    return ["--folder", str(site)]


@pytest.mark.rest
def test_site_is_served_at_the_root(site: Path) -> None:
    with opened(site) as service:
        browser = TestClient(APP.make_app(service, PublicUrl("http://testserver").settings()))
        for path in ("/", "/blog/what-the-mouse-left", "/admin/sign-in", "/api/portfolio/blogs"):
            assert browser.get(path, headers={"Accept": "text/html"}).status_code == 200
        assert browser.get("/portfolio").status_code == 404
        page = browser.get("/blog/what-the-mouse-left").text
        assert '"/portfolio' not in page
        sample = list_sample(service)
        assert sample is not None
        for entry in sample.entries[1:]:
            answer = browser.post(entry.url, data=entry.form, follow_redirects=False)
            assert (answer.status_code, answer.headers["Location"]) == (303, "/admin")


def test_export_and_import_move_a_site(typed: Run, site: Path, tmp_path: Path) -> None:
    file = tmp_path / "site.zip"
    code, out, _ = typed("export", file, *of(site))
    assert file.stat().st_mode & 0o777 == 0o600  # drafts are in it, too
    assert (code, out.strip()) == (0, f"Exported the site to {file}.")
    with ZipFile(file) as archive:
        assert "posts/2024-11-17-what-the-mouse-left.md" in archive.namelist()
    code, out, _ = typed("import", file, *of(site))
    assert (code, "0 created, 0 updated" in out) == (0, True)
    code, _, err = typed("export", file, *of(site))
    assert (code, "already" in err) == (2, True)


def test_import_reports_what_failed(typed: Run, site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nHot.")
    (folder / "bad.md").write_text("---\ndate: soon\n---\n")
    code, out, _ = typed("import", folder, *of(site), "--dry-run")
    assert code == 1
    assert "failed    bad.md  date: Expected a time" in out
    assert "Would be imported: 1 created, 0 updated, 0 skipped, 1 failed, 0 left out." in out
    code, out, _ = typed("import", folder, *of(site))
    assert "Imported: 1 created" in out


def test_bounce_is_shown_beside_the_newsletter(
    type_of: RunOf, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(site) as service:
        owner = check_found(service.profile.owner(), "")
        service.profile.update_settings(owner, {"newsletter": True})
        service.newsletter.subscribe("ann@example.org")
        link = read_outbox(service)[0].text.partition("/confirm/")[2].split()[0]
        service.newsletter.confirm(link)
        blog_id = service.posts.list_published(1).items[0].blog_id
        service.newsletter.send(owner, blog_id)
        deliver(service)
        (reader,) = service.newsletter.subscribers(owner).items
    report = f"Action: failed\nStatus: 5.1.1\n\nMessage-ID: <{blog_id}.post.{reader.digest}@x>\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(report.encode())))
    code, out, _ = type_of("bounce")("portfolio", "--folder", site)
    assert (code, out) == (0, f"About {blog_id}, to {reader.digest}: 5.1.1\n")
    with opened(site) as service:
        assert service.newsletter.sending(blog_id).problems == [("ann@example.org", "5.1.1")]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a file with the tables of the original system."""
    file = tmp_path / "old.db"
    with Engine.on_file(file) as engine:
        store = Store(engine)
        for table in OLD_TABLES:
            store.admin.create_table(table)
        store.create(OldUser(email="ada@example.org"))
        for number in range(3):
            store.create(
                OldBlog(
                    blog_id=f"8d1c3bd2-94a2-4a2f-8f0a-{number:012x}",
                    created_at=1_700_000_000 + number,
                    title=f"Post {number}",
                    slug=f"post-{number}",
                    content="<p>Text</p>",
                )
            )
    return file


def test_original_tables_are_migrated(typed: Run, old: Path, tmp_path: Path) -> None:
    new, folder = tmp_path / "new.db", tmp_path / "new"
    move = ["migrate", f"file:{old}", f"file:{new}", "--folder", str(folder)]
    code, out, _ = typed(*move, "--dry-run")
    assert code == 0
    assert "Blog            3" in out
    assert "bcrypt" in out
    assert "Nothing was written." in out
    assert not new.exists()
    for _ in range(2):
        code, out, _ = typed(*move)
        assert (code, "every item was compared" in out) == (0, True)


def test_tables_are_migrated_within_one_file(typed: Run, old: Path, tmp_path: Path) -> None:
    code, out, _ = typed("migrate", f"file:{old}", f"file:{old}", "--folder", str(tmp_path))
    assert (code, "every item was compared" in out) == (0, True)


def test_likes_are_recounted(typed: Run, site: Path) -> None:
    code, out, _ = typed("recount", *of(site))
    assert code == 0
    assert "Drawing contour lines from scratch" in out
    with opened(site) as service:
        blog_id = service.posts.list_published(1).items[0].blog_id
        service.likes.like(blog_id, service.likes.visitor("192.0.2.1"))
        key = LikeCount.key(blog_id, 0)
        service.context.store.update(key, LikeCount.likes_count.set(0))
    code, out, _ = typed("recount", *of(site))
    assert code == 1


def test_outbox_is_printed(type_of: RunOf, site: Path) -> None:
    assert type_of("outbox")("portfolio", "--folder", site)[1] == "No e-mails in the last week.\n"
    with opened(site) as service:
        service.accounts.request_reset("gus@example.org")
        deliver(service)
    _, out, _ = type_of("outbox")("portfolio", "--folder", site)
    assert "gus@example.org" in out
    assert "/admin/reset?token=" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "x.zip", "--address", "file:missing.db", "--folder", "f"], "no file"),
        (["import", "missing", "--address", "file:missing.db", "--folder", "f"], "Cannot read"),
        (["migrate", "file:missing.db", "file:new.db", "--folder", "f"], "no file"),
        (["migrate", "memory:", "memory:", "--folder", "f"], "nothing to migrate"),
        (["export", "x.zip", "--folder", "f", "--prefix", "a b"], "--prefix"),
    ],
)
def test_wrong_arguments_are_explained(
    typed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = typed(*arguments)
    assert (code, words in err) == (2, True)
    assert not (tmp_path / "new.db").exists()


def test_import_needs_an_owner(typed: Run, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("Tea")
    (tmp_path / "portfolio").mkdir()
    Engine.on_file(tmp_path / "portfolio" / "portfolio.db").close()
    code, _, err = typed("import", tmp_path / "tea.md", *of(tmp_path))
    assert (code, "not set up" in err) == (2, True)


def test_home_page_has_a_picture() -> None:
    info = APP.app_info()
    assert info.picture.startswith("<svg")
    assert "style=" not in info.picture
