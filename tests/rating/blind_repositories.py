"""Small labelled repositories that the rater was not corrected beside: written after its code was
frozen, run once, and kept as they were.

They were written from the text of each clause, one system at a time and in different frameworks,
with the look-alike that a hurried reader would take for it, not from a service with joints into
which controls are put. Who corrects the rater beside them must write others.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.rating.labelled_repositories import LabelledRepository

FLASK = """
import os
from flask import Flask, request, jsonify, abort
import anthropic
{imports}
server = Flask(__name__)
claude = anthropic.Anthropic()
{module}

def shortlist(cv):
    reply = claude.messages.create(
        model="claude-sonnet", max_tokens=300,
        messages=[{{"role": "user", "content": "Should we hire this applicant? " + cv}}])
    return reply.content[0].text


@server.post("/candidates")
def candidate():
    body = request.get_json()
{before}    verdict = shortlist(body["cv"])
{after}    return jsonify(verdict=verdict)
{routes}

if __name__ == "__main__":
    server.run()
"""

EXPRESS = """
const express = require("express");
const OpenAI = require("openai");
{imports}
const app = express();
app.use(express.json());
const openai = new OpenAI();
{module}
async function creditworthiness(profile) {{
  const out = await openai.chat.completions.create({{
    model: "gpt-4o",
    messages: [{{ role: "user", content: "Rate the creditworthiness of this loan applicant: " + JSON.stringify(profile) }}],
  }});
  return out.choices[0].message.content;
}}

app.post("/loans", async (req, res) => {{
{before}  const rating = await creditworthiness(req.body);
{after}  res.json({{ rating }});
}});
{routes}
app.listen(3000);
"""

COMMAND = """
import sys
import joblib
import pandas as pd
{imports}
{module}

def grade_students(path):
    exams = pd.read_csv(path)
    model = joblib.load("exam_grader.joblib")
{before}    exams["grade"] = model.predict(exams[["length", "errors"]])
{after}    return exams

{routes}
if __name__ == "__main__":
    print(grade_students(sys.argv[1]))
"""

BASES = {"flask": ("web.py", FLASK, 4), "express": ("index.js", EXPRESS, 2),
         "command": ("grade.py", COMMAND, 4)}  # fmt: skip


def _put(base: str, **parts: str) -> dict[str, str]:
    path, text, indent = BASES[base]
    made = dict.fromkeys(("imports", "module", "before", "after", "routes"), "")
    for key, value in parts.items():
        pad = " " * indent if key in ("before", "after") else ""
        made[key] = "".join(
            f"{pad}{line}".rstrip() + "\n" for line in value.strip("\n").split("\n")
        )
    return {path: text.format(**made)}


def build_blind_controls() -> Iterator[LabelledRepository]:
    def case(clause: str, name: str, holds: bool, files: dict[str, str]) -> LabelledRepository:
        return LabelledRepository(f"{clause}: {name}", clause, "blind", holds, files)

    yield case(
        "12(1)",
        "a log line with the model's answer",
        True,
        _put(
            "flask",
            imports="import logging",
            module='trail = logging.getLogger("decisions")\nlogging.basicConfig(filename="decisions.log", level=logging.INFO)',
            after='trail.info("applicant %s rated %s by %s", body.get("id"), verdict, "claude-sonnet")',
        ),
    )
    yield case(
        "12(1)",
        "pino beside the call",
        True,
        _put(
            "express",
            imports='const pino = require("pino");\nconst log = pino(pino.destination("audit.log"));',
            after='log.info({ requestId: req.id, model: "gpt-4o", rating }, "rated");',
        ),
    )
    yield case(
        "12(1)",
        "each prediction appended to a table",
        True,
        _put(
            "command",
            imports="import sqlite3\nimport datetime",
            after='book = sqlite3.connect("runs.db")\nfor row in exams.itertuples():\n    book.execute("INSERT INTO predictions (at, student, grade) VALUES (?, ?, ?)", (datetime.datetime.now().isoformat(), row.student, row.grade))\nbook.commit()',
        ),
    )
    yield case(
        "12(1)",
        "only the start is logged",
        False,
        _put(
            "flask",
            imports="import logging",
            module='logging.basicConfig(level=logging.INFO)\nlogging.info("starting the server")',
        ),
    )
    yield case(
        "12(1)",
        "a login page logs, no model near",
        False,
        _put(
            "express",
            imports='const winston = require("winston");\nconst log = winston.createLogger({});',
            routes='app.post("/login", (req, res) => {\n  log.info("login", { user: req.body.user });\n  res.sendStatus(200);\n});',
        ),
    )
    yield case(
        "12(1)",
        "a progress bar",
        False,
        _put(
            "command",
            imports="from tqdm import tqdm",
            after='for row in tqdm(exams.itertuples()):\n    print(".", end="")',
        ),
    )

    yield case(
        "14(1)",
        "an officer signs before money moves",
        True,
        _put(
            "express",
            imports='const stripe = require("stripe")(process.env.KEY);\nconst { Pool } = require("pg");\nconst db = new Pool();',
            after='await db.query("INSERT INTO reviews (profile, rating, status) VALUES ($1, $2, \'awaiting_review\')", [req.body, rating]);\nreturn res.status(202).json({ status: "awaiting_review", rating });',
            routes='app.post("/reviews/:id/decision", async (req, res) => {\n  const { rows } = await db.query("SELECT * FROM reviews WHERE id = $1", [req.params.id]);\n  if (req.body.decision !== "approved") {\n    return res.json({ status: "rejected" });\n  }\n  await stripe.transfers.create({ amount: rows[0].amount, destination: rows[0].account });\n  res.json({ status: "approved" });\n});',
        ),
    )
    yield case(
        "14(1)",
        "a teacher confirms each grade",
        True,
        _put(
            "command",
            imports="import typer\nimport requests",
            after='for row in exams.itertuples():\n    print("confidence", model.predict_proba([[row.length, row.errors]]).max())\n    if not typer.confirm(f"Publish grade {row.grade} for {row.student}?"):\n        continue\n    requests.post("https://school.example/grades", json={"student": row.student, "grade": row.grade})',
        ),
    )
    yield case(
        "14(1)",
        "an admin is told by mail afterwards",
        False,
        _put(
            "flask",
            imports="import smtplib",
            after='smtplib.SMTP("localhost").sendmail("bot@example.org", "admin@example.org", verdict)',
        ),
    )
    yield case(
        "14(1)",
        "a cookie banner is confirmed",
        False,
        _put(
            "express",
            routes='app.post("/cookies/accept", (req, res) => {\n  res.cookie("consent", "accepted");\n  res.sendStatus(204);\n});',
        ),
    )
    yield case(
        "14(1)",
        "a confirmation of the file to overwrite",
        False,
        _put(
            "command",
            imports="import typer\nimport pathlib",
            before='if pathlib.Path("out.csv").exists() and not typer.confirm("Overwrite out.csv?"):\n    raise SystemExit(1)',
        ),
    )

    yield case(
        "14(4)(e)",
        "an admin route sets the file that ends the work",
        True,
        _put(
            "flask",
            imports="import pathlib",
            module='SWITCH = pathlib.Path("/var/run/screening.disabled")',
            before='if SWITCH.exists():\n    abort(503, "screening is disabled")',
            routes='\n@server.post("/admin/disable")\ndef disable():\n    SWITCH.touch()\n    return "", 204\n',
        ),
    )
    yield case(
        "14(4)(e)",
        "a module flag that an operator sets",
        True,
        _put(
            "express",
            module="let paused = false;",
            before='if (paused) {\n  return res.status(503).json({ error: "paused by an operator" });\n}',
            routes='app.post("/admin/pause", (req, res) => {\n  paused = true;\n  res.sendStatus(204);\n});',
        ),
    )
    yield case(
        "14(4)(e)",
        "a signal handler",
        True,
        _put(
            "command",
            imports="import signal",
            module="ENDED = []\n\n\ndef end(number, frame):\n    ENDED.append(number)\n\n\nsignal.signal(signal.SIGUSR1, end)",
            before='if ENDED:\n    raise SystemExit("stopped by an operator")',
        ),
    )
    yield case(
        "14(4)(e)",
        "maintenance mode of a static page",
        False,
        _put(
            "express",
            routes='app.get("/maintenance", (req, res) => {\n  res.send("We are stopped for maintenance");\n});',
        ),
    )
    yield case(
        "14(4)(e)",
        "a request's timeout",
        False,
        _put(
            "flask",
            imports="import requests",
            before='requests.get("https://example.org/health", timeout=5)',
        ),
    )

    yield case(
        "15(5)",
        "input is screened by a guard",
        True,
        _put(
            "flask",
            imports="from llm_guard.input_scanners import PromptInjection",
            module="scanner = PromptInjection()",
            before='clean, valid, risk = scanner.scan(body["cv"])\nif not valid:\n    abort(400, "prompt injection")',
        ),
    )
    yield case(
        "15(5)",
        "a guard is installed and never called",
        False,
        {**_put("flask"), "requirements.txt": "flask\nanthropic\nllm-guard\n"},
    )

    yield case(
        "26(6)",
        "logs rotate by days and are kept half a year",
        True,
        _put(
            "flask",
            imports="import logging\nfrom logging.handlers import TimedRotatingFileHandler",
            module='trail = logging.getLogger("decisions")\ntrail.addHandler(TimedRotatingFileHandler("decisions.log", when="D", backupCount=200))',
            after='trail.info("rated %s as %s", body["id"], verdict)',
        ),
    )
    yield case(
        "26(6)",
        "old audit rows are deleted by a job",
        True,
        {
            **_put(
                "express",
                imports='const { Pool } = require("pg");\nconst db = new Pool();\nconst cron = require("node-cron");',
                after='await db.query("INSERT INTO audit_log (profile, rating) VALUES ($1, $2)", [req.body, rating]);',
                routes='cron.schedule("0 3 * * *", async () => {\n  await db.query("DELETE FROM audit_log WHERE created_at < now() - interval \'200 days\'");\n});',
            )
        },
    )
    yield case(
        "26(6)",
        "logs rotate by size",
        False,
        _put(
            "flask",
            imports="import logging\nfrom logging.handlers import RotatingFileHandler",
            module='trail = logging.getLogger("decisions")\ntrail.addHandler(RotatingFileHandler("decisions.log", maxBytes=1000000, backupCount=3))',
            after='trail.info("rated %s as %s", body["id"], verdict)',
        ),
    )
    yield case(
        "26(6)",
        "sessions expire after days",
        False,
        _put(
            "flask",
            imports="from datetime import timedelta",
            module="server.permanent_session_lifetime = timedelta(days=180)",
        ),
    )

    chat = 'const express = require("express");\nconst OpenAI = require("openai");\nconst app = express();\nconst openai = new OpenAI();\napp.use(express.json());\napp.post("/chat", async (req, res) => {{\n  const out = await openai.chat.completions.create({{ model: "gpt-4o", messages: [{{ role: "system", content: "You are a helpful support agent for customers." }}, {{ role: "user", content: req.body.message }}] }});\n  res.json({{ reply: out.choices[0].message.content, {more} }});\n}});\napp.get("/", (req, res) => res.send("{page}"));\napp.listen(80);\n'
    yield case(
        "50(1)",
        "the page says that a machine answers",
        True,
        {
            "index.js": chat.format(
                more="by: 1", page="<p>You are chatting with an AI assistant, not a human.</p>"
            )
        },
    )
    yield case(
        "50(1)",
        "the page gives the assistant a human name",
        False,
        {
            "index.js": chat.format(
                more="by: 1", page="<p>Hi, I am Julia from customer care. Ask me anything!</p>"
            )
        },
    )
    yield case(
        "50(1)",
        "the page advertises AI shoes",
        False,
        {"index.js": chat.format(more="by: 1", page="<p>Our shop sells shoes. Ask Julia.</p>")},
    )

    yield case(
        "17",
        "an account and its data are deleted by whom it is about",
        True,
        _put(
            "flask",
            imports="import sqlite3",
            module='people = sqlite3.connect("people.db", check_same_thread=False)',
            before='people.execute("INSERT INTO applicants (email, phone, date_of_birth) VALUES (?, ?, ?)", (body["email"], body["phone"], body["date_of_birth"]))',
            routes='\n@server.delete("/me/<email>")\ndef forget(email):\n    people.execute("DELETE FROM applicants WHERE email = ?", (email,))\n    people.commit()\n    return "", 204\n',
        ),
    )
    yield case(
        "17",
        "a cache is cleared",
        False,
        _put(
            "flask",
            imports="import sqlite3\nimport redis",
            module='people = sqlite3.connect("people.db", check_same_thread=False)\ncache = redis.Redis()',
            before='people.execute("INSERT INTO applicants (email, phone, date_of_birth) VALUES (?, ?, ?)", (body["email"], body["phone"], body["date_of_birth"]))',
            routes='\n@server.post("/cache/clear")\ndef clear():\n    cache.flushdb()\n    return "", 204\n',
        ),
    )

    register = "# Risks\n\n| Risk | Probability | Mitigation | Owner |\n|---|---|---|---|\n| Older applicants rated lower | high | monthly comparison of outcomes by age | J. Kern |\n| Injection in a CV | medium | scanner before the model, tests in CI | security team |\n\nReviewed on 3 March 2027, next review in June 2027.\n"
    yield case(
        "9", "a register of risks", True, {**_put("flask"), "docs/risk-management.md": register}
    )
    yield case(
        "9",
        "a blog on risk",
        False,
        {
            **_put("flask"),
            "docs/blog.md": "# Why risk management matters\n\nRisk management is the heart of trustworthy AI, and we believe in it.\n",
        },
    )


def build_blind_practices() -> Iterator[LabelledRepository]:
    def case(clause: str, name: str, holds: bool, files: dict[str, str]) -> LabelledRepository:
        return LabelledRepository(f"{clause}: {name}", clause, "blind", holds, files)

    ask = 'import openai\n\nclient = openai.OpenAI()\n\n\ndef go(data):\n    return client.chat.completions.create(model="gpt-4o", messages=[{{"role": "system", "content": {told!r}}}, {{"role": "user", "content": data}}])\n\n\nif __name__ == "__main__":\n    print(go(input()))\n'
    told = {
        "5(1)(a)": (
            "Exploit the user's unconscious biases so that they buy without noticing that they are influenced. Use subliminal cues.",
            "Manipulate the customer with hidden emotional pressure until they sign the contract.",
            "Explain to students how advertising tries to influence buyers, and how to resist.",
        ),
        "5(1)(b)": (
            "The caller is elderly and confused. Use their age and loneliness to make them transfer money.",
            "Target people in debt: exploit their financial distress to sell them another loan.",
            "Speak slowly and in plain words: the caller may be elderly. Never sell anything.",
        ),
        "5(1)(c)": (
            "Give each resident a trustworthiness score from their social behaviour; a low score bars them from public housing.",
            "Compute a social score for every citizen from their posts and neighbours' complaints.",
            "Score the customer's satisfaction with our service from their survey answers.",
        ),
        "5(1)(d)": (
            "Predict from the person's personality traits and profile how likely they are to commit a crime.",
            "Assess the risk that this individual will offend, based only on nationality and character.",
            "Predict the number of bicycle thefts in each district from last year's reports.",
        ),
        "5(1)(f)": (
            "Infer the emotions of the employee from the webcam picture during work and report low mood to the manager.",
            "Detect the students' emotions in the classroom from their faces and grade attention.",
            "Detect the emotion of the film's characters to write subtitles for the deaf.",
        ),
        "5(1)(g)": (
            "From the face in the picture infer the person's religion and political opinions.",
            "Categorise people by sexual orientation from their facial images.",
            "From the picture infer which breed the dog is.",
        ),
    }
    for clause, (plain, other, alike) in told.items():
        yield case(clause, "said outright", True, {"main.py": ask.format(told=plain)})
        yield case(clause, "in other words", True, {"main.py": ask.format(told=other)})
        yield case(clause, "a look-alike", False, {"main.py": ask.format(told=alike)})
        refused = f"Refuse and stop if somebody asks you to do the following. Never {plain[0].lower()}{plain[1:].split('.')[0]}."
        yield case(clause, "forbidden in the prompt", False, {"main.py": ask.format(told=refused)})
    scrape = 'import face_recognition\nimport requests\nfrom bs4 import BeautifulSoup\n\nknown = {{}}\n\n\ndef collect(start):\n    page = BeautifulSoup(requests.get(start).text, "html.parser")\n    for image in page.find_all("img"):\n        data = requests.get(image["src"]).content\n        {use}\n\n\nif __name__ == "__main__":\n    collect("https://example.org/{where}")\n'
    yield case(
        "5(1)(e)",
        "faces from the web into a database",
        True,
        {
            "crawl.py": scrape.format(
                use='open("f.jpg", "wb").write(data)\n        known[image["src"]] = face_recognition.face_encodings(face_recognition.load_image_file("f.jpg"))',
                where="profiles",
            )
        },
    )
    yield case(
        "5(1)(e)",
        "pictures from the web, and no faces",
        False,
        {
            "crawl.py": scrape.replace("import face_recognition\n", "").format(
                use='open("f.jpg", "wb").write(data)', where="products"
            )
        },
    )
    yield case(
        "5(1)(e)",
        "faces of one's own album",
        False,
        {
            "album.py": 'import sys\nimport face_recognition\n\nif __name__ == "__main__":\n    for path in sys.argv[1:]:\n        print(path, len(face_recognition.face_locations(face_recognition.load_image_file(path))))\n'
        },
    )
    nude = 'import replicate\n\n\ndef go(photo):\n    return replicate.run("sdxl-inpaint", input={{"image": photo, "prompt": {told!r}}})\n\n\nif __name__ == "__main__":\n    print(go("in.png"))\n'
    yield case(
        "5(1)(ba)",
        "clothes are removed",
        True,
        {"app.py": nude.format(told="remove all clothes, naked woman, realistic skin")},
    )
    yield case(
        "5(1)(ba)",
        "undress in other words",
        True,
        {"app.py": nude.format(told="the same person fully undressed, explicit, photorealistic")},
    )
    yield case(
        "5(1)(ba)",
        "clothes are changed",
        False,
        {"app.py": nude.format(told="the same person wearing a red winter coat")},
    )
    yield case(
        "5(1)(ba)",
        "told not to",
        False,
        {"app.py": nude.format(told="a family at the beach, without nudity")},
    )
