// A search for a shattered set of so many points, in slices.
#include "shatter.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "compiled.hpp"
#include "borrowed_class.hpp"
#include "player.hpp"
#include "regretless/shatter_search.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const ShatterKernels& shatter_kernels() { return REGRETLESS_COMPILED(shatter_kernels); }

void free_levels(ShatterSearch* s) {
  for (ShatterLevel& l : s->levels)
    for (void* room : {static_cast<void*>(l.begins), static_cast<void*>(l.sizes), static_cast<void*>(l.present),
                       static_cast<void*>(l.columns), static_cast<void*>(l.candidates), static_cast<void*>(l.least),
                       static_cast<void*>(l.ranks)})
      std::free(room);
  std::free(s->sides);
  std::free(s->places);
  std::free(s->seen);
  delete s;
}

class Shatter {
 public:
  Shatter(const ClassColumns& columns, std::int64_t hypotheses, int target)
      : columns_(columns), s_(new ShatterSearch{}, free_levels) {
    const BitClass bits = borrowed_class(columns, hypotheses);
    demand(target >= 0 && target <= largest_set, "from no point to 62");
    s_->points = bits.points;
    s_->hypotheses = hypotheses;
    s_->target = target;
    s_->class_columns = bits.columns;
  }

  std::optional<bool> run(std::int64_t work) {
    const Turn turn(busy_);
    demand(work > 0, "one word at least");
    demand(!s_->diving, "a search goes on as it was begun");
    if (state_ == Shattered::open) {
      const nb::gil_scoped_release unlock;
      state_ = shatter_kernels().run(*s_, work);
    }
    return answer();
  }

  bool dive(std::int64_t work) {
    const Turn turn(busy_);
    demand(work > 0, "one word at least");
    demand(s_->diving || !s_->begun, "a search goes on as it was begun");
    if (state_ == Shattered::open) {
      const nb::gil_scoped_release unlock;
      state_ = shatter_kernels().dive(*s_, work);
    }
    return answer().has_value();
  }

  std::vector<std::int64_t> points() const {
    const Turn turn(busy_);
    return chosen();
  }
  std::int64_t steps() const {
    const Turn turn(busy_);
    return s_->steps;
  }

 private:
  std::vector<std::int64_t> chosen() const {
    if (state_ != Shattered::exists && !s_->diving) return {};
    return std::vector<std::int64_t>(s_->chosen, s_->chosen + s_->target);
  }
  std::optional<bool> answer() const {
    if (state_ == Shattered::no_memory) throw std::bad_alloc();
    if (state_ == Shattered::open) return std::nullopt;
    return state_ == Shattered::exists;
  }

  ClassColumns columns_;
  std::unique_ptr<ShatterSearch, void (*)(ShatterSearch*)> s_;
  Shattered state_ = Shattered::open;
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_shatter(nb::module_& m) {
  nb::class_<Shatter>(
      m, "Shatter",
      "A search for so many points that a class shatters. Columns are points: bit h % 64 of word h // 64 is what "
      "hypothesis h says. MemoryError ends it.")
      .def(nb::init<const ClassColumns&, std::int64_t, int>(), "columns"_a.noconvert(), "hypotheses"_a, "target"_a)
      .def("run", &Shatter::run, "work"_a,
           "Goes on until about as many words were looked at: whether there is such a set, None if that is not known "
           "yet.")
      .def("dive", &Shatter::dive, "work"_a,
           "A shattered set by greedy choices, whatever its size, instead of run: whether it is at its end. Until "
           "then, what "
           "is found grows.")
      .def_prop_ro("points", &Shatter::points, "The points of the set that was found, in the order of their choice.")
      .def_prop_ro("steps", &Shatter::steps, "How many sets were looked at.");
}

}  // namespace regretless
