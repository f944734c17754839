"""The names of fields by which people are known, or sorted."""

from __future__ import annotations

import re

from jurat.rating.texts.terms import build_name_choices

PERSONAL_KEY = re.compile(
    r"^(?:full_?name|first_?name|last_?name|name|surname|email|e_?mail|phone(?!me|ti)\w*|address|age"
    r"|gender|sex"
    r"|race|ethnicity|religion|nationality|date_?of_?birth|dob|birth_?date|photo|ssn|marital\w*"
    r"|disability|national_?id|insurance_?(?:no|number|id)|passport\w*|tax_?(?:id|no|number)|mobile\w*"
    r"|social_security\w*|zip\w*|post_?code|iban|street|(?:holder|patient|customer|client"
    r"|applicant"
    r"|candidate|employee|student|tenant|guest|member|contact)_?(?:name|e_?mail|phone|iban)"
    rf"|{build_name_choices('personal_field')})$",
    re.IGNORECASE,
)
_NAMES = (
    "name",
    "address",
    "nombre",
    "nome",
    "adresse",
    "adres",
    "direccion",
    "indirizzo",
)
OF_THINGS = frozenset(f"{kind}:{name}" for kind in "tk" for name in _NAMES)
"""Fields that things have as well."""


def is_personal(tag: str) -> bool:
    """Whether a tag is that of a field by which somebody is known."""
    return tag[:2] in ("a:", "k:") and PERSONAL_KEY.search(tag[2:]) is not None
