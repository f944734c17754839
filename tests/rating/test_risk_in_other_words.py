"""The class of risk follows from what a program does for whom, in whatever language it says so."""

from __future__ import annotations

import pytest

from tests.support.rating import rate_document

DECIDES = """
import joblib
from flask import Flask, request

app = Flask(__name__)
model = joblib.load("model.joblib")


@app.post("/{route}")
def take():
    given = request.json
    sure = model.predict_proba([[given["{first}"], given["{second}"]]])[0][1]
    return {{"{third}": "{yes}" if sure > 0.5 else "{no}"}}


app.run()
"""


def classify(**words: str) -> tuple[str, str]:
    document = rate_document({"app.py": DECIDES.format(**words)})
    return str(document["risk_classification"]), str(document["risk_reason"])


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("kreditantrag einkommen haushalt entscheid bewilligt abgelehnt", "credit"),
        ("candidature salaire compétences décision embauche refus", "Employment"),
        ("prestamo ingresos alquiler decision concedido denegado", "credit"),
        ("prestito reddito affitto decisione approvato respinto", "credit"),
        ("sollicitatie functie salaris beslissing geschikt afgewezen", "Employment"),
        ("kredyt dochod czynsz decyzja przyznany odmowa", "credit"),
        ("patientin dosierung puls dringlichkeit befund triage", "Health"),
        ("rekrutacja stanowisko wynagrodzenie decyzja przydzial odrzucony", "Employment"),
    ],
)
def test_a_field_of_use_is_told_in_other_languages(words: str, field: str) -> None:
    names = ("route", "first", "second", "third", "yes", "no")
    risk, reason = classify(**dict(zip(names, words.split(), strict=True)))
    assert risk == "high", reason
    assert field in reason


def test_other_words_of_these_languages_tell_no_field() -> None:
    names = ("route", "first", "second", "third", "yes", "no")
    words = "wetter temperatur feuchte vorhersage sonne regen"
    assert classify(**dict(zip(names, words.split(), strict=True)))[0] == "minimal"


SPOKEN = """
import requests


def do(number, said):
    return requests.post(
        "https://gate.example/v1/{path}",
        json={{"{to}": number, "modelo": "m-1", "instrucciones": said}},
    ).json()["out"]


print(do("+34 600", "hola"))
"""


@pytest.mark.parametrize(
    ("path", "to", "risk"),
    [
        ("llamadas", "telefono", "limited"),
        ("calls", "phone", "limited"),
        ("anrufe", "rufnummer", "limited"),
        ("resumenes", "telefono", "minimal"),
        ("llamadas", "caso", "minimal"),
    ],
)
def test_people_interact_with_what_calls_them(path: str, to: str, risk: str) -> None:
    spoken = SPOKEN.format(path=path, to=to).replace("number", "who" if to == "caso" else "number")
    assert rate_document({"app.py": spoken})["risk_classification"] == risk


WRITES = """
import OpenAI from "openai";
import express from "express";

const ai = new OpenAI();
const app = express();
const pages = [];

async function write(minutes) {
  const r = await ai.chat.completions.create({
    model: "gpt-4o",
    messages: [{ role: "user", content: "ORDER" + minutes }],
  });
  return r.choices[0].message.content;
}

setInterval(async () => pages.push({ NAME: await write("x") }), 1000);
app.get("/ROUTE", (_req, res) => res.json(pages));
app.listen(1);
"""


@pytest.mark.parametrize(
    ("order", "name", "route", "risk"),
    [
        ("Write a news article about: ", "headline", "feed", "limited"),
        ("Schreibe eine Meldung für die Zeitung: ", "schlagzeile", "artikel", "limited"),
        ("Write an article about: ", "text", "all", "minimal"),
        ("Sort this ticket: ", "kind", "tickets", "minimal"),
    ],
)
def test_what_is_written_to_be_published_is_of_limited_risk(
    order: str, name: str, route: str, risk: str
) -> None:
    text = WRITES.replace("ORDER", order).replace("NAME", name).replace("ROUTE", route)
    files = {"main.js": text, "package.json": '{"type": "module"}'}
    assert rate_document(files)["risk_classification"] == risk


PAGE = """# Light

Consumer loans for a savings bank. The model proposes green, amber or red, and what is not green
lands at a desk, at which somebody decides.
"""


@pytest.mark.parametrize(
    ("page", "risk"),
    [(PAGE, "high"), (PAGE.replace("loans", "bikes").replace("savings bank", "shop"), "minimal")],
)
def test_a_page_names_the_field_of_which_the_code_speaks_in_another_language(
    page: str, risk: str
) -> None:
    names = ("route", "first", "second", "third", "yes", "no")
    words = ["antrag", "einkommen", "miete", "sachbearbeiter", "bewilligt", "abgelehnt"]
    code = DECIDES.format(**dict(zip(names, words, strict=True)))
    assert rate_document({"app.py": code, "README.md": page})["risk_classification"] == risk


@pytest.mark.parametrize(
    ("said", "labelled"),
    [
        ("Dieser Text wurde von einer KI geschrieben.", True),
        ("Cet article est généré par une IA.", True),
        ("Esta noticia fue redactada por una inteligencia artificial.", True),
        ("Questo testo è stato generato da un'IA.", True),
        ("Esta notícia foi gerada por uma IA.", True),
        ("Deze tekst is door AI geschreven.", True),
        ("Tekst napisany przez sztuczną inteligencję.", True),
        ("Dieser Text wurde von einer Redakteurin geschrieben.", False),
        ("Esta noticia fue redactada por una periodista.", False),
    ],
)
def test_what_is_labelled_in_other_languages_is_labelled(said: str, *, labelled: bool) -> None:
    text = WRITES.replace("ORDER", "Write a news article: ").replace("NAME", "headline")
    text = text.replace("ROUTE", "feed").replace("headline: await", f'note: "{said}", text: await')
    text = text.replace("note:", "headline:")
    files = {"main.js": text, "package.json": '{"type": "module"}'}
    (act,) = (one for one in rate_document(files)["regulations"] if one["id"] == "eu-ai-act")
    (found,) = (one for one in act["clauses"] if one["id"] == "50(4)")
    assert (found["supported_verdict"] in ("pass", "partial")) is labelled
