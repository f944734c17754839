"""Controls are found however a team puts its objects together: handed in, typed, by class."""

from __future__ import annotations

from tests.support.rating import find_clause, rate_document

ROWS = """
import sqlite3


class Rows:
    def __init__(self):
        self.held = sqlite3.connect("rows.db")

    def add(self, who, what):
        self.held.execute("insert into outcomes (who, what) values (?, ?)", (who, what))

    def change(self, who, what):
        self.held.execute("{change}", (what, who))
"""
DESK = """
import falcon
from openai import OpenAI

from rows import Rows


class Desk:
    def __init__(self, rows):
        self.rows = rows

    def on_post(self, request, response, who):
        asked = "Score the job application from 0 to 100: " + request.media["text"]
        reply = OpenAI().chat.completions.create(model="gpt-4o", messages=[asked])
        self.rows.add(who, reply.choices[0].message.content)

    def on_put(self, request, response, who):
        self.rows.change(who, request.media["value"])


app = falcon.App()
app.add_route("/people/{who}", Desk(Rows()))
"""


def rate_desk(change: str) -> str:
    files = {"rows.py": ROWS.format(change=change), "app.py": DESK}
    return str(find_clause(rate_document(files), "14(4)(d)")["supported_verdict"])


def test_what_a_class_for_a_route_does_with_a_store_it_was_handed_is_seen() -> None:
    assert rate_desk("update outcomes set what = ? where who = ?") in ("partial", "pass")


def test_another_table_is_no_decision() -> None:
    assert rate_desk("update greetings set what = ? where who = ?") == "fail"


CONTROLLER = """
import { Body, Controller, Param, Post } from '@nestjs/common';
import { Desk } from './desk';

@Controller('cases')
export class Cases {
  constructor(private readonly desk: Desk) {}

  @Post()
  open(@Body() body: { text: string }) {
    return this.desk.open(body.text);
  }

  @Post('%s')
  close(@Param('id') id: string) {
    return this.desk.close(id);
  }
}
"""
SERVICE = """
import { Injectable } from '@nestjs/common';
import OpenAI from 'openai';

@Injectable()
export class Desk {
  private readonly client = new OpenAI();
  private readonly cases = new Map<string, string>();

  async open(text: string) {
    const reply = await this.client.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `Should this employee be dismissed? ${text}` }],
    });
    this.cases.set(text, reply.choices[0].message.content ?? '');
  }

  async close(id: string) {
    const held = this.cases.get(id);
    if (held) {
      await fetch('https://payroll.example/end', { method: 'POST', body: held });
    }
  }
}
"""
STARTED = """
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { Cases } from './cases';
import { Desk } from './desk';

@Module({ controllers: [Cases], providers: [Desk] })
class All {}

NestFactory.create(All).then((app) => app.listen(3000));
"""


def rate_cases(route: str) -> str:
    files = {"cases.ts": CONTROLLER % route, "desk.ts": SERVICE, "main.ts": STARTED}
    return str(find_clause(rate_document(files), "14(1)")["supported_verdict"])


def test_a_decorated_controller_reaches_what_its_injected_service_holds_back() -> None:
    assert rate_cases(":id/approve") in ("partial", "pass")


def test_a_route_that_is_no_answer_is_no_approval() -> None:
    assert rate_cases(":id/refresh") == "fail"
