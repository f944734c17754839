"""Imports, calls, definitions, names and prompts are read from the syntax tree of each language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jurat.rating.signals.mention_grammars import SHAPES
from jurat.rating.signals.mentions import Kind, find_mentions

SOURCES = {
    "python": """
from openai import OpenAI as Client
class Desk:
    def ask(self, applicant):
        self.logger.info("asking")
        return Client().chat.completions.create(prompt="You are a clerk of the bank")
""",
    "javascript": """
import OpenAI from "openai";
class Desk {
  ask(applicant) {
    this.logger.info("asking");
    return new OpenAI().chat.completions.create({ prompt: "You are a clerk of the bank" });
  }
}
""",
    "java": """
import com.openai.client.OpenAIClient;
class Desk {
  String ask(String applicant) {
    logger.info("asking");
    return client.chat.completions.create("You are a clerk of the bank");
  }
}
""",
    "kotlin": """
import com.openai.client.OpenAIClient
class Desk {
  fun ask(applicant: String): String {
    logger.info("asking")
    return client.chat.completions.create("You are a clerk of the bank")
  }
}
""",
    "go": """
package desk
import "github.com/openai/openai-go"
type Desk struct{}
func (d *Desk) ask(applicant string) string {
	d.logger.info("asking")
	return client.chat.completions.create("You are a clerk of the bank")
}
""",
    "csharp": """
using OpenAI;
class Desk {
  string ask(string applicant) {
    logger.info("asking");
    return client.chat.completions.create("You are a clerk of the bank");
  }
}
""",
    "ruby": """
require "openai"
class Desk
  def ask(applicant)
    @logger.info("asking")
    client.chat.completions.create(prompt: "You are a clerk of the bank")
  end
end
""",
    "php": """<?php
use OpenAI\\Client;
class Desk {
  function ask($applicant) {
    $this->logger->info("asking");
    return $client->chat->completions->create("You are a clerk of the bank");
  }
}
""",
    "rust": """
use openai::Client;
struct Desk;
impl Desk {
  fn ask(&self, applicant: &str) -> String {
    self.logger.info("asking");
    client.chat.completions.create("You are a clerk of the bank")
  }
}
""",
    "swift": """
import OpenAI
class Desk {
  func ask(applicant: String) -> String {
    logger.info("asking")
    return client.chat.completions.create("You are a clerk of the bank")
  }
}
""",
    "scala": """
import openai.Client
class Desk {
  def ask(applicant: String): String = {
    logger.info("asking")
    client.chat.completions.create("You are a clerk of the bank")
  }
}
""",
    "cpp": """
#include <openai/client.h>
class Desk {
  std::string ask(std::string applicant) {
    logger->info("asking");
    return client->chat->completions->create("You are a clerk of the bank");
  }
};
""",
}
SOURCES["c"] = """
#include <openai/client.h>
struct Desk { int seats; };
char *ask(char *applicant) {
  logger->info("asking");
  return client->chat->completions->create("You are a clerk of the bank");
}
"""
SOURCES["dart"] = """
import "package:openai/openai.dart";
class Desk {
  String ask(String applicant) {
    logger.info("asking");
    return client.chat.completions.create("You are a clerk of the bank");
  }
}
"""
SOURCES["lua"] = """
local client = require("openai")
local Desk = {}
function Desk.ask(applicant)
  logger.info("asking")
  return client.chat.completions.create("You are a clerk of the bank")
end
"""
SOURCES["bash"] = """
desk="$1"
ask=desk
applicant="$2"
logger.info "asking"
create "You are a clerk of the bank"
"""
SOURCES["typescript"] = SOURCES["tsx"] = SOURCES["javascript"]
COMMENTS = {"python": "# ", "ruby": "# ", "bash": "# ", "lua": "-- "}


def said(text: str, language: str) -> Iterator[tuple[Kind, str, int]]:
    for mention in find_mentions(text, language, lambda kind, words: kind is not Kind.KEY):
        yield mention.kind, mention.text, mention.line


def commented(source: str, language: str) -> str:
    mark = COMMENTS.get(language, "// ")
    opening = "<?php\n" if language == "php" else ""
    return opening + "".join(f"{mark}{line}\n" for line in source.split("\n"))


def test_every_language_that_is_read_has_an_example_here() -> None:
    assert SOURCES.keys() == SHAPES.keys()


@pytest.mark.parametrize("language", SOURCES)
def test_what_code_says_is_read_from_its_tree(language: str) -> None:
    found = list(said(SOURCES[language], language))
    imports = [words for kind, words, _ in found if kind is Kind.IMPORT]
    assert any("openai" in module.lower() for module in imports) or language == "bash"
    calls = [words for kind, words, _ in found if kind is Kind.CALL]
    assert any(call.endswith("logger.info") for call in calls)
    assert any(call.endswith("chat.completions.create") or call == "create" for call in calls)
    names = {words for kind, words, _ in found if kind is Kind.NAME}
    assert {"desk", "ask", "applicant"} <= names
    assert [words for kind, words, _ in found if kind is Kind.TEXT if "You are a clerk" in words]


@pytest.mark.parametrize("language", SOURCES)
def test_the_same_in_a_comment_is_nothing(language: str) -> None:
    assert list(said(commented(SOURCES[language], language), language)) == []


@pytest.mark.parametrize("language", sorted(set(SOURCES) - {"bash", "c", "cpp", "lua"}))
def test_what_a_function_or_class_is_called_is_a_definition(language: str) -> None:
    found = {
        words for kind, words, _ in said(SOURCES[language], language) if kind.name == "DEFINITION"
    }
    assert {"desk", "ask"} <= found


def test_a_docstring_is_no_text() -> None:
    source = 'def ask():\n    """You are a clerk of the bank"""\n    return 1\n'
    assert not [words for kind, words, _ in said(source, "python") if kind is Kind.TEXT]


def test_a_name_is_followed_to_where_it_was_imported_from() -> None:
    imports = "from langgraph.types import interrupt as ask\nimport numpy as np\n"
    source = f"{imports}ask()\nnp.random.seed()\n"
    calls = [words for kind, words, _ in said(source, "python") if kind is Kind.CALL]
    assert calls == ["langgraph.types.interrupt", "numpy.random.seed"]


def test_a_private_helper_is_not_what_it_is_named_after() -> None:
    calls = [words for kind, words, _ in said("_input(x)\nself._logger.info(x)\n", "python")]
    assert "_input" in calls
    assert "self.logger.info" in calls


def test_modules_of_the_project_itself_are_no_imports() -> None:
    source = "from . import openai\nfrom .agents import anthropic\n"
    assert [words for kind, words, _ in said(source, "python") if kind is Kind.IMPORT] == []


def test_a_call_lies_in_its_innermost_function_and_a_decorator_in_what_it_decorates() -> None:
    source = "@tool\ndef outer():\n    def inner():\n        call()\n    return inner\n"
    spans = {
        mention.text: (mention.first, mention.last)
        for mention in find_mentions(source, "python", lambda kind, words: kind is Kind.CALL)
    }
    assert spans == {"tool": (2, 5), "call": (3, 4)}


def test_a_prompt_in_pieces_keeps_its_lines() -> None:
    source = 'PROMPT = (\n    "You are a seller. "\n    "Plant an idea."\n)\n'
    [text] = [words for kind, words, _ in said(source, "python") if kind is Kind.TEXT]
    assert text.split("\n")[1] == 'Plant an idea."'
