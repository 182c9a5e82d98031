// The three kinds of second-order state: what a score is made of, and what a round that teaches changes. Each serves
// one target or several side by side, with the same bits.
#pragma once
#include <concepts>

#include "second_order_full.hpp"
#include "second_order_types.hpp"
#include "second_order_many.hpp"

namespace regretless::REGRETLESS_ISA {

// What learns tells x' A^-1 x of the round where its score leaves the row out of A: the second-order perceptron is
// charged for that score over one more, which is u' (A + x x')^-1 x. Where it is counted in already, that is 0.

// Several targets side by side, with room for one number each of five kinds. Those that do not move have zeros.
struct Moves {
  double *scores, *sums, *confidences, *steps, *moving;
  explicit Moves(const SecondOrder& s)
      : scores(s.scratch), sums(scores + s.targets), confidences(sums + s.targets), steps(confidences + s.targets),
        moving(steps + s.targets) {}
};

// A round as every target sees it: the size of the constant feature, and how much it weighs.
struct Lesson {
  double intercept, confidence;
};

REGRETLESS_INLINE void remember(SecondOrderMemory& m, const Lesson& of, double sum, double confidence) {
  m.sum += sum * of.intercept;
  m.square += confidence * (of.intercept * of.intercept);
}

// The diagonal of A, without weights: a score is u' (A + x x')^-1 x. Records are (u, sum of x^2).
struct BySums {
  static constexpr std::int64_t numbers = numbers_by_sums;
  const SecondOrder& s;
  double prior;
  explicit BySums(const SecondOrder& state) : s(state), prior(state.memory->prior) {}
  double constant(const SecondOrderMemory& m, double b) const { return m.sum * b / ((m.square + prior) + b * b); }

  template <class Row>
  REGRETLESS_INLINE RowSums row_sums(const Row& row, double b) {
    const Eight a = spread<8>(prior);
    const double* const records = s.records;
    RowSums sums = add_up<numbers>(row, [&](const Addresses& p, const Eight& x, const Eight& square, std::int64_t) {
      return p.pick(records) * x / ((p.pick(records + 1) + a) + square);
    });
    sums.score += constant(*s.memory, b);
    return sums;
  }
  template <class Row>
  REGRETLESS_INLINE RowSums row_sums_only(const Row& row, double b) {
    return row_sums(row, b);
  }
  template <class Row>
  REGRETLESS_INLINE double learn(const Row& row, const Lesson& of, double y, double) const {
    const Eight signed_by = spread<8>(of.confidence * y), by = spread<8>(of.confidence);
    double* const records = s.records;  // or it would be read again after every addition
    by_eights(row, [&](std::int64_t k, int here, const Eight& x) {
      in_twos(signed_by * x, by * (x * x), 0, [&](int l, const Pack<double, 2>& more) {
        if (l < here) add_to(records + numbers * std::int64_t(row.column(k + l)), more);
      });
    });
    remember(*s.memory, of, of.confidence * y, of.confidence);
    return 0;
  }
  template <class Row>
  double scores(const Row& row, double b, double* out) const {
    const Shrunk term{s.records, s.records + s.targets, prior};
    const double norm2 = totals(row, term, s.numbers, s.targets, out);
    for (std::int64_t c = 0; c < s.targets; ++c) out[c] += constant(s.memory[c], b);
    return norm2;
  }
  template <class Row>
  void learn_many(const Row& row, const Lesson& of, std::int32_t, const Moves& moves) const {
    Stretch stretch;
    for (std::int64_t k = 0; k < row.n; k += Stretch::room) {
      unpack(row, k, s.numbers, stretch);
      grouped<one_register>(0, s.targets, [&](std::int64_t c, auto size) {
        add_to_sums<size>(stretch, moves.sums + c, moves.confidences + c, s.records + c, s.records + s.targets + c);
      });
    }
    for (std::int64_t c = 0; c < s.targets; ++c) {
      remember(s.memory[c], of, moves.sums[c], moves.confidences[c]);
      moves.steps[c] = 0;
    }
  }
};

// The diagonal of A, and weights: a score is their product with the row. Records are (w, sum of x^2, u), and the
// largest x^2 if the scale asks for it; for one target a zero in its place. Most rounds teach, so what an update needs
// is worked out with the score: the weights that it starts from and x / A, in scratch, and x' A^-1 x.
template <class Scale>
struct ByWeights {
  static constexpr std::int64_t numbers = numbers_by_one_weight;
  static constexpr bool sized = std::same_as<Scale, InSizes>;
  const SecondOrder& s;
  Scale scale;
  double doubt = 0, *gain, *start;
  explicit ByWeights(const SecondOrder& state)
      : s(state), scale{state.memory->prior}, gain(state.scratch + 5 * state.targets),
        start(gain + 3 * (state.columns + 8)) {}

  // The constant feature as a row meets it.
  REGRETLESS_INLINE Coordinate<1> constant(const SecondOrderMemory& m, double b) const {
    using One = Pack<double, 1>;
    return scale.coordinate(One{m.weight}, One{m.square}, [&] { return One{m.size}; }, One{b * b});
  }
  // Most rows raise no size, and a quotient is dear.
  REGRETLESS_INLINE Coordinate<8> coordinate(const Addresses& p, const Eight& square) const {
    const double* const records = s.records;
    Eight of[4];
    p.pick_four(records, of);
    if constexpr (sized)
      if (!any_above(square, of[3])) return scale.unraised(of[0], of[1], of[3]);
    return scale.coordinate(of[0], of[1], [&] { return of[3]; }, square);
  }

  template <class Row>
  REGRETLESS_INLINE RowSums row_sums(const Row& row, double b) {
    Eight doubts{};
    double *const gains = gain, *const starts = start;
    RowSums sums = add_up<numbers>(row, [&](const Addresses& p, const Eight& x, const Eight& square, std::int64_t k) {
      const Coordinate<8> now = coordinate(p, square);
      const Eight g = x / now.entry;
      store(gains + k, g);
      if constexpr (sized) store(starts + k, now.weight);
      doubts = doubts + x * g;
      return now.weight * x;
    });
    doubt = tree(doubts);
    sums.score += b * constant(*s.memory, b).weight.all;
    return sums;
  }
  template <class Row>
  REGRETLESS_INLINE RowSums row_sums_only(const Row& row, double b) const {
    RowSums sums = add_up<numbers>(row, [&](const Addresses& p, const Eight& x, const Eight& square, std::int64_t) {
      return coordinate(p, square).weight * x;
    });
    sums.score += b * constant(*s.memory, b).weight.all;
    return sums;
  }
  // A record is moved: its weight is known, its sums grow, and its size does if the square is larger. (A size is
  // never -0, nor is what is added to.)
  static REGRETLESS_INLINE void learn_sized(double* record, const Pack<double, 4>& more) {
    store(record, next_record(load<4>(record), more));
  }
  // How far the weights go along x / A.
  REGRETLESS_INLINE double step(const SecondOrderMemory& m, const Lesson& of, double y, double score,
                                double of_row) const {
    const double b = of.intercept;
    return (y - score) / (1 / of.confidence + (of_row + b * b / constant(m, b).entry.all));
  }
  REGRETLESS_INLINE void remember_step(SecondOrderMemory& m, const Lesson& of, double by) const {
    const double b = of.intercept;
    const Coordinate<1> now = constant(m, b);
    m.weight = now.weight.all + by * (b / now.entry.all);
    if (sized && m.size < b * b) m.size = b * b;
  }
  template <class Row>
  REGRETLESS_INLINE double learn(const Row& row, const Lesson& of, double y, double score) const {
    const double by = step(*s.memory, of, y, score, doubt);
    const Eight far = spread<8>(by), much = spread<8>(of.confidence), signed_by = spread<8>(of.confidence * y);
    double *const records = s.records, *const gains = gain, *const starts = start;
    by_eights(row, [&](std::int64_t k, int here, const Eight& x) REGRETLESS_LAMBDA {
      const auto record = [&](int l) { return records + numbers * std::int64_t(row.column(k + l)); };
      const Eight step = far * load<8>(gains + k), square = x * x, sum = signed_by * x;
      if constexpr (sized)
        in_fours(load<8>(starts + k) + step, much * square, sum, square, 0, [&](int l, const Pack<double, 4>& more) {
          if (l < here) learn_sized(record(l), more);
        });
      else
        in_fours(step, much * square, sum, Eight{}, 0, [&](int l, const Pack<double, 4>& more) {
          if (l < here) add_to(record(l), more);
        });
    });
    remember_step(*s.memory, of, by);
    remember(*s.memory, of, of.confidence * y, of.confidence);
    return 0;
  }
  // Where the numbers of several targets begin; sizes only if they are there.
  double* part(int place) const { return s.records + place * s.targets; }

  template <class Row>
  double scores(const Row& row, double b, double* out) const {
    const Product<Scale> term{scale, part(0), part(1), part(3)};
    const double norm2 = totals(row, term, s.numbers, s.targets, out);
    for (std::int64_t c = 0; c < s.targets; ++c) out[c] += b * constant(s.memory[c], b).weight.all;
    return norm2;
  }
  template <class Row>
  void learn_many(const Row& row, const Lesson& of, std::int32_t label, const Moves& moves) const {
    double *const weights = part(0), *const squares = part(1), *const sums = part(2), *const sizes = part(3);
    totals(row, Doubt<Scale>{scale, squares, sizes}, s.numbers, s.targets, moves.steps);
    for (std::int64_t c = 0; c < s.targets; ++c) {
      const double by = step(s.memory[c], of, c == label ? 1 : -1, moves.scores[c], moves.steps[c]);
      moves.moving[c] = moves.confidences[c] > 0;
      moves.steps[c] = moves.confidences[c] > 0 ? by : 0;
    }
    Stretch stretch;
    for (std::int64_t k = 0; k < row.n; k += Stretch::room) {
      unpack(row, k, s.numbers, stretch);
      grouped<one_register>(0, s.targets, [&](std::int64_t c, auto size) {
        add_to_weights<size>(stretch, scale, moves.steps + c, moves.moving + c, squares + c, sizes + c, weights + c);
        add_to_sums<size>(stretch, moves.sums + c, moves.confidences + c, sums + c, squares + c);
      });
    }
    for (std::int64_t c = 0; c < s.targets; ++c) {
      if (moves.confidences[c] > 0) remember_step(s.memory[c], of, moves.steps[c]);
      remember(s.memory[c], of, moves.sums[c], moves.confidences[c]);
    }
  }
};

// What is summed over a row for weights in their order, the constant feature's first; and the scores of all targets.
template <class Row>
REGRETLESS_INLINE RowSums sums_by(const Row& row, double b, const double* weights) {
  RowSums sums;
  sums.score = product_and_norm(row, weights + 1, sums.norm2) + b * *weights;
  return sums;
}
template <class Row, class Weights>
REGRETLESS_INLINE double scores_by(const Row& row, double b, std::int64_t targets, const Weights& weights,
                                   double* out) {
  double norm2 = 0;
  for (std::int64_t c = 0; c < targets; ++c) {
    const RowSums sums = sums_by(row, b, weights(c));
    out[c] = sums.score;
    norm2 = sums.norm2;
  }
  return norm2;
}

// All of A.
struct ByAll {
  const SecondOrder& s;
  Whole whole;
  ByAll(const SecondOrder& state, WholeWorkspace& work) : s(state), whole{state, work} {}

  template <class Row>
  REGRETLESS_INLINE RowSums row_sums(const Row& row, double b) const {
    whole.look(row, b);
    return row_sums_only(row, b);
  }
  template <class Row>
  REGRETLESS_INLINE RowSums row_sums_only(const Row& row, double b) const {
    return sums_by(row, b, s.weights);
  }
  template <class Row>
  double learn(const Row& row, const Lesson& of, double y, double score) const {
    return whole.teach(0, row, of.intercept, y, score, of.confidence);
  }
  template <class Row>
  double scores(const Row& row, double b, double* out) const {
    whole.look(row, b);
    return scores_by(row, b, s.targets, [&](std::int64_t c) { return whole.weights(c); }, out);
  }
  template <class Row>
  void learn_many(const Row& row, const Lesson& of, std::int32_t label, const Moves& moves) const {
    for (std::int64_t c = 0; c < s.targets; ++c)
      if (moves.confidences[c] > 0)
        moves.steps[c] = whole.teach(c, row, of.intercept, c == label ? 1 : -1, moves.scores[c], of.confidence);
  }
};

template <class M>
concept Matrix = requires(M& m, const DenseRow<double>& row, const Lesson& of, const Moves& moves, double x) {
  { m.row_sums(row, x) } -> std::same_as<RowSums>;       // before learning
  { m.row_sums_only(row, x) } -> std::same_as<RowSums>;  // when there is nothing to learn
  { m.scores(row, x, &x) } -> std::same_as<double>;
  { m.learn(row, of, x, x) } -> std::same_as<double>;
  m.learn_many(row, of, std::int32_t{}, moves);
};

}  // namespace regretless::REGRETLESS_ISA
