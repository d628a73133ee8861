"""The page of ten verdicts says what the code says."""

import make_verdict_examples


def test_the_page_of_verdicts_is_what_the_code_says():
    assert make_verdict_examples.TARGET.read_text(encoding="utf-8") == make_verdict_examples.page()
