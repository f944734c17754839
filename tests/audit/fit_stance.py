"""`python -m tests.audit.fit_stance`: the weights of jurat.audit.stance, and how well they do.

Each set is rated by weights that were fitted to all the others. Needs scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from jurat.audit.stance import list_traits

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rationales"
LABELLED = ("first", "second", "unseen", "third", "fourth", "fifth", "sixth", "seventh")
REVERSED = {"opposite", "contradicts its verdict", "contradiction"}


class Leaning(NamedTuple):
    """A text of which is known whether it tells of a fault."""

    group: str
    rule: str
    text: str
    fault: bool


def load(name: str) -> Any:
    return yaml.safe_load((FIXTURES / f"{name}.yml").read_text(encoding="utf-8"))


def iter_leanings() -> Iterator[Leaning]:
    """All of them. A good text leans as its verdict does, a reversed one the other way."""
    for group in LABELLED:
        table = load(f"labelled_{group}")
        for entry in table["rationales"]:
            rule = table["subjects"][entry["of"]]["rule"]
            yield from _lean(group, rule, entry["text"], entry["verdict"], entry["label"])
    for entry in load("diffs_open"):
        label = "good" if entry["label"] == "good" else entry["kind"]
        yield from _lean("diffs", entry["rule"], entry["text"], entry["outcome"], label)
    for row in load("leanings")["rules"]:
        for fault, texts in ((True, row["faults"]), (False, row["kept"])):
            for text in texts:
                yield Leaning("leanings", row["rule"], text, fault)


def _lean(group: str, rule: str, text: str, verdict: str, label: str) -> Iterator[Leaning]:
    if verdict in ("ALLOW", "DENY") and (label == "good" or label in REVERSED):
        yield Leaning(group, rule, text, (verdict == "DENY") is (label == "good"))


def main() -> None:
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - of an extra
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - as above

    rows = list(iter_leanings())
    traits = [dict(list_traits(row.text, row.rule)) for row in rows]

    def fit(kept: list[int]) -> tuple[Any, Any]:
        vectors = DictVectorizer()
        model = LogisticRegression(C=1, max_iter=3000)
        model.fit(
            vectors.fit_transform([traits[index] for index in kept]),
            [rows[index].fault for index in kept],
        )
        return vectors, model

    for group in dict.fromkeys(row.group for row in rows):
        inside = [index for index, row in enumerate(rows) if row.group == group]
        vectors, model = fit([index for index, row in enumerate(rows) if row.group != group])
        said = model.predict(vectors.transform([traits[index] for index in inside]))
        right = sum(bool(one) is rows[index].fault for one, index in zip(said, inside, strict=True))
        print(f"{group}: {right} of {len(inside)} lean the right way")
    vectors, model = fit(list(range(len(rows))))
    print(f"_BIAS = {model.intercept_[0]:.2f}")
    for weight, name in sorted(zip(model.coef_[0], vectors.feature_names_, strict=True)):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
