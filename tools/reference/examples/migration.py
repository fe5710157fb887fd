"""The examples of the page on migrations; each part is shown in the section of its title."""

# ## Steps
from pathlib import Path

from singletable import (
    Attr,
    Count,
    Entity,
    Index,
    Key,
    MigrationError,
    Store,
    Table,
    Unique,
    attr,
    connect,
)
from singletable.migration import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CopySettings,
    CreateTable,
    DropIndex,
    DropTable,
    Migration,
    MigrationHistory,
    MigrationRunner,
    Part,
    Rewrite,
    StepProgress,
    SwitchingDriver,
    TableCopy,
    dry_run,
    each,
    leave_out,
    load_migration,
    merge,
    unchanged,
    undecided,
    verify,
)

shop = Table("shop", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class City(Entity, table=shop):
    name: Attr[str] = attr()
    customers: Attr[int] = attr(default=0)
    key = Key(pk=("CITY", name), sk="CITY")


class Customer(Entity, table=shop):
    email: Attr[str] = attr()
    city: Attr[str] = attr()
    name: Attr[str] = attr(default="")
    key = Key(pk=("CUSTOMER", email), sk="CUSTOMER")
    in_city = Key(pk=("CITY", city), sk=email).on(shop.indexes[0])
    one_name = Unique(name)
    counted = Count(City, City.customers, key=(city,))


class Note(Entity, table=shop):
    email: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("CUSTOMER", email), sk=("NOTE", number))


# Items as they were before a migration are declared in a table of their own with the same name.
old_shop = Table("shop")


class OldNote(Entity, table=old_shop):
    email: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("NOTE", number), sk="NOTE")


def name_customer(customer: Customer) -> None:
    customer.name = customer.name or customer.email.partition("@")[0]


def move(old: OldNote) -> Note:
    return Note(email=old.email, number=old.number)


def move_back(new: Note) -> OldNote:
    return OldNote(email=new.email, number=new.number)


in_place = Migration(
    AddIndex(shop, "GSI1"),
    Backfill(Customer, transform=name_customer),
    AddUnique(Customer, "one_name"),
    AddCount(Customer, "counted"),
    Rewrite(each(OldNote, move), back=[each(Note, move_back)]),
    name="0001_cities",
)

new_shop = Table("new-shop")
to_new_table = Migration(
    CreateTable(new_shop),
    Copy(new_shop, unchanged(shop), back=[unchanged(new_shop)]),
    name="0002_new_shop",
)

tidy_up = Migration(DropTable(shop), name="0003_drop_shop")
without_index = Migration(DropIndex(shop, "GSI1"), name="0003_drop_index")

# ## Rules
site = Table("site")
posts = Table("posts")


class OldPost(Entity, table=site):
    post: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("POST", post), sk="POST")


class Like(Entity, table=site):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=("POST", post), sk=("LIKE", visitor))


class Visit(Entity, table=site):
    post: Attr[str] = attr()
    day: Attr[str] = attr()
    key = Key(pk=("POST", post), sk=("VISIT", day))


class Draft(Entity, table=site):
    post: Attr[str] = attr()
    key = Key(pk=("POST", post), sk="DRAFT")


class Post(Entity, table=posts):
    post: Attr[str] = attr()
    text: Attr[str] = attr()
    likes: Attr[int] = attr()
    key = Key(pk=("POST", post), sk="POST")


class Unpublished(Entity, table=posts):
    post: Attr[str] = attr()
    key = Key(pk=("DRAFT", post), sk="DRAFT")


def count_likes(found: list[OldPost | Like]) -> Post | None:
    """Return the post of a group with the number of its likes."""
    for one in found:
        if isinstance(one, OldPost):
            return Post(post=one.post, text=one.text, likes=len(found) - 1)
    return None  # likes of a post that was deleted


rules = Copy(
    posts,
    each(Draft, lambda draft: Unpublished(post=draft.post)),
    merge(
        Part(OldPost, group=lambda post: post.post, read=OldPost.key),
        Part(Like, group=lambda like: like.post, read=Like.key.partition),
        into=count_likes,
    ),
    leave_out(Visit),
)

with connect("memory:") as blog:
    store = Store(blog)
    store.admin.create_table(site)
    store.admin.create_table(posts)
    store.put_many([OldPost(post="1", text="Hello"), Like(post="1", visitor="ada")])
    MigrationRunner(Migration(rules, name="0001_posts"), blog).run()
    print(store.get(Post.key("1")))

try:
    undecided("compute Post.likes for posts without a value")
except MigrationError as error:
    print(str(error).partition(" is ")[2])


# ## Running
def show(progress: StepProgress) -> None:
    if progress.done == progress.total:
        print("done:", progress.step)


driver = connect("memory:")
store = Store(driver)
store.admin.create_table(old_shop)
store.put(OldNote(email="ada@example.com", number=1))

print("dry run:", dry_run(in_place, driver).ok)
runner = MigrationRunner(in_place, driver, rate=1_000, on_progress=show)
print("in place:", runner.run().phase)
print("verified:", all(report.ok for report in verify(runner)))

copy = MigrationRunner(to_new_table, driver)
print("copy:", copy.run().phase)
print("then:", copy.cut_over().phase)
print("and back:", copy.rollback().phase)

history = MigrationHistory([in_place, to_new_table], driver, driver)
print("pending:", [migration.name for migration in history.pending()])

# ## Writing meanwhile
application = Store(SwitchingDriver(driver, migration=to_new_table))
application.put(Note(email="ada@example.com", number=2))

# ## Copying a table as it is
with connect("memory:") as laptop:
    print(TableCopy(driver, laptop, "shop", settings=CopySettings(sample=0.5)).run())

# ## Files
file = Path("0001_empty.py")
file.write_text("from singletable.migration import Migration\n\nmigration = Migration()\n")
print(load_migration(file).name)
