"""Changes of any size that look like work: Python, TypeScript and Go, some of it breaking rules.

The same size always gives the same change.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

_NOUNS = ("order", "invoice", "ledger", "account", "basket", "refund", "parcel", "voucher")
_VERBS = ("load", "store", "merge", "check", "collect", "settle", "cancel", "export")

_PYTHON = '''

class {Noun}{Verb}er:
    """Keeps the {noun} in step with what the {other} says."""

    def __init__(self, client, limit={number}):
        self.client = client
        self.limit = limit
        self.seen = set()

    def {verb}(self, items, *, strict=False):
        """{Verb} each {noun} once and answer how many there were."""
        count = 0
        for item in items:
            if item.key in self.seen or (strict and not item.ready):
                continue
            try:
                answer = self.client.get(f"/{noun}/{{item.key}}", timeout={number})
            except ConnectionError as error:
                raise RuntimeError(f"{noun} {{item.key}} was not reached") from error
            if answer.status == 200 and answer.size > self.limit:
                self.seen.add(item.key)
                count += 1
            elif answer.status >= 500:
                break
        return count


def {verb}_{noun}(rows, width={number}):
    totals = {{}}
    for name, amount in rows:
        if amount is None:
            continue
        totals[name] = totals.get(name, 0) + amount * width
{violation}    return {{name: total for name, total in totals.items() if total > {number}}}
'''

_TYPESCRIPT = """

export interface {Noun}Row {{ key: string; amount: number; ready?: boolean }}

export class {Noun}{Verb}er {{
  private readonly seen = new Set<string>();

  constructor(private readonly client: Client, private readonly limit = {number}) {{}}

  async {verb}(items: {Noun}Row[], strict = false): Promise<number> {{
    let count = 0;
    for (const item of items) {{
      if (this.seen.has(item.key) || (strict && !item.ready)) {{
        continue;
      }}
      const answer = await this.client.get(`/{noun}/${{item.key}}`, {{ timeout: {number} }});
      if (answer.status === 200 && answer.size > this.limit) {{
        this.seen.add(item.key);
        count += 1;
      }} else if (answer.status >= 500) {{
        break;
      }}
    }}
    return count;
  }}
}}

export function {verb}{Noun}(rows: {Noun}Row[], width = {number}): Map<string, number> {{
  const totals = new Map<string, number>();
  for (const row of rows) {{
    totals.set(row.key, (totals.get(row.key) ?? 0) + row.amount * width);
  }}
{violation}  return totals;
}}
"""

_GO = """

// {Noun}{Verb}er keeps the {noun} in step with what the {other} says.
type {Noun}{Verb}er{number} struct {{
	client Client
	limit  int
	seen   map[string]bool
}}

// {Verb} handles each {noun} once and answers how many there were.
func (s *{Noun}{Verb}er{number}) {Verb}(items []Item, strict bool) (int, error) {{
	count := 0
	for _, item := range items {{
		if s.seen[item.Key] || (strict && !item.Ready) {{
			continue
		}}
		answer, err := s.client.Get("/{noun}/" + item.Key)
		if err != nil {{
			return count, fmt.Errorf("{noun} %s: %w", item.Key, err)
		}}
		if answer.Status == 200 && answer.Size > s.limit {{
			s.seen[item.Key] = true
			count++
		}} else if answer.Status >= 500 {{
			break
		}}
	}}
{violation}	return count, nil
}}
"""

_LANGUAGES = (
    ("py", '"""Generated."""\n', _PYTHON, "# Nothing more.\n"),
    ("ts", 'import { Client } from "./client";\n', _TYPESCRIPT, "// Nothing more.\n"),
    ("go", 'package work\n\nimport "fmt"\n', _GO, "// Nothing more.\n"),
)
_VIOLATIONS = {
    "py": "    answer = requests.get(url, verify=False)\n",
    "ts": "  console.log(totals); debugger;\n",
    "go": "\tcfg := &tls.Config{InsecureSkipVerify: true}\n\t_ = cfg\n",
}


def source(number: int, lines: int, *, revision: int = 0) -> tuple[str, str]:
    """The path and text of file `number`, `lines` long; one block in 25 breaks a rule.

    A later revision is text to be added to the first one's.
    """
    suffix, opening, template, filler = _LANGUAGES[number % len(_LANGUAGES)]
    dice = random.Random(f"{number}/{revision}")
    blocks = [] if revision else [opening]
    left = lines - "".join(blocks).count("\n")
    while True:
        noun, other, verb = dice.choice(_NOUNS), dice.choice(_NOUNS), dice.choice(_VERBS)
        block = template.format(
            noun=noun,
            Noun=noun.title(),
            other=other,
            verb=verb,
            Verb=verb.title(),
            number=dice.randrange(2, 9999),
            violation=_VIOLATIONS[suffix] if dice.random() < 0.04 else "",
        )
        if block.count("\n") > left:
            blocks.append(filler * left)
            return f"{suffix}/{number // 100}/module_{number}.{suffix}", "".join(blocks)
        blocks.append(block)
        left -= block.count("\n")


def repository(folder: Path, files: int, lines: int, old_lines: int) -> str:
    """A repository whose last commit changes `files` files by `lines` added lines each.

    Every other file is new; the others had `old_lines` lines and grow. Returns the base's SHA.
    """
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README.md").write_text("A benchmark.\n")
    for number in range(1, files, 2):
        path, text = source(number, old_lines)
        _write(folder / path, text)
    _commit(folder, "base")
    base = _git(folder, "rev-parse", "HEAD").strip()
    _git(folder, "switch", "--quiet", "--create", "work")
    for number in range(files):
        path, text = source(number, lines, revision=1)
        target = folder / path
        _write(target, (target.read_text() if target.exists() else "") + text)
    _commit(folder, "head")
    return base


def changed(folder: Path, base: str) -> list[str]:
    """The paths that the repository's last commit changes."""
    return _git(folder, "diff", "--name-only", base, "HEAD").splitlines()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "--all")
    _git(
        folder, "-c", "user.name=bench", "-c", "user.email=b@example.com", "commit", "-qm", message
    )


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout
