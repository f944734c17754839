"""Words of engineering that lean one way: towards harm, or towards what keeps harm away.

"*" stands for whatever follows. A word that the rule itself uses leans as the rule has it; these
are for the rest, and a negation turns any of them round (see jurat.audit.stance).
"""

from __future__ import annotations

from collections.abc import Callable

HARM = """
abus* accident* adversar* aliased ambiguous anybody anyone arbitrary as-is attack* backdoor
backtrack* bad bare bleed* blind* blindly block blocking blocks blow* bogus bomb* bottleneck
break breakage breaking breaks broke broken brute* bug buggy bugs bypass* careless catastroph*
chok* clash* cleartext clobber* collid* collision* complain* confus* contradict* corrupt* crack*
crash* cryptic damag* danger* dangl* dead deadlock* death debris decompil* defeat*
deny-of-service deprecat* destroy* deterior* detriment* directly diverg* double downgrade*
drain* drift* drop dropped drops duplicat* eavesdrop* endless* erase erased erases error-prone
everybody everyone exceed* exhaust* expensive expir* explod* exploit* expos* fail failing fails
fallible fatal fault* flak* flaw* flood* forever forge forgeable forged forgery forgotten
fragil* freely freez* froze* garbag* garbl* gibberish grow* guess guessable guesses halt*
hammer* hang hanging hangs hard-cod* hard-wired hardcod* harm* hazard* hijack* hole holes
hostile hung hurt* ignor* illegible impersonat* inaccessib* inaccura* incompat* inconsisten*
incorrect* indefinit* infinit* inject* insecur* intercept* interleav* interpolat* intrud*
invalid invisible irreversib* jump* kill* lag laggy leak* legacy linger* littered lose loses
losing loss lost malform* malicious* mangl* memoriz* merely mess misbehav* misconfig* mislead*
mismatch* misplac* misus* mojibake naive naked negative nondeterministic nonsense obscur*
obsolete offend* omit* opaque orphan* out-of-date outage outdated outgrow* outsider* overflow*
overload* overlook* overrun* overwrit* panic* peek* pile* plain plaintext pollut* predict*
problem problems public publicly quadratic quirk* race races racy random raw reckless redundan*
regress* replay* reveal* risk* rot runaway sabotag* sensitive shared silent* slip slips slow*
sluggish sneak* sniff* spam* spill* spoof* stack-overflow stale stall* starv* steal* still
stolen straight stranger* stray stuck suppress* surpris* suspicious swallow* tamper* tangl*
thief thrash* throttl* toctou torn traversal truncat* typo undefined undermin* unfinished
unlimited unsound untrusted unwanted user-controlled user-supplied vanish* verbatim victim
violat* vulnerab* wall-clock wast* weak* wipe* world-readable world-writable worse worst wrong
xss zombie
"""

SAFE = """
abort* acquir* adequat* align* allow-list* allowlist* already always anonymi* assert* assur*
atomic* authenticat* authori* authoriz* auto-clos* avoid* await* back-off backoff batch* before
bind binds both bound bounded bounds cancel* cap capped caps catch catches caught check checked
checks clamp* clean cleaned cleans cleanup clear cleared close closed closes closing coerc*
complian* complies comply conform* consisten* constant-time correct* covered covers decimal
declared decod* decorator default defaults defer deferred defers defin* delegat* detect*
deterministic digest* dispos* document* each effective encod* encrypt* enforc* ensur* escap*
every evict* exact exactly exclud* exit exits expected expire expires explain* explicit*
fallback falls filter* finally fine finite first fix fixed fixes flush* freed frees fresh good
gracefully guarantee* guard guarded guards handed handle handled handles harmless hash* held
honor* honour* idempotent identif* immutable independent* inert insulat* intact invariant*
isolat* join joined joins keep keeps kept known label label* lawful limit limited limits local*
lock locked locks maintain* mask* match matches memoiz* middleware minimal modest monotonic
mutex named names narrow* neutrali* normaliz* obey* ok okay only opt-in order* ordered owner*
paged pages paginat* paramet* parameter* parametri* parse parsed parses pass-through passes
permission* pin pinned pins placeholder* plausib* predefined prepar* preserv* prevent* private*
proper* protect* prove proven provid* pseudonym* purg* quot* raise raises re-raise* read-only
readable readonly reads redact* reject* releas* reliab* reraise* reset* resolved respect*
restor* restrict* rethrow* retries revers* revert* right robust roll* rollback safe safeguard*
safely sanit* satisf* scoped seal* secur* separat* serializ* shut* sign signed slic* solid sound
stable static stop stopped stops stream* strict* stripped strips suffic* support* surfac*
synchroni* terminat* tested tests tidy time-out timeout* tracked trusted typed unchanged
understandable uniform unique unlock* unmount* unsubscrib* untouched unwind* up-to-date upheld
valid* verif* verified version* visible vouch* warn* well whitelist* within wrap* yields
"""


def build_matcher(words: str) -> Callable[[str], bool]:
    """Whether a word in small letters is one of `words`, or begins as one that ends in "*"."""
    whole = frozenset(word for word in words.split() if not word.endswith("*"))
    heads = frozenset(word[:-1] for word in words.split() if word.endswith("*"))
    lengths = sorted(set(map(len, heads)))

    def match(word: str) -> bool:
        return word in whole or any(word[:length] in heads for length in lengths)

    return match


is_harm = build_matcher(HARM)
is_safe = build_matcher(SAFE)
