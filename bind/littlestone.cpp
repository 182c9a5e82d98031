// Littlestone dimensions: searches that can be left and taken up again, and what they have found.
#include "littlestone.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <tuple>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "borrowed_class.hpp"
#include "regretless/littlestone.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Live = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = Array1<std::int64_t>;

// Those of the instruction set in use.
template <class Kernels>
const Kernels& kernels_of_isa();

template <>
const LittlestoneKernels& kernels_of_isa() {
  return REGRETLESS_COMPILED(littlestone_kernels);
}
template <>
const RandomizedKernels& kernels_of_isa() {
  return REGRETLESS_COMPILED(randomized_kernels);
}

void accept(LittlestoneStatus outcome) {
  if (outcome == LittlestoneStatus::no_memory) throw std::bad_alloc();
  demand(outcome != LittlestoneStatus::no_version_space,
         "no version space: these are not all that agree with some labels");
  demand(outcome != LittlestoneStatus::not_shattered, "no tree is as deep");
}

// A class whose bits are borrowed and sound.
class Borrowed {
 public:
  Borrowed(const ClassColumns& columns, std::int64_t hypotheses)
      : columns_(columns), class_(borrowed_class(columns, hypotheses)) {
    demand(class_.points > 0, "one point at least");
  }
  const BitClass& bits() const { return class_; }
  // Null: all live.
  const std::uint64_t* words_of(const std::optional<Live>& live) const {
    demand(!live || std::int64_t(live->size()) == class_.words, "one bit per hypothesis");
    if (live) check_aligned(Any(*live));
    return live ? live->data() : nullptr;
  }
  // Those that live and give a point a label; empty if there are none.
  std::vector<std::uint64_t> side(const std::uint64_t* live, std::int64_t point, int label) const {
    demand(point >= 0 && point < class_.points, "no such point");
    std::vector<std::uint64_t> members(static_cast<std::size_t>(class_.words));
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < class_.words; ++i) {
      const std::uint64_t ones = class_.columns[point * class_.words + i];
      any |= members[std::size_t(i)] = (live ? live[i] : bits_there(class_, i)) & (label ? ones : ~ones);
    }
    if (!any) members.clear();
    return members;
  }

 private:
  ClassColumns columns_;
  BitClass class_;
};

// What the kernels made, and with which of them. What can be asked at any time is noted whenever they pause.
template <class Kernels>
class Held {
 public:
  Held(const Kernels& kernels, const BitClass& bits, std::int64_t memory) : kernels_(kernels) {
    demand(memory >= std::int64_t(1) << 20, "a mebibyte of memory at least");
    nb::gil_scoped_release unlocked;
    task_ = kernels.make(bits, memory);
    if (!task_) throw std::bad_alloc();
    words_ = kernels.words(task_);
  }
  ~Held() { kernels_.end(task_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  // Of a kernel that is given the task and more.
  template <class Kernel, class... More>
  LittlestoneStatus call(Kernel kernel, More&&... more) {
    nb::gil_scoped_release unlocked;
    const LittlestoneStatus outcome = kernel(task_, more...);
    words_ = kernels_.words(task_);
    known_ = kernels_.known(task_);
    full_ = kernels_.full(task_);
    return outcome;
  }
  const Kernels& kernels() const { return kernels_; }
  std::int64_t words() const { return words_; }
  std::int64_t known() const { return known_; }
  bool full() const { return full_; }

 private:
  const Kernels& kernels_;
  void* task_ = nullptr;
  std::atomic<std::int64_t> words_{0}, known_{0};
  std::atomic<bool> full_{false};
};

class Littlestone {
 public:
  Littlestone(const ClassColumns& columns, std::int64_t hypotheses, std::int64_t memory)
      : class_(columns, hypotheses), held_(kernels_of_isa<LittlestoneKernels>(), class_.bits(), memory) {}

  std::tuple<int, int, std::int64_t> run(const std::optional<Live>& live, std::int64_t words, int least) {
    const Queue::Turn turn(queue_);
    demand(words > 0, "one word at least");
    const LittlestoneStanding standing = look(class_.words_of(live), words, least);
    return {standing.lower, standing.upper, standing.steps};
  }

  std::optional<std::pair<Places, Places>> tree(const std::optional<Live>& live, int depth,
                                                std::optional<std::int64_t> words) {
    const Queue::Turn turn(queue_);
    demand(!words || *words > 0, "one word at least");
    demand(depth >= 0 && class_.bits().hypotheses >> std::min(depth, 62), "no tree is as deep");
    const std::size_t leaves = std::size_t(1) << depth;
    if (!points_ || depth_ != depth) {
      hypotheses_ = std::make_unique_for_overwrite<std::int64_t[]>(leaves);
      points_ = std::make_unique_for_overwrite<std::int64_t[]>(leaves);
      depth_ = depth;
    }
    for (;;) {
      const LittlestoneStatus outcome = held_.call(held_.kernels().tree, class_.words_of(live), depth,
                                                   words.value_or(slice), points_.get(), hypotheses_.get());
      if (outcome != LittlestoneStatus::open) accept(outcome);
      if (outcome == LittlestoneStatus::done) break;
      if (words) return std::nullopt;
      if (PyErr_CheckSignals()) throw nb::python_error();
    }
    return std::pair{handed_over(points_, leaves - 1), handed_over(hypotheses_, leaves)};
  }

  std::pair<int, int> labels(const std::optional<Live>& live, std::int64_t point) {
    const Queue::Turn turn(queue_);
    int places[2];
    for (int label = 0; label < 2; ++label) {
      const auto side = class_.side(class_.words_of(live), point, label);
      places[label] = side.empty() ? -1 : finish(side.data());
    }
    return {places[0], places[1]};
  }

  std::int64_t words() const { return held_.words(); }
  std::int64_t known() const { return held_.known(); }
  bool full() const { return held_.full(); }

 private:
  static constexpr std::int64_t slice = std::int64_t(1) << 24;  // words between looks at Ctrl-C

  LittlestoneStanding look(const std::uint64_t* live, std::int64_t words, int least) {
    LittlestoneStanding standing{};
    accept(held_.call(held_.kernels().run, live, words, least, standing));
    return standing;
  }
  // To the end, unless the user breaks in.
  int finish(const std::uint64_t* live) {
    for (;;) {
      const LittlestoneStanding standing = look(live, slice, 0);
      if (standing.lower == standing.upper) return standing.lower;
      if (PyErr_CheckSignals()) throw nb::python_error();
    }
  }

  Borrowed class_;
  Held<LittlestoneKernels> held_;
  std::unique_ptr<std::int64_t[]> points_, hypotheses_;  // a tree that is being taken out
  int depth_ = -1;
  Queue queue_;
};

class RandomizedLittlestone {
 public:
  RandomizedLittlestone(const ClassColumns& columns, std::int64_t hypotheses, std::int64_t memory)
      : class_(columns, hypotheses), held_(kernels_of_isa<RandomizedKernels>(), class_.bits(), memory) {}

  std::tuple<std::uint64_t, std::uint64_t, bool, std::int64_t, std::int64_t> run(const std::optional<Live>& live,
                                                                                 std::int64_t words) {
    const Queue::Turn turn(queue_);
    demand(words > 0, "one word at least");
    const std::int64_t before = held_.words();
    RandomizedStanding standing{};
    accept(held_.call(held_.kernels().run, class_.words_of(live), words, standing));
    return {standing.lower, standing.upper, standing.rounded, standing.steps, held_.words() - before};
  }

  std::int64_t words() const { return held_.words(); }
  std::int64_t known() const { return held_.known(); }
  bool full() const { return held_.full(); }

 private:
  Borrowed class_;
  Held<RandomizedKernels> held_;
  Queue queue_;
};

}  // namespace

void bind_littlestone(nb::module_& m) {
  nb::class_<Littlestone>(
      m, "Littlestone",
      "A search for the Littlestone dimensions of version spaces of a class of distinct hypotheses, whose bits "
      "are borrowed; of what it found it remembers as much as the memory, in bytes, allows. Threads wait for "
      "one another.")
      .def(nb::init<const ClassColumns&, std::int64_t, std::int64_t>(), "columns"_a.noconvert(), "hypotheses"_a,
           "memory"_a = std::int64_t(1) << 30)
      .def("run", &Littlestone::run, "alive"_a.noconvert().none(), "words"_a, "least"_a = 0,
           "Until so many words of bits more have been looked at, and the last step is done: the dimension is no less "
           "and no "
           "more, and how many steps were taken. A tree of `least` levels is known from elsewhere.")
      .def("tree", &Littlestone::tree, "alive"_a.noconvert().none(), "depth"_a, "words"_a.none() = nb::none(),
           "A mistake tree of this depth in the order of a heap: its points, and a hypothesis for each leaf. None if "
           "so many "
           "words do not do, by which it is nearer.")
      .def("labels", &Littlestone::labels, "alive"_a.noconvert().none(), "point"_a,
           "The dimensions of those that say 0 of a point and of those that say 1; -1 of none.")
      .def_prop_ro("words", &Littlestone::words, "How many words of bits it has looked at.")
      .def_prop_ro("known", &Littlestone::known, "How many version spaces it remembers something of.")
      .def_prop_ro("full", &Littlestone::full, "Whether it had to forget some.");
  nb::class_<RandomizedLittlestone>(m, "RandomizedLittlestone",
                                    "The same for randomised Littlestone dimensions, which are fractions of 2**58.")
      .def(nb::init<const ClassColumns&, std::int64_t, std::int64_t>(), "columns"_a.noconvert(), "hypotheses"_a,
           "memory"_a = std::int64_t(1) << 30)
      .def("run", &RandomizedLittlestone::run, "alive"_a.noconvert().none(), "words"_a,
           "Until so many words more have been looked at: no less, no more, whether the upper one may have been "
           "rounded up, "
           "the steps taken and the words looked at.")
      .def_prop_ro("words", &RandomizedLittlestone::words, "How many words of bits it has looked at.")
      .def_prop_ro("known", &RandomizedLittlestone::known, "How many version spaces it remembers something of.")
      .def_prop_ro("full", &RandomizedLittlestone::full, "Whether it had to forget some.");
}

}  // namespace regretless
