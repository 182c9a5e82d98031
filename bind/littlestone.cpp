// Littlestone dimensions: searches that can be left and taken up again, and what they have found.
#include "littlestone.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <tuple>

#include "player.hpp"
#include "regretless/littlestone.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Columns = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Live = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

constexpr int deepest = 40;

// Those of the instruction set in use.
template <class Kernels>
const Kernels& kernels_of_isa();

#if defined(__x86_64__)
template <class Kernels>
const Kernels& one_of(const Kernels& v1, const Kernels& v3, const Kernels& v4) {
  const Isa isa = current_isa();
  return isa == Isa::v4 ? v4 : isa == Isa::v3 ? v3 : v1;
}
template <>
const LittlestoneKernels& kernels_of_isa() {
  return one_of(littlestone_kernels_v1, littlestone_kernels_v3, littlestone_kernels_v4);
}
template <>
const RandomizedKernels& kernels_of_isa() {
  return one_of(randomized_kernels_v1, randomized_kernels_v3, randomized_kernels_v4);
}
#else
template <>
const LittlestoneKernels& kernels_of_isa() {
  return littlestone_kernels_generic;
}
template <>
const RandomizedKernels& kernels_of_isa() {
  return randomized_kernels_generic;
}
#endif

void accept(LittlestoneOutcome outcome) {
  if (outcome == LittlestoneOutcome::no_memory) throw std::bad_alloc();
  demand(outcome != LittlestoneOutcome::no_version_space, "no version space: these are not all that agree with some labels");
  demand(outcome != LittlestoneOutcome::not_shattered, "no tree is as deep");
}

// A class whose bits are borrowed and sound.
class Borrowed {
 public:
  Borrowed(Columns columns, std::int64_t hypotheses) : columns_(columns) {
    class_ = {columns.data(), std::int64_t(columns.shape(0)), std::int64_t(columns.shape(1)), hypotheses};
    demand(hypotheses > 0 && hypotheses < std::int64_t(1) << 31 && class_.words == (hypotheses + 63) / 64, "one bit per hypothesis");
    demand(class_.points > 0 && class_.points < std::int64_t(1) << 30, "one point at least");
    std::uint64_t beyond = 0;
    for (std::int64_t x = 0; x < class_.points; ++x) beyond |= columns.data()[(x + 1) * class_.words - 1] & ~all(class_.words - 1);
    demand(!beyond, "a bit beyond the last hypothesis");
  }
  const BitClass& bits() const { return class_; }
  // Null: all live.
  const std::uint64_t* words_of(const std::optional<Live>& live) const {
    demand(!live || std::int64_t(live->size()) == class_.words, "one bit per hypothesis");
    return live ? live->data() : nullptr;
  }
  // Those that live and give a point a label; empty if there are none.
  std::vector<std::uint64_t> side(const std::uint64_t* live, std::int64_t point, int label) const {
    demand(point >= 0 && point < class_.points, "no such point");
    std::vector<std::uint64_t> found(static_cast<std::size_t>(class_.words));
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < class_.words; ++i) {
      const std::uint64_t ones = class_.columns[point * class_.words + i];
      any |= found[std::size_t(i)] = (live ? live[i] : all(i)) & (label ? ones : ~ones);
    }
    if (!any) found.clear();
    return found;
  }

 private:
  std::uint64_t all(std::int64_t word) const {
    return word + 1 == class_.words ? ~std::uint64_t(0) >> (-class_.hypotheses & 63) : ~std::uint64_t(0);
  }
  Columns columns_;
  BitClass class_{};
};

// What the kernels made, and with which of them.
template <class Kernels>
class Held {
 public:
  Held(const Kernels& kernels, const BitClass& bits, std::int64_t memory)
      : kernels_(kernels), slice_(std::max<std::int64_t>(1, (std::int64_t(1) << 24) / (bits.points * bits.words))) {
    demand(memory >= std::int64_t(1) << 20, "a mebibyte of memory at least");
    nb::gil_scoped_release unlocked;
    task_ = kernels.make(bits, memory);
    if (!task_) throw std::bad_alloc();
  }
  ~Held() { kernels_.end(task_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  template <class Standing>
  Standing run(const std::uint64_t* live, std::int64_t steps) const {
    Standing standing{};
    nb::gil_scoped_release unlocked;
    accept(kernels_.run(task_, live, steps, standing));
    return standing;
  }
  // To the end, unless the user breaks in.
  template <class Standing>
  Standing finish(const std::uint64_t* live) const {
    for (;;) {
      const Standing standing = run<Standing>(live, slice_);
      if (standing.lower == standing.upper) return standing;
      if (PyErr_CheckSignals()) throw nb::python_error();
    }
  }
  const Kernels& kernels() const { return kernels_; }
  void* task() const { return task_; }
  std::int64_t slice() const { return slice_; }  // steps between looks at Ctrl-C: a step may go through the whole class
  std::int64_t known() const { return kernels_.known(task_); }
  bool full() const { return kernels_.full(task_); }

 private:
  const Kernels& kernels_;
  std::int64_t slice_;
  void* task_ = nullptr;
};

class Littlestone {
 public:
  Littlestone(Columns columns, std::int64_t hypotheses, std::int64_t memory)
      : class_(columns, hypotheses), held_(kernels_of_isa<LittlestoneKernels>(), class_.bits(), memory) {}

  std::tuple<int, int, std::int64_t> run(const std::optional<Live>& live, std::int64_t steps) const {
    const Turn turn(busy_);
    demand(steps > 0, "one step at least");
    const auto standing = held_.run<LittlestoneStanding>(class_.words_of(live), steps);
    return {standing.lower, standing.upper, standing.steps};
  }

  std::pair<Places, Places> tree(const std::optional<Live>& live, int depth) const {
    const Turn turn(busy_);
    demand(depth >= 0 && depth <= deepest, "no tree is as deep");
    const std::uint64_t* const words = class_.words_of(live);
    for (LittlestoneStanding standing{}; standing.lower < depth;) {
      standing = held_.run<LittlestoneStanding>(words, held_.slice());
      demand(standing.upper >= depth, "no tree is as deep");
      if (PyErr_CheckSignals()) throw nb::python_error();
    }
    const std::size_t leaves = std::size_t(1) << depth;
    auto points = std::make_unique<std::int64_t[]>(leaves), hypotheses = std::make_unique<std::int64_t[]>(leaves);
    {
      nb::gil_scoped_release unlocked;
      accept(held_.kernels().tree(held_.task(), words, depth, points.get(), hypotheses.get()));
    }
    return {handed(std::move(points), leaves - 1), handed(std::move(hypotheses), leaves)};
  }

  std::pair<int, int> labels(const std::optional<Live>& live, std::int64_t point) const {
    const Turn turn(busy_);
    int found[2];
    for (int label = 0; label < 2; ++label) {
      const auto side = class_.side(class_.words_of(live), point, label);
      found[label] = side.empty() ? -1 : held_.finish<LittlestoneStanding>(side.data()).lower;
    }
    return {found[0], found[1]};
  }

  std::int64_t known() const { return held_.known(); }
  bool full() const { return held_.full(); }

 private:
  static Places handed(std::unique_ptr<std::int64_t[]> held, std::size_t size) {
    std::int64_t* const numbers = held.release();
    return Places(numbers, {size}, nb::capsule(numbers, [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); }));
  }

  Borrowed class_;
  Held<LittlestoneKernels> held_;
  mutable std::atomic_flag busy_;
};

class RandomizedLittlestone {
 public:
  RandomizedLittlestone(Columns columns, std::int64_t hypotheses, std::int64_t memory)
      : class_(columns, hypotheses), held_(kernels_of_isa<RandomizedKernels>(), class_.bits(), memory) {}

  std::tuple<std::uint64_t, std::uint64_t, bool, std::int64_t> run(const std::optional<Live>& live, std::int64_t steps) const {
    const Turn turn(busy_);
    demand(steps > 0, "one step at least");
    const auto standing = held_.run<RandomizedStanding>(class_.words_of(live), steps);
    return {standing.lower, standing.upper, standing.rounded, standing.steps};
  }

  std::int64_t known() const { return held_.known(); }
  bool full() const { return held_.full(); }

 private:
  Borrowed class_;
  Held<RandomizedKernels> held_;
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_littlestone(nb::module_& m) {
  nb::class_<Littlestone>(m, "Littlestone",
                          "A search for the Littlestone dimensions of version spaces of a class of distinct hypotheses, whose bits "
                          "are borrowed; of what it found it remembers as much as the memory, in bytes, allows.")
      .def(nb::init<Columns, std::int64_t, std::int64_t>(), "columns"_a.noconvert(), "hypotheses"_a,
           "memory"_a = std::int64_t(1) << 30)
      .def("run", &Littlestone::run, "alive"_a.noconvert().none(), "steps"_a,
           "At most so many steps more: the dimension is no less and no more, and how many steps were taken.")
      .def("tree", &Littlestone::tree, "alive"_a.noconvert().none(), "depth"_a,
           "A mistake tree of this depth in the order of a heap: its points, and a hypothesis for each leaf.")
      .def("labels", &Littlestone::labels, "alive"_a.noconvert().none(), "point"_a,
           "The dimensions of those that say 0 of a point and of those that say 1; -1 of none.")
      .def_prop_ro("known", &Littlestone::known, "How many version spaces it remembers something of.")
      .def_prop_ro("full", &Littlestone::full, "Whether it had to forget some.");
  nb::class_<RandomizedLittlestone>(m, "RandomizedLittlestone",
                                    "The same for randomised Littlestone dimensions, which are fractions of 2**58.")
      .def(nb::init<Columns, std::int64_t, std::int64_t>(), "columns"_a.noconvert(), "hypotheses"_a,
           "memory"_a = std::int64_t(1) << 30)
      .def("run", &RandomizedLittlestone::run, "alive"_a.noconvert().none(), "steps"_a,
           "At most so many steps more: no less, no more, whether the upper one may have been rounded up, and the steps taken.")
      .def_prop_ro("known", &RandomizedLittlestone::known, "How many version spaces it remembers something of.")
      .def_prop_ro("full", &RandomizedLittlestone::full, "Whether it had to forget some.");
}

}  // namespace regretless
