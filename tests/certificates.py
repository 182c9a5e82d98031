"""What the sentence of a certificate has to say."""

from __future__ import annotations

from regretless.certificate import SURELY, Certificate, compared, in_figures


def assert_sentence_says_all(one: Certificate) -> None:
    """It has the title and the source, and both numbers, how surely, at which level and against whom; or why not."""
    sentence = one.sentence()
    assert one.theorem.title in sentence
    assert one.theorem.source in sentence
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    if one.shown_bound is None:
        assert f"does not apply, because {one.why}" in sentence
        return
    bound = in_figures(one.shown_bound)
    if one.observed is not None:
        shown, bound = compared(one.observed, one.shown_bound)
        assert f" was {shown}" in sentence
    assert (" was not observed;" in sentence) == (one.observed is None)
    assert f"at most {bound}" in sentence
    level = SURELY[one.theorem.kind] if one.confidence is None else f"probability {100 * one.confidence:.6g}%"
    assert level in sentence
    assert one.holds or "The bound was exceeded" in sentence
    assert (f"no better than {one.most.words}." in sentence) == one.vacuous
    assert one.comparator is None or one.comparator.label in sentence
    assert one.assuming is None or one.assuming in sentence
