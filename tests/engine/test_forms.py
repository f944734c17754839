"""A form that is asked whether it is valid has checked what its fields are declared to be."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

DJANGO = (
    "import os\nfrom django import forms\nclass Asked(forms.Form):\n    x = forms.{field}\n"
    "def show(request):\n    form = Asked(request.POST)\n    if form.is_valid():\n"
    "        os.system('ls %s' % form.cleaned_data['x'])\n"
)
FLASK = (
    "import os\nfrom flask import Flask\nfrom flask_wtf import FlaskForm\n"
    "from wtforms import IntegerField, StringField\nfrom wtforms.validators import Regexp\n"
    "app = Flask(__name__)\nclass Asked(FlaskForm):\n    x = {field}\n"
    "@app.route('/a', methods=['POST'])\ndef show():\n    form = Asked()\n"
    "    if form.validate_on_submit():\n        os.system('ls %s' % form.x.data)\n"
)
ELSEWHERE = DJANGO.replace("class Asked(forms.Form):\n    x = forms.{field}\n", "{field}\n")

FAULTS = {
    "a text": DJANGO.format(field="CharField(max_length=40)"),
    "a text that fits any pattern": DJANGO.format(field="RegexField(r'.+')"),
    "a text of Flask's": FLASK.format(field="StringField('x')"),
}
FIT = {
    "a number": DJANGO.format(field="IntegerField()"),
    "one of a list": DJANGO.format(field="ChoiceField(choices=[('a', 'a')])"),
    "a text that fits a pattern": DJANGO.format(field="RegexField(r'^[a-z]+$')"),
    "a form of another file": ELSEWHERE.format(field="from shop.forms import Asked"),
    "a number of Flask's": FLASK.format(field="IntegerField('x')"),
    "a text of Flask's that fits a pattern": FLASK.format(
        field="StringField('x', validators=[Regexp(r'^[a-z]+$')])"
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_form_lets_through_arrives(name: str) -> None:
    assert count_flows(FAULTS[name], "python") == 1


@pytest.mark.parametrize("name", FIT)
def test_what_a_form_has_checked_is_fit(name: str) -> None:
    assert count_flows(FIT[name], "python") == 0
