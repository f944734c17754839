"""A story told under fire: events, faults and killed workers; and what must hold at its end."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from jurat.reports.comment import parse_marker
from tests.chaos.tale import STORM, Plan, Tale, find_emptiness
from tests.chaos.weather import GONE, UNAVAILABLE, Spell, hostile
from tests.standins.gemini.reactions import Behaviour, Reaction, Reply, careful, stalled
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.standin import StandInGemini
from tests.standins.github import PullRequest, Repository, StandIn, actions, new_private_key
from tests.standins.github.checks import CheckRun
from tests.standins.github.world import Event
from tests.support.production import python
from tests.support.rules import BROKEN, CLEAN, NO_MD5

APP_ID = 77
SECRET = "a secret for the chaos run alone"
JUDGED = """
version: 1
rules:
  - id: py.says-what-for
    statement: A module says which change it came with.
    kind: normative
    modality: MUST
    severity: HIGH
    languages: [python]
"""
"""What a model must say something about, or the check cannot end."""
BASE = {
    ".github/jurat.yml": "version: 1\npacks: []\nrules: [policy]\n",
    "policy/house.yml": NO_MD5,
    "digest.py": CLEAN,
}
FAULT_RATE = 0.2
HANG_RATE = 0.3
"""Of questions that the model never answers."""
CUT_RATE = 0.05
"""Of deliveries that a proxy cuts in the midst."""
SPEED = 30
"""How much faster the long outage passes: two hours are four minutes."""
OUTAGE = 2 * 3_600
WITHIN = 300
"""Simulated seconds after the return in which each open pull request has its check."""
_LONGEST_STORM = 60
"""Seconds after which nobody is waited for who meets it."""
UNASSESSED = "not assessed"
"""In the summary of a check that a model's answer is missing from."""
UNHEARD = 0.2
"""Of deliveries, how many are sent though nobody may be there to take them."""
WORK = 2.0
"""How many times as long as under a clear sky the reviews themselves may take: no clock makes this
machine faster, and whatever else it does slows both."""


class Hasty:
    """The machine's time, and a second more for each time that somebody changes their mind.

    GitHub tells the time in whole seconds, and nobody closes a pull request twice in one.
    """

    def __init__(self) -> None:
        self._ahead = dt.timedelta()

    def __call__(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC) + self._ahead

    def pass_a_second(self) -> None:
        self._ahead += dt.timedelta(seconds=1)


@dataclass(slots=True)
class Process:
    """A process of the App, started again whenever it was killed."""

    role: str
    environment: dict[str, str]
    running: asyncio.subprocess.Process | None = None
    said: str = ""
    is_hampered: bool = False
    is_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def start(self, **harder: str) -> None:
        self.running = await asyncio.create_subprocess_exec(
            *(python(), "-m", "tests.chaos.process", self.role),
            env={**os.environ, **self.environment, **harder},
            stdout=asyncio.subprocess.PIPE,
        )
        assert self.running.stdout is not None
        self.said = (await self.running.stdout.readline()).decode().strip()
        if not self.said:
            raise RuntimeError(f"the process {self.role!r} did not start")
        self.is_up.set()

    async def end(self, how: signal.Signals) -> None:
        assert self.running is not None
        self.is_up.clear()
        self.running.send_signal(how)
        await self.running.wait()


async def play(plan: Plan) -> Tale:
    """Run the whole story; the tale holds the violations."""
    tale, dice = Tale(), random.Random(plan.seed)
    key, clock, started = new_private_key(), Hasty(), time.monotonic()
    async with (
        StandIn(
            app_id=APP_ID, private_key=key, webhook_secret=SECRET, rate_limit=10**6, clock=clock
        ) as github,
        StandInGemini() as gemini,
    ):
        spell = Spell(tale.faults)
        github.faults += [spell, hostile(FAULT_RATE, random.Random(plan.seed + 1), tale.faults)]
        gemini.always(_hang_now_and_then(random.Random(plan.seed + 3), tale))
        environment = {
            **_build_environment(plan, github, key),
            "GEMINI_API_KEY": gemini.api_key,
            "GOOGLE_GEMINI_BASE_URL": gemini.base_url,
            "JURAT_NO_CACHE": "1",
        }
        async with _running(plan, environment, github) as processes:
            stop = asyncio.Event()
            killing = asyncio.create_task(
                _kill(
                    plan,
                    processes,
                    github,
                    dice=random.Random(plan.seed + 2),
                    stop=stop,
                    tale=tale,
                )
            )
            try:
                storm = asyncio.create_task(_storm(plan, spell, tale))
                pulls = await _happen(plan, github, clock, processes, dice=dice, tale=tale)
                await storm
            finally:
                stop.set()
                await killing
            await _find_missed(environment, tale)
            await _settled(plan, github, pulls)
            _judge(github, pulls, tale)
    tale.violations += find_emptiness(tale, plan)
    tale.seconds = time.monotonic() - started
    return tale


def _hang_now_and_then(dice: random.Random, tale: Tale) -> Behaviour:
    """A model that answers well, or never."""

    def answer(asked: Asked, reply: Reply) -> Reaction:
        # The first one too: however short the story is, it shows a model that hangs.
        hangs = not tale.counts["questions to the model"] or dice.random() < HANG_RATE
        tale.counts["questions to the model"] += 1
        tale.counts["questions that it never answered"] += hangs
        return stalled(asked, reply) if hangs else careful(asked, reply)

    return answer


def _build_environment(plan: Plan, github: StandIn, key: str) -> dict[str, str]:
    return {
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": key,
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API_URL": github.api_url,
        "DATABASE_URL": plan.database_url,
        "JURAT_API_TOKEN": SECRET,  # or the server makes one, and keeps it where it was started
        "LOG_LEVEL": "fatal",
        "PYTHONWARNINGS": "ignore",  # who is killed cleans nothing up
        "PORT": "0",
    }


@asynccontextmanager
async def _running(
    plan: Plan, environment: dict[str, str], github: StandIn
) -> AsyncIterator[list[Process]]:
    processes = [Process(role, environment) for role in plan.roles]
    try:
        for process in processes:
            await process.start()
            if process.said.startswith("http"):
                github.webhook_url = process.said + "/api/github/webhooks"
        yield processes
    finally:
        for process in processes:
            if process.running is not None and process.running.returncode is None:
                await process.end(signal.SIGTERM)


async def _kill(
    plan: Plan,
    processes: Sequence[Process],
    github: StandIn,
    *,
    dice: random.Random,
    stop: asyncio.Event,
    tale: Tale,
) -> None:
    """Kill one process after another, and start it again, until told to stop."""
    mortal = [process for process in processes if process.role in plan.mortal]
    counts = tale.counts
    while not (stop.is_set() or counts["deliveries"] > counts["deliveries that failed"]):  # noqa: ASYNC110 - a count wakes nobody
        await asyncio.sleep(0.05)
    while not stop.is_set():
        try:
            await asyncio.wait_for(stop.wait(), dice.uniform(*plan.kill_every))
        except TimeoutError:
            process = dice.choice(mortal)
            await process.end(signal.SIGKILL)
            tale.counts["workers killed"] += 1
            await _start_again(plan, process, dice, tale)
            if process.said.startswith("http"):
                github.webhook_url = process.said + "/api/github/webhooks"
    # In the end somebody frees the disk, and sets the clock.
    for process in mortal:
        if process.is_hampered:
            await process.end(signal.SIGKILL)
            await process.start()
            if process.said.startswith("http"):
                github.webhook_url = process.said + "/api/github/webhooks"


async def _start_again(plan: Plan, process: Process, dice: random.Random, tale: Tale) -> None:
    """Start a process that was killed; now and then its clock has jumped, or its disk is full."""
    sqlite = plan.database_url.startswith("sqlite")
    # The first one: however short the story is, it shows one.
    draw = dice.random() if tale.counts["workers killed"] > 1 else 0.0
    # SQLite has no clock but that of the machine, and PostgreSQL a disk that is not ours.
    harder = (
        {"CHAOS_FULL_DISK": "1"} if sqlite else {"CHAOS_AHEAD": str(dice.choice([-7200, 7200]))}
    )
    if draw < plan.harder:
        tale.counts["starts with a full disk" if sqlite else "starts with a clock that jumped"] += 1
        try:
            await process.start(**harder)
        except RuntimeError:
            pass  # as an operator would find it
        else:
            process.is_hampered = True
            return
    process.is_hampered = False
    await process.start()


async def _storm(plan: Plan, spell: Spell, tale: Tale) -> None:
    """Early in the story, GitHub knows nothing for a while."""
    if not plan.storm:
        return
    await asyncio.sleep(3.0)
    spell.begin(STORM, GONE)
    await asyncio.sleep(plan.storm)
    # However slow the machine is: a storm that met nobody shows nothing.
    for _ in range(_LONGEST_STORM):
        if tale.faults[STORM]:
            break
        await asyncio.sleep(1.0)
    spell.end()


async def sit_out(plan: Plan) -> Tale:
    """GitHub is away for two hours, as the product's own pauses go; what is done after its return.

    Half of the deliveries arrive before it goes, the other half fail to.
    """
    tale, spell_faults, started = Tale(), Counter[str](), time.monotonic()
    key = new_private_key()
    async with StandIn(
        app_id=APP_ID, private_key=key, webhook_secret=SECRET, rate_limit=10**6
    ) as github:
        spell = Spell(spell_faults)
        github.faults.append(spell)
        environment = {**_build_environment(plan, github, key), "CHAOS_SPEED": str(SPEED)}
        async with _running(plan, environment, github):
            dice = random.Random(plan.seed)
            calm = await _rehearse(plan, github, dice)
            spell.begin("503 to everything", UNAVAILABLE)
            pulls = _open_many(plan, github.create_repository("acme/shop", BASE), dice)
            told, github.outbox[:] = list(github.outbox), []
            for place, event in enumerate(told):
                delivery = await github.deliver(event, cut=place % 2 == 1)
                tale.counts["deliveries"] += 1
                tale.counts["deliveries that failed"] += not delivery.ok
            await asyncio.sleep(OUTAGE / SPEED)
            spell.end()
            back = time.monotonic()
            allowed = WITHIN / SPEED + WORK * calm
            await _settled(replace(plan, seconds=allowed), github, pulls, quiet=0)
            waited = time.monotonic() - back
            tale.counts["simulated minutes away"] = OUTAGE // 60
            tale.counts["real milliseconds under a clear sky"] = round(calm * 1000)
            tale.counts["real milliseconds until all had their check"] = round(waited * 1000)
            tale.counts["real milliseconds allowed"] = round(allowed * 1000)
            if late := sum(not _concluded(pull) for pull in pulls):
                tale.violations.append(f"{late} of {len(pulls)} had no check in time")
            await _settled(plan, github, pulls)
            _judge(github, pulls, tale)
    tale.faults = spell_faults
    tale.counts["pull requests"] = len(pulls)
    tale.violations += find_emptiness(tale, replace(plan, events=0, mortal=(), harder=0.0))
    tale.seconds = time.monotonic() - started
    return tale


def _open_many(plan: Plan, repository: Repository, dice: random.Random) -> list[PullRequest]:
    pulls = []
    for number in range(plan.pulls):
        actions.push(repository, f"change-{number}", _files(dice))
        pulls.append(actions.open_pull_request(repository, head=f"change-{number}"))
    return pulls


async def _rehearse(plan: Plan, github: StandIn, dice: random.Random) -> float:
    """How long as many reviews take on this machine, now, if nothing is away."""
    pulls = _open_many(plan, github.create_repository("acme/before", BASE), dice)
    begun = time.monotonic()
    await github.flush()
    await _settled(plan, github, pulls, quiet=0)
    return time.monotonic() - begun


async def _happen(
    plan: Plan,
    github: StandIn,
    clock: Hasty,
    processes: Sequence[Process],
    *,
    dice: random.Random,
    tale: Tale,
) -> list[PullRequest]:
    """Let people act, and deliver what that makes GitHub tell: in disorder, some of it twice."""
    repository = github.create_repository("acme/shop", {**BASE, "policy/judged.yml": JUDGED})
    pulls: list[PullRequest] = []
    waiting: list[Event] = []
    happened = 0
    listening = next(process for process in processes if process.said.startswith("http"))
    while happened < plan.events or any(pull.state == "closed" for pull in pulls):
        if _act(plan, repository, pulls, dice, tale, over=happened >= plan.events):
            clock.pass_a_second()
        await asyncio.sleep(dice.uniform(*plan.act_every))
        told, github.outbox[:] = list(github.outbox), []
        happened += sum(event.name == "pull_request" for event in told)
        for event in told:
            waiting.append(event)
            if dice.random() < 0.10:
                waiting.append(event)
                tale.counts["deliveries repeated"] += 1
            if dice.random() < 0.05:
                waiting.append(github.repeated(event))
                tale.counts["deliveries under a second GUID"] += 1
        # The first at once: whatever is killed from there on, something was delivered.
        if len(waiting) > 24 or happened >= plan.events or not tale.counts["deliveries"]:
            dice.shuffle(waiting)
            await _deliver(github, waiting, listening, tale, dice)
            waiting.clear()
    await _deliver(github, waiting, listening, tale, dice)
    tale.counts["pull request events"] = happened
    tale.counts["pull requests"] = len(pulls)
    return pulls


def _act(
    plan: Plan,
    repository: Repository,
    pulls: list[PullRequest],
    dice: random.Random,
    tale: Tale,
    *,
    over: bool,
) -> bool:
    """One thing that somebody does; whether they changed their mind. In the end all are open."""
    if len(pulls) < plan.pulls and not over and (not pulls or dice.random() < 0.3):
        branch = f"change-{len(pulls)}"
        actions.push(repository, branch, _files(dice))
        pulls.append(actions.open_pull_request(repository, head=branch))
        return False
    closed = [pull for pull in pulls if pull.state == "closed"]
    pull = closed[0] if over else dice.choice(pulls)
    if pull.state == "closed":
        actions.reopen(pull)
        tale.reopened[pull.number, pull.head_sha] += 1
        return True
    if dice.random() < 0.15:
        actions.close(pull)
        return True
    actions.push(repository, pull.head_ref, _files(dice))
    return False


def _files(dice: random.Random) -> dict[str, str | bytes | None]:
    number = dice.randrange(10**9)
    return {"digest.py": f"# Change {number}.\n" + dice.choice([BROKEN, CLEAN])}


async def _deliver(
    github: StandIn, events: Sequence[Event], to: Process, tale: Tale, dice: random.Random
) -> None:
    """Deliver them, a few at once. What does not arrive is not tried again: GitHub does not."""
    few = asyncio.Semaphore(4)

    async def one(event: Event) -> None:
        async with few:
            cut = dice.random() < CUT_RATE
            if dice.random() >= UNHEARD:
                # However long a start takes here, most of what happens is heard of.
                await to.is_up.wait()
            delivery = await github.deliver(event, cut=cut)
        tale.counts["deliveries"] += 1
        tale.counts["deliveries cut by a proxy"] += cut
        tale.counts["deliveries that failed"] += not delivery.ok

    await asyncio.gather(*map(one, events))


async def _find_missed(environment: dict[str, str], tale: Tale) -> None:
    """Do what an operator does after an outage."""
    for _ in range(5):
        process = Process("missed", environment)
        try:
            await process.start()
        except RuntimeError:
            continue  # GitHub failed it as well
        assert process.running is not None
        await process.running.wait()
        tale.counts["jobs found missing by jurat replay --missed"] += int(process.said)
        return
    tale.violations.append("jurat replay --missed failed five times")


async def _settled(
    plan: Plan, github: StandIn, pulls: Sequence[PullRequest], *, quiet: int = 3
) -> None:
    """Wait until nothing has been open for so many seconds, or the time is over."""
    deadline, calm = time.monotonic() + plan.seconds, -1
    while time.monotonic() < deadline and calm < quiet:
        github.outbox.clear()
        done = not _open(pulls) and all(_concluded(pull) for pull in pulls)
        calm = calm + 1 if done else -1
        if calm < quiet:
            await asyncio.sleep(1.0 if quiet else 0.1)


def _ours(pull: PullRequest) -> list[CheckRun]:
    number = f"#{pull.number}@"
    runs = pull.repository.check_runs.values()
    return [run for run in runs if number in (run.external_id or "")]


def _open(pulls: Sequence[PullRequest]) -> int:
    return sum(run.conclusion is None for pull in pulls for run in _ours(pull))


def _list_final(pull: PullRequest) -> list[CheckRun]:
    """The checks of its head that said something for good.

    One that says that a model did not answer is to be followed by one that knows the answer.
    """
    return [
        run
        for run in _ours(pull)
        if run.head_sha == pull.head_sha
        and run.conclusion not in (None, "cancelled")
        and UNASSESSED not in (run.summary or "")
    ]


def _concluded(pull: PullRequest) -> bool:
    return bool(_list_final(pull))


def _judge(github: StandIn, pulls: Sequence[PullRequest], tale: Tale) -> None:
    """What must hold of each pull request now that all is over."""
    for pull in pulls:
        content = (pull.repository.git.read(pull.head_sha, "digest.py") or b"").decode()
        expected = "failure" if "md5" in content else "success"
        final = _list_final(pull)
        ends = [run.conclusion for run in final]
        name = f"#{pull.number}"
        # Who opens a pull request again has it reviewed again, if its closing was noticed: nobody
        # watched its base meanwhile.
        most = 1 + tale.reopened[pull.number, pull.head_sha]
        if set(ends) != {expected} or len(ends) > most:
            said = [f"{run.id} {run.conclusion}: {run.summary}" for run in final]
            tale.violations.append(f"{name}: checks of the last head are {said}, not {expected}")
        if left := _open([pull]):
            tale.violations.append(f"{name}: {left} checks were left open")
        markers = [parse_marker(comment.body) for comment in pull.review_comments]
        prints = Counter(marker.fingerprint for marker in markers if marker)
        if twice := [print_ for print_, count in prints.items() if count > 1]:
            tale.violations.append(f"{name}: {len(twice)} comments were posted twice")
        shown = sum(marker is not None and marker.state == "open" for marker in markers)
        if shown != ("md5" in content):
            tale.violations.append(f"{name}: {shown} findings are shown as open")
        tale.counts["comments"] += len(markers)
        tale.counts[f"last heads that ended as {expected}"] += set(ends) == {expected}
        tale.counts["checks without a model's answer"] += sum(
            UNASSESSED in (run.summary or "") for run in _ours(pull)
        )
    tale.counts["checks of all heads"] = sum(len(_ours(pull)) for pull in pulls)
    tale.counts["requests to GitHub"] = len(github.exchanges)
