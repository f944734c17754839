"""What is written to the Git database: trees, commits, and where a branch stands.

https://docs.github.com/rest/git
"""

from __future__ import annotations

from tests.standins.github.actions.branches import push_commit
from tests.standins.github.git import Content, Executable, Person, Symlink
from tests.standins.github.payloads import commits, contents
from tests.standins.github.refusals import RefusalError, invalid, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.world import Json

PROTECTED = "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"

routes = RouteTable()


@routes.add("POST", "/repos/{owner}/{repo}/git/trees", "contents:write")
def create_tree(call: Call) -> Answer:
    """A tree from another one and the texts of some files."""
    body, git = call.body(), call.repository.git
    base = git.object(f"{body.get('base_tree')}^{{tree}}")
    if base is None:
        raise not_found()
    files = {item["path"]: _content(call, item) for item in call.required(body, "tree")}
    sha = git.write_tree(base.sha, files)
    items = git.list_tree(sha)
    shown = contents.tree(call.world, call.repository, sha, items, truncated=False)
    return Answer(201, shown)


@routes.add("POST", "/repos/{owner}/{repo}/git/commits", "contents:write")
def create_commit(call: Call) -> Answer:
    """A commit by the App's bot user, on no branch yet."""
    body, repository, bot = call.body(), call.repository, call.world.account(call.bot)
    sha = repository.git.write_commit(
        call.required(body, "tree"),
        call.required(body, "message"),
        parents=list(body.get("parents", [])),
        author=Person(bot.login, f"{bot.id}+{bot.login}@users.noreply.github.com"),
        when=int(call.world.now().timestamp()),
    )
    return Answer(201, commits.git_commit(call.world, repository, sha))


@routes.add("PATCH", "/repos/{owner}/{repo}/git/refs/{ref*}", "contents:write")
def update_ref(call: Call) -> Answer:
    """Move a branch: forward, unless `force` is given, and not where it is protected."""
    body, repository = call.body(), call.repository
    name = call.params["ref"]
    branch = name.removeprefix("heads/")
    sha, before = call.required(body, "sha"), repository.head(branch)
    if before is None or branch == name:
        raise RefusalError(422, "Reference does not exist")
    if branch in repository.protected:
        raise RefusalError(422, PROTECTED)
    if not body.get("force") and repository.git.merge_base(before, sha) != before:
        raise RefusalError(422, "Update is not a fast forward")
    push_commit(repository, branch, sha, by=call.bot)
    return Answer(200, contents.ref(call.world, repository, f"refs/{name}", sha))


def _content(call: Call, item: Json) -> Content:
    text = call.required(item, "content")
    match item.get("mode"):
        case "100644":
            return str(text)
        case "100755":
            return Executable(text.encode())
        case "120000":
            return Symlink(text)
        case _:
            raise invalid("tree.mode must be that of a file.")
