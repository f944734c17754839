"""Which function a call in Java means: of several of its name, of an interface, of a class."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

_HEAD = """import javax.servlet.http.*;
import java.util.*;
import java.util.function.*;
import org.owasp.encoder.Encode;
class Page extends HttpServlet {
  static String bare(String a) { return a.trim(); }
  static String fit(String a) { return Encode.forHtml(a); }
  static boolean isOurs(String a) { return Set.of("a", "b").contains(a); }
  interface Shower { String show(String a); }
  interface Check { boolean allows(String a); }
  enum Kind {
    FIT { String write(String a) { return Encode.forHtml(a); } },
    BARE { String write(String a) { return a; } };
    abstract String write(String a);
  }
  static class Box {
    private final String text;
    private final Function<String, String> how;
    public Box(String text) { this(text, Encode::forHtml); }
    public Box(String text, Function<String, String> how) { this.text = text; this.how = how; }
    String html() { return "<i>" + how.apply(text) + "</i>"; }
  }
  static class Titled extends Box {
    Titled(String text, boolean strict) { super(text, strict ? Encode::forHtml : Page::bare); }
  }
  String cell(int number, String text) { return "<b>" + number + "</b>"; }
  String cell(String text) { return "<b>" + text + "</b>"; }
  String row(int number) { return "<b>" + number + "</b>"; }
  String row(String text) { return "<b>" + text + "</b>"; }
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws Exception {
    String a = request.getParameter("a");
    %s
  }
}
"""
_WRITE = 'response.getWriter().println("<b>" + %s + "</b>");'

PAIRS = {
    "as many arguments": ("cell(a)", "cell(1, a)"),
    "a text for a text": ("row(a)", "row(1)"),
    "a constructor that hands on": ("new Box(a, Page::bare).html()", "new Box(a).html()"),
    "a value of an enumeration": ("Kind.BARE.write(a)", "Kind.FIT.write(a)"),
}
FUNCTIONS = {
    "a reference": ("Function<String, String> f = %s;", "f.apply(a)"),
    "an interface of the file": ("Shower f = %s;", "f.show(a)"),
    "one behind another": ("Function<String, String> f = %s;", "f.andThen(Page::bare).apply(a)"),
    "one before another": ("Function<String, String> f = %s;", "f.compose(Page::bare).apply(a)"),
    "a table": ('Map<String, Shower> all = Map.of("x", %s);', 'all.get("x").show(a)'),
}
CHECKS = {
    "an interface of the file": ("Check c = s -> true;", "Check c = Page::isOurs;", "c.allows(a)"),
    "and, or": (
        "Predicate<String> c = s -> s.length() > 2;",
        "Predicate<String> c = Page::isOurs;",
        "c.and(s -> s.length() < 9).test(a)",
    ),
    "or": (
        "Predicate<String> o = Page::isOurs, c = o.or(s -> s.length() > 2);",
        "Predicate<String> o = Page::isOurs, c = o.or(o);",
        "c.test(a)",
    ),
    "no": (
        "Predicate<String> o = Page::isOurs, c = o.negate();",
        "Predicate<String> o = Page::isOurs, c = Predicate.not(o.negate());",
        "c.test(a)",
    ),
}


def _count(code: str) -> int:
    return count_flows(_HEAD % code, "java")


@pytest.mark.parametrize("name", PAIRS)
def test_a_call_means_the_function_that_takes_its_arguments(name: str) -> None:
    wrong, right = PAIRS[name]
    assert _count(_WRITE % wrong) == 1
    assert _count(_WRITE % right) == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_method_of_an_interface_calls_the_function(name: str) -> None:
    bind, call = FUNCTIONS[name]
    assert _count(bind % "Page::bare" + _WRITE % call) == 1
    assert _count(bind % "Encode::forHtml" + _WRITE % call) == 0
    assert _count(bind % "Page::fit" + _WRITE % call) == 0


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_that_is_a_value_is_worth_what_it_does(name: str) -> None:
    wrong, right, asked = CHECKS[name]
    assert _count(f"{wrong} if (!{asked}) return; {_WRITE % 'a'}") == 1
    assert _count(f"{right} if (!{asked}) return; {_WRITE % 'a'}") == 0


def test_a_mapping_hands_each_entry_to_a_function() -> None:
    each = 'Map<String, String> m = new HashMap<>(); m.put("%s", a); m.forEach((k, v) -> %s);'
    write = 'response.getWriter().println("<b>" + %s)'
    assert _count(each % ("x", write % "v")) == 1
    assert _count(each % ("x", write % "k")) == 0
