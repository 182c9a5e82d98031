// AROW's state with a sketch of its matrix.
#pragma once
#include "second_order_kinds.hpp"
#include "second_order_types.hpp"
#include "sketch.hpp"

namespace regretless::REGRETLESS_ISA {

// The kind of state: weights, whose product with the row is the score.
struct Sketched {
  const SecondOrder& s;
  explicit Sketched(const SecondOrder& state) : s(state) {}
  const double* weights(std::int64_t c) const { return s.weights + c * (1 + s.columns); }

  SketchedTarget target(std::int64_t c) const {
    const std::int64_t n = 1 + s.columns, room = s.sketch_rows, small = c * room * room;
    double* const scratch = s.scratch + 5 * s.targets;
    double* const after = scratch + 3 * n;
    SketchedTarget of{n,
                      room,
                      s.sums + c * n,
                      s.weights + c * n,
                      s.shed + c * n,
                      s.sizes + c * n,
                      s.inverse + c * n,
                      s.rows + c * room * n,
                      s.gram + small,
                      s.lower + small,
                      s.memory[c].prior,
                      s.sized,
                      scratch,
                      after,
                      after + room,
                      after + 2 * room,
                      scratch + n,
                      0};
    of.used = of.count();
    return of;
  }
  template <class Row>
  void teach(std::int64_t c, const Row& row, const Lesson& of, double y, double score) const {
    SketchedTarget one = target(c);
    for (std::int64_t i = 0; i < one.n; ++i) one.x[i] = 0;
    one.x[0] = of.intercept;
    for (std::int64_t k = 0; k < row.n; ++k) one.x[1 + row.column(k)] = row.x[k];
    one.take_in(y, score, of.confidence);
  }

  template <class Row>
  REGRETLESS_INLINE RowSums row_sums(const Row& row, double b) const {
    return sums_by(row, b, s.weights);
  }
  template <class Row>
  REGRETLESS_INLINE RowSums row_sums_only(const Row& row, double b) const {
    return row_sums(row, b);
  }
  template <class Row>
  double learn(const Row& row, const Lesson& of, double y, double score) const {
    teach(0, row, of, y, score);
    return 0;
  }
  template <class Row>
  double scores(const Row& row, double b, double* out) const {
    return scores_by(row, b, s.targets, [&](std::int64_t c) { return weights(c); }, out);
  }
  template <class Row>
  void learn_many(const Row& row, const Lesson& of, std::int32_t label, const Moves& moves) const {
    for (std::int64_t c = 0; c < s.targets; ++c) {
      if (moves.confidences[c] > 0) teach(c, row, of, c == label ? 1 : -1, moves.scores[c]);
      moves.steps[c] = 0;
    }
  }
};

}  // namespace regretless::REGRETLESS_ISA
