// Borrowed numpy arrays become the plain blocks that the kernels know; nothing is copied and nothing is owned but the
// references that keep the arrays alive.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "regretless/linear_types.hpp"
#include "compiled.hpp"

namespace nb = nanobind;

namespace regretless {

inline constexpr const char* watch_words =
    "Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.";

using Any = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using State1 = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using State2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using State3 = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Signs = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Reals2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Order = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline const Kernels& kernels() { return REGRETLESS_COMPILED(kernels); }

inline const char* words(LinearRefusal refusal) {
  switch (refusal) {
    case LinearRefusal::not_finite: return "not finite";
    case LinearRefusal::unsorted: return "unsorted";
    case LinearRefusal::out_of_range: return "out of range";
    case LinearRefusal::broken_starts: return "broken starts";
    case LinearRefusal::diverged: return "diverged";
    case LinearRefusal::none: break;
  }
  return nullptr;
}

// (rounds played, what stopped them or None)
using Report = std::pair<std::int64_t, std::optional<std::string>>;
inline Report report(LinearVerdict outcome) {
  const char* why = words(outcome.refusal);
  return {outcome.played, why ? std::optional<std::string>(why) : std::nullopt};
}

inline void check_aligned(const Any& a) {
  if (reinterpret_cast<std::uintptr_t>(a.data()) % (a.dtype().bits / 8) != 0)
    throw std::invalid_argument("arrays must be aligned");
}

inline bool is_single(const Any& a) {
  if (a.dtype() == nb::dtype<float>()) return true;
  if (a.dtype() != nb::dtype<double>()) throw std::invalid_argument("values must be float32 or float64");
  return false;
}
inline bool is_wide(const Any& a, const char* name) {
  const bool wide = a.dtype() == nb::dtype<std::int64_t>();
  if (a.ndim() != 1 || (!wide && a.dtype() != nb::dtype<std::int32_t>()))
    throw std::invalid_argument(std::string(name) + " must be a row of int32 or int64");
  check_aligned(a);
  return wide;
}

inline Block block_of(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts) {
  Block b;
  b.values = values.data();
  b.single = is_single(values);
  check_aligned(values);
  b.entries = std::int64_t(values.size());
  if (!starts) {
    if (values.ndim() != 2) throw std::invalid_argument("dense values must have two dimensions");
    b.rows = std::int64_t(values.shape(0));
    b.columns = std::int64_t(values.shape(1));
    return b;
  }
  if (!indices || indices->size() != values.size()) throw std::invalid_argument("one index per value");
  if (starts->size() == 0) throw std::invalid_argument("starts must hold one number more than there are rows");
  b.indices = indices->data();
  b.wide_indices = is_wide(*indices, "indices");
  b.starts = starts->data();
  b.wide_starts = is_wide(*starts, "starts");
  b.rows = std::int64_t(starts->size()) - 1;
  return b;
}

inline Labels labels_of(const Block& block, const Signs& labels, const std::optional<Reals>& weights) {
  if (std::int64_t(labels.size()) != block.rows) throw std::invalid_argument("one label per row");
  if (weights && std::int64_t(weights->size()) != block.rows) throw std::invalid_argument("one weight per row");
  return {labels.data(), weights ? weights->data() : nullptr};
}

void bind_player(nb::module_& m);
void bind_svmlight(nb::module_& m);

}  // namespace regretless
