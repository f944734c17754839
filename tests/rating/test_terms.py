"""The words of other languages stand in one table, and everything in it is read."""

from __future__ import annotations

from typing import get_args

import pytest

from jurat.errors import RuleError
from jurat.rating.texts.account_table import ACCOUNTS, find_given, read_passage
from jurat.rating.texts.fields import FIELDS
from jurat.rating.texts.ideas import find_ideas
from jurat.rating.texts.terms import Language, TermTable, list_terms, load_terms
from jurat.rules.validation import validate_document
from jurat.source.strict_yaml import parse_yaml

LANGUAGES = frozenset(get_args(Language))
SINGLE = frozenset(("person", "personal_field", "phone", "phone_call", "publication"))
RECORDS = {
    "de": """# Verzeichnis von Verarbeitungstätigkeiten
Verantwortlicher: Rota GmbH, Kiel; Datenschutzbeauftragte: dsb@rota.example
Zweck: Zuteilung von Schichten. Betroffene: Kuriere. Daten: Namen, Telefonnummern.
Empfänger: Tellux AG. Drittland: keines. Löschfrist: 24 Monate. Maßnahmen: Verschlüsselung, Rollen.
""",
    "fr": """# Registre des activités de traitement
Responsable du traitement : Rota SAS, Brest ; délégué à la protection : dpd@rota.example
Finalité : planning. Personnes concernées : salariés. Données : noms, numéros.
Destinataires : Tellux. Pays tiers : aucun. Durée de conservation : 24 mois. Chiffrement.
""",
    "es": """# Registro de las actividades de tratamiento
Responsable del tratamiento: Rota SL, Vigo; delegado de protección: dpd@rota.example
Finalidad: turnos. Interesados: empleados. Datos: nombres, teléfonos. Destinatarios: Tellux SA.
Terceros países: ninguno. Plazo: 24 meses. Seguridad: cifrado, copias de seguridad.
""",
    "it": """# Registro delle attività di trattamento
Titolare del trattamento: Rota Srl, Bari; responsabile della protezione: rpd@rota.example
Finalità: turni. Interessati: dipendenti. Dati: nomi, recapiti. Destinatari: Tellux Spa.
Paesi terzi: nessuno. Conservazione: 24 mesi. Sicurezza: cifratura, backup.
""",
    "pl": """# Rejestr czynności przetwarzania
Administrator: Rota, Gdynia; inspektor ochrony danych: iod@rota.example
Cel: planowanie zmian. Osoby: pracownicy. Dane: nazwiska, numery. Odbiorcy: Tellux SA.
Państwa trzecie: brak. Okres przechowywania: 24 miesiące. Bezpieczeństwo: szyfrowanie, role.
""",
}


def test_every_concept_is_said_in_every_language() -> None:
    for concept, by_language in load_terms().terms.items():
        assert by_language.keys() == LANGUAGES, concept
        assert all(words.split() for words in by_language.values()), concept


def test_every_concept_is_asked_for() -> None:
    parts = {f"{name}.{part}" for name in FIELDS for part in ("own", "near", "decides")}
    titles = {f"title.{name}" for name in ACCOUNTS}
    for concept in load_terms().terms:
        kind, _, name = concept.partition(".")
        if kind == "idea":
            word = next(one for one in list_terms(concept) if "_" not in one)
            assert name in find_ideas(word.rstrip("*")), concept
        elif kind not in ("request", "practice", "word"):
            assert concept in parts | titles | SINGLE, concept


def test_a_word_is_found_however_its_letters_are_written() -> None:
    assert {"prénom", "prenom"} <= set(list_terms("personal_field"))
    assert {"bürger*", "buerger*", "burger*"} <= set(list_terms("person"))
    assert list_terms("nothing_of_the_kind") == ()


@pytest.mark.parametrize("text", ["terms: {}", "terms: {person: {en: people}}", "words: {}"])
def test_a_table_is_read_strictly(text: str) -> None:
    with pytest.raises(RuleError):
        validate_document(TermTable, parse_yaml(text, "terms.yml", RuleError), "t", RuleError)


@pytest.mark.parametrize("language", RECORDS)
def test_a_record_of_processing_is_known_in_any_language(language: str) -> None:
    wanted = frozenset(("processing_record",))
    assert find_given(wanted, read_passage(RECORDS[language])) == wanted


@pytest.mark.parametrize("language", RECORDS)
def test_a_heading_without_a_record_is_none(language: str) -> None:
    heading, *_ = RECORDS[language].splitlines()
    empty = f"{heading}\n\nTODO: {heading.lstrip('# ')}\n"
    assert not find_given(frozenset(("processing_record",)), read_passage(empty))
