// Worst cases of learners of finite classes.
#include "worst_case.hpp"

#include <nanobind/stl/tuple.h>

#include <atomic>
#include <bit>
#include <new>
#include <tuple>

#include "compiled.hpp"
#include "borrowed_class.hpp"
#include "player.hpp"
#include "regretless/worst_case_types.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const ForcingKernels& forcing_kernels() { return REGRETLESS_COMPILED(forcing); }

class WorstCaseSearch {
 public:
  WorstCaseSearch(const ClassColumns& columns, std::int64_t hypotheses, bool first, int tie, bool lazy,
                  std::int64_t memory)
      : columns_(columns), kernels_(forcing_kernels()) {
    const BitClass bits = borrowed_class(columns, hypotheses);
    demand(bits.points > 0, "one point at least");
    demand(tie == 0 || tie == 1, "a tie predicts 0 or 1");
    demand(memory >= std::int64_t(1) << 20, "a mebibyte of memory at least");
    asked_.columns = bits.columns;
    asked_.points = bits.points;
    asked_.words = bits.words;
    asked_.hypotheses = hypotheses, asked_.first = first, asked_.tie = tie != 0, asked_.lazy = lazy,
    asked_.memory = memory;
    forcer_ = kernels_.open(asked_);
    if (!forcer_) throw std::bad_alloc();
  }
  ~WorstCaseSearch() { kernels_.close(forcer_); }
  WorstCaseSearch(const WorstCaseSearch&) = delete;
  WorstCaseSearch& operator=(const WorstCaseSearch&) = delete;

  std::tuple<std::int64_t, std::int64_t, std::int64_t, bool> run(std::int64_t words) {
    const Turn turn(busy_);
    demand(words > 0, "one word at least");
    const nb::gil_scoped_release unlock;
    const Forcing news = kernels_.run(forcer_, words);
    return {news.lower, news.upper, news.steps, news.full};
  }

  std::tuple<std::vector<std::int64_t>, std::vector<std::uint8_t>, std::int64_t> trace() {
    const Turn turn(busy_);
    std::vector<std::int64_t> points(std::size_t(asked_.points));
    std::vector<std::uint8_t> labels(std::size_t(asked_.points));
    std::vector<std::uint64_t> left(std::size_t(asked_.words));
    const std::int64_t rounds = kernels_.trace(forcer_, points.data(), labels.data(), left.data());
    points.resize(std::size_t(rounds));
    labels.resize(std::size_t(rounds));
    std::int64_t word = 0;
    while (!left[std::size_t(word)]) ++word;
    return {points, labels, 64 * word + std::countr_zero(left[std::size_t(word)])};
  }

 private:
  ClassColumns columns_;
  const ForcingKernels& kernels_;
  Forced asked_;
  void* forcer_;
  std::atomic_flag busy_;
};

}  // namespace

void bind_worst_case(nb::module_& m) {
  nb::class_<WorstCaseSearch>(
      m, "WorstCaseSearch",
      "The most mistakes that labels of a hypothesis force on who follows the first hypothesis that is "
      "left, or the majority.")
      .def(nb::init<const ClassColumns&, std::int64_t, bool, int, bool, std::int64_t>(), "columns"_a.noconvert(),
           "hypotheses"_a, nb::kw_only(), "first"_a = false, "tie"_a = 1, "lazy"_a = false,
           "memory"_a = std::int64_t(1) << 30)
      .def("run", &WorstCaseSearch::run, "words"_a,
           "Go on until so many words were looked at: (lower, upper, steps until now, whether memory ran out).")
      .def("trace", &WorstCaseSearch::trace,
           "Points and labels that force the lower number of mistakes, and a hypothesis that agrees with them.");
}

}  // namespace regretless
