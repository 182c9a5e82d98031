"""Certificates as users get them: comparators found in hindsight, read against the same rounds."""

from __future__ import annotations

import re
import subprocess
import sys
from math import sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import _core
from regretless.certify import certify_stream, read_cheaply
from regretless.data import open_stream
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear import MulticlassPerceptron, OnlineGradientDescent, Perceptron
from regretless.linear.comparators import candidates, margins, rays
from regretless.linear.comparators.evaluate import Exact, Span, Vector, read_tallies
from regretless.linear.comparators.rays import Direction, Sight, edges, look
from regretless.textbook import linear as book
from regretless.theory.margin_losses import MARGIN_LOSSES

reals = st.floats(-8, 8, width=32)
SETTINGS = [
    Perceptron(),
    Perceptron(intercept=3.0, rate=0.5),
    OnlineGradientDescent(),
    OnlineGradientDescent(loss="logistic", schedule="self-tuned", radius=2.0),
    OnlineGradientDescent(loss="square", schedule="constant", rate=0.01, intercept=1.0),
    OnlineGradientDescent(loss="squared-hinge", radius=1.0),
]


def noisy(rows=300, columns=6, noise=0.7, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) + noise * rng.normal(size=(rows, classes))
    return X, scores.argmax(1)


def slow(X, signs, v, bias=0.0, intercept=0.0):
    margins = signs * (X @ v + bias * intercept)
    return np.maximum(0, 1 - margins)


@pytest.mark.parametrize("learner", SETTINGS)
@pytest.mark.parametrize("classes", [2, 4])
def test_every_certificate_of_a_run_holds(learner, classes):
    """On noisy data, with two classes and four, each certificate applies or says why, and holds."""
    X, y = noisy(classes=classes)
    learner = type(learner)(**learner.get_params()).fit(X, y)
    certificates = learner.certify(X, y, svm=False)
    assert [c.theorem for c in certificates] == list(learner.proven())
    for certificate in certificates:
        assert certificate.holds
        assert certificate.applies == (certificate.bound is not None) == (certificate.why is None)
    assert sum(c.applies for c in certificates) >= 2


@pytest.mark.parametrize("learner", SETTINGS)
def test_the_numbers_can_be_recomputed_from_the_comparator(learner):
    """Hinge sums, losses, margins and norms of a certificate's comparator are those of its vector, taken the slow
    way."""
    X, y = noisy()
    learner = type(learner)(**learner.get_params()).fit(X, y)
    signs, intercept = np.where(y == 1, 1, -1), learner.rules().intercept
    for certificate in learner.certify(X, y, svm=False):
        u = certificate.comparator
        if u is None:
            continue
        hinge = slow(X, signs, u.vector, u.bias, intercept)
        assert u.hinge == pytest.approx(hinge.sum(), rel=1e-9, abs=1e-9)
        assert u.squared_hinge == pytest.approx((hinge**2).sum(), rel=1e-9, abs=1e-9)
        assert u.norm == pytest.approx(sqrt(u.vector @ u.vector + u.bias**2), rel=1e-9)
        margins = signs * (X @ u.vector + u.bias * intercept)
        assert u.least == pytest.approx(margins.min(), abs=1e-9)
        losses = {
            "perceptron": None,
            "hinge": hinge.sum(),
            "squared-hinge": (hinge**2).sum(),
            "square": ((1 - margins) ** 2).sum(),
            "logistic": np.logaddexp(0, -margins).sum(),
        }[learner.rules().loss]
        assert u.loss == (None if losses is None else pytest.approx(losses, rel=1e-9))


def test_the_bounds_are_near_the_best_there_are():
    """The comparator found by our own passes is within 5 per cent of the one that a fine search over linear SVMs
    finds."""
    X, y = noisy(400, 20, 2.0)
    learner = Perceptron().fit(X, y)
    ours = {c.theorem.name: c.bound for c in learner.certify(X, y, svm=False)}
    svm = {c.theorem.name: c.bound for c in learner.certify(X, y, svm=True)}
    for name in ("sharp", "posterior", "total_distance", "squared_hinge"):
        assert svm[name] <= ours[name] <= 1.05 * svm[name]
        assert ours[name] < len(X) * 2


def test_separable_rounds_are_certified_by_their_maximum_margin():
    """With a margin, Novikoff's bound is read against the largest one, to nine digits."""
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]])
    y = np.array([1, 1, -1, -1, 1])
    certificate = Perceptron(passes=3).fit(X, y).certify(X, y, svm=False)[0]
    assert certificate.bound == pytest.approx(5, rel=1e-9)
    assert certificate.comparator is not None
    assert certificate.comparator.name == "maximum margin"


def test_rounds_that_cannot_be_separated_have_no_separable_certificate():
    """Contradicting labels leave Novikoff's theorem without a number, and say why."""
    certificate = Perceptron().fit(np.ones((2, 1)), [0, 1]).certify(np.ones((2, 1)), [0, 1], svm=False)[0]
    assert not certificate.applies
    assert "cannot be separated" in str(certificate.why)
    assert certificate.bound is None


def test_your_own_comparator():
    """`against` is read as it is and along its ray, and replaces those found in hindsight."""
    X, y = noisy()
    learner = Perceptron().fit(X, y)
    signs = np.where(y == 1, 1, -1)
    u = np.linalg.lstsq(X, signs, rcond=None)[0]
    names = {c.comparator.name for c in learner.certify(X, y, against=u) if c.comparator is not None}
    assert names <= {"yours", "yours, scaled", "v = 0"}
    for wrong in (u[:-1], np.full_like(u, np.nan), np.ones((3, len(u)))):
        with pytest.raises(RegretlessError, match="comparator"):
            learner.certify(X, y, against=wrong)


def test_several_passes_are_read_as_often_as_they_were_made():
    """Hinge sums run over all presented rounds: three passes treble them."""
    X, y = noisy()
    once, thrice = Perceptron().fit(X, y), Perceptron(passes=3).fit(X, y)
    u = np.ones(X.shape[1])
    one = {c.theorem.name: c for c in once.certify(X, y, against=u)}["total_distance"].comparator
    three = {c.theorem.name: c for c in thrice.certify(X, y, against=u)}["total_distance"].comparator
    assert three.rounds == 3 * one.rounds == 900


def test_other_rounds_are_no_evidence():
    """Certificates read against rounds that were not played do not apply."""
    X, y = noisy()
    learner = Perceptron().fit(X, y)
    for other, labels in ((X[:200], y[:200]), (X * 1.5, y), (X, 1 - y), (X[::-1], y[::-1])):
        assert not any(c.applies for c in learner.certify(other, labels, svm=False))


def test_a_stream_gives_the_certificates_of_its_arrays():
    """Reading the rounds batch by batch from a stream gives the numbers of the arrays at hand, small or too large to
    keep."""
    X, y = noisy(400, 5)
    for rows in (X, sp.csr_array(X)):
        learner = Perceptron().fit(rows, y)
        stream = ArrayStream(rows, y)
        records = [c.describe() for c in certify_stream(learner, stream)]
        direct = [c.describe() for c in learner.certify(rows, y, svm=False)]
        for a, b in zip(records, direct, strict=True):
            assert a["bound"] == (None if b["bound"] is None else pytest.approx(b["bound"], rel=1e-6))


def test_a_stream_too_large_to_keep_is_read_again(monkeypatch):
    """Without room in memory the certificates come from further readings, and hold."""
    import regretless.data.sample as module

    monkeypatch.setattr(module, "SMALL", 8000)
    monkeypatch.setattr(module, "PIECE", 20)
    X, y = noisy(400, 5)
    learner = Perceptron().fit(X, y)
    certificates = certify_stream(learner, ArrayStream(X, y))
    direct = {c.theorem.name: c.bound for c in learner.certify(X, y, svm=False)}
    for certificate in certificates:
        if certificate.bound is not None:
            assert certificate.holds
            assert certificate.bound <= 1.2 * direct[certificate.theorem.name]


@given(
    X=arrays(np.float64, (30, 3), elements=reals),
    signs=arrays(np.int32, 30, elements=st.sampled_from([-1, 1])),
    d=arrays(np.float64, 3, elements=reals),
    scale=st.floats(-20, 20),
)
def test_a_ray_knows_the_hinge_loss_of_every_vector_on_it(X, signs, d, scale):
    """At any edge of its bins a ray's hinge and squared hinge sums are those of the vector."""
    direction = Direction.along("d", d)
    if direction is None:
        return
    (ray,) = look([(Batch(X, None, 3), signs)], [direction], intercept=0.0, span=Span.of(30, 30), loss_name="hinge")
    edge = int(np.searchsorted(edges(), 2.0**scale))
    u = ray.at(edge)
    hinge = slow(X, signs, ray.vector_of(u))
    assert u.hinge == pytest.approx(hinge.sum(), rel=1e-9, abs=1e-9)
    assert u.squared_hinge == pytest.approx((hinge**2).sum(), rel=1e-7, abs=1e-7)


def times_of(span):
    """How often a span has each of its rows."""
    return span.passes - (np.arange(span.rows) < span.skip)


LOSSES = {name: book.LOSSES[one.played][0] for name, one in MARGIN_LOSSES.items()} | {"perceptron": np.zeros_like}


@pytest.mark.parametrize("loss", LOSSES)
@given(seed=st.integers(0, 2**31), sparse=st.booleans())
@settings(max_examples=6)
def test_vectors_of_all_targets_are_charged_what_numpy_says(loss, seed, sparse):
    """One reading charges vectors of any targets what the formulas say, each over the rounds that its target played."""
    draw, rows, columns, targets = np.random.default_rng(seed), 40, 5, 3
    X, codes = draw.normal(size=(rows, columns)), draw.integers(0, targets, rows).astype(np.int32)
    table = sp.csr_array(X)
    batch = Batch(table.data, None, columns, table.indices, table.indptr) if sparse else Batch(X, None, columns)
    vectors = [(target, Vector("v", draw.normal(size=columns), draw.normal())) for target in (0, 2, 2, 1, 0)]
    spans = [Span(rows, 1, 0), Span(rows, 1, 7), Span(rows, 3, 11)]
    exact = Exact(vectors, columns, 0.5, loss, targets)
    (tallies,) = read_tallies([exact], [(batch.slice(0, 9), codes[:9]), (batch.slice(9, rows), codes[9:])], spans)
    for k, (target, v) in enumerate(vectors):
        times, scores = times_of(spans[target]), X @ v.vector + 0.5 * v.bias
        margins, squares = np.where(codes == target, scores, -scores), (X * X).sum(axis=1) + 0.25
        charges = [times @ LOSSES[name](margins) for name in ("hinge", "squared-hinge", loss)]
        assert tallies.losses[k] == pytest.approx(charges, rel=1e-12)
        ends = margins[times > 0].min(), np.abs(scores[times > 0]).max()
        assert (tallies.least[k], tallies.largest[k]) == pytest.approx(ends, rel=1e-12)
        played = times.sum(), squares[times > 0].max(), times @ squares
        assert (tallies.rounds[k], tallies.longest[k], tallies.total[k]) == pytest.approx(played, rel=1e-12)


@pytest.mark.parametrize("written", [False, True])
def test_tables_of_some_directions_say_what_one_of_all_says(written, monkeypatch):
    """Of very many columns directions are read by fours, and one that is left alone, with the same bits."""
    draw, rows, columns = np.random.default_rng(1), 300, 7
    X, signs = draw.normal(size=(rows, columns)), draw.choice([-1, 1], rows).astype(np.int32)
    along, sums = [Direction.along(str(k), draw.normal(size=columns), draw.normal()) for k in range(9)], []
    for many in (10**6, 1):
        monkeypatch.setattr(rays, "MANY_COLUMNS", many)
        sight = Sight(along, 0.5, written=written)
        sums += read_tallies([sight], [(Batch(X, None, columns), signs)], [Span(rows, 1, 0)])
    for name in ("bins", "least", "rounds", "longest", "total", *(["margins"] if written else [])):
        assert getattr(sums[0], name).tobytes() == getattr(sums[1], name).tobytes()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sparse", [False, True])
def test_margins_that_are_written_down_say_what_vectors_are_charged(loss, sparse):
    """Bins and rays have the same bits whether or not margins are written down, and of these a comparator is charged
    what its vector is, of rows in several pieces too."""
    draw, rows, columns = np.random.default_rng(1), 1500, 5
    X, signs = draw.normal(size=(rows, columns)), draw.choice([-1, 1], rows).astype(np.int32)
    table = sp.csr_array(X * (draw.random(X.shape) < 0.5))
    batch = Batch(table.data, None, columns, table.indices, table.indptr) if sparse else Batch(X, None, columns)
    along = [Direction.along(str(k), draw.normal(size=columns), draw.normal()) for k in range(5)]
    rounds, spans = [(batch, signs)], [Span(rows, 2, 0)]
    plain, written = read_tallies([Sight(along, 0.5), Sight(along, 0.5, written=True)], rounds, spans)
    for name in ("bins", "least", "rounds", "longest", "total"):
        assert getattr(plain, name).tobytes() == getattr(written, name).tobytes()
    assert plain.margins is None
    for one, other in zip(plain.rays(along, loss), written.rays(along, loss), strict=True):
        for name in ("places", "below", "bins"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
        assert (one.all_total, one.all_squares) == (other.all_total, other.all_squares)
    for ray in written.rays(along, loss):
        for one in (ray.at(int(np.searchsorted(edges(), 0.7))), ray.zero()):
            read, v = ray.read(one), Vector("v", ray.vector_of(one), one.bias)
            (sums,) = read_tallies([Exact([(0, v)], columns, 0.5, loss, 1)], rounds, spans)
            charged = read.hinge, read.squared_hinge, read.loss or 0.0
            assert charged == pytest.approx(sums.losses[0].tolist(), rel=1e-12)
            assert (read.least, read.rounds) == (pytest.approx(sums.least[0], rel=1e-12), 2 * rows)
            assert read.vector.tolist() == v.vector.tolist()


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("before", [0.0, 1.0])
def test_rows_that_count_zero_times_before_others_leave_no_margins(before, more):
    """Where no rows, or rows that count zero times along some directions or all, come before others, and others after
    them, sums have the same bits whether or not margins are to be written down."""
    draw, along = np.random.default_rng(4), [Direction.along(str(k), np.ones(2), float(k)) for k in range(2)]
    X, signs = draw.normal(size=(30, 2)), draw.choice([-1, 1], 30).astype(np.int32)
    sights = Sight(along, 0.5), Sight(along, 0.5, written=True)
    for sight in sights:
        for times in ([before, 1.0], [before, before]):
            sight.take(np.array(times), Batch(X[:0], None, 2), signs[:0])
        sight.take(np.zeros(2), Batch(X[:9], None, 2), signs[:9])
        for rows in (slice(9, 20), slice(20, 30))[: 1 + more]:
            sight.take(np.ones(2), Batch(X[rows], None, 2), signs[rows])
    plain, written = (sight.sums() for sight in sights)
    assert (written.margins is None) == more
    for name in ("bins", "least", "rounds", "longest", "total"):
        assert getattr(plain, name).tobytes() == getattr(written, name).tobytes()
    for one, other in zip(plain.rays(along, "hinge"), written.rays(along, "hinge"), strict=True):
        assert (one.places.tolist(), one.bins.tolist()) == (other.places.tolist(), other.bins.tolist())


@pytest.mark.parametrize("count", [3, 5, 9])
def test_margins_of_any_size_fall_into_the_same_bins_where_they_are_written_down(count):
    """Of several targets, margins from 0 to far beyond the last edge have the bits in their bins that one after the
    other has, however many directions are read at once."""
    draw, rows, targets = np.random.default_rng(count), 700, 3
    X = draw.normal(size=(rows, 2)) * 10.0 ** draw.integers(-40, 40, (rows, 1)) * (draw.random((rows, 1)) < 0.9)
    codes, whose = draw.integers(0, targets, rows).astype(np.int32), [k % targets for k in range(count)]
    along = [Direction.along("d", draw.normal(size=2), 0.0) for _ in whose]
    sights = [Sight(along, 0.0, whose, targets, written=written) for written in (False, True)]
    plain, written = read_tallies(sights, [(Batch(X, None, 2), codes)], [Span(rows, 3, 0)] * targets)
    for name in ("bins", "least", "rounds", "longest", "total"):
        assert getattr(plain, name).tobytes() == getattr(written, name).tobytes()
    for one, other in zip(plain.rays(along, "hinge"), written.rays(along, "hinge"), strict=True):
        assert one.places.tobytes() == other.places.tobytes()
    assert {0, _core.RAY_SIDE - 1} <= set(np.flatnonzero(plain.bins.any(axis=(0, 2))).tolist())


def test_a_row_whose_squared_length_is_beyond_floats_is_refused():
    """Nothing is charged for a row of finite values whose squared length is not, and its number is reported."""
    exact = Exact([(0, Vector("v", np.zeros(1), 0.0))], 1, 0.0, "hinge", 1)
    with pytest.raises(RegretlessError, match="row 1 of the rounds to certify against is not finite"):
        exact.take(np.ones(1), Batch(np.array([[1.0], [1e160]]), None, 1), np.ones(2, np.int32))


@given(seed=st.integers(0, 2**31))
@settings(max_examples=5)
def test_directions_of_all_targets_are_read_as_each_alone(seed):
    """One reading along directions of several targets gives each the bins of a reading of its own rounds."""
    draw, rows, targets = np.random.default_rng(seed), 30, 3
    X, codes = draw.normal(size=(rows, 4)), draw.integers(0, targets, rows).astype(np.int32)
    whose, spans = [0, 1, 2, 2, 1], [Span(rows, 1, 0), Span(rows, 1, 5), Span(rows, 2, 9)]
    along = [Direction.along("d", draw.normal(size=4), draw.normal()) for _ in whose]
    (tallies,) = read_tallies([Sight(along, 1.0, whose, targets)], [(Batch(X, None, 4), codes)], spans)
    for k, target in enumerate(whose):
        order = np.repeat(np.arange(rows), times_of(spans[target]))
        signs = np.where(codes[order] == target, 1, -1).astype(np.int32)
        rounds = [(Batch(X[order], None, 4), signs)]
        (alone,) = read_tallies([Sight([along[k]], 1.0)], rounds, [Span.of(len(order), len(order))])
        assert np.allclose(tallies.bins[k], alone.bins[0], rtol=1e-12, atol=0)
        for name in ("least", "rounds", "longest", "total"):
            assert getattr(tallies, name)[k] == pytest.approx(getattr(alone, name)[0], rel=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_equal_rows_of_a_part_are_called_as_among_all(sparse, monkeypatch):
    """Where some of many rows are looked at, the two that show why nothing separates have the numbers of all rows."""
    monkeypatch.setattr(margins, "MOST_WHOLE", 0)
    monkeypatch.setattr(margins, "MOST_LOOKED_AT", 300)
    draw = np.random.default_rng(0)
    X, y = draw.integers(1, 5, (900, 3)).astype(float), draw.integers(0, 2, 900)
    rows = sp.csr_array(X) if sparse else X
    whys = [one.why for one in Perceptron().fit(rows, y).certify(rows, y) if one.why is not None]
    first, second = map(int, re.search(r"rows (\d+) and (\d+) \(from 0\) are equal", " ".join(whys)).groups())
    assert (X[first] == X[second]).all()
    assert y[first] != y[second]


def test_certificates_load_no_masked_arrays(tmp_path):
    """To learn a file and certify it loads nothing of `numpy.ma`, which takes longer than both."""
    file = tmp_path / "rows.svm"
    file.write_text("".join(f"{k % 3 // 2} 1:{k % 7} 2:{k % 5}\n" for k in range(40)))
    code = f"""
import sys
from regretless.cli.entry import run
run(["learn", {str(file)!r}, "--quiet"])
sys.exit("numpy.ma" in sys.modules)
"""
    outcome = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert outcome.returncode == 0
    assert "Against every vector" in outcome.stdout


def test_the_oracles_of_the_bounds(oracles):
    """The worked bounds at given vectors come out to twelve digits."""
    from regretless.theory.perceptron import sharp, squared_hinge

    from .test_theory_mistakes import comparator

    names = {"b_711_second_corrected": squared_hinge, "b_711A_sharp_root": sharp}
    count = 0
    for case in oracles:
        if not case["id"].startswith("nonseparable/bounds"):
            continue
        X, y = np.array(case["input"]["X"], float), np.array(case["input"]["y"])
        learner = Perceptron().partial_fit(X, y, classes=[-1, 1])
        u = comparator(X, y, np.array(case["input"]["v"]))
        assert u.hinge == pytest.approx(case["expected"]["L1"], rel=1e-12)
        for name, theorem in names.items():
            bound = theorem.bound(learner.ledger_, u, learner.target_facts()[0])
            assert bound == pytest.approx(case["expected"][name], rel=1e-12)
            count += 1
    assert count == 8


def test_the_oracles_of_the_perceptron(oracles):
    """Updates, mistakes, weights and passes of the worked runs are exact, under their rule for ties."""
    from fractions import Fraction

    rules, count = {"le0": "update", "plus": 1, "minus": -1}, 0
    for case in oracles:
        inputs, expected = case["input"], case["expected"]
        if case["topic"] != "perceptron" or "passes" not in inputs or "w0" in inputs:
            continue
        rule = case["convention"].split("rule=")[1].split(",")[0]
        X, y = np.array(inputs["X"], float), np.array(inputs["y"])
        eta = float(Fraction(inputs.get("eta", 1)))
        learner = Perceptron(ties=rules[rule], rate=eta, passes=inputs["passes"], until_clean=inputs["until_clean"])
        if len(set(y)) < 2:
            for _ in range(inputs["passes"]):
                learner.partial_fit(X, y, classes=[-1, 1])
        else:
            learner.fit(X, y)
            assert learner.n_iter_ == expected["passes"]
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (
            expected["updates"],
            expected["mistakes"],
        ), case["id"]
        np.testing.assert_allclose(
            learner.coef_[0], [float(Fraction(w)) for w in expected["w"]], rtol=1e-12, atol=1e-15
        )
        count += 1
    assert count >= 12


def test_parameters_changed_after_the_run_do_not_change_its_certificates(tmp_path):
    """What is certified is the run that was played, whatever the parameters say afterwards."""
    X, y = noisy()
    learner = OnlineGradientDescent(loss="square", schedule="constant", rate=0.02).fit(X, y)
    before = [c.bound for c in learner.certify(X, y, svm=False)]
    changed = learner.set_params(rate=50.0)
    assert all(c.holds for c in changed.certify(X, y, svm=False))
    assert [facts.rate for facts in changed.target_facts()] == [0.02]
    assert [c.bound for c in changed.set_params(rate=0.02).certify(X, y, svm=False)] == before


def test_a_shuffled_run_is_certified_on_its_rounds_and_on_no_others():
    """Whatever its random_state, the run can be played again; other labels are found out."""
    X, y = noisy()
    for random_state in (3, None, np.random.default_rng(0), np.random.RandomState(0)):
        learner = Perceptron(passes=2, shuffle=True, random_state=random_state).fit(X, y)
        assert any(c.applies for c in learner.certify(X, y, svm=False))
        assert not any(c.applies for c in learner.certify(X, 1 - y, svm=False))


@pytest.mark.parametrize("scale", [1e-60, 1e-15, 1.0, 1e15, 1e60])
def test_the_bounds_do_not_depend_on_the_unit_of_the_rows(scale):
    """The same rows in other units have the same bounds, to a few per cent of the search."""
    X, y = noisy(200, 5)
    bounds = {c.theorem.name: c.bound for c in Perceptron().fit(X, y).certify(X, y, svm=False)}
    scaled = {c.theorem.name: c.bound for c in Perceptron().fit(X * scale, y).certify(X * scale, y, svm=False)}
    for name in ("sharp", "posterior"):
        assert scaled[name] == pytest.approx(bounds[name], rel=0.03)


def test_margins_at_the_edge_of_a_bin_break_nothing():
    """Rows whose margins all lie a hair below a bin's edge attain the squared-hinge bound and do not exceed it."""
    edge = float(edges()[np.searchsorted(edges(), 1.0) + 37])
    for n in (9, 100, 1000):
        X = np.eye(n) * edge * sqrt(n) * (1 - 1e-8)
        y = np.resize([1, 0], n)
        assert all(c.holds for c in Perceptron().fit(X, y).certify(X, y, svm=False))


def test_64_bit_indices_can_be_certified_with_linear_svms():
    """LinearSVC takes 32-bit indices only; that is no reason to fail."""
    X, y = noisy()
    rows = sp.csr_matrix(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    assert all(c.holds for c in Perceptron().fit(rows, y).certify(rows, y, svm=True))


@pytest.mark.parametrize("size", [1e-160, 1e-100, 1e100, 1e149])
def test_rows_of_absurd_sizes_give_bounds_or_reasons(size):
    """Rows whose squares are hardly floats, or none, give certificates that hold or say why there is no number."""
    X, y = size * np.array([[1.0, 0.0], [1.0, 0.1], [0.3, 1.0], [-1.0, 1.0]]), np.array([1, -1, 1, 1])
    mixed = np.vstack([X, [[1.0, 0.5]]]), np.append(y, 1)
    for rows, labels in ((X, y), mixed):
        certificates = Perceptron(passes=3).fit(rows, labels).certify(rows, labels)
        assert all(c.holds for c in certificates)
        assert all(c.bound is None or not np.isnan(c.bound) for c in certificates)


def test_a_run_of_clean_passes_is_not_one_until_clean():
    """With passes that were added after a clean one the bound on a run until clean does not apply."""
    X, y = np.array([[1.0, 0.0], [-0.5, 1.0]]), [1, -1]
    learner = Perceptron(until_clean=True).fit(X, y)
    assert learner.certify(X, y)[-1].applies
    for _ in range(20):
        learner.partial_fit(X, y)
    assert not learner.certify(X, y)[-1].applies


WITHOUT = """
import sys
sys.modules["sklearn"] = None  # as if it were not installed
import numpy as np
from regretless.linear import KernelPerceptron, MarginPerceptron, Perceptron
X = np.random.default_rng(0).normal(size=(60, 2))
y = np.sign(X[:, 0])
for learner in (Perceptron(), KernelPerceptron(gamma=0.3), MarginPerceptron(0.001)):
    learner.fit(X, y)
    for svm in (True, False):
        found = [one for one in learner.certify(X, y, svm=svm) if one.applies]
        says = "(SVMs were not tried, for scikit-learn is not installed)"
        told = [one.theorem.name for one in found if one.comparator.describe()["left_out"]]
        assert told == [one.theorem.name for one in found if says in str(one)]
        print(len(told), len(found))
"""


def test_comparators_that_a_missing_package_would_bring_are_reported_as_missing():
    """Without scikit-learn every line whose comparator was searched for says that SVMs were not tried, if they were
    asked for; with it no line does."""
    run = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:-1] == ["7 7", "0 7", "7 7", "0 7", "5 6", "0 6"]
    X, y = np.eye(2), np.array([1, -1])
    assert not any("not tried" in str(one) for one in Perceptron().fit(X, y).certify(X, y))


def test_ctrl_c_does_not_wait_for_liblinear(monkeypatch):
    """What hears no signal is done aside: Ctrl-C ends the wait for it, and what fails there fails here."""
    import signal
    from threading import Event, Timer

    over = Event()
    Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        candidates._run_in_thread(over.wait)
    over.set()
    with pytest.raises(ZeroDivisionError):
        candidates._run_in_thread(lambda: 1 / 0)


def test_the_limit_of_a_search_is_counted_in_work(monkeypatch):
    """A machine on which time flies prints the same certificates; a search with hardly any work says so."""
    import regretless.linear.comparators.question as module

    X, y = noisy(300, 6)
    learner = Perceptron().fit(X, y)
    lines = [str(one) for one in learner.certify(X, y)]
    clock = iter(range(10**9))
    monkeypatch.setattr("regretless.linear.separation.budget.time.process_time", lambda: next(clock))
    assert [str(one) for one in learner.certify(X, y)] == lines
    monkeypatch.setattr(module, "QUICK_WORK", 1.0)
    monkeypatch.setattr(module, "WORK_AN_ENTRY", 0.0)
    monkeypatch.setattr(margins, "PROOF_WORK", 1.0)
    monkeypatch.setattr(margins, "PROOF_AN_ENTRY", 0.0)
    assert "is done; a deep search, deep=True in Python and --deep on the command line" in learner.certify(X, y)[0].why
    monkeypatch.setattr(module, "DEEP_WORK", 1.0)
    assert learner.certify(X, y, deep=True)[0].why.endswith("the work that it may cost is done")


def test_rows_that_no_vector_separates_are_proved_so_by_the_hardest_of_them(monkeypatch):
    """Of rows too many for a search over all, a few that cannot be separated prove it for all."""
    monkeypatch.setattr(margins, "MOST_WHOLE", 100)
    monkeypatch.setattr(margins, "SOME", (40, 60))
    X, y = noisy(2000, 3)
    why = str(Perceptron().fit(X, y).certify(X, y)[0].why)
    assert "cannot be separated" in why


def test_a_deep_search_is_nowhere_worse():
    """With more work no bound is larger, and separable rows get their largest margin."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 40))
    y = (X @ rng.normal(size=40) > 0).astype(int)
    learner = Perceptron().fit(X, y)
    quick, deep = learner.certify(X, y), learner.certify(X, y, deep=True)
    for one, other in zip(quick, deep, strict=True):
        assert one.bound is None or other.bound <= one.bound * (1 + 1e-9)
    assert deep[0].comparator.name == "maximum margin"


@pytest.mark.parametrize(
    ("name", "text", "learner", "why"),
    [
        ("a.csv", "a,b,y\n1,2,1\n3,1,-1\n1,2,-1\n", Perceptron(), "the rows in lines 2 and 4 of {}/a.csv are equal"),
        ("b.svm", "# none\n1 1:2 2:1\n-1\n-1 2:3\n", Perceptron(), "the row in line 3 of {}/b.svm is zero"),
        ("c.svm", "1 1:2\n2\n3 2:3\n", MulticlassPerceptron(), "the row in line 2 of {}/c.svm is zero"),
        ("d.svm", "1 1:2\noops\n-1\n", Perceptron(), "the row in line 3 of {}/d.svm is zero"),
        ("e.csv", "a,b,y\nx,2,1\n1,2,1\n1\n1,2,-1\n", Perceptron(), "the rows in lines 3 and 5 of {}/e.csv are equal"),
        (
            "f.vw",
            "1 | a:1\n-1 | a:x\n-1 | a:1\n",
            Perceptron(),
            "and row 2 (of those that can be used) of {}/f.vw",
        ),
    ],
)
def test_rows_of_a_file_that_cannot_be_separated_are_named_by_their_lines(tmp_path, name, text, learner, why):
    """The line on separable data names the file and the lines, passed over or not, and where these are not known says
    that it counts the rows that can be used."""
    (tmp_path / name).write_text(text)
    stream = open_stream(str(tmp_path / name), on_error="skip")
    for batch in stream.batches():
        learner.observe(batch)
    for lines in (certify_stream(learner, stream), read_cheaply(learner, stream)):
        assert why.format(tmp_path) in str(lines[0].why)


def test_the_zero_row_of_several_classes_is_named_by_its_place():
    """Of three classes the table of differences has more rows than there are, and the message has the row's own
    place."""
    X, y = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0], [2, 1]]), [0, 1, 2, 2, 0]
    learner = MulticlassPerceptron().fit(X, y)
    assert "row 3 (from 0) is zero" in str(learner.certify(X, y)[0].why)
