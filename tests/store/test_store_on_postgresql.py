"""The tests of the store once more, on a real PostgreSQL."""

from __future__ import annotations

from tests.store.test_retention import (
    test_a_review_stays_while_a_verdict_on_another_surface_does,
)
from tests.store.test_rule_record import (
    TestAFinding,
    TestAMergedPullRequest,
    test_the_record_of_a_repository_counts_before_that_of_all,
    test_the_worker_moves_rules_day_by_day_and_its_steps_can_be_replayed,
)
from tests.store.test_schema import test_the_evidence_on_rules_can_only_grow
from tests.store.test_store import (
    test_a_decision_is_kept_once_with_one_line_in_the_audit_log,
    test_a_review_is_read_back_as_it_was_saved,
    test_a_review_is_saved_whole_or_not_at_all,
    test_a_review_leaves_a_line_in_the_audit_log,
    test_a_waived_verdict_is_marked_in_its_row,
    test_coverage_and_models_are_kept,
    test_decisions_are_found_by_repository_and_code_print,
    test_decisions_can_be_followed_from_where_a_reader_stopped,
    test_every_verdict_is_a_row_of_its_own,
    test_of_a_head_the_review_that_was_shown_last_counts,
    test_only_what_was_shown_is_the_last_review,
    test_past_reviews_are_the_last_of_each_other_pull_request,
    test_saving_a_review_again_updates_its_rows_and_the_audit_log_keeps_both,
    test_the_last_review_is_the_latest,
    test_the_ledger_recalls_what_it_was_told_first,
    test_the_ledger_takes_more_keys_than_a_query_does,
    test_what_a_check_says_already_was_shown_if_it_says_the_same,
    test_what_no_database_can_store_is_replaced,
)

__all__ = [
    "TestAFinding",
    "TestAMergedPullRequest",
    "test_a_decision_is_kept_once_with_one_line_in_the_audit_log",
    "test_a_review_is_read_back_as_it_was_saved",
    "test_a_review_is_saved_whole_or_not_at_all",
    "test_a_review_leaves_a_line_in_the_audit_log",
    "test_a_review_stays_while_a_verdict_on_another_surface_does",
    "test_a_waived_verdict_is_marked_in_its_row",
    "test_coverage_and_models_are_kept",
    "test_decisions_are_found_by_repository_and_code_print",
    "test_decisions_can_be_followed_from_where_a_reader_stopped",
    "test_every_verdict_is_a_row_of_its_own",
    "test_of_a_head_the_review_that_was_shown_last_counts",
    "test_only_what_was_shown_is_the_last_review",
    "test_past_reviews_are_the_last_of_each_other_pull_request",
    "test_saving_a_review_again_updates_its_rows_and_the_audit_log_keeps_both",
    "test_the_evidence_on_rules_can_only_grow",
    "test_the_last_review_is_the_latest",
    "test_the_ledger_recalls_what_it_was_told_first",
    "test_the_ledger_takes_more_keys_than_a_query_does",
    "test_the_record_of_a_repository_counts_before_that_of_all",
    "test_the_worker_moves_rules_day_by_day_and_its_steps_can_be_replayed",
    "test_what_a_check_says_already_was_shown_if_it_says_the_same",
    "test_what_no_database_can_store_is_replaced",
]
