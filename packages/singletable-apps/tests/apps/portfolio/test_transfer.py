"""Export and import a site: round trips, foreign folders, and files that are rejected."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import pytest
from PIL import Image

from singletable import connect
from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Listing, MenuEntry, Project, Role, User
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.rules import MAX_OLD_SLUGS, PostDraft, PostStatus, Publication
from singletable_apps.portfolio.service import Moved, open_portfolio
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.portfolio.transfer import (
    ImportEntry,
    Kind,
    export_site,
    import_site,
    import_with_undo,
    undo_import,
)
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.archives import (
    MAX_FILE_BYTES,
    MAX_FILES,
    ArchiveError,
    Files,
    read_files,
    read_zip,
    write_zip,
)
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.objects import MemoryBucket
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import SECRET, World
from tests.apps.portfolio.support.images import image_file


def outcomes(report: list[ImportEntry]) -> dict[str, str]:
    return {entry.path: str(entry.outcome) for entry in report}


def fill(world: World) -> None:
    """Create a site with everything that an export contains."""
    service, owner = world.service, world.set_up()
    media = service.media.upload(owner, image_file(), "hills.png", "Hills: blue")
    image = service.context.urls.media(media.name, media.widths[0])
    first = service.posts.create(
        owner,
        PostDraft(
            "Tea: a “story”",
            f'See ![hills]({image}).\n\n    code\n\n<img src="{image}">',
            tags=("tea", "c++"),
            category="Kitchen",
            featured_image_url=image,
            featured_image_alt="Hills",
            seo_description="All about tea.",
            canonical_url="https://example.org/tea",
        ),
    )
    service.posts.publish(owner, first.blog_id, datetime(2025, 3, 1, 8, tzinfo=UTC))
    service.posts.edit(
        owner,
        first.blog_id,
        PostDraft("Tea", f'![hills]({image} "Hills")', slug="green-tea", tags=("tea",)),
    )
    service.likes.like(first.blog_id, "a reader")
    for text in ("Nice!", "Waiting."):
        service.comments.submit(first.blog_id, CommentDraft("Bob", text), "a reader")
    nice = next(
        each for each in service.comments.queue(owner).items if "Nice" in each.comment.content
    )
    service.comments.approve(owner, nice.ref)
    link = service.context.urls.post("green-tea")
    second = service.posts.create(owner, PostDraft("Milk", f"After [tea]({link}#top)."))
    service.posts.publish(owner, second.blog_id, datetime(2026, 12, 1, tzinfo=UTC))
    service.posts.create(owner, PostDraft("Sugar", ""))
    imprint = PostDraft("Imprint", f"![hills]({image}) See [tea]({link}).", is_page=True)
    service.posts.create(owner, imprint, Publication(PostStatus.PUBLISHED))
    service.profile.update_portfolio(
        owner,
        {
            "name": "Ada",
            "profile_pic_url": image,
            "about_markdown": f"![me]({image})",
            "social_links": {"github": "https://github.example/ada"},
            "projects": [Project("one", "One", image_url=image, technologies=["Python"])],
        },
    )
    menu = [MenuEntry("m", link="imprint"), MenuEntry("n", "Code", "https://code.example")]
    edits = {"accent": "#123456", "likes": False, "menu": menu, "css": "h2 { color: teal; }"}
    service.profile.update_settings(owner, edits)
    service.newsletter.restore(owner, {"mae@example.org": datetime(2026, 1, 1, tzinfo=UTC)})


def test_export_imported_and_exported_again_is_identical(world: World) -> None:
    fill(world)
    files = dict(export_site(world.service))
    assert [path for path in files if path.startswith("posts/")] == [
        "posts/2025-03-01-green-tea.md",
        "posts/2025-03-01-green-tea.json",
        "posts/2026-12-01-milk.md",
        "posts/sugar.md",
    ]
    assert b"(../media/" in files["posts/2025-03-01-green-tea.md"]
    assert b"(2025-03-01-green-tea.md#top)" in files["posts/2026-12-01-milk.md"]
    assert b"page: true" in files["pages/imprint.md"]
    assert b"(../posts/2025-03-01-green-tea.md)" in files["pages/imprint.md"]
    # Another site may be at another path.
    with connect("memory:") as driver:
        other = open_portfolio(
            driver, SECRET, bucket=MemoryBucket(), urls=Urls(prefix=""), clock=world.clock
        )
        owner = other.accounts.set_up("Eve", "eve@example.org", "nine blue horses", "Eve")
        report = import_site(other, owner, files)
        # Setting up the site has created an empty portfolio.
        updated = {"portfolio.json": "updated", "portfolio.json#settings": "updated"}
        assert outcomes(report) == {**dict.fromkeys(outcomes(report), "created"), **updated}
        assert dict(export_site(other)) == files
        tea = next(blog for blog in other.posts.list_all() if blog.slug == "green-tea")
        assert [each.content for each in other.comments.of_post(tea.blog_id)] == ["Nice!"]
        assert [each.comment.content for each in other.comments.queue(owner).items] == ["Waiting."]
        assert [old.title for old in other.posts.history(tea.blog_id)] == ["Tea: a “story”"]
        assert other.likes.counts([tea.blog_id]) == {tea.blog_id: 1}
        again = import_site(other, owner, files)
        assert set(outcomes(again).values()) == {"skipped"}
        found = other.posts.find("tea-a-story")
        assert found == Moved("green-tea")
        other.posts.edit(owner, tea.blog_id, PostDraft("Tea", "Later edits are numbered on."))
        milk = next(blog for blog in other.posts.list_all() if blog.slug == "milk")
        assert "/blog/green-tea#top" in other.posts.get(milk.blog_id).content.content
        (page,) = other.posts.list_in(Listing.PAGES)
        assert other.context.urls.of(page) == "/imprint"
        taken = {"posts/x.md": b"---\ntitle: X\nslug: imprint\n---\n"}
        assert "only one can have the slug" in import_site(other, owner, taken)[0].reason


def test_zip_of_an_export_is_always_the_same(memory: World) -> None:
    fill(memory)
    one, other = BytesIO(), BytesIO()
    write_zip(export_site(memory.service), one)
    write_zip(export_site(memory.service), other)
    assert one.getvalue() == other.getvalue()
    assert read_zip(one.getvalue()) == dict(export_site(memory.service))


@pytest.mark.parametrize(
    "activity",
    [
        {"likes": -1},
        {"comments": [{"comment_id": "../x", "author_name": "B", "content": "x"}]},
        {
            "comments": [
                {
                    "comment_id": "1",
                    "author_name": "",
                    "content": "x",
                    "created_at": "2026-01-01T00:00:00Z",
                }
            ]
        },
        {"history": [{"number": 0, "title": "", "markdown": "", "edited_by": ""}]},
        7,
    ],
)
def test_wrong_comments_likes_and_history_are_reported(memory: World, activity: object) -> None:
    files = {"tea.md": b"Tea.", "tea.json": json.dumps(activity).encode()}
    assert outcomes(import_site(memory.service, memory.set_up(), files)) == {"tea.md": "failed"}
    assert memory.service.posts.list_all() == []


def test_version_that_is_named_twice_is_imported_once(memory: World) -> None:
    old = {"title": "T", "markdown": "x", "edited_by": "a", "edited_at": "2026-01-01T00:00:00Z"}
    activity = {"history": [{**old, "number": 1}, {**old, "number": 1}]}
    files = {"tea.md": b"Tea.", "tea.json": json.dumps(activity).encode()}
    assert outcomes(import_site(memory.service, memory.set_up(), files)) == {"tea.md": "created"}
    [blog] = memory.service.posts.list_all()
    assert len(memory.service.posts.history(blog.blog_id)) == 1


def own_site(world: World) -> User:
    """Set up a site with a draft and a profile."""
    owner = world.set_up()
    world.service.posts.create(owner, PostDraft("Milk", "My own.", slug="milk"))
    world.service.profile.update_portfolio(owner, {"name": "Eve", "bio": "I write."})
    return owner


@pytest.mark.parametrize("kind", Kind)
def test_import_changes_only_the_chosen_kinds(memory: World, kind: Kind) -> None:
    fill(memory)
    files = dict(export_site(memory.service))
    other = World(connect("memory:"), memory.clock)
    owner = own_site(other)
    before = dict(export_site(other.service))
    report = import_site(other.service, owner, files, kinds=[kind])
    assert {entry.kind for entry in report} == {kind}
    after = dict(export_site(other.service))
    changed = {path.partition("/")[0] for path in after if after[path] != before.get(path)}
    folders = {
        Kind.POSTS: {"posts", "pages"},
        Kind.IMAGES: {"media"},
        Kind.SUBSCRIBERS: {"subscribers.json"},
    }
    assert changed == folders.get(kind, {"portfolio.json"})
    assert (other.service.profile.get_portfolio().bio == "I write.") == (kind is not Kind.PROFILE)
    assert (other.service.profile.get_settings().accent == "#123456") == (kind is Kind.SETTINGS)


def test_undo_restores_what_an_import_replaced(memory: World) -> None:
    fill(memory)
    files = dict(export_site(memory.service))
    other = World(connect("memory:"), memory.clock)
    service, owner = other.service, own_site(other)
    before = dict(export_site(service))
    other.clock.advance(hours=1)
    import_with_undo(service, owner, files, list(Kind))
    mine = service.posts.create(owner, PostDraft("Since then", "Written after the import."))
    undo_import(service, owner)
    service.posts.delete(owner, mine.blog_id)
    after = dict(export_site(service))
    assert {path: after[path] for path in before} == before
    # The images stay in the library, subscribers, and the imported text in the history of the post.
    added = {path for path in after.keys() - before.keys() if not path.startswith("media/")}
    assert added == {"posts/milk.json", "subscribers.json"}
    with pytest.raises(NotFound):
        undo_import(service, owner)


def test_subscribers_are_imported_once_and_wrong_ones_not_at_all(memory: World) -> None:
    owner, newsletter = memory.set_up(), memory.service.newsletter
    reader = '{"email": "%s", "confirmed_at": "2026-01-01T00:00:00Z"}'
    mae, bob, wrong = (reader % each for each in ("Mae@example.org", "bob@example.org", "bob"))
    for readers, expected in (
        ([mae], ["created"]),
        ([mae, bob, reader % "BOB@example.org"], ["skipped", "created", "created"]),
        ([mae, wrong], ["failed"]),
    ):
        files = {"subscribers.json": f"[{', '.join(readers)}]".encode()}
        report = import_site(memory.service, owner, files)
        assert sorted(each.outcome for each in report) == sorted(expected)
    assert "bob: Enter an e-mail address" in report[0].reason
    emails = sorted(each.email.casefold() for each in newsletter.list_all())
    assert emails == ["bob@example.org", "mae@example.org"]


def test_removed_subscribers_are_left_out_of_an_import_and_not_of_another_site(
    memory: World,
) -> None:
    fill(memory)
    files, newsletter = dict(export_site(memory.service)), memory.service.newsletter
    [mae] = newsletter.list_all()
    newsletter.remove(memory.owner(), mae.digest)
    for dry_run in (True, False):
        report = import_site(memory.service, memory.owner(), files, dry_run=dry_run)
        assert outcomes(report)["subscribers.json#mae@example.org"] == "left out"
        assert newsletter.list_all() == []
    other = World(connect("memory:"), memory.clock)
    report = import_site(other.service, other.set_up(), files)
    assert outcomes(report)["subscribers.json#mae@example.org"] == "created"


HUGO: Files = {
    "content/posts/tea/index.md": b"---\ntitle: Tea\ndate: 2025-01-01\n---\n![cup](cup.png) "
    b"![site](/images/site.png) ![gone](gone.png) [milk](../2025-02-02-milk.md)",
    "content/posts/tea/cup.png": image_file(color="navy"),
    "content/posts/2025-02-02-milk.md": b"---\ntitle: Milk\n---\nMilk.",
    "static/images/site.png": image_file(color="olive"),
    "static/unused.png": image_file(color="gray"),
    "config.toml": b"",
    "content/posts/bad.md": b"---\ntitle: [\n---\n",
    "content/posts/latin1.md": "Müsli".encode("latin-1"),
}


def test_folder_of_hugo_is_imported_with_its_images(memory: World) -> None:
    owner = memory.set_up()
    dry = import_site(memory.service, owner, HUGO, dry_run=True)
    assert not memory.service.posts.list_all()
    assert not memory.bucket.list_objects()
    report = import_site(memory.service, owner, HUGO)
    assert report == dry
    assert outcomes(report) == {
        "config.toml": "skipped",
        "content/posts/2025-02-02-milk.md": "created",
        "content/posts/bad.md": "failed",
        "content/posts/latin1.md": "failed",
        "content/posts/tea/cup.png": "created",
        "content/posts/tea/index.md": "created",
        "static/images/site.png": "created",
        "static/unused.png": "skipped",
    }
    [tea] = [blog for blog in memory.service.posts.list_all() if blog.slug == "tea"]
    post = memory.service.posts.get(tea.blog_id)
    assert post.content.markdown.count("/portfolio/media/") == 2
    assert "![gone](gone.png)" in post.content.markdown
    assert {media.alt for media in memory.service.media.list(10).items} == {"cup", "site"}
    assert "[milk](/portfolio/blog/milk)" in post.content.markdown
    assert tea.published_at == datetime(2025, 1, 1, tzinfo=UTC)
    assert [page.slug for page in memory.service.catalog.visible(memory.clock())] == ["milk", "tea"]


def test_import_updates_the_post_with_the_same_slug_and_keeps_its_history(memory: World) -> None:
    owner = memory.set_up()
    file = {"tea.md": b"---\ndate: 2025-01-01\n---\n# Tea\n\nHot."}
    import_site(memory.service, owner, file)
    memory.clock.advance(hours=1)
    report = import_site(
        memory.service, owner, {"tea.md": b"---\ndraft: true\n---\n# Tea\n\nCold."}
    )
    assert outcomes(report) == {"tea.md": "updated"}
    [blog] = memory.service.posts.list_in(Listing.DRAFTS)
    post = memory.service.posts.get(blog.blog_id)
    assert (post.content.markdown, blog.listing) == ("Cold.", Listing.DRAFTS)
    assert [old.markdown for old in memory.service.posts.history(blog.blog_id)] == ["Hot."]
    memory.service.posts.edit(owner, blog.blog_id, PostDraft("Tea", "Warm.", slug="tea"))


def test_files_with_the_same_slug_are_rejected(memory: World) -> None:
    owner = memory.set_up()
    report = import_site(memory.service, owner, {"a/tea.md": b"One.", "b/tea.md": b"Two."})
    assert outcomes(report) == {"a/tea.md": "created", "b/tea.md": "failed"}
    assert "a/tea.md has the same slug" in report[1].reason


def test_alias_of_another_post_is_rejected_and_nothing_is_written(memory: World) -> None:
    owner = memory.set_up()
    import_site(memory.service, owner, {"tea.md": b"Tea."})
    for dry_run in (True, False):
        report = import_site(
            memory.service, owner, {"milk.md": b"---\naliases: [tea]\n---\nM"}, dry_run=dry_run
        )
        assert outcomes(report) == {"milk.md": "failed"}
    assert [blog.slug for blog in memory.service.posts.list_all()] == ["tea"]


def test_aliases_are_limited(memory: World) -> None:
    aliases = ", ".join(f"tea-{number}" for number in range(MAX_OLD_SLUGS + 1))
    file = f"---\naliases: [{aliases}]\n---\nTea.".encode()
    [entry] = import_site(memory.service, memory.set_up(), {"tea.md": file})
    assert (entry.outcome, "at most" in entry.reason) == (Outcome.FAILED, True)


def test_damaged_images_of_an_export_are_rejected(memory: World) -> None:
    owner = memory.set_up()
    name = "0123456789abcdef_64x32"
    webp = image_file(kind="WEBP")
    for files in (
        {f"media/{name}/64.webp": b"<svg>"},
        {f"media/{name}/64.webp": image_file()},
        {f"media/{name}/64.webp": image_file(32, 32, kind="WEBP")},
        {f"media/{name}/480.webp": webp},
        {f"media/{name}/64.webp": webp, f"media/{name}/32.webp": webp},
        # A photo of a phone says where it was taken.
        {f"media/{name}/64.webp": image_file(kind="WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0")},
    ):
        report = import_site(memory.service, owner, files)
        assert set(outcomes(report).values()) == {"failed"}
    assert not memory.bucket.list_objects()
    report = import_site(memory.service, owner, {f"media/{name}/64.webp": webp})
    assert set(outcomes(report).values()) == {"created"}


def add_chunk(webp: bytes, name: bytes, content: bytes) -> bytes:
    """Return a WebP with another chunk, of which its header does not tell."""
    chunk = name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)
    return b"RIFF" + (len(webp) - 8 + len(chunk)).to_bytes(4, "little") + webp[8:] + chunk


# The files of an export could be anything with the header of a WebP.
def test_images_of_an_export_are_encoded_again(memory: World) -> None:
    owner, name = memory.set_up(), f"{'0' * 16}_64x32"
    webp = image_file(kind="WEBP", color="teal")
    hidden = add_chunk(
        add_chunk(webp, b"EXIF", b"GPS 52.5 N"), b"NOTE", b"<script>alert(1)</script>"
    )
    report = import_site(memory.service, owner, {f"media/{name}/64.webp": hidden})
    assert set(outcomes(report).values()) == {"created"}
    [stored] = [memory.bucket.get_object(key) for key in memory.bucket.list_objects()]
    assert b"GPS" not in stored
    assert b"script" not in stored
    with Image.open(BytesIO(stored)) as image:
        assert (image.format, image.size) == ("WEBP", (64, 32))
        image.load()
    # Pixels that cannot be decoded are an error at the import, not in browsers.
    broken = webp[:40] + b"\xff" * (len(webp) - 40)
    other = f"{'1' * 16}_64x32"
    report = import_site(memory.service, owner, {f"media/{other}/64.webp": broken})
    assert set(outcomes(report).values()) == {"failed"}


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("---\ntitle: Tee\n", "Kopf der Datei: Das Ende fehlt: eine Zeile ---."),
        ("---\n- a\n---\n", "Kopf der Datei: Erwartet werden Namen und Werte wie title: Tee."),
        ("---\na: *b\n---\n", "Kopf der Datei: Das ist nicht lesbar: Aliasse wie *name sind nicht"),
        ("---\ntags: [100 %\n---\n", "Zeile 2 ist nicht lesbar: tags: [100 % – erwartet: [ und ]"),
        ("---\ndate: 100 %\n---\n", "2026-03-01T18:00:00Z statt '100 %'."),
        ("---\ntitle: {a: b}\n---\n", "Titel: Erwartet wird Text statt {'a': 'b'}."),
    ],
)
def test_wrong_front_matter_is_explained_in_german(memory: World, text: str, german: str) -> None:
    [entry] = import_site(memory.service, memory.set_up(), {"tea.md": text.encode()})
    assert german in TRANSLATIONS["de"].gettext(entry.reason)


def test_only_owners_import(memory: World) -> None:
    memory.set_up()
    with pytest.raises(NotPermitted):
        import_site(memory.service, memory.user(Role.AUTHOR), {})


def zipped(*names: str, content: bytes = b"x") -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(ZipInfo(name), content)
    return file.getvalue()


@pytest.mark.parametrize("name", ["../a.md", "a/../../b.md", "/etc/passwd", "C:/a.md", "a\\b.md"])
def test_zip_with_files_outside_is_rejected(name: str) -> None:
    data = zipped("a.md", "x" * len(name)).replace(b"x" * len(name), name.encode())
    with pytest.raises(ArchiveError, match=r"outside|damaged"):
        read_zip(data)


def test_zip_bombs_and_damaged_zips_are_rejected() -> None:
    bomb = BytesIO()
    with ZipFile(bomb, "w", 8) as archive:
        archive.writestr("a.md", b"0" * (MAX_FILE_BYTES + 1))
    for data in (bomb.getvalue(), b"", b"PK\x03\x04", zipped("a.md")[:-30]):
        with pytest.raises(ArchiveError):
            read_zip(data)
    whole = bytearray(zipped("a.md", content=b"hello world"))
    whole[40] ^= 1
    with pytest.raises(ArchiveError):
        read_zip(bytes(whole))


@pytest.mark.parametrize("compression", [ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_zips_with_damaged_content_are_rejected(compression: int) -> None:
    file = BytesIO()
    with ZipFile(file, "w", compression) as archive:
        archive.writestr("a.md", b"hello world" * 100)
    for start in range(34, 60, 4):
        damaged = bytearray(file.getvalue())
        damaged[start : start + 6] = b"\xff" * 6
        with pytest.raises(ArchiveError):
            read_zip(bytes(damaged))


@pytest.mark.parametrize("name", ["", ".", "./."])
def test_zips_with_files_without_a_name_are_rejected(name: str) -> None:
    with pytest.raises(ArchiveError):
        read_zip(zipped(name))


def test_zips_with_too_many_files_are_rejected_before_their_directory_is_read() -> None:
    # The same name again and again is many files, too.
    entry = zipped("a").partition(b"PK\x01\x02")[2].partition(b"PK\x05\x06")[0]
    with pytest.raises(ArchiveError, match="files"):
        read_zip(b"PK\x03\x04" + (b"PK\x01\x02" + entry) * (2 * MAX_FILES + 1))


def test_size_of_an_unpacked_zip_is_limited_by_the_caller() -> None:
    data = zipped("a.md", "b.md", content=b"0" * 600)
    assert len(read_zip(data, 1_200)) == 2
    with pytest.raises(ArchiveError):
        read_zip(data, 1_199)


def test_zip_of_a_folder_is_read_without_the_folder() -> None:
    assert set(read_zip(zipped("site/posts/a.md", "site/portfolio.json"))) == {
        "posts/a.md",
        "portfolio.json",
    }


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "a.md").write_text("A")
    (tmp_path / "posts" / "passwd.md").symlink_to("/etc/passwd")
    assert set(read_files(tmp_path)) == {"posts/a.md"}
    assert read_files(tmp_path / "posts" / "a.md") == {"a.md": b"A"}
    with pytest.raises(ArchiveError):
        read_files(tmp_path / "missing")


_NESTED = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
_MERGED = "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9))


# Each of these took minutes, gigabytes, or was an internal error.
@pytest.mark.parametrize(
    "front_matter",
    [
        f"a0: &a0 [x]\n{_NESTED}title: x\ndate: *a8",
        f"a0: &a0 {{x: 1}}\n{_MERGED}title: x",
        f"title: 0x{'f' * 5000}",
        f"title: x\ndate: 0x{'f' * 5000}",
        f"title: x\ndate: 1{':1' * 3000}",
        "title: x\nupdated: 9999-12-31T23:59:59Z",
        "title: x\nupdated: 0001-01-01T00:00:00Z",
        f"title: x\nauthor_name: {'a' * 200_000}",
        'title: x\nauthor_name: "a\\u202eb"',
        f"title: x\naliases: [{', '.join(f's{n}' for n in range(300))}]",
        f"title: x\ndraft: 0x{'f' * 5000}",
        f"title: x\n0x{'f' * 5000}: y",
        "title: x\nupdated: !!timestamp tea",
        "title: x\ndraft: !!bool tea",
        "\n".join(f"k{n}: v" for n in range(200_000)),
    ],
    ids=lambda text: text[-20:],
)
def test_hostile_front_matter_is_rejected(memory: World, front_matter: str) -> None:
    owner = memory.set_up()
    files = {"a.md": f"---\n{front_matter}\n---\n\nText".encode(), "b.md": b"# B\n\nText"}
    report = import_site(memory.service, owner, files)
    assert outcomes(report) == {"a.md": "failed", "b.md": "created"}


def test_hostile_files_are_reported_in_time(memory: World) -> None:
    owner = memory.set_up()
    files = {
        "brackets.md": b"![" * 10_000_000,
        f"media/0123456789abcdef_1x1/{'9' * 5000}.webp": b"",
        "portfolio.yaml": f"a0: &a0 [x]\n{_NESTED}settings: {{accent: *a8}}".encode(),
    }
    report = import_site(memory.service, owner, files)
    assert {entry.outcome for entry in report} == {Outcome.FAILED, Outcome.SKIPPED}


def test_time_of_an_edit_is_never_in_the_future(memory: World) -> None:
    owner = memory.set_up()
    text = b"---\ntitle: Tea\nupdated: 2999-01-01T00:00:00Z\n---\n\nText"
    import_site(memory.service, owner, {"tea.md": text})
    [blog] = memory.service.posts.list_all()
    assert blog.updated_at <= memory.clock()
