"""Words of engineering for what harms. "*" stands for whatever follows.

They show that a text tells of a harm, in whichever direction, and accuse nobody.
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


def build_matcher(words: str) -> Callable[[str], bool]:
    """Whether a word in small letters is one of `words`, or begins as one that ends in "*"."""
    whole = frozenset(word for word in words.split() if not word.endswith("*"))
    heads = frozenset(word[:-1] for word in words.split() if word.endswith("*"))
    lengths = sorted(set(map(len, heads)))

    def match(word: str) -> bool:
        return word in whole or any(word[:length] in heads for length in lengths)

    return match


is_harm = build_matcher(HARM)
