"""Words of engineering for what harms. "*" stands for whatever follows.

They show that a text tells of a harm, in whichever direction, and accuse nobody. Beside words for
care they tell which way a text argues (see jurat.audit.polarity).
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


BURDEN = """
admit* alone attacker* bare beyond blank bumped bypassed caller-supplied clear clear-text
concatenat* copies crafted default defaults dies dirty discard* dry emit* empty evict* exceed*
exhaustion flat floating forever forwarded glue* gone higher hits implicit indefinitely
interpolated intruder* keystroke larger later leaves lets linear listable longer lowered misses
moving mutable mutates nondeterministic older open opens outlives overshoot* oversized past paste*
pasted plaintext prints queue queues quietly raised reach reaches readable reflects rejoin scan
scans seeded shift* shorter skip skippable skipped skipping skips splice* spliced stomp* stuck
surpass* swallows traded trampl* twice unbounded unused wander* widen* wildcard world writable
"""
"""Words that tell of a fault only beside others: how a thing is open, late, large or left alone."""

CARE = """
abide* accessible aligned allowlist* anonymi* atomic* authenticat* authoris* authoriz* await*
backed balanced binds bound bounded bounds cap capped caps caught ceiling check checked checking
checks clean cleaned cleans cleared clearing close closed closes closing complied complies comply
confine* conform* consistent const constant contain* correct correctly cover covered covering
covers dedicated defer deferred defers designated deterministic dispose disposed disposes
document* encod* encrypt* enforc* enough ensur* equal escaped escapes escaping exact exactly
excluded excludes expire expires explicit explicitly final finally fine fits floor freed frees
fulfil* gate gated gates guarantee* guard* handled handles handling harmless hash hashed hashes
hidden holds honor* honour* idempotent immutable inert inside intact isolat* keeps kept labeled
labelled limit limited limits local locally lock locked locks mask* match matched matches maximum
meets met mitigat* narrow* neutrali* non-root normalis* normaliz* ok okay opt-in own owns
parameteri* parametri* permitted pin pinned pins placeholder* preserv* prevent* private prompt*
proper properly protect* purge* quoted read-only readonly recover* redact* reject* release
released releases require required requires respect* restor* restrict* retained reversible
reverted revok* right rolled rolls rotate* safe safely safety sandbox* sanitis* sanitiz* satisf*
scoped scrub* secur* separate sequential* serialis* serializ* settle* shield* signed sound stays
stopped stops strict strictly succeed* suffice* sufficient supported supports survives terminat*
thread-safe throws tidied tied trimmed trims typed unaffected unchanged unharmed unique
unprivileged untouched valid validat* verif* versioned visible waits well-formed whitelist* within
wrapped wraps
"""
"""Words for what keeps a thing from harm, or in order."""


def build_matcher(words: str) -> Callable[[str], bool]:
    """Whether a word in small letters is one of `words`, or begins as one that ends in "*"."""
    whole = frozenset(word for word in words.split() if not word.endswith("*"))
    heads = frozenset(word[:-1] for word in words.split() if word.endswith("*"))
    lengths = sorted(set(map(len, heads)))

    def match(word: str) -> bool:
        return word in whole or any(word[:length] in heads for length in lengths)

    return match


is_harm = build_matcher(HARM)

is_burden = build_matcher(BURDEN)
is_care = build_matcher(CARE)
