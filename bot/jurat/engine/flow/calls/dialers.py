"""Clients that refuse to connect where nobody outside may lead them, whatever address they get.

Go asks a dialer's `Control` or `DialContext` once the host's addresses are known, so that what it
refuses is refused for good. Such a client, and what it is made of, carries a mark in its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jurat.engine.flow.calls.handlers import Handlers
from jurat.engine.flow.forms.program import Attribute, Call
from jurat.engine.flow.values.taints import PARTS, REMOTE, Taint, Trace
from jurat.engine.flow.values.value import Closure, Env, Given, Value, iter_taints
from jurat.engine.flow.words import split_words

REFUSING = "+refusing"
"""Ends the name of what connects to no address that it was told to refuse."""

_MADE = split_words(
    "net.Dialer net/http.Transport net/http.Client net/http.DefaultTransport.Clone()"
)
_ASKED = split_words("Control ControlContext DialContext Dial DialTLSContext Transport")
"""What such a client is told: a function that refuses, or what is made with one."""

_OF_OTHERS = re.compile(r"(?!net[./]|golang\.org/|crypto/)[^()]+\(\)")
"""The name of what a function has made that is none of the language's own."""

_SENDING = ("net/http.NewRequest", "net/http.NewRequestWithContext")


class Dialers(Handlers):
    """Calls that make a client, or have it send something."""

    def call_unknown(
        self,
        expression: Call,
        called: Value,
        receiver: Value,
        given: Given,
        env: Env,
        *,
        returned: Sequence[Value],
    ) -> Value:
        """A callee that is not followed; a client that refuses is marked so."""
        made = super().call_unknown(expression, called, receiver, given, env, returned=returned)
        if expression.new and called.name in _MADE:
            options = (one for argument, one in given if argument.keyword in _ASKED)
            marked = made._replace(name=called.name + REFUSING)
            return marked if any(map(self.is_refusing, options)) else made
        if REFUSING in called.name:
            if called.name.endswith(".Do"):
                self._take_back([value for _, value in given])
            # What a server answers that it may ask is that server's own.
            return made._replace(taints=())
        return made

    def note_option(self, target: Attribute, value: Value, env: Env) -> None:
        """Mark a client that is told afterwards what to refuse."""
        of = self.results.get(id(target.of))
        if (
            of is not None
            and target.name in _ASKED
            and of.name in _MADE
            and self.is_refusing(value)
        ):
            self.update(target.of, of._replace(name=of.name + REFUSING), env)

    def is_refusing(self, option: Value) -> bool:
        """Whether a function lets no address through that it has not looked at.

        One that another file's function has made or given is there for that, as far as is seen.
        """
        if REFUSING in option.name:
            return True
        closure = option.closure
        if closure is None:
            return _OF_OTHERS.match(option.name) is not None
        return closure.function not in self.running and self._is_refuser(closure)

    def _is_refuser(self, closure: Closure) -> bool:
        function = closure.function
        # `(network, address string, …)`, behind a context or not.
        texts = [one for one in function.parameters if one.type == "string"]
        mask = self.matcher.find_refusal("?.IsPrivate")
        if len(texts) < 2 or not mask:
            return False
        inner = self.open_scope(closure, None)
        for parameter in function.parameters:
            inner.values[parameter.name] = Value(name=parameter.type)
        trace = Trace(texts[1].node, None)
        address = Taint("dialed", (), mask, REMOTE, "", False, trace)
        inner.values[texts[1].name] = Value((address,), name="string")
        begun = len(self.hits)
        self.running.append(function)
        try:
            held = self.run_function(function, inner)[2].no
        finally:
            self.running.pop()
        del self.hits[begun:]
        # Of the address, or of the host that it was split into.
        return any(held.get((address.source, path), 0) & mask for path in ((), PARTS[:1]))

    def _take_back(self, sent: Sequence[Value]) -> None:
        """What arrived in a request that such a client sends leads nowhere that it refuses."""
        origins = {(one.source, one.path) for value in sent for one in iter_taints(value)}
        self.hits = [
            hit
            for hit in self.hits
            if hit.callee not in _SENDING or (hit.taint.source, hit.taint.path) not in origins
        ]
