"""Where the rules for decision rationales come from: research, and provisions that ask for them.

A provision stands here because it asks for the quality that a rule looks for. That a rationale
passes the rule does not show that the provision is met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REGULATIONS: Mapping[str, str] = {
    "eu_ai_act": "EU AI Act",
    "sr_26_2": "SR 26-2",
    "sr_11_7": "SR 11-7",
    "nist_ai_600_1": "NIST AI 600-1",
    "nist_ai_rmf": "NIST AI RMF 1.0",
    "iso_42001": "ISO/IEC 42001",
    "ecb_internal_models": "ECB guide to internal models",
    "eba_gl_2020_06": "EBA/GL/2020/06",
    "pra_ss1_23": "PRA SS1/23",
    "hipaa": "HIPAA 45 CFR",
    "gdpr": "GDPR",
}
"""The regulations by the keys that callers use, in the order in which they are cited.

docs/rationale.md gives their full titles and editions.
"""

_RAGAS = "Es et al. 2024, RAGAs (EACL; arXiv:2309.15217)"
_RGB = "Chen et al. 2024, RGB (AAAI; arXiv:2309.01431)"
_AIS = "Rashkin et al. 2023, Attributable to Identified Sources (arXiv:2112.12870)"
_FINQA = "Chen et al. 2021, FinQA (EMNLP; arXiv:2109.00122)"
_TOULMIN = "Toulmin 2003, The Uses of Argument"
_BCBS = "BCBS 239 (2013)"


@dataclass(frozen=True, slots=True)
class Provenance:
    """One rule's sources: `works` as they are cited, and places in REGULATIONS by key."""

    works: Sequence[str]
    provisions: Mapping[str, str] = field(default_factory=dict)

    def citation(self) -> str:
        """All sources as one line."""
        return "; ".join([*self.works, *self._list_provisions(REGULATIONS)])

    def cite_within(self, regulations: Sequence[str]) -> str:
        """The places in some regulations as one line, saying so if there is none."""
        sources = list(self._list_provisions([key for key in REGULATIONS if key in regulations]))
        return "; ".join(sources) or "none in the regulations asked for"

    def _list_provisions(self, keys: Sequence[str] | Mapping[str, str]) -> Sequence[str]:
        return [
            f"{REGULATIONS[key]} {self.provisions[key]}" for key in keys if key in self.provisions
        ]


PROVENANCE: Mapping[str, Provenance] = {
    "grnd.claim_supported_by_context": Provenance(
        (f"{_RAGAS}, faithfulness", _AIS),
        {
            "eu_ai_act": "Art. 15(1), accuracy",
            "nist_ai_600_1": "section 2.2, confabulation",
            "iso_42001": "A.7.5, data provenance",
            "eba_gl_2020_06": "section 5.1, information and documentation",
            "gdpr": "Art. 5(1)(d), accuracy",
        },
    ),
    "grnd.atomic_decomposition": Provenance(
        ("Min et al. 2023, FActScore (EMNLP; arXiv:2305.14251)",),
        {
            "eu_ai_act": "Art. 86(1), main elements of the decision",
            "nist_ai_600_1": "section 2.2, confabulation",
        },
    ),
    "grnd.no_unsupported_extensions": Provenance(
        ("Li et al. 2023, HaluEval (EMNLP; arXiv:2305.11747)", f"{_BCBS}, principle 7, accuracy"),
        {
            "eu_ai_act": "Art. 15(1), accuracy",
            "nist_ai_600_1": "section 2.2, confabulation",
            "eba_gl_2020_06": "section 4.3.7, data infrastructure",
            "hipaa": "164.312(c)(1), integrity",
            "gdpr": "Art. 5(1)(d), accuracy",
        },
    ),
    "grnd.regulatory_flag": Provenance(
        ("FATF Recommendation 20, reporting of suspicious transactions",),
        {
            "nist_ai_rmf": "GOVERN 1.1, legal and regulatory requirements",
            "eba_gl_2020_06": "section 4.3.1, anti-money laundering policies",
        },
    ),
    "grnd.counterfactual_robust": Provenance(
        (f"{_RGB}, counterfactual robustness",),
        {
            "eu_ai_act": "Art. 15(4), resilience to errors and inconsistencies",
            "sr_26_2": "model development and use, testing",
            "sr_11_7": "part IV, testing in development",
            "nist_ai_rmf": "MEASURE 2.5, valid and reliable",
            "iso_42001": "A.6.2.4, verification and validation",
            "pra_ss1_23": "principle 3, model development, implementation and use",
        },
    ),
    "comp.addresses_all_parts": Provenance(
        (f"{_RAGAS}, answer relevance", "Liu et al. 2023, G-Eval (EMNLP; arXiv:2303.16634)"),
        {
            "eu_ai_act": "Art. 86(1), right to explanation",
            "eba_gl_2020_06": "section 4.4, credit decision-making",
            "gdpr": "Art. 15(1)(h), meaningful information about the logic involved",
        },
    ),
    "comp.governance_dimensions": Provenance(
        (f"{_BCBS}, principle 8, comprehensiveness",),
        {
            "sr_26_2": "governance and controls",
            "iso_42001": "clause 6.1.2, AI risk assessment",
            "ecb_internal_models": "general topics, model risk management framework",
            "eba_gl_2020_06": "section 5.2, assessment of creditworthiness",
            "pra_ss1_23": "principle 2, governance",
        },
    ),
    "comp.information_integration": Provenance(
        (f"{_RGB}, information integration", _FINQA, f"{_BCBS}, principle 4, completeness"),
        {
            "nist_ai_600_1": "section 2.8, information integrity",
            "eba_gl_2020_06": "section 4.3.7, data infrastructure",
        },
    ),
    "cal.abstains_when_insufficient": Provenance(
        (f"{_RGB}, negative rejection", "Kadavath et al. 2022 (arXiv:2207.05221)"),
        {
            "eu_ai_act": "Art. 14(4)(a), understanding limitations",
            "sr_11_7": "part IV, understanding of model uncertainty",
            "nist_ai_600_1": "section 2.2, confabulation",
            "nist_ai_rmf": "MAP 2.2, knowledge limits",
            "pra_ss1_23": "principle 5, model risk mitigants",
        },
    ),
    "cal.explicit_hedging": Provenance(
        (
            "Hyland 1998, Hedging in Scientific Research Articles",
            "Lin et al. 2022, uncertainty in words (TMLR; arXiv:2205.14334)",
        ),
        {
            "eu_ai_act": "Art. 14(4)(b), automation bias",
            "sr_11_7": "part IV, understanding of model uncertainty",
            "nist_ai_rmf": "MAP 2.2, knowledge limits",
        },
    ),
    "cal.confidence_score": Provenance(
        (
            "Guo et al. 2017, On Calibration of Modern Neural Networks (arXiv:1706.04599)",
            "Tian et al. 2023, Just Ask for Calibration (EMNLP; arXiv:2305.14975)",
        ),
        {
            "eu_ai_act": "Art. 13(3)(b)(ii) and 15(3), declared level of accuracy",
            "sr_26_2": "model validation and monitoring, outcomes analysis",
            "sr_11_7": "part V, outcomes analysis",
            "nist_ai_rmf": "MEASURE 2.3, performance",
        },
    ),
    "cal.self_consistency": Provenance(
        (
            "Manakul et al. 2023, SelfCheckGPT (EMNLP; arXiv:2303.08896)",
            "Wang et al. 2023, Self-Consistency (ICLR; arXiv:2203.11171)",
        ),
        {
            "eu_ai_act": "Art. 15(4), resilience to errors and inconsistencies",
            "nist_ai_rmf": "MEASURE 2.5, valid and reliable",
            "iso_42001": "A.6.2.4, verification and validation",
        },
    ),
    "trace.specific_source_span": Provenance(
        ("Gao et al. 2023, ALCE (EMNLP; arXiv:2305.14627)", _AIS),
        {
            "nist_ai_600_1": "section 2.8, information integrity",
            "iso_42001": "A.7.5, data provenance",
            "eba_gl_2020_06": "section 5.1, information and documentation",
            "gdpr": "Art. 5(2), accountability",
        },
    ),
    "trace.natural_language_rationale": Provenance(
        (
            "Camburu et al. 2018, e-SNLI (NeurIPS; arXiv:1812.01193)",
            "Chen et al. 2023, REV (ACL; arXiv:2210.04982)",
        ),
        {
            "eu_ai_act": "Art. 13(1), interpretable output, and 86(1), right to explanation",
            "nist_ai_rmf": "MEASURE 2.9, explained and interpreted in context",
            "ecb_internal_models": "use of machine learning techniques, explainability",
            "eba_gl_2020_06": "section 4.3.3, technology-enabled innovation",
            "gdpr": "Art. 15(1)(h), meaningful information about the logic involved",
        },
    ),
    "trace.falsifiable_actionable": Provenance(
        ("Popper 1959, The Logic of Scientific Discovery", _TOULMIN),
        {
            "eu_ai_act": "Art. 14(4)(d), overriding the output",
            "sr_11_7": "part III, effective challenge",
            "gdpr": "Art. 22(3), contesting the decision",
        },
    ),
    "trace.numeric_value": Provenance(
        (_FINQA,),
        {
            "sr_11_7": "part IV, model use",
            "nist_ai_rmf": "MEASURE 2.3, performance",
            "ecb_internal_models": "general topics, documentation of internal models",
            "eba_gl_2020_06": "section 5.2, assessment of creditworthiness",
        },
    ),
    "trace.audit_logged": Provenance(
        (),
        {
            "eu_ai_act": "Art. 12(1) and 26(6), logs",
            "sr_11_7": "part VI, documentation",
            "nist_ai_rmf": "MEASURE 2.8, transparency and accountability",
            "iso_42001": "A.6.2.8, recording of event logs",
            "pra_ss1_23": "principle 2, governance",
            "hipaa": "164.312(b), audit controls",
            "gdpr": "Art. 5(2), accountability",
        },
    ),
    "rob.independent_validation": Provenance(
        (),
        {
            "eu_ai_act": "Art. 17(1)(d), examination, test and validation",
            "sr_26_2": "model validation and monitoring",
            "sr_11_7": "part V, model validation",
            "nist_ai_rmf": "MEASURE 1.3, independent assessors",
            "iso_42001": "clause 9.2, internal audit",
            "ecb_internal_models": "general topics, internal validation",
            "eba_gl_2020_06": "section 4.3.4, models for credit decision-making",
            "pra_ss1_23": "principle 4, independent model validation",
            "hipaa": "164.308(a)(8), evaluation",
        },
    ),
    "rob.prompt_injection_robust": Provenance(
        (
            "Greshake et al. 2023, indirect prompt injection (AISec; arXiv:2302.12173)",
            "OWASP LLM01:2025, prompt injection",
        ),
        {
            "eu_ai_act": "Art. 15(5), cybersecurity",
            "nist_ai_600_1": "section 2.9, information security",
            "nist_ai_rmf": "MEASURE 2.7, security and resilience",
            "gdpr": "Art. 32(1)(d), regular testing",
        },
    ),
    "rob.cross_source_conflict": Provenance(
        (
            "Su et al. 2024, ConflictBank (NeurIPS; arXiv:2408.12076)",
            f"{_BCBS}, principle 3, accuracy and integrity",
        ),
        {
            "eu_ai_act": "Art. 15(4), resilience to errors and inconsistencies",
            "nist_ai_600_1": "section 2.8, information integrity",
            "eba_gl_2020_06": "section 5.1, information and documentation",
        },
    ),
}
"""The sources of each rule of the set for decision rationales, by rule id."""
