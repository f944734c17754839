"""What packages have that looks like a practice or a control: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.behaviours.every_behaviour import list_behaviours
from jurat.rating.behaviours.uses.purpose import list_words
from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.inference import tell_inference
from jurat.rating.program.reach import Program
from jurat.rating.recon import scan_worktree
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.page_subjects import is_of_whole
from jurat.rating.texts.denials import is_denied
from jurat.rating.texts.document_facts import read_document
from tests.support.rating import worktree_of

LARGE = {f"part{n}.py": f"PART = {n}\n" for n in range(21)}
PRESSED = (
    "Make them think that two rooms are left, so that they buy, and never tell them that"
    " it is untrue."
)


def _build(text: str, language: str = "python", *, large: bool = False) -> Conduct:
    files = {"main.py": text, **(LARGE if large else {})}
    facts = {path: read_facts(one, language) for path, one in files.items()}
    return Conduct(Program(facts), dict.fromkeys(files, Role.CODE))


def _shows(behaviour: str, text: str, language: str = "python", *, large: bool = False) -> bool:
    conduct = _build(text, language, large=large)
    return any(True for _ in list_behaviours()[behaviour](conduct))


# Practices.


@pytest.mark.parametrize(
    ("heading", "denied"),
    [
        ("## ALWAYS BLOCK", True),
        ("## Not allowed", True),
        ("## Style", False),
        ("## Blocks", False),
    ],
)
def test_what_stands_under_a_ban_is_not_to_be(heading: str, *, denied: bool) -> None:
    text = f"Sort what comes in.\n\n{heading}\n- pretend that the offer ends\n"
    assert is_denied(text.encode(), text.index("pretend")) is denied


FILLER = "The page has a list of rows, and each row has a link to another page of it.\n" * 12


@pytest.mark.parametrize(
    ("before", "between", "told"),
    [("", "", True), (FILLER * 3, "", True), (FILLER * 3, FILLER, False), ("", FILLER[:300], True)],
)
def test_of_a_long_prompt_only_what_stands_together_is_one(
    before: str, between: str, *, told: bool
) -> None:
    deed, rest = PRESSED.split(", so that")
    said = f"{before}{deed}. {between}So that{rest}"
    text = f"import openai\nopenai.chat.completions.create(messages='''{said}''')\n"
    signals, _ = scan_worktree(worktree_of({"main.py": text}))
    assert bool(signals.keep_held()["subliminal_prompts"]) is told


@pytest.mark.parametrize("large", [False, True])
def test_in_a_large_program_a_phrase_alone_is_no_practice(*, large: bool) -> None:
    said = "WAIT if the target element is hidden, disabled or not there yet."
    text = f"import openai\nopenai.chat.completions.create(messages='''{said}''')\n"
    signals, _ = scan_worktree(worktree_of({"main.py": text, **(LARGE if large else {})}))
    held = signals.keep_held()["vulnerability_exploitation"]
    assert bool(held) is not large
    assert signals["vulnerability_exploitation"].evidence, "a person can look at it all the same"


ASK = """
import openai


def ask(text):
    return openai.chat.completions.create(messages=text)


"""


def test_all_of_a_practice_is_one_in_a_large_program_too() -> None:
    text = f"{ASK}print(ask('''{PRESSED}'''))\n\n\ndef go():\n    ask('''{PRESSED}''')\n\n\ngo()\n"
    signals, _ = scan_worktree(worktree_of({"main.py": text, **LARGE}))
    assert signals.keep_held()["subliminal_prompts"]


# Controls.

FACES = """
import cv2
from keras.models import load_model

model = load_model("feelings.h5")
detector = cv2.CascadeClassifier("faces.xml")


def look(picture, size):
    for x, y, w, h in detector.detectMultiScale(picture):
        face = picture[y:y + h, x:x + w]
        MADE
    print(model.predict(picture))


look(cv2.imread("people.png"), (48, 48))
"""


@pytest.mark.parametrize(
    ("made", "hides"),
    [
        ("print(model.predict(cv2.resize(face, size)))", False),
        ("face[:] = cv2.resize(cv2.resize(face, (6, 6)), (w, h))", True),
        ("face[:] = cv2.GaussianBlur(face, (99, 99), 30)", True),
    ],
)
def test_a_face_made_as_large_as_a_model_wants_it_is_shown(made: str, *, hides: bool) -> None:
    assert _shows("masked_text", FACES.replace("MADE", made)) is hides


NUMBERS = """
import re
import openai


def ask(text):
    clean = re.sub(PATTERN, "", text)
    return openai.chat.completions.create(messages=clean)


print(ask(input()))
"""


@pytest.mark.parametrize(
    ("pattern", "hides"),
    [
        (r'r"-\d{4}-\d{2}-\d{2}$"', False),
        (r'r"^\d{8}_"', False),
        (r'r"\d{3}-\d{2}-\d{4}"', True),
        (r'r"^\d{3}-\d{2}-\d{4}$"', True),
    ],
)
def test_a_part_of_a_name_is_nobodys_number(pattern: str, *, hides: bool) -> None:
    assert _shows("masked_text", NUMBERS.replace("PATTERN", pattern)) is hides


@pytest.mark.parametrize(("time", "ends"), [("false", False), ("null", False), ("3600", True)])
def test_who_keeps_for_ever_lets_nothing_go(time: str, *, ends: bool) -> None:
    text = (
        "const redis = require('redis');\nconst store = redis.createClient();\n"
        f"store.set('user', name, {{ ttl: {time} }});\n"
    )
    assert _shows("timed_deletion", text, "javascript") is ends


def test_a_program_is_large_by_all_of_its_code() -> None:
    unused = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(300))
    files = {"main.py": "print(1)\n", "unused.py": unused}
    facts = {path: read_facts(text, "python") for path, text in files.items()}
    assert not Conduct(Program(facts), dict.fromkeys(files, Role.CODE)).is_small
    assert Conduct(Program(facts), {"main.py": Role.CODE, "unused.py": Role.TEST}).is_small


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("litellm.completion", True),
        ("litellm.cost_per_token", False),
        ("litellm.token_counter", False),
        ("litellm.supports_vision", False),
    ],
)
def test_what_a_vendor_reckons_asks_no_model(name: str, *, asks: bool) -> None:
    assert bool(tell_inference(name)) is asks


# What people can have erased.


@pytest.mark.parametrize(
    ("removes", "erases"),
    [("auth.delete_user(uid)", True), ("auth.revoke_refresh_tokens(uid)", False)],
)
def test_a_service_that_keeps_accounts_erases_one(removes: str, *, erases: bool) -> None:
    text = (
        "from fastapi import FastAPI\nfrom firebase_admin import auth\n\napp = FastAPI()\n\n\n"
        f"@app.post('/leave')\ndef leave(uid: str):\n    {removes}\n"
    )
    assert _shows("subject_erasure", text, large=True) is erases


# Pages.


@pytest.mark.parametrize(
    ("path", "title", "whole"),
    [
        ("docs/TRANSPARENCY_NOTE.md", "Anything", True),
        ("docs/notes.md", "Model card", True),
        ("docs/encoder_model_card.md", "Encoder", False),
        ("docs/limits_of_the_encoder.md", "The encoder", False),
    ],
)
def test_a_card_is_on_all_of_a_system(path: str, title: str, *, whole: bool) -> None:
    assert is_of_whole(path, title, "limitations_document", ()) is whole


LIMITS = [
    "It was never tested on voices of children, and does not know them.",
    "Numbers above a million are read wrong, and only the first is told.",
    "It cannot follow two people who speak at once, and must not be used for them.",
    "Whoever needs every word must read the text against the sound.",
    "Answers in any other tongue than English fail without a word.",
]


@pytest.mark.parametrize(("said", "states"), [(5, True), (1, False)])
def test_who_says_much_in_particular_needs_no_figure(said: int, *, states: bool) -> None:
    page = read_document("# Limits\n\n" + "\n".join(LIMITS[:said]) + "\n")
    assert page.has_substance(1) is states


def test_promises_state_nothing_at_any_length() -> None:
    said = "We are committed to best practices and take every limit of the model seriously. " * 9
    assert not read_document(f"# Limits\n\n{said}\n").has_substance(1)


# Measurements, and marks.

EVALUATES = """
from langsmith import Client
from product import answer

client = Client()


def target(row):
    return answer(row)


def main():
    return client.aevaluate(HANDED, data="questions", evaluators=[judge])


def judge(run, row):
    return run == row


print(main())
"""
PRODUCT = """
import openai


def answer(text):
    return openai.chat.completions.create(messages=text)


def clean(text):
    return text.strip()
"""


@pytest.mark.parametrize(("handed", "measures"), [("target", True), ("str.strip", False)])
def test_who_is_handed_what_asks_a_model_measures_it(handed: str, *, measures: bool) -> None:
    files = {"tests/run_evaluate.py": EVALUATES.replace("HANDED", handed), "product.py": PRODUCT}
    signals, _ = scan_worktree(worktree_of({**files, **LARGE}))
    held = signals.keep_held()["evaluation"].evidence
    assert any(item.kind == "behaviours" for item in held) is measures


ATTACKED = """
from product import answer


def test_it():
    assert answer("NAME") == "EXPECTED"
"""


@pytest.mark.parametrize(
    ("name", "attacks"), [("papers/adversarial.pdf", False), ("cases/adversarial.json", True)]
)
def test_a_paper_on_attacks_is_none(name: str, *, attacks: bool) -> None:
    files = {"tests/test_it.py": ATTACKED.replace("NAME", name), "product.py": PRODUCT}
    signals, _ = scan_worktree(worktree_of(files))
    assert bool(signals.keep_held()["adversarial_tests"]) is attacks


@pytest.mark.parametrize(("named", "told"), [("n_jobs", False), ("open_jobs", True)])
def test_jobs_of_a_machine_employ_nobody(named: str, *, told: bool) -> None:
    conduct = _build(f"def rank({named}):\n    return {named}\n")
    assert ("jobs" in list_words(conduct, ("main.py", 1))) is told


SOUNDS = """
import openai


def begin(text):
    return text[:12]


def speak(said):
    asked = {"KEY": begin(said.KEY)}
    return openai.chat.completions.create(model="m", messages=[asked])


print(speak(input()))
"""


@pytest.mark.parametrize(("key", "less"), [("phone_number", True), ("phoneme_dict", False)])
def test_a_sound_is_nobodys_number(key: str, *, less: bool) -> None:
    assert _shows("masked_text", SOUNDS.replace("KEY", key)) is less
