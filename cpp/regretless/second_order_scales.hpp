// What a diagonal matrix starts with at each feature: the same for all, or as its largest value so far says.
#pragma once
#include "second_order_rows.hpp"

namespace regretless::REGRETLESS_ISA {

// A feature as a row meets it: its weight, and its entry of A before the row is added.
template <int N>
struct Coordinate {
  Pack<double, N> weight, entry;
};

// The same for all features, in the units of the rows.
struct InUnits {
  static constexpr std::int64_t numbers = numbers_by_weights;  // of several targets
  double prior;
  template <int N, class Sizes>
  REGRETLESS_INLINE Coordinate<N> coordinate(const Pack<double, N>& weight, const Pack<double, N>& squares,
                                             const Sizes&, const Pack<double, N>&) const {
    return {weight, squares + spread<N>(prior)};
  }
};

// In units of the largest square of the feature, of which records hold what it was over the updates. A row that has a
// larger one raises what the matrix starts with before it is predicted, and the weight, of which that is a share,
// sinks.
struct InSizes {
  static constexpr std::int64_t numbers = numbers_by_sizes;
  static constexpr double least_prior = 1e-290;  // or what is divided by it might be no float
  double prior;
  template <int N>
  REGRETLESS_INLINE Pack<double, N> start(const Pack<double, N>& size) const {
    return greatest(spread<N>(prior) * size, spread<N>(least_prior));
  }
  template <int N, class Sizes>
  REGRETLESS_INLINE Coordinate<N> coordinate(const Pack<double, N>& weight, const Pack<double, N>& squares,
                                             const Sizes& sizes, const Pack<double, N>& square) const {
    const Pack<double, N> size = sizes(), raised = squares + start(greatest(size, square));
    return {weight * ((squares + start(size)) / raised) + spread<N>(0), raised};  // and no weight is -0
  }
  // The same of features none of which is larger than before: a quotient of equal numbers is 1.
  template <int N>
  REGRETLESS_INLINE Coordinate<N> unraised(const Pack<double, N>& weight, const Pack<double, N>& squares,
                                           const Pack<double, N>& size) const {
    return {weight, squares + start(size)};
  }
};

}  // namespace regretless::REGRETLESS_ISA
