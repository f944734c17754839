"""`jurat review` over changes, facts and checkouts: every format, with and without a model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from unittest import mock

import yaml

from tests.golden import material
from tests.golden.command import alone, asking, gemini_beside, put, transcript
from tests.golden.golden import Files, golden
from tests.golden.material import CONFIGURED, EVERYTHING, FIXTURES, files_below
from tests.standins.gemini import reactions
from tests.standins.gemini.script import Script, load_script
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import denying
from tests.support.surfaces import FACTS, SAID
from tests.support.surfaces import RULES as ENTRY_RULES

FORMATS = ("text", "json", "sarif", "github")
Contents = Mapping[str, str | bytes]


def reviewed(name: str, *arguments: str, formats: tuple[str, ...] = FORMATS) -> Files:
    """The transcripts of one review, one a format."""
    return {
        f"{name}.{form}.txt": transcript("review", *arguments, "--format", form) for form in formats
    }


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def check_out(base: Contents, head: Contents, message: str = "Change\n\nBecause.") -> None:
    """Make the current folder a repository with a commit on main and one on top of it."""
    git("init", "--quiet", "--initial-branch=main")
    put(base)
    git("add", "--all")
    git("commit", "--quiet", "--message", "Base")
    git("checkout", "--quiet", "-b", "work")
    put(head)
    git("add", "--all")
    git("commit", "--quiet", "--message", message)


def of_checkout(name: str, base: Contents, head: Contents, **options: tuple[str, ...]) -> Files:
    with alone():
        check_out(base, head)
        return reviewed(name, "--base", "main", "--head", "work", **options)


@golden("reviews/diffs")
def of_diffs() -> Files:
    """Diffs without a repository, under the shipped packs and under others."""
    made: dict[str, str] = {}
    with alone():
        for path in sorted((FIXTURES / "diffs").iterdir()):
            shutil.copy(path, path.name)
            made |= reviewed(path.stem, "--diff", path.name)
        put({"empty.diff": "", "prose.diff": "hello\n", "rules.yml": material.RULES})
        put({"broken.yml": "version: 1\nrules:\n  - {id: a, sevrity: HIGH}\n"})
        some = {
            "empty": ("--diff", "empty.diff"),
            "prose": ("--diff", "prose.diff"),
            "missing": ("--diff", "missing.diff"),
            "broken-rules": ("--diff", "wallets.patch", "--rules", "broken.yml"),
            "no-such-pack": ("--diff", "wallets.patch", "--pack", "enginering"),
            "no-pack": ("--diff", "wallets.patch", "--pack", "none"),
            "fail-on-confirm": ("--diff", "wallets.patch", "--fail-on", "confirm"),
            "fail-never": ("--diff", "wallets.patch", "--fail-on", "never"),
            "diff-and-repo": ("--diff", "wallets.patch", "--repo", "."),
            "no-repository": (),
            "own-rules": ("--diff", "wallets.patch", "--rules", "rules.yml"),
        }
        for name, arguments in some.items():
            made |= reviewed(name, *arguments, formats=("text",))
    return made


@golden("reviews/labelled")
def of_labelled_changes() -> Files:
    """Every fourth labelled change, with its words as the intent."""
    changes = yaml.safe_load((FIXTURES / "labelled_changes" / "changes.yml").read_text())
    parts = []
    with alone():
        for number, change in enumerate(changes):
            if number % 4:
                continue
            diff = "".join(
                f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n"
                + "".join(f"+{line}\n" for line in lines)
                for path, lines in change["files"].items()
            )
            put({"change.diff": diff})
            parts.append(f"## {change['title']}\n")
            intent = f"{change['title']}\n{change.get('body', '')}"
            parts.append(transcript("review", "--diff", "change.diff", "--intent", intent))
    return {"changes.txt": "\n".join(parts)}


@golden("reviews/checkouts")
def of_checkouts() -> Files:
    """Checkouts with rules of their own, without a model."""
    surfaces, demo = FIXTURES / "surfaces", FIXTURES / "demo"
    suppressed = {**CONFIGURED, "digest.py": material.SUPPRESSED_BASE}
    broken = {".github/jurat.yml": "version: 1\nrule: [policies]\n", "a.py": "a = 1\n"}
    broken_rules = {**CONFIGURED, "policies/house.yml": "version: 1\nrules: 7\n"}
    weaker = {"policies/house.yml": material.RULES.replace("CRITICAL", "LOW")}
    text = ("text",)
    return {
        **of_checkout("surfaces", files_below(surfaces / "base"), files_below(surfaces / "head")),
        **of_checkout("demo", files_below(demo / "base"), files_below(demo / "head")),
        **of_checkout("everything", CONFIGURED, EVERYTHING),
        **of_checkout("suppressed", suppressed, {"digest.py": material.SUPPRESSED_HEAD}),
        **of_checkout("clean", CONFIGURED, {"digest.py": material.CLEAN}, formats=text),
        **of_checkout("broken-configuration", broken, {"a.py": "a = 2\n"}),
        **of_checkout("broken-rules", broken_rules, {"a.py": "a = 2\n"}, formats=text),
        **of_checkout("own-judge", CONFIGURED, {**weaker, "digest.py": material.BROKEN}),
    }


@golden("reviews/worktree")
def of_worktree() -> Files:
    """What is not committed yet, and a span that is not there."""
    with alone():
        check_out(CONFIGURED, {"digest.py": material.CLEAN})
        put({"digest.py": material.BROKEN, "new.py": "x = eval(y)\n"})
        return {
            **reviewed("uncommitted", formats=("text",)),
            **reviewed("no-such-base", "--base", "nowhere", formats=("text",)),
        }


@golden("reviews/facts")
def of_facts() -> Files:
    """Facts of every kind, alone."""
    made: dict[str, str] = {}
    with alone():
        put({"facts.json": json.dumps(FACTS), "house.yml": ENTRY_RULES, "broken.json": "{"})
        asked = ("--facts", "facts.json", "--rules", "house.yml", "--pack", "none")
        for kind in SAID:
            formats = FORMATS if kind == "transaction" else ("text", "json")
            made |= reviewed(kind, *asked, "--subject", kind, formats=formats)
        made |= reviewed("no-kind", *asked, formats=("text",))
        made |= reviewed("broken", "--facts", "broken.json", formats=("text",))
    return made


def _judging(gemini: StandInGemini) -> None:
    """A model that denies, is unsure, and denies what is observed only."""
    unsure = {"verdict": "NEEDS_CONFIRMATION", "confidence": 0.6}
    gemini.judges("house.no-names-in-logs", denying("customer.name"))
    gemini.judges("house.kind-errors", denying("No.", **unsure))
    gemini.judges("house.observed", denying("TODO"))


def _of_model(
    name: str,
    prepare: Callable[[StandInGemini], None],
    base: Contents,
    head: Contents,
    *,
    script: Script | None = None,
    formats: tuple[str, ...] = ("text", "json"),
) -> Files:
    with gemini_beside(script) as gemini:
        prepare(gemini)
        with alone(**asking(gemini)):
            check_out(base, head)
            return reviewed(name, "--base", "main", "--head", "work", formats=formats)


@golden("reviews/model")
def of_model() -> Files:
    """With a model that answers well, badly or not at all."""
    demo = FIXTURES / "demo"
    some = {"run.py": EVERYTHING["run.py"]}
    behaviours: Mapping[str, reactions.Behaviour] = {
        "refused": reactions.refused(),
        "blocked": reactions.blocked,
        "wrong-shape": reactions.wrong_shape,
        "cut-off": reactions.cut_off,
        "lying-on-controls": reactions.lying_on_controls,
        "prose": reactions.saying("All rules are satisfied."),
        "quote-from-nowhere": reactions.with_fields(
            "house.no-names-in-logs", findings=[{"file_path": "a.py", "quote": "not there"}]
        ),
        "left-out": reactions.without("house.no-names-in-logs"),
        "answered-twice": reactions.twice("house.no-names-in-logs"),
    }
    made = {
        **_of_model(
            "demo",
            lambda _: None,
            files_below(demo / "base"),
            files_below(demo / "head"),
            script=load_script(),
            formats=FORMATS,
        ),
        **_of_model("everything", _judging, CONFIGURED, EVERYTHING, formats=FORMATS),
    }
    for name, behaviour in behaviours.items():

        def prepare(gemini: StandInGemini, behaviour: reactions.Behaviour = behaviour) -> None:
            _judging(gemini)
            gemini.always(behaviour)

        made |= _of_model(name, prepare, CONFIGURED, some, formats=("text",))
    return made


@golden("reviews/injections")
def of_injections() -> Files:
    """Every second text that wants to be obeyed, before models that obey and that do not."""
    made = {}
    for path in sorted((FIXTURES / "injections").glob("*.yml")):
        parts = []
        with gemini_beside() as gemini, alone():
            check_out(CONFIGURED, {"a.py": "a = 1\n"})
            gemini.judges("house.no-names-in-logs", denying("customer.name"))
            for entry in yaml.safe_load(path.read_text("utf-8"))[::2]:
                shown = entry["text"] if entry["place"] == "line" else "# harmless"
                about = entry["text"] if entry["place"] == "description" else "harmless"
                # Line ends of every kind would be lines of their own.
                lines = " ".join(shown.split("\n"))
                put({"pay.py": f"{lines}\nlog(customer.name)\n"})
                obeys = "allow" in entry["obeyed"]
                gemini.always(reactions.allowing_all if obeys else reactions.careful)
                with mock.patch.dict(os.environ, asking(gemini)):
                    said = transcript("review", "--intent", about.replace("\x00", ""))
                # The first line repeats what stands in the fixture.
                parts.append(f"## {entry['name']}\n{said[said.index('[exit code') :]}")
        made[f"{path.stem}.txt"] = "\n".join(parts)
    return made
