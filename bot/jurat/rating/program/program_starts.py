"""Which files begin a program, told by where they stand and what their statements do."""

from __future__ import annotations

import re

from jurat.rating.code.function_facts import CallFact, FileFacts

_STARTED = re.compile(
    r"(?:^|/)(?:__main__|main|app|server|manage|wsgi|asgi|index|cli|run|worker|lambda_function"
    r"|handler|streamlit_app)\.(?:py|[cm]?[jt]sx?)$"
    r"|(?:^|/)(?:pages/api|app/.*/route\.[jt]s|api/.*\.[jt]s|functions/[^/]+\.[jt]s)"
)
_BESIDE = re.compile(
    r"(?:tests?|specs?|__tests__|e2e|docs?|examples?|samples?|bench\w*|fixtures?|stubs?|typings"
    r"|tools?|scripts?|trials?|evals?|evaluations?|training|train|ml|notebooks|release|ops|migrations"
    r"|alembic|\.\w+)/"
)
"""Folders beside the product."""
_COMMANDED = re.compile(r"(?:^|/)management/commands/[^/_]\w*\.py$")
"""Files that a framework starts as the commands that they are called by."""
_ROUTED = re.compile(
    r"(?:^|/)(?:app/(?:.*/)?(?:route|page|layout)|pages/.+|\+(?:server|page\.server))\.[cm]?[jt]sx?$"
)
"""Files that a framework serves by where they stand, whatever their own statements do."""
_SERVERS = re.compile(
    r"(?:^|[./])(?:FastAPI|Flask|Starlette|APIRouter|Blueprint|Typer|express|fastify|Hono|Koa|Celery"
    r"|Sanic|Quart|aiohttp\.web\.Application|run_app|listen|serve|createServer|Bot|App|mainloop"
    r"|ChatInterface|launch|uvicorn\.run|Router)(?:\(\))?(?:\.\w+)?$"
)
_OF_SERVER = "use server"
"""What a file says of which pages call every function by themselves."""
_JOB = re.compile(r"(?:^|/)(?:jobs?|cron|workers?|bin|scheduled)/[^/]+\.(?:py|[cm]?[jt]s)$")
"""Files of a folder of jobs."""
_MAIN = frozenset(("run", "main", "serve", "start", "loop", "forever", "run_forever"))
"""What a program that goes round is called in."""
_CONFIGURING = frozenset(
    (
        *("getLogger", "addHandler", "setLevel", "setFormatter", "configure", "connect"),
        *("mkdir", "get_logger", "basicConfig", "compile", "getenv", "namedtuple", "TypeVar"),
        *("frozenset", "set", "dict", "tuple", "list", "timedelta", "field", "load_dotenv"),
        *("require", "Event", "Lock", "Path", "config", "str", "int", "float", "NewType"),
        *("environ", "get"),
    )
)
"""What is called to make ready: a file that calls nothing else does nothing by itself."""


def is_beside(path: str) -> bool:
    """Whether a file stands beside the product: in tests, scripts, trainings and the like."""
    return _BESIDE.match(path) is not None


def is_routed(path: str) -> bool:
    """Whether a framework serves a file by where it stands, whatever its own statements do."""
    return _ROUTED.search(path) is not None


def is_program_start(path: str, facts: FileFacts, *, is_imported: bool, is_used: bool) -> bool:
    """Whether a program begins in a file.

    `is_imported` says that another file of the repository imports it, and `is_used` that one of the
    product does.
    """
    if facts.is_started or path.endswith(("__main__.py", ".sql")):
        return True
    if is_routed(path) or _COMMANDED.search(path) or _OF_SERVER in facts.functions[0].says:
        return True
    calls = facts.functions[0].calls
    if any(_SERVERS.search(call.callee) for call in calls):
        return True
    # What only takes in the other parts begins them all.
    if (calls or not facts.functions[1:]) and _STARTED.search(path):
        return True
    if not is_imported and (_is_script(facts) or (_JOB.search(path) and _is_job(facts))):
        return True
    return not is_used and not is_beside(path) and _has_main_loop(facts)


def _is_script(facts: FileFacts) -> bool:
    """Whether the file's own statements do more than to define and to configure."""
    return any(map(_is_acting, facts.functions[0].calls))


def _is_acting(call: CallFact) -> bool:
    last = call.callee.rpartition(".")[2]
    if last in _CONFIGURING:
        return False
    if call.callee.startswith("local:"):
        return True
    return not last[:1].isupper() and not call.callee.startswith(
        (".", "os.environ", "pathlib", "re.")
    )


def _is_job(facts: FileFacts) -> bool:
    """Whether a file of a folder of jobs has what is called when its time comes."""
    return any(
        one.name in ("run", "main", "handler", "perform", "execute") for one in facts.functions
    )


def _has_main_loop(facts: FileFacts) -> bool:
    """Whether a program goes round in a file for as long as it runs; who starts it is not here."""
    return any(
        one.name in _MAIN and any(not loop.bounded for loop in one.loops) for one in facts.functions
    )
