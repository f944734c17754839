"""Ideas that accounts are made of, each with the many words in which people say it.

An idea is a few stems, not a phrase: whoever writes of a time limit says days, until, no later than
or kept for, and no list of sentences has them all. Which idea a word tells is looked up once for
each word, so that a long page costs no more than its vocabulary.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from jurat.rating.texts.spellings import list_spellings
from jurat.rating.texts.terms import list_terms

_IDEAS = {
    # what may happen, and what is done about it
    "risk": """risk* hazard* harm* danger* threat* peril* go_wrong goes_wrong went_wrong
        misuse* abuse* damag* failure_mode* risiko* risik* gefahr* riesgo* rischi* risque*
        hurt*""",
    "grade": """likely unlikely possible rare rarely likelihood probab* chance severe
        severity serious moderate minor major critical high medium low acceptable tolerable
        negligible impact rated bad frequent occasional høy hoch mittel niedrig middels lav""",
    "measure": """measure* mitigat* control* prevent* reduc* limit* block* mask* barrier*
        safeguard* treat* encrypt* fallback* guard* cap capped caps alarm* gate gates refus*
        monitor* sampl* check* review* separat* human hand locked switch* train* tiltak
        maßnahme* massnahme* we_do we_did deleted removed opt-in opt-out""",
    "left": """left rest residual remain* accept* afterwards open tolerable restrisiko""",
    "wrong": """drift* outdated stale feil galt fehler* falsch* fout* erreur* worse too_low
        too_high too_well too_late wrong* error* mistake* fail* miss* false unfair* biased
        lost leak* late delay* refused injur* death* died hurt* suffer* discriminat* stigma*
        stolen confus* outage""",
    "business": """project* budget* schedule* vendor* revenue campaign* licence_cost*
        deadline* marketing sales sprint* hiring turnover investor* competitor*""",
    # people
    "people": """recruiter* trainee* pasient* employer* teacher* people person* applicant*
        patient* customer* child children minor* women men worker* employee* student* pupil*
        visitor* resident* citizen* claimant* candidate* famil* household* parent* elderly
        older refugee* tenant* borrower* member* driver* victim* suspect* prisoner* user*
        user's voter* shopper* clients consumer* disab* illness* poor single young youth
        temps personer folk barn søker* bruker* betroffene*""",
    "hit": """affect* touch* hit hits harm* expos* vulnerab* concern* at_risk hard* suffer*
        hurt* impact* berørt* rammes who_is_in bear bears subject_to""",
    "right": """right rights dignity liberty freedom* private_life privacy discriminat*
        equal* unequal* charter health housing education work innocence hearing fair_trial
        expression family_life social_assistance data_protection good_administration
        presumption justice redress livelihood rettigheter privatliv consumer_protection""",
    "asked": """consult* heard asked ask asks works_council panel interview* counsel talks
        talked workshop* represent* union* council dpo advice advised board stakeholder*
        hørt rådført told_us survey*""",
    "redress": """complain* appeal* contest* redress compensat* ombud* objection*
        second_look reconsider* undo* undone requot* reconnect* lawyer* klage* stop* off
        cancel* again letter* written_to pays""",
    "oversight": """nurse's overrid* overrul* set_aside decide* decides confirm* rules
        human* person officer* clerk* nurse* doctor* physician* radiolog* teacher* oversee*
        oversight by_hand switch* turn* stands four_eyes second_opinion actuar* reviewer*
        recruiter* adviser* operator* lead leads caseworker* judge* veto moderat*""",
    "authority": """authorit* regulator* inspector* surveillance agency ministry ombud*
        commission* notified_body watchdog supervisor* competent tilsyn* aufsicht* behörde*
        bafin bfarm igj ico cnil datatilsynet bundesnetzagentur""",
    # people are told
    "rights_of_data": """begrensning protestere berichtigen löschen widersprechen corriger
        effacer opposer corrigeren wissen correggere cancellare corregir borrar rettelse
        sletning indsigt rättelse access copy correct* rectif* eras* delet* object objection
        restrict* withdraw* portab* take_along take_it_with see mend auskunft berichtigung
        löschung widerspruch einschränkung übertragbarkeit accès rectification effacement
        opposition limitation portabilité inzage verwijder* bezwaar acceso rectificación
        supresión oposición accesso rettifica cancellazione innsyn retting sletting slett*
        insyn radering""",
    "complaint": """complain* complaint* supervisory_authority commissioner ombud*
        beschwerde réclamation klacht klage* reclamación reclamo datatilsynet cnil ico
        garante aepd autoriteit* datenschutzbehörde datenschutzbehoerde
        gegevensbeschermingsautoriteit commission_nationale""",
    "controller": """ansvarlig verantwoordelijk* responsabile titolare ansvarig*
        personuppgiftsansvarig* dataansvarlig* we_are run_by runs_this controller
        responsible data_protection_officer dpo privacy_officer gmbh ltd limited bv nv sa ag
        aps ab inc llc plc vof sarl srl spa verantwortlich* datenschutzbeauftragte*
        responsable titulaire ansvarlig* behandlingsansvarlig* kommune* kontakt contact
        council provider wer who_we_are""",
    "ground": """grunnlag* rechtmäßig* fondement grondslag base_giuridica base_jurídica
        artikkel artikel ground* legal_basis lawful_basis lawful* consent* contract*
        legitimate_interest* interest legal_obligation public_task gdpr dsgvo rgpd art
        article einwilligung vertrag interesse* base_légale consentement rechtsgrundlage
        samtykke hjemmel toestemming agreed agree agreement""",
    "receivers": """leverandør* mottak* empfäng* weitergegeben doorgegeven ontvangers
        destinatar* incaricat* nobody_else sent_to sees recipient* receiver* processor*
        goes_to go_to given_to
        share* shared passed third_part* third_countr* on_our_behalf host* transfer*
        standard_contractual standard_clauses outside supplier* nobody no_one gets receives
        provider* usa eu eea auftragsverarbeit* empfänger* rechenzentrum an_wen
        sous-traitant* destinataire* verwerker* mottaker* databehandler*
        standardvertragsklauseln computes for_us""",
    "kept": """opbevar* behoud* måneder måned dagen maanden mois jours días meses giorni
        mesi raderas kept keep keeps retention stored store retain* delet* until wiped
        overwritten discard* how_long gone gespeichert löschung aufbewahr* wie_lange
        conserv* bewaar* oppbevar* lagres slettes expir* days months years tage monate jahre""",
    "purpose": """for_å til_å brukes nutzen genutzt utilis* gebruik* utilizz* utiliz*
        purpose* in_order_to so_that because what_for use used uses using answer* to_help
        to_find help helps aim aims wozu zweck* finalité* doel* formål for_what why um_zu
        beantwort* decide suggest* prepare* pick judge* order* orders find* estimat* propos*""",
    "subjects": """persons person people subjects staff suppliers applicants customers users
        employees patients visitors members whose residents betroffene* registrerte
        reporters students candidates children callers""",
    "data": """data fields categor* name names address* messages pictures template* score*
        records email e-mail prompt* text personopplysninger opplysninger transcripts
        recordings payslips number""",
    "abroad": """transfer* third_countr* outside eea usa countries abroad drittland
        tredjeland scc adequacy""",
    "security": """security secure protection protected encrypt* tls roles pseudonym* access_control
        guarded* locked keys safe safeguard* sicherheit sikkerhet mfa hsm backup*
        technical_and_organisational""",
    "record_word": """record_of_processing records_of_processing processing_record*
        processing_activit* ropa art_30 article_30 verarbeitungsverzeichnis
        behandlingsprotokoll register_of_processing behandlingsaktivitet* protokoll""",
    "privacy": """privacy personal_data data_protection gdpr dpia dsgvo pictures biometric*
        health_data recordings template faces face data_subject* personvern* controller dpo
        consent messages""",
    "necessity": """necess* need* proportion* alternativ* tried less_intrusive instead
        milder why considered weighed without minimis* minimiz* nødvendig* forholdsmessig*
        erforderlich*""",
    # who, when, again
    "owner": """eier fagleder kommunedirektør* leiter* leitung responsable verantwortlich*
        eigenaar inspector* nurse owner* lead leads head officer* manager* chair* board
        committee council director* responsible answerable answers signed maker dpo dr ms mr
        mrs prof team duty engineer* editor on-call oncall deputy treasurer cfo ceo cto
        chief who anyone anybody product_safety desk panel both lawyer* leder ansvarlig
        circle""",
    "rhythm": """måned kvartal monatlich jährlich vierteljährlich mensuel* trimestr* annuel*
        maandelijks jaarlijks each_session per_session every_two every_2 in_august
        in_january weekly monthly quarterly yearly annually annual daily nightly fortnight
        fortnightly half-year half-yearly each_year each_quarter each_month each_week
        each_night each_monday each_january every_year every_quarter every_month every_week
        every_day every_night every_january every_monday every_three_months every_six_months
        once_a twice_a per_week per_month per_year per_quarter each_release every_release
        each_day continuous* how_often every each next_look next_review again month quarter
        week half_year night kvartal* årlig* månedlig*""",
    "again": """redone review* reread read read_again looked look looks again check* audit*
        compar* examin* replay* assess* test* goes_through gone_through seen revisit* next
        last meeting minutes gjennomgå* reads""",
    "threshold": """alarm* alert* above below under over exceed* threshold* limit limits
        more_than less_than drops rises drift* line floor margin no_more_than per_cent
        percent share rate rates""",
    "follow": """changed change changes fix* retrain* decide* decided added removed
        withdrawn recall* actions action outcome* result* mended repaired then corrected
        updated rewritten raised merged settled pulled lowered replaced repeated came_of""",
    # what happens when it goes wrong
    "event": """incident* unforeseen unexpected surpris* foresaw foresee nobody_thought
        did_not_think not_thought_of had_not_thought odd
        emergenc* mishap* malfunction* goes_wrong go_wrong casualt* accident* unknown_risk*
        new_risk* breach* trouble something_happens hurt* harm* hendelse* uventet vorfall*
        event events anomal*""",
    "halt": """off halt* stop* stops paus* suspend* shut* shuts disable* offline rollback
        rolled_back roll_back rolls_back takes_down taken_down by_hand close closes closed
        quarantine* hold freeze* frozen withdraw* pulls paper older previous kill* 503 out
        lantern valve slås_av people_only
        people-only humans_only manual_mode falls_back fallback""",
    "tell": """call calls called phone* page pages paged pager notif* tell tells told
        report* inform* alert* ticket issue mail mails write writes written names varsle*
        melder meldes entered entry draws lists rings""",
    "cause": """cause* fix fixes fixed repair* lesson* post-mortem postmortem root restor*
        recover* replay* rehears* pattern regression failing_case shadow staging mended""",
    "back": """back on_again again lifted reopen* re-enabled resume* open only_when green
        signature* signatures sign signs lift restart* restored""",
    "drill": """drill* rehears* practis* practic* exercise* last_tested used_so_far so_far
        tried øvelse* happened""",
    "serious": """serious* incident* died death* dead injur* near_miss* hurt harm* alvorlig*
        schwerwiegend* casualt* widespread""",
    # how good it is
    "system": """model* ai system* algorithm* score* scoring predict* classif* assistant*
        chatbot* estimat* automat* machine llm gpt* claude* gemini* tool output* answers
        suggest* forecast* guess* regression network software list aid modell* program
        programs detector* propos*""",
    "machine": """model* ai algorithm* score* scoring predict* classif* assistant* chatbot*
        estimat* llm gpt* claude* gemini* forecast* guess* detector* suggest* propos*
        recognis* recogniz* learning modell* triage camera* voice* clip* generated""",
    "limits": """ikke nicht niet limit limits limitation* not_for not_meant not_intended
        not_made not_to_be not_used misses fails fail weak* cannot does_not do_not must_not
        unreliable worse less_well errors error out_of_scope not_tested never no not
        where_it_fails wrong gap gaps only begrens* grenzen known_issues poor unless except
        exclud* refuses""",
    "figures": """% accuracy precision recall auc f1 kappa mae mape rmse error_rate
        agreement sensitivity specificity percentage agrees false_alarm* false_positive*
        false_negative* under-triage coefficient* score calibration""",
    "architecture": """build region architecture design component* services service
        controller* database postgres* endpoint* pipeline* module* queue runs hosted
        hardware layer* layers parameter* weights stack api server gpu cpu sensor* camera
        jetson desk_pc parts built trunk heads temperature prompt* library framework network
        interface* deployed vm vms""",
    "training": """train* fine-tun* dataset* data samples labels label* features epochs
        examples corpus training_set pictures rows holdout test_set cases learned prompts
        collected""",
    "tested": """test tests tested evaluat* measured validat* benchmark* holdout test_set
        trial* checked panel kappa figures performance results""",
    "versions": """version* release* build changelog changes history replaced updated update
        model_card revision* v1 v2 v3 tag""",
    "audience": """for_whom users user operators operator nurses nurse clerks officers
        teachers recruiters physicians staff offices deployer* deployers reviewers leads
        wards departments department customers branch advisers caseworkers who_uses used_by
        used intended meant designed made_for built_for helps supports where_and_for sites
        stores store""",
    "instruct": """compare* open opens choose chooses press presses stop stops decide
        decides ask tick how_to you_must must read before_you check confirm do_not_rely
        in_use steps instruction* what_you_must your_part look_at pick give note keep call
        enter rotate then use switch need_not before tell""",
    "upkeep": """log logs logged record* maintain* maintenance update* updates upkeep
        hardware requirement* contact retest* re-test* pinned support help version browser
        signed kept""",
    "law": """act law laws gdpr directive regulation article art § mdr iso legal annex
        statute* code charter rule rules duty lov gesetz* standard* section""",
    "benefit": """help helps benefit* faster sooner save saves saved gain* becomes good
        so_that better instead fewer improve* shorter""",
    "assumed": """assum* expect* require* as_long_as provided only_if presum* works_only
        needs context setting where conditions""",
    "excluded": """only except not at_most outside not_for not_to not_be not_meant
        not_intended not_used must_not never out_of_scope do_not refuses outside_the nothing
        no not_made misuse""",
    # data a model learns from
    "origin": """from source sources sourced collected extracted origin scraped taken
        gathered provenance recruited recruit* drawn obtained licensed licenc* license*
        agency""",
    "gap": """gap gaps weak_spot* under-represent* underrepresent* under-represented missing
        skew* bias* too_few smallest imbalanc* limitations less_than not_covered lacks thin
        over-represent* only few under_represented""",
    "leftout": """left_out exclud* removed dropped not_collected not_included duplicates
        features columns taken_out withdrawn filtered blurred""",
    "permit": """consent* licen* agreement permission* release signed paid anonym*
        pseudonym* approval* contract contracts paper volunteers""",
    "labelled": """label* annotat* ground_truth marked outcome outcomes stated self-stated
        raters two_nurses experts target""",
    # attacks, groups, rules, teaching, explaining
    "attack": """attack* adversar* injection* jailbr* red-team* red_team* abuse* hostile
        poison* pgd evasion penetration pen-test* pentest* spoof* mask masks replay* tamper*
        smuggl* phish* exfiltrat*""",
    "withstood": """got_through went_wrong succeeded failed held blocked refus* lost broke*
        fell_back survived leaked resisted bypass* got_in robust* wins withstood detected
        passed stopped in through none hung answered""",
    "groups": """women men female male sex gender age older younger elderly tone tones dark*
        origin nationality ethnic* part-time disab* migrant* schooling religio* asian native
        rural urban under over born abroad foreign-born headwear skin language""",
    "apart": """difference* gap gaps ratio lower higher worse better less more shift points
        interval compared between equal* parity same spread lowest highest against""",
    "policy": """policy policies rules principles procedure in_force binding must
        house_rules adopted regler retningslinjer lines richtlinie* governance""",
    "appetite": """accept* toleran* appetite never no_more not_accept not_allowed approv*
        veto* sign signs signature* decide* prepare* no_clip need needs levels level ceiling
        line lines""",
    "order": """first order priorit* matters_most before tier* class classes rank* category
        level levels a+b lower_number""",
    "breach": """breach* outcome* came_of decided turned_down published minutes register
        last_year so_far result* violat* escalat* public same_day goes_to go_to""",
    "teach": """kurset kursbevis formation cursus opleiding formación formazione utbildning
        course* workshop* seminar* e-learning induction curriculum lesson* module academy
        opplæring* kurs* schulung* briefing coach* is_trained are_trained be_trained
        been_trained gets_trained was_trained were_trained trained_in trained_for
        trained_before training_for training_in training_day training_course*
        required_training operator_training staff_training user_training training_module*
        must_be_trained taught""",
    "operators": """staff clerk* operator* nurse* teacher* officer* employee* colleague*
        recruiter* reviewer* everybody everyone whoever people trainee* doctor* agents
        analyst* driver* volunteer* caseworker* saksbehandler* sergeant rank leads may_run
        may_use able must_be desk participants attend*""",
    "exam": """pass passed passes test tests quiz exam exams certificate* mark marks score
        sat bestått prøve* assessed""",
    "renewed": """varer ett_år gültig valid valid_for yearly annual* each_year every renew*
        repeat* again before first_use access older refuses refused expire* refresher*
        årlig*""",
    "taught_what": """ikke må_kunne leser vet blind errs errors wrong misses limits
        set_aside override bias* not_to hallucinat* leaves_out explain* false examples cases
        exercise* role_play stories practice practise* name_the unreported""",
    "follow_why": """explain* see_why reason reasons understand* understood follow find_out
        tell transparen* told_why reconstruct* rebuilt rebuild counted_again why see_through
        know_that knew found clear clarity named""",
    "answerable": """answers_for answer_for accountab* owns responsib* who_decided contest*
        signs signed nobody answerable owner settled duty""",
    "examined": """looked interview* asked shown walked video read stud* survey* review*
        tested test visitors participants think-aloud sampled sample outside sessions""",
    "in_use": """in_use after_the_release after_release after_sale live production
        post-market on_the_market in_service field deployed as_used wards running online
        fleet sites in_the_field since_it_runs every_site each_site use""",
    "watch": """collect* watch* monitor* measur* count counts counted sample samples draws
        drawn rates share record* figures reads overvåk* tracked""",
    "remarks": """complain* feedback report* remark* users notice* appeal* customers
        contested second_look overruled overrides incidents""",
}  # fmt: skip
"""Words by what they tell, more of them in rules/terms.yml. `_` is a blank, `*` any ending."""

_WORD = re.compile(r"%|[^\W_]+(?:[-'\u2019+][^\W_]+)*")
_SHORTEST = 2


_Words = Mapping[str, frozenset[str]]
_Phrases = Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]


def _build_index() -> tuple[_Words, _Words, _Phrases]:
    whole: defaultdict[str, set[str]] = defaultdict(set)
    stems: defaultdict[str, set[str]] = defaultdict(set)
    phrases: defaultdict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for name, words in _IDEAS.items():
        spelt = (written for one in words.split() for written in list_spellings(one))
        for word in dict.fromkeys((*spelt, *list_terms(f"idea.{name}"))):
            if "_" in word:
                parts = tuple(word.split("_"))
                phrases[parts[0]].append((parts, name))
            elif word.endswith("*"):
                stems[word[:-1]].add(name)
            else:
                whole[word].add(name)
    return (
        {word: frozenset(names) for word, names in whole.items()},
        {stem: frozenset(names) for stem, names in stems.items()},
        {first: tuple(some) for first, some in phrases.items()},
    )


_WHOLE, _STEMS, _PHRASES = _build_index()


@lru_cache(maxsize=65_536)
def _list_ideas(word: str) -> frozenset[str]:
    found = set(_WHOLE.get(word, ()))
    for end in range(_SHORTEST, len(word) + 1):
        found |= _STEMS.get(word[:end], frozenset())
    return frozenset(found)


def find_ideas(text: str) -> Mapping[str, frozenset[str]]:
    """The ideas that a text in lower case tells, each with the stems of the words that tell it."""
    words = _WORD.findall(text)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for word in dict.fromkeys(words):
        for name in _list_ideas(word):
            found[name].add(word.rstrip("s")[:6])
    for phrase, name in _iter_phrases(words):
        found[name].add(phrase)
    return {name: frozenset(said) for name, said in found.items()}


def _iter_phrases(words: list[str]) -> Iterator[tuple[str, str]]:
    for at in (at for at, word in enumerate(words) if word in _PHRASES):
        for parts, name in _PHRASES[words[at]]:
            if _is_at(parts, words, at):
                yield " ".join(parts), name


def _is_at(parts: tuple[str, ...], words: list[str], at: int) -> bool:
    said = words[at : at + len(parts)]
    return len(said) == len(parts) and all(
        word.startswith(part[:-1]) if part.endswith("*") else word == part
        for part, word in zip(parts, said, strict=True)
    )
