// Members with a sketch of the matrix, a diagonal and a few directions: they play as those with all of it do, and when
// the sketch sheds rows, the quadratic form that bounds the losses from below changes by what the state counts.
#pragma once
#include <cstring>

#include "aggregated_full.hpp"
#include "aggregated_types.hpp"
#include "sketch.hpp"

namespace regretless::REGRETLESS_ISA {

// A round of one: x' D^-1 x, and room for what `look` finds.
struct SketchRound {
  double diagonal = 0;
  double *part = nullptr, *solved = nullptr;
};

// What one call needs for them.
struct SketchWorkspace {
  Buffer<SketchRound> rounds;
  Buffer<double> numbers, twin;
  double *vectors = nullptr, *strip = nullptr;

  void begin(const Aggregated& s) {
    const std::int64_t members = s.targets * full_lanes, room = s.sketch_rows, n = 1 + s.columns;
    rounds.make(members);
    numbers.make(2 * members * room + 2 * room * room + 2 * n);
    double* at = numbers.at;
    for (std::int64_t i = 0; i < members; ++i, at += 2 * room) rounds.at[i] = {0, at, at + room};
    vectors = at;
    strip = at + 2 * room * room;
  }
};

// Member `place` of all, and the row that it sees.
REGRETLESS_INLINE SketchedTarget sketched_member(const Aggregated& s, double prior, std::int64_t place, double* x,
                                                 const SketchWorkspace& work) {
  const std::int64_t n = 1 + s.columns, room = s.sketch_rows, first = place * n, small = place * room * room;
  const SketchRound& round = work.rounds.at[place];
  SketchedTarget of{n,
                    room,
                    nullptr,
                    s.weights + first,
                    s.shed + first,
                    s.largest + first,
                    s.inverse + first,
                    s.directions + first * room,
                    s.gram + small,
                    s.lower + small,
                    prior,
                    true,
                    x,
                    round.part,
                    round.solved,
                    work.vectors,
                    work.strip,
                    0,
                    s.drawn + first,
                    s.drawn_squares + first};
  of.used = of.count();
  return of;
}

// What raising changes moves into memory of the call, where the state must stay as it is.
REGRETLESS_APART static void move_sketch(SketchedTarget& of, Buffer<double>& room) {
  const std::int64_t small = of.room * of.room, size = 3 * of.n + 2 * small;
  if (size > room.room) room.make(size);
  double* at = room.at;
  const auto moved = [&](double*& from, std::int64_t count) REGRETLESS_LAMBDA {
    std::memcpy(at, from, std::size_t(count) * sizeof(double));
    from = at;
    at += count;
  };
  moved(of.weights, of.n);
  moved(of.sizes, of.n);
  moved(of.inverse, of.n);
  moved(of.gram, small);
  moved(of.lower, small);
}

// Learns from a slope; returned is B, as of a full member.
REGRETLESS_APART static double learn_sketch(SketchedTarget& of, const SketchRound& round, double curvature, double h,
                                            double plain, double score, double slope, double weight) {
  if (h == 0 || weight == 0) return 0;
  const double steep = std::fabs(slope) / weight;
  double c = curvature * weight * steep * (1 - steep);
  if (!(c > 1e-290 && c * round.diagonal < SketchedTarget::most_part)) c = 0;  // less curvature bounds from below too
  const double r = (c * (score - plain) - slope) / (1 + h * c), moved = plain - score + h * r;
  of.move(of.x, r);
  if (c > 0) of.append(c, round.diagonal);
  return -(0.5 * h * r * r + slope * moved + 0.5 * c * moved * moved);
}

}  // namespace regretless::REGRETLESS_ISA
