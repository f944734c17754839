"""What a text gives an account of, known by what it must say, whatever it is called.

An assessment of risks names what may happen, how badly, and what is done; a notice to people says
who uses what of them, why, for how long and what they can do. Titles and headings say none of that,
and who writes it all under another name has written it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jurat.rating.parts import Part, build_part


@dataclass(frozen=True, slots=True)
class Account:
    """All of `needed` and at least `least` of `others` must be said."""

    needed: tuple[Part, ...]
    others: tuple[Part, ...]
    least: int

    def is_given(self, text: str) -> bool:
        """Whether a text in lower case, on one line, gives the account."""
        return (
            all(part.is_said(text) for part in self.needed)
            and sum(part.is_said(text) for part in self.others) >= self.least
        )


def _build_bare(words: str, least: int = 1) -> Part:
    """A part that signs may begin or end."""
    return Part(re.compile(words), least)


_CONTACT = _build_bare(
    r"[\w.+-]+@[\w-]+\.\w+|\b(?:data protection officer|privacy officer|dpo|data controller"
    r"|controller"
    r"|responsible (?:body|for this)|b\.?v\.?|gmbh|ltd|limited|n\.?v\.?|s\.?a\.?|inc|llc"
    r"|plc)(?![a-z])"
)
_BASIS = build_part(
    r"consent(?:ed)?|(?:you|they|who|people|because \w+|visitors?|shoppers?) agreed?|agreement"
    r"|contract"
    r"|legitimate interests?|legal (?:basis|ground|grounds|obligation)|lawful\w*|ground|public task"
)
_RECEIVERS = build_part(
    r"who gets|gets it|nobody|processors?|recipients?|receivers?|shared? with|passed (?:on )?to"
    r"|nobody else|no one else"
    r"|third[- ](?:part(?:y|ies)|countr(?:y|ies))|for us|on our behalf|hosted (?:by|at|in)|hosting"
    r"|transfer(?:red|s)?|standard clauses|outside (?:of )?(?:the )?eu|suppliers?|providers?"
)
_LENGTH = (
    r"(?:\d+|two|three|six|twelve|thirty|ninety|a|one|same) (?:\w+ )?"
    r"(?:seconds?|hours?|days?|weeks?|months?|years?)"
)
_KEPT = build_part(
    rf"{_LENGTH}|retention|(?:not|never) (?:stored|kept)|thrown away|delet\w+ after|kept until"
)
_RIGHTS = (
    r"see (?:it|what|your)|see,|access|copy of|correct\w*|rectif\w+|eras\w+|delet\w+|object"
    r"|objection"
    r"|withdraw\w*|restrict\w*|take (?:it )?along|portab\w+"
)
_COMPLAINT = build_part(
    r"complain\w*|complaints?|supervisory authority|data protection authority|autoriteit\w*"
    r"|gegevensbeschermingsautoriteit|commissioner|ico|cnil|datenschutz\w*|ombuds\w+|garante"
)
_PURPOSE = build_part(
    r"what for|why we (?:may|need)|purposes?|in order to|so that|because|used? (?:\S+ ){0,9}to"
    r"|to (?:answer|choose|remind"
    r"|judge|decide"
    r"|count|improve|help|check|calculate|rank|assess|detect|find|give|prepare|suggest|send|show"
    r"|write)"
)
_PEOPLE = (
    r"people|persons?|households?|famil(?:y|ies)|applicants?|patients?|customers?|children|minors"
    r"|women|men"
    r"|workers|employees|students|pupils|shoppers|visitors|residents|citizens|claimants"
    r"|candidates|infants"
    r"|elderly|older|disabled|data subjects?|users?|players|drivers|tenants|borrowers|members"
    r"|prisoners"
)
_GRADE = build_part(
    r"likely|unlikely|possible|rare|rarely|likelihood|probability|chance|high|medium|low|severe"
    r"|severity|serious"
    r"|minor|critical|moderate|impact",
    2,
)
DONE = build_part(
    r"measures?|mitigat\w+|controls?|handled|done|what we did|gate|never on disk|encrypt\w+"
    r"|limit\w*|cap\w*"
    r"|block\w*|mask\w*|check\w*|review\w*|kept as the default|deleted|stops?|stored|file handed"
    r"|treat\w*"
    r"|monitor\w*|sampl\w+|second pair of eyes|action\w*|guard\w*|switch\w*|requires?|needs own"
)
HARMED = build_part(
    r"risks?|harms?|hazards?|leaks?|danger\w*|threats?|what (?:can|could|may|might) go wrong"
    r"|goes wrong"
    r"|misuse|abuse|damage"
)
_WHEN = build_part(
    r"(?:20\d\d)|every \w+|each (?:year|quarter|month|week|half-year|june|january)|again:?|yearly"
    r"|annual\w*"
    r"|quarterly|monthly|looked at again|next review|review\w* (?:on|by|in|date)"
)
_ASKED = build_part(
    r"consult\w*|heard|asked|works council|panel|interview\w*|counsel|signed|approved by|dpo"
    r"|notified"
    r"|supervisor told|board|council|workshop|representatives?|unions?"
)
_FIGURES = _build_bare(
    r"\b\d+(?:[.,]\d+)?\s*(?:%|percent|per cent)|\b\d+ of \d+\b"
    r"|\b(?:accuracy|precision|recall|auc|f1|mae|rmse|error rate)\b\D{0,20}\d"
)
_LIMITS = build_part(
    r"limits?|limitations?|not (?:meant|intended|designed|made|suited|suitable|for)|misses|fails"
    r"|weak\w*"
    r"|cannot|does not|do not use|must not|unreliable|less well|worse|not tested|errors?"
    r"|out of scope"
)
_OVERSIGHT = build_part(
    r"override\w*|overrul\w+|set (?:it )?aside|staff decide|decides? (?:with|by|alone|itself)"
    r"|own reasons|reviewer"
    r"|officer|clerk|nurse|radiologist|oversight|oversees|by hand|switch(?:ed)? off"
    r"|turn(?:ed)? off|stop(?:ped|s)?|a person"
    r"|human|second opinion"
    r"|appeal\w*|contest\w*|judge can be asked|doctor|teacher|board decides"
)
_SYSTEM = build_part(
    r"models?|ai|systems?|algorithms?|scores?|predict\w+|classif\w+|assistants?|chatbots?|helper"
    r"|estimates?|aid"
    r"|automat\w+|machine learning|llm|gpt\S*|claude\S*|gemini\S*|tool|outputs?|answers?|drafts?"
    r"|suggest\w+"
)

REGISTER = "risk_register"
RECORD = "processing_record"
"""Accounts that are known by their rows and fields."""
ACCOUNTS = {
    REGISTER: Account((HARMED, _GRADE, DONE), (), 0),
    # Article 13 GDPR: to the people themselves, and therefore to them what they can do about it.
    "privacy_notice": Account(
        (build_part(_RIGHTS, 2), _CONTACT),
        (_PURPOSE, _BASIS, _RECEIVERS, _KEPT, _COMPLAINT),
        4,
    ),
    # Article 30 GDPR: known by its fields.
    RECORD: Account((), (), 0),
    # Article 35 GDPR.
    "data_protection_assessment": Account(
        (
            build_part(r"privacy|personal data|data protection|gdpr|data subjects?|pictures?"
                       r"|biometric"
                       r"|health data|recordings?"),
            HARMED,
            _GRADE,
            DONE,
        ),
        (
            build_part(r"necess\w+|need(?:ed)?|proportion\w+|alternatives?|tried|less intrusive"
                       r"|instead"),
            build_part(r"left|residual|remain\w*|accepted"),
            _ASKED,
            _WHEN,
            _BASIS,
        ),
        3,
    ),
    # Article 27.
    "rights_assessment": Account(
        (
            build_part(_PEOPLE, 3),
            build_part(
                r"affected|touched|touches|exposed|hardest|vulnerable|concerned|harmed|hits"
                r"|suffer\w*|at risk"
                r"|does to (?:\w+ ){0,3}(?:people|\w+s)"
            ),
            build_part(
                r"rights?|dignity|liberty|freedom|private life|privacy|discriminat\w+|unequal\w*"
                r"|equal\w*|stigma"
                r"|health|housing|non-discrimination|fair (?:trial|hearing)|education|family life"
                r"|work|shame"
                r"|disconnection|expression|data protection",
                2,
            ),
        ),
        (
            _OVERSIGHT,
            _ASKED,
            build_part(rf"per (?:year|month|day|week)|a (?:year|month|week|day)|{_LENGTH}"
                       rf"|from \w+ 20\d\d|each"),
            build_part(
                r"complain\w*|complaints?|appeal\w*|contest\w*|redress|compensat\w+|reconnect\w*"
                r"|ombuds\w+|counsel"
                r"|judge|stop\w*|if it goes wrong|undo\w*|read again|fund pays|lawyer"
            ),
            build_part(r"told|notified|supervisor|authority|signed|published|board"),
        ),
        3,
    ),
    # Article 11 and Annex IV.
    "technical_account": Account(
        (_SYSTEM, _FIGURES, _LIMITS),
        (
            _build_bare(r"\bversions?\b|\bv?\d+\.\d+(?:\.\d+)?\b|20\d\d-\d\d-\d\d"),
            build_part(
                r"architecture|design|components?|services?|controllers?|database|postgres"
                r"|endpoint|pipeline|modules?"
                r"|queue|runs (?:in|on)|hosted|hardware|layers?|parameters|library|stack|api"
            ),
            build_part(
                r"train(?:ed|ing)|fine-tun\w+|datasets?|data (?:from|set)|prompts?|labels?"
                r"|features|samples|weights|epochs|examples|corpus"
            ),
            build_part(r"purpose|intended|meant for|helps|made for|used (?:by|for)|supports"
                       r"|what it (?:is|does)|so that|not for"),
            build_part(r"tests?|tested|evaluat\w+|measured|validat\w+|benchmark\w*|marked by"),
            _OVERSIGHT,
            build_part(r"changes?|changelog|history|replaced|updated"),
            HARMED,
        ),
        6,
    ),
    # Article 13: to those who run it.
    "operating_account": Account(
        (_SYSTEM, _LIMITS, _OVERSIGHT),
        (
            build_part(
                r"for (?:the )?(?:\w+ )?(?:who|that)|users?|operators?|nurses?|clerks?|officers?"
                r"|teachers?|recruiters?"
                r"|physicians?|staff|offices|deployers?|reviewers?|call takers"
            ),
            build_part(r"purpose|intended|meant (?:for|to)|helps|made (?:for|to)|use it (?:for"
                       r"|to)|supports"),
            _FIGURES,
            build_part(
                r"how to|read (?:the|it|\w+) (?:\w+ )?first|open|press|before you|then"
                r"|do not rely|check (?:the|that|it)"
                r"|in use|steps?|instructions?"
            ),
            build_part(r"logs?|records?|kept|maintenance|updates?|hardware|requirements"),
        ),
        4,
    ),
    # Article 10.
    "data_account": Account(
        (
            build_part(
                r"from|sources?|sourced|collected|extracted|origin|scraped|taken from|gathered"
                r"|provenance"
            ),
            build_part(r"train(?:ing)?|test|validation|datasets?|data|samples|rows|images|records"),
        ),
        (
            _build_bare(r"\brows?\b\W*\d|\d[\d,. ]*\s*(?:rows|records|images|files|samples|cases"
                        r"|recordings"
                        r"|documents|letters|judg\w+|people|applications|calls)|\bn\W*\d{3}"),
            build_part(r"labels?|labell?ed|annotat\w+|ground truth|marked by|outcome"),
            build_part(
                r"weak[_ ]spots?|under-?represent\w*|missing|gaps?|skew\w*|bias\w*|too few"
                r"|smallest[_ ]group"
                r"|not used for|imbalanc\w*|women|limitations|less than"
            ),
            build_part(r"left[_ ]out|exclud\w+|removed|dropped|not (?:collected|included)"
                       r"|features|columns"),
            build_part(r"years?|20\d\d|period|between"),
            build_part(r"consent|licen[cs]e|agreement|permission|statistics office|anonym\w+"),
        ),
        4,
    ),
    # Article 73, MANAGE 2.3: what is done when something goes wrong.
    "incident_procedure": Account(
        (
            build_part(
                r"(?:if|when|in case|something|anything) (?:\S+ ){0,5}(?:happens?|wrong|fails?"
                r"|breaks?"
                r"|incident|nobody|no one|surpris\w+|hurt|harm\w*|trouble|unexpected"
                r"|unforeseen|foresaw|foresee|thought of)|trouble|incidents?|emergenc(?:y|ies)"
                r"|casualt(?:y|ies)|surprises?|mishaps?|malfunctions?|unknown risks?"
                r"|serious (?:event|harm)"
            ),
            build_part(
                r"call\w*|phone[sd]?|pag(?:e|ed|es)|notif\w+|tells?|told|reports?|reported"
                r"|informs?|informed|alerts?|opens? (?:an?|the) (?:\S+ )?(?:entry|ticket|case)"
                r"|mail(?:ed|s)?|writes? to"
            ),
            build_part(
                r"lead|director|on-?call|engineer|officer|manager|owner|head of|team|duty"
                r"|authority|inspectorate"
                r"|regulator|supervisor"
            ),
        ),
        (
            build_part(
                r"turns? (?:\w+ ){0,3}off|switch(?:es|ed)? (?:\w+ ){0,3}off|stops? using|roll(?:s"
                r"|ed)? back|rollback"
                r"|put back|paper (?:form|protocol)|disable[sd]?|taken? (?:off|down)|offline"
                r"|suspend\w*|by hand|halt\w*|shuts?|shut down|pulls? the|paused?|sets? `?off"
                r"|(?:go(?:es)?|sent|handed) to (?:the )?(?:desk|staff|people|colleagues?"
                r"|adjusters?|clerks?)"
            ),
            build_part(
                r"(?:within|in|after) (?:\d+|one|two|four) ?(?:h|hours?|minutes?|min|days?)"
                r"|at once|immediately"
                r"|\d+ (?:hours?|minutes?)|same day|within a day"
            ),
            build_part(r"fix(?:ed)?|cause|cure|replay\w*|tried on|root|lessons?|post-?mortem"
                       r"|restor\w*|recover\w*"
                       r"|back only|again only|reconnect"),
            build_part(r"rehears\w+|practi[sc]ed|drill\w*|exercise[ds]?|last (?:tested|tried)"),
        ),
        3,
    ),
    # Article 73: what is serious goes to an authority, by when.
    "incident_report": Account(
        (
            build_part(
                r"serious(?:ly)?|incidents?|harm\w*|died|death|injur\w+|near miss(?:es)?|hurt"
            ),
            build_part(
                r"authorit(?:y|ies)|inspectorate|regulators?|surveillance|agency|bfarm|ministry"
                r"|bundesnetzagentur|ombuds\w+|commission|notified body|watchdog|supervisory"
                r"|supervisors?"
            ),
            build_part(
                r"reports?|reported|reporting|notif\w+|informs?|informed|tells?|told|files?"
            ),
        ),
        (),
        0,
    ),
    # Article 72: what is collected in use, who looks at it, and what follows.
    "monitoring_plan": Account(
        (
            build_part(
                r"(?:each|every|once an?|twice an?|per) (?:half-?year|quarter|month|week|night|day"
                r"|monday|tuesday|wednesday|thursday|friday|year|release)|daily|weekly|monthly"
                r"|quarterly|nightly|continuous\w*|fortnightly"
            ),
            build_part(
                r"alarms?|alerts?|above|below|under|over|exceed\w*|threshold\w*|limits?|more than"
                r"|less than|drops?|rises?|drift\w*"
            ),
            build_part(
                r"in use|after (?:the )?release|live|production|post-market|on the market"
                r"|in service"
                r"|field|deployed|since it runs|as used|on the wards?|running"
            ),
            build_part(
                r"collect\w*|watch\w*|monitor\w*|measur\w*|counts?|counted|samples?|draws?|drawn"
                r"|rates?|share|record\w*"
            ),
        ),
        (
            build_part(r"complain\w*|feedback|reports?|remarks?|users?|notices?|appeals?"),
            build_part(r"lead|officer|engineer|owner|team|manager|board|circle|committee"
                       r"|on duty|dr"),
            _FIGURES,
            build_part(r"came of it|action\w*|follow\w*|changed?|fix\w*|retrain\w*|decid\w+|added"),
        ),
        4,
    ),
    # MEASURE 2.7: attacks and faults that were tried, and how it stood up to them.
    "attack_report": Account(
        (
            build_part(
                r"attacks?|attackers?|adversar\w+|injections?|jailbr\w+|red[- ]team\w*|abuse"
                r"|steering|hostile|poison\w*|pgd|evasion|penetration|pen-?tests?|spoof\w*"
            ),
            _build_bare(
                r"\b\d+ (?:of|out of|/) \d+\b|\|\s*\d+\s*\|\s*\d+|\b\d+ (?:tries|attempts|prompts"
                r"|attacks|cases|reads|chats|requests)\b|\|\s*0?\.\d+|\b\d+\s*%"
            ),
            build_part(
                r"got through|went wrong|succeeded|failed|held|blocked|refus\w+|lost|broke\w*"
                r"|fell back|survived|leaked|resisted|bypass\w*|got in|robust\w*|wins|withstood"
                r"|detected|passed|stopped|drop\w*"
            ),
        ),
        (
            build_part(r"20\d\d|january|february|march|april|may|june|july|august|september"
                       r"|october|november|december|round \d+"),
            build_part(r"fix(?:ed|es)?|since then|then|now|hence|replaced|changed|ticket|retest\w*"
                       r"|again|closed|patched|left|accepted"),
            build_part(r"kill\w*|outage|faults?|failures?|power|network|cable|crash\w*|load"
                       r"|down|unavailable|time-?outs?|restarts?"),
        ),
        3,
    ),
    # MEASURE 2.11: outcomes of groups of people, set against one another.
    "fairness_report": Account(
        (
            build_part(
                r"women|men|female|male|sex|gender|age|over \d\d|under \d\d|older|younger|elderly"
                r"|skin tones?|tones?|dark\w*|origin|nationality|ethnic\w*"
                r"|turkish|arabic"
                r"|part-time|disab\w+|migrants?|schooling|religio\w+|asian"
                r"|first language"
                r"|native speakers?|rural|urban",
                2,
            ),
            _build_bare(
                r"\b0?\.\d+\b|\b\d+(?:\.\d+)? ?%|\b\d+ of \d+\b|\bn\b ?= ?\d+|\|\s*\d+\s*\|", 2
            ),
            build_part(
                r"difference|gaps?|ratio|lower|higher|worse|better|less often|more often|shift"
                r"|under-?\w*|points?|interval|compared|between|equal\w*|parity|same",
                2,
            ),
        ),
        (
            build_part(r"measured|tested|rated|drawn|sampled?|counted|round|photos|cases|trial"
                       r"|survey"),
            build_part(r"20\d\d|january|february|march|april|may|june|july|august|september|october"
                       r"|november|december"),
            build_part(r"changed|raised|removed|now|since|again|fixed|retrain\w*|reweight\w*"
                       r"|repeated"
                       r"|goes on the list|next|therefore|hence|done"),
        ),
        2,
    ),
    # GOVERN 1.4: what counts, who may accept what, and what came of it.
    "risk_policy": Account(
        (
            build_part(r"policy|rules?|principles?|procedure|in force|everybody|binding|must", 2),
            HARMED,
            build_part(r"models?|ai|systems?|algorithms?|machine learning|automat\w+"),
            build_part(
                r"accept\w*|toleran\w+|appetite|never|levels?|approv\w+|sign(?:s|ed|ature)?"
                r"|decid\w+|board"
            ),
        ),
        (
            build_part(r"first|order|priorit\w+|matters most|before|lower number|rank\w*|tier\w*"),
            build_part(r"owner|board|officer|committee|lead|manager|deputy|director|council"),
            build_part(r"came of it|outcomes?|results?|decided|turned down|published|minutes|q[1-4]"
                       r"|last year|so far|register"),
            build_part(r"20\d\d|quarter\w*|yearly|monthly|annual\w*|each|every"),
        ),
        4,
    ),
    # MAP 1.1: for what and whom, under which law, whom it helps and harms, and where it ends.
    "purpose_account": Account(
        (
            build_part(
                r"for whom|who (?:uses|it is for)|users?|meant (?:for|to)|intended|purpose"
                r"|for (?:the )?"
                r"\w+ who|used by|helps?|made for|what (?:it|this) is for|use(?:d)? (?:to|for)"
                r"|supports"
            ),
            _LIMITS,
            build_part(
                r"act\b|law|gdpr|directive|regulation|§|art\.|article|statute|ai act|mdr|iso \d+"
                r"|may harm|harms?|assum\w+|affected|those who|risks?"
            ),
        ),
        (
            build_part(r"may help|benefits?|helps|so that|faster|sooner|save[sd]?"),
            build_part(r"may harm|harms?|hurt|wrongly|misses|danger\w*|risks?|missed"),
            build_part(r"assum\w+|expect\w*|requires?|as long as|provided that|only if"),
            build_part(r"act\b|law|gdpr|directive|regulation|§|art\.|article|mdr|legal"),
            build_part(r"not (?:for|allowed|meant|intended|used|to be)|must not|never|out of scope"
                       r"|do not use"),
            _FIGURES,
        ),
        5,
    ),
    # GOVERN 1.5: who looks at what again, and when.
    "review_plan": Account(
        (
            build_part(
                r"(?:each|every|once an?|twice an?|per) (?:half-?year|quarter|month|week|day"
                r"|monday|tuesday|wednesday"
                r"|thursday|friday|year|release|january|june)|daily|weekly|monthly|quarterly"
                r"|yearly|annually|half-yearly"
                r"|how often"
            ),
            build_part(
                r"read(?: again)?|review\w*|look(?:ed|s)? at|check\w*|audit\w*|compar\w+"
                r"|replay\w*|minutes|examin\w+"
                r"|goes? through|assess\w*|test\w*"
            ),
            _build_bare(
                r"\b(?:lead|head of|director|owner|officer|manager|team|engineer|clinic|panel"
                r"|board|committee)\b"
                r"|\bwho\b|\bby [a-z]\. [a-z]+"
            ),
        ),
        (
            build_part(r"limits?|thresholds?|under|above|below|share|rate|figures?|metrics?"),
            build_part(
                r"retir\w+|end|taken down|removed|removal|change|changed|replaced|withdrawn"
                r"|signs?|signatures?|put back"
                r"|valid until|version"
            ),
            build_part(r"remarks?|complaints?|feedback|users?|players?|call takers|patients"
                       r"|people"),
        ),
        2,
    ),
    # Article 4, MAP 3.4: what those who run it learn, and that they did.
    "training_account": Account(
        (
            build_part(
                r"(?<!of )courses?|workshops?|seminars?|e-learning|induction|curriculum"
                r"|(?:is|are|was|were|be|been|gets?) trained|trained (?:in|for|before)"
                r"|training (?:for|of|in|day|course)"
            ),
            build_part(
                r"staff|clerks?|operators?|nurses?|teachers?|officers?|employees?|colleagues"
                r"|recruiters?|reviewers?|everybody|everyone|whoever|people (?:who|partners?)"
                r"|passed"
                r"|trainers?|trainees?|doctors?|agents? (?:who|must)|analysts?|librarians?|drivers?"
                r"|volunteers?|caseworkers?|attend\w*"
            ),
            _SYSTEM,
        ),
        (
            _build_bare(r"\b\d+(?:[.,]\d)?\s*(?:h|hours?|minutes?|days?)\b|half-day|\bhours?\b"),
            build_part(r"pass(?:ed|es)?|test|quiz|exam|certificate|mark|to pass"),
            build_part(r"each year|every \w+|yearly|annual\w*|renew\w*|repeat\w*"
                       r"|before (?:\w+ ){0,4}(?:use|access|start)"
                       r"|first"),
            build_part(r"wrong|misses|limits?|set (?:it )?aside|override|errors?|bias\w*"
                       r"|when not to|hallucinat\w+"),
            _build_bare(r"\b\d+ of \d+\b|\ball \d+\b|20\d\d"),
            build_part(r"role play|exercises?|cases|stories|examples|practi[sc]e\w*|trainer"),
        ),
        4,
    ),
    # MEASURE 2.8: whether people can see why, and who answers for it.
    "transparency_review": Account(
        (
            build_part(
                r"explain\w*|see why|reasons?|understand\w*|follow|find out|tell what"
                r"|reconstruct\w*"
                r"|rebuilt|know (?:that )?an? (?:computer"
                r"|machine|ai)|transparen\w+"
                r"|told why|no reason"
            ),
            build_part(
                r"answers? for|accountab\w+|owns?|responsib\w+|who decided|contest\w*|sign(?:s"
                r"|ed)|nobody"
            ),
            _FIGURES,
        ),
        (
            build_part(r"looked|interview\w*|asked|walked|video|read|stud(?:y|ied)|survey\w*"
                       r"|review\w*|tested"),
            build_part(r"found|result\w*|did|saw|finding\w*"),
            build_part(r"done|decision|decided|now|kept|change[ds]?|notice|in v\d|added"
                       r"|measure\w*"),
            build_part(r"risks?|problems?|harms?"),
        ),
        3,
    ),
}  # fmt: skip
"""Each account by its name. Figures and names are asked for: an empty form has none."""
