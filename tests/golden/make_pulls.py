"""Pull requests: events in, over the signed webhook, and what GitHub received."""

from __future__ import annotations

from dataclasses import replace

from tests.app.test_ratings_in_pull_requests import AGENT, LOGGED
from tests.golden.material import (
    BROKEN,
    CLEAN,
    CONFIGURATION,
    CONFIGURED,
    EVERYTHING,
    NORMATIVE,
    RULES,
    SUPPRESSED_BASE,
    SUPPRESSED_HEAD,
)
from tests.golden.town import Town, story
from tests.standins.gemini import reactions
from tests.standins.github import DiffLimits, actions
from tests.standins.github.standin import PERMISSIONS
from tests.support.gemini import denying

UNSURE = {"verdict": "NEEDS_CONFIRMATION", "confidence": 0.6}
LOGS = "import logging\n\n\ndef note(customer):\n    logging.info(customer.name)\n"


def judging(town: Town) -> None:
    """A model that denies, is unsure, and denies what is observed only."""
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    town.gemini.judges("house.kind-errors", denying("No.", **UNSURE))
    town.gemini.judges("house.observed", denying("TODO"))


@story("pulls/everything")
async def everything(town: Town) -> None:
    judging(town)
    await town.open(EVERYTHING, title="All at once", body="It was needed.", by="wendy")


@story("pulls/clean")
async def clean(town: Town) -> None:
    await town.open({"digest.py": CLEAN + "\n"})


@story("pulls/many")
async def many(town: Town) -> None:
    """More findings than comments, and more annotations than one request takes."""
    lines = "\n".join(f"x{number} = hashlib.md5(b'{number}')" for number in range(70))
    files = {f"part{number}.py": "import hashlib\n" + "y = eval(z)\n" * 9 for number in range(4)}
    await town.open({"digest.py": f"import hashlib\n\n{lines}\n", **files})


@story("pulls/pushes")
async def pushes(town: Town) -> None:
    """A finding that moves, is fixed, and comes back."""
    await town.open({"digest.py": BROKEN})
    for text in (f"# New.\n{BROKEN}", CLEAN + "\n", BROKEN + "\n"):
        town.push({"digest.py": text})
        await town.settle()


@story("pulls/superseded")
async def superseded(town: Town) -> None:
    """Two pushes before anything was reviewed: the last alone counts."""
    town.push({"digest.py": BROKEN})
    actions.open_pull_request(town.repository, head="fix")
    await town.github.flush()
    town.push({"digest.py": BROKEN + "\n"})
    town.push({"digest.py": f"# Last.\n{BROKEN}"})
    await town.settle()


@story("pulls/commands")
async def commands(town: Town) -> None:
    """Every command, by people who may and by others."""
    judging(town)
    pull = await town.open({"digest.py": BROKEN, "log.py": LOGS})
    for said, by in (
        ("/jurat help", "wendy"),
        ("/jurat config", "wendy"),
        ("/jurat explain py.no-md5", "rita"),
        ("/jurat explain house.no-names-in-logs", "wendy"),
        ("/jurat explain py.no-md6", "wendy"),
        ("/jurat explain", "wendy"),
        ("/jurat dance", "wendy"),
        ("/jurat dance", "rita"),
        ("/jurat dismis 1234 x", "wendy"),
        ("/jurat dismiss 12345678 no such finding", "wendy"),
        ("/jurat dismiss", "wendy"),
        ("/jurat confirm fine", "rita"),
        ("/recheck", "rita"),
        ("/recheck", "tom"),
        ("/recheck", "wendy"),
        ("A remark.\n\n/recheck\n/jurat help", "mary"),
    ):
        await town.say(pull, said, by)
    actions.reply(pull.review_comments[0], "/jurat explain", by="wendy")
    await town.settle()


@story("pulls/dismissed")
async def dismissed(town: Town) -> None:
    """A dismissal, in the conversation and in a thread; it holds at the next push."""
    judging(town)
    pull = await town.open({"digest.py": BROKEN, "log.py": LOGS})
    await town.say(pull, f"/jurat dismiss {town.finding(pull)} It names a file.")
    actions.reply(pull.review_comments[1], "/jurat dismiss dead code", by="mary")
    await town.settle()
    town.push({"digest.py": f"# New.\n{BROKEN}"})
    await town.settle()
    await town.say(pull, f"/jurat dismiss {town.finding(pull)} again", "tom")


@story("pulls/confirmed")
async def confirmed(town: Town) -> None:
    """A person's confirmation, by comment and by button; it ends with the next push."""
    town.gemini.judges("house.kind-errors", denying("No.", **UNSURE))
    town.gemini.judges("house.no-names-in-logs", denying("customer.name", **UNSURE))
    pull = await town.open({"log.py": LOGS})
    await town.say(pull, "/jurat confirm We looked at it.")
    town.push({"log.py": LOGS + "\n"})
    await town.settle()
    (*_, run) = town.repository.check_runs.values()
    for who in ("rita", "wendy"):
        actions.click(run, "confirm", by=who)
        await town.settle()


@story("pulls/suppressed", base={**CONFIGURED, "digest.py": SUPPRESSED_BASE})
async def suppressed(town: Town) -> None:
    await town.open({"digest.py": SUPPRESSED_HEAD})


@story("pulls/model-failed")
async def model_failed(town: Town) -> None:
    """A model that refuses, then answers after the button."""
    town.gemini.always(reactions.refused())
    await town.open({"digest.py": BROKEN, "log.py": LOGS})
    town.gemini.always(reactions.careful)
    (*_, run) = town.repository.check_runs.values()
    actions.click(run, run.actions[-1]["identifier"], by="wendy")
    await town.settle()


@story("pulls/fixes", permissions=PERMISSIONS | {"contents": "write"})
async def fixes(town: Town) -> None:
    """The button that applies every fix, pressed by one who may not and by one who may."""
    await town.open({"digest.py": BROKEN, "lib/more.py": BROKEN, "lib/other.py": "x = 1\n"})
    (*_, run) = town.repository.check_runs.values()
    identifier = run.actions[0]["identifier"]
    for who in ("rita", "wendy", "wendy"):
        actions.click(run, identifier, by=who)
        await town.settle()


@story("pulls/rerun")
async def rerun(town: Town) -> None:
    """GitHub's own buttons, a draft, and a change of base."""
    await town.open({"digest.py": BROKEN}, draft=True)
    (pull,) = town.repository.pulls.values()
    actions.mark_ready(pull)
    await town.settle()
    (*_, run) = town.repository.check_runs.values()
    actions.rerequest_run(run, by="wendy")
    await town.settle()
    actions.rerequest_suite(run.suite, by="wendy")
    await town.settle()
    actions.create_branch(town.repository, "release")
    actions.edit_pull_request(pull, base="release", title="Another title")
    await town.settle()


@story("pulls/queue")
async def queue(town: Town) -> None:
    """A merge queue: a group of one that is broken, and one of two that is clean."""
    first = await town.open({"digest.py": BROKEN})
    actions.enqueue(town.repository, [first])
    await town.settle()
    second = await town.open({"a.py": "a = 1\n"}, "second")
    third = await town.open({"b.py": "b = 1\n"}, "third")
    actions.enqueue(town.repository, [second, third])
    await town.settle()


@story("pulls/fork")
async def fork(town: Town) -> None:
    """A pull request from a repository in which the App is not installed."""
    copy = actions.fork(town.repository, "stranger")
    actions.push(copy, "fix", {"digest.py": BROKEN}, by="stranger")
    actions.open_pull_request(town.repository, head="stranger:fix", by="stranger")
    await town.settle()


@story("pulls/merged")
async def merged(town: Town) -> None:
    pull = await town.open({"digest.py": BROKEN})
    actions.merge(pull)
    await town.settle()
    await town.say(pull, "/recheck")


@story("pulls/own-rules")
async def own_rules(town: Town) -> None:
    """Rules that change: tried on what was reviewed before; then broken on two lines."""
    for number, text in enumerate((BROKEN, CLEAN + "\n")):
        await town.open({"digest.py": text}, f"earlier-{number}")
    stricter = RULES.replace("hashlib.md5($$$A),", "hashlib.sha256($$$A),")
    await town.open({"policies/house.yml": stricter.replace("CRITICAL", "LOW") + NORMATIVE})
    broken = RULES.replace("modality: MUST_NOT", "modalty: MUST_NOT", 1)
    town.push({"policies/house.yml": broken})
    await town.settle()
    town.push({".github/jurat.yml": "version: 1\nrule: [policies]\n"})
    await town.settle()


@story("pulls/broken-configuration", base={".github/jurat.yml": "version: 1\nrule: [x]\n"})
async def broken_configuration(town: Town) -> None:
    pull = await town.open({"digest.py": BROKEN})
    await town.say(pull, "/jurat config")
    town.push({".github/jurat.yml": CONFIGURATION, "policies/house.yml": RULES}, "main")
    await town.settle()
    await town.say(pull, "/recheck")


@story("pulls/no-configuration", base={"digest.py": CLEAN})
async def no_configuration(town: Town) -> None:
    await town.open({"digest.py": BROKEN})


@story("pulls/settings")
async def settings(town: Town) -> None:
    """A configuration that extends another's and says how much is shown."""
    policy = "version: 1\npacks: []\nreview: {max_comments: 2, drafts: true}\n"
    town.github.create_repository("acme/policy", {"house.yml": policy})
    own = "_extends: policy:house.yml\nrules: [policies]\nignore: ['vendor/**']\n"
    town.push({".github/jurat.yml": own}, "main")
    pull = await town.open({**EVERYTHING, "vendor/a.py": BROKEN}, draft=True)
    await town.say(pull, "/jurat config")


RATED = CONFIGURATION + "rating: {regulations: [eu-ai-act], risk: high, on: 2028-12-01%s}\n"


@story("pulls/rated", base={**CONFIGURED, ".github/jurat.yml": RATED % "", "agent.py": AGENT})
async def rated(town: Town) -> None:
    await town.open({"agent.py": LOGGED})


@story(
    "pulls/rated-too-low",
    base={**CONFIGURED, ".github/jurat.yml": RATED % ", fail_below: 3.9", "agent.py": AGENT},
)
async def rated_too_low(town: Town) -> None:
    await town.open({"agent.py": LOGGED})


@story("pulls/too-large", diff_limits=replace(DiffLimits(), files=5))
async def too_large(town: Town) -> None:
    """A change of more files than GitHub serves in one diff."""
    files = {f"m{number}.py": f"x = {number}\n" for number in range(12)}
    await town.open({**files, "digest.py": BROKEN})
