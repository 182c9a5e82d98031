"""What the sentence of a certificate has to say, and where no certificate need apply."""

from __future__ import annotations

from collections.abc import Iterable

from regretless.certificate import SURELY, Certificate, compared, in_figures
from regretless.theorem import Theorem
from regretless.theory.facts import SEPARATES
from regretless.theory.gradient import ONE_LENGTH

OF_SOME_ROWS = {SEPARATES, ONE_LENGTH}  # assumptions that rows may meet or not, whatever the learner does


def speak_of_some_rows(theorems: Iterable[Theorem]) -> bool:
    """Whether each of a learner's theorems is about rows of which not all are: that can be divided, or of one length.
    On other rows none applies."""
    each = [OF_SOME_ROWS & set(one.assumes) for one in theorems]
    return bool(each) and all(each)


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
