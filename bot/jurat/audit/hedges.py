"""How somebody speaks who does not know, does not trust their own judgement, or leaves it open.

Told by closed classes: the first person with verbs of knowing, adverbs and verbs of doubt, modals.
"""

from __future__ import annotations

import re

OF_LIMITS = re.compile(
    # Who sees or finds nothing has looked; what else they cannot is no matter of the code.
    r"\bi(?: \w+)? (?:can(?:not|'t)|could(?:n't| not)|do(?:n't| not)|did(?:n't| not)|am not"
    r"|'m not|would(?:n't| not)|have(?:n't| not))(?! (?:\w+ )?(?:see|find|spot|object|mind"
    r"|need)\b)\b|\b(?:i|we) (?:can(?:not|'t)|could(?:n't| not)) (?:\w+ )?(?:see|tell|judge|say"
    r"|know)\b(?! (?:any|no|a|an|where|other|another|anything|nothing|it (?:used|called|set))\b)"
    r"|\b(?:i|we) (?:may|might|could) (?:well |easily |also )?be missing\b|\bnot (?:entirely "
    r"|quite |really |completely |fully )?(?:sure|certain|clear)\b|\b(?:unsure|uncertain|no idea"
    r"|who knows|(?:hard|difficult) to (?:say|tell|judge|know))\b",
    re.IGNORECASE,
)
"""Says what its author does not know: which may be a thing beside the point."""

OF_SELF = re.compile(
    r"\ban? \w+ (?:to|for) me\b|\b(?:new|foreign|strange|unknown|unclear) to me\b|\b(?:i"
    r"|we) (?:may|might|could) (?:\w+ )?have \w+|\bmy (?:\w+ )?(?:isn't|is not|was(?:n't| not)"
    r"|does(?:n't| not)|is (?:only|just))\b|\b(?:i|we)(?:'m| am| are|'re"
    r"| was)(?: \w+){0,2}? (?:not|no|hardly|far from|un\w+)(?: \w+){0,2}? ?(?:fluent|familiar"
    r"|sure|certain|confident|experts?|qualified|at home|able to (?:say|tell|judge)|convinced"
    r"|competent|specialists?|versed|the right|person)\b|\b(?:i|we)(?:'m| am| are"
    r"|'re) (?:unfamiliar|unsure|uncertain|out of my depth|new to)\b|\bmy \w+ is (?:rusty|weak"
    r"|limited|basic|shaky|poor)\b|\b(?:i|we|my \w+|this)(?: \w+)? (?:might|may|could"
    r"|can)(?: well| easily| also)? (?:be|have)(?: \w+)? (?:wrong|mistaken|off|misread|missed"
    r"|overlooked|misunderst\w+|confus\w+|incorrect|incomplete|misjudged)\b|\b(?:do not|don't"
    r"|not to|never) (?:rely|count|bet|bank) on (?:me|my|this (?:review|assessment|answer|verdict"
    r"|reading|judge?ment))\b|\bwouldn't (?:bet|swear|stake)\b|\b(?:should|must|may|can)(?:n't"
    r"| not) be (?:taken|treated|read|seen|relied on|quoted) as (?:an? "
    r"|the )?(?:\w+ )?(?:assessment|verdict|final|reliable|authoritative|advice|judge?ment|answer"
    r"|fact|proof|definitive|review)\b|\b(?:grain|pinch) of salt\b|\bwith (?:\w+ )?(?:caution"
    r"|reserve)\b|\bcorrect me\b|\b(?:don't|do not) (?:quote|hold|take) (?:me|my word)\b"
    r"|\bsecond (?:opinion|pair of eyes)\b|\b(?:someone"
    r"|somebody)(?: else)?(?: \w+){0,6} (?:should|ought to|needs to"
    r"|had better) (?:\w+ )?(?:confirm|double-check|look at (?:it|this)|judge|review)\b|\b(?:low"
    r"|little|no(?: great)?|not much|limited) confidence\b|\bbeyond (?:me|my)\b|\bif (?:i"
    r"|we)(?:'m| am| are|'ve| have)? (?:understand|understood|remember|recall|not mistaken"
    r"|(?:read|reading) (?:it|this|that) (?:right|correctly))\b|\b(?:i|we)(?:'m"
    r"| am)? (?:just )?guess(?:ing)?\b|\b(?:not|n't) (?:100|a hundred) ?%|\bas far as (?:i"
    r"|we) (?:can|could|know|understand|see|am)\b|\bnot (?:an? |the )?(?:\w+ )?(?:reliable"
    r"|authoritative|definitive) (?:assessment|answer|review|reading|judge?ment)\b",
    re.IGNORECASE,
)

SURELY_UNSURE = re.compile(
    r"\b(?:perhaps|maybe|probably|possibly|presumably|conceivably|arguably|apparently|seemingly"
    r"|supposedly|seems?|appears? to|(?:i|we) (?:think|guess|suppose|believe|assume|suspect|feel"
    r"|imagine|reckon)|likely|unlikely|hopefully|in theory|one (?:could|might|may) (?:argue|say"
    r"|read)|debatable|defensible|depend(?:s|ing) on (?:how|what|who|whether|things"
    r"|the (?:reading|context|association|interpretation))|not necessarily|to some extent"
    r"|more or less|somewhat|open to (?:interpretation|debate|question|doubt)|another matter"
    r"|either (?:way|reading|view)|unclear|(?:hard|difficult) to (?:say|tell|judge|know)"
    r"|who knows)\b",
    re.IGNORECASE,
)
UNSURE = re.compile(r"\b(?:may|might|could)\b", re.IGNORECASE)
OF_THE_VERDICT = re.compile(
    r"\b(?:fine|ok|okay|sufficient|suffice|enough|holds?|comply|complies|meets?|satisf\w+"
    r"|violat\w+|problem|issue|right|wrong|acceptable|safe|unsafe|matter|the case|either|true"
    r"|correct|intended|deliberate|relevant|also not|or not|speaks? (?:for|against)|merits?"
    r"|argue)\b",
    re.IGNORECASE,
)
