// Learners of finite classes: the sets of hypotheses that they go by, a round at a time or many in a row.
#include "vote.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "compiled.hpp"
#include "borrowed_class.hpp"
#include "player.hpp"
#include "regretless/vote_types.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Set = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Said = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Says = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t few_words = 4096;  // a call on fewer keeps the interpreter's lock

const VoteKernels& vote_kernels() { return REGRETLESS_COMPILED(vote_kernels); }

class Voter {
 public:
  Voter(const ClassColumns& columns, std::int64_t hypotheses, const Set& voters, const Counts& book,
        const std::optional<Set>& alive, const std::optional<Order>& order, int tie, bool lazy)
      : columns_(columns), voters_(voters), book_(book), alive_(alive), order_(order),
        class_(borrowed_class(columns, hypotheses)) {
    v_.columns = class_.columns;
    v_.points = class_.points;
    v_.words = class_.words;
    v_.hypotheses = hypotheses;
    demand(std::int64_t(book.size()) == vote_fields, "the book has another length");
    check_aligned(Any(book));
    demand(tie == 0 || tie == 1, "a tie predicts 0 or 1");
    v_.book = book.data();
    v_.tie = std::uint8_t(tie);
    v_.lazy = lazy;
    take(v_.voters, voters, voter_places_);
    if (alive) take(v_.alive, *alive, alive_places_);
    vote_kernels().begin(v_);  // without an order: that is checked first
    demand(v_.voters.size > 0, "no hypothesis is kept");
    if (order) {
      check_order();
      v_.order = order->data();
      vote_kernels().begin(v_);
    }
  }

  std::int64_t ones(std::int64_t point) const {
    const Turn turn(busy_);
    check(point);
    return vote_kernels().ones(v_, point);
  }

  std::int64_t size() const {
    const Turn turn(busy_);
    return v_.voters.size;
  }

  int predict(std::int64_t point) const {
    const Turn turn(busy_);
    check(point);
    return vote_kernels().predict(v_, point);
  }

  void settle(std::int64_t point, int label, int predicted) {
    const Turn turn(busy_);
    check(point);
    demand((label == 0 || label == 1) && (predicted == 0 || predicted == 1), "labels are 0 and 1");
    vote_kernels().settle(v_, point, std::uint8_t(label), std::uint8_t(predicted));
  }

  void play(const Order& points, const Said& labels, const Says& predictions, const Counts& alive) {
    const Turn turn(busy_);
    const std::int64_t rounds = std::int64_t(points.size());
    demand(std::int64_t(labels.size()) == rounds && std::int64_t(predictions.size()) == rounds &&
               std::int64_t(alive.size()) == rounds,
           "one label per point, and room for what is said of each");
    for (std::int64_t t = 0; t < rounds; ++t) check(points.data()[t]);
    demand(std::all_of(labels.data(), labels.data() + rounds, [](std::uint8_t label) { return label <= 1; }),
           "labels are 0 and 1");
    std::optional<nb::gil_scoped_release> unlock;
    if (rounds * v_.words > few_words) unlock.emplace();
    vote_kernels().play(v_, {points.data(), labels.data(), predictions.data(), alive.data()}, 0, rounds);
  }

 private:
  void take(ShrinkingSet& set, const Set& words, std::unique_ptr<std::int32_t[]>& places) {
    check_set(class_, words.data(), std::int64_t(words.size()));
    places = std::make_unique_for_overwrite<std::int32_t[]>(std::size_t(v_.words));
    set.words = words.data();
    set.places = places.get();
  }

  void check(std::int64_t point) const { demand(point >= 0 && point < v_.points, "there is no such point"); }

  // Every hypothesis that is kept has a place, so that the search for a leader ends.
  void check_order() const {
    check_aligned(Any(*order_));
    std::int64_t met = 0;
    const auto seen = std::make_unique<bool[]>(std::size_t(v_.hypotheses));
    for (std::size_t i = 0; i < order_->size(); ++i) {
      const std::int64_t one = order_->data()[i];
      demand(one >= 0 && one < v_.hypotheses && !seen[std::size_t(one)], "the order names a hypothesis twice, or none");
      seen[std::size_t(one)] = true;
      met += std::int64_t(v_.voters.words[one / 64] >> (one % 64) & 1);
    }
    demand(met == v_.voters.size, "the order leaves out a hypothesis");
  }

  ClassColumns columns_;
  Set voters_;
  Counts book_;
  std::optional<Set> alive_;
  std::optional<Order> order_;
  BitClass class_;
  Voting v_{};
  std::unique_ptr<std::int32_t[]> voter_places_, alive_places_;
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_vote(nb::module_& m) {
  m.attr("VOTE_FIELDS") = nb::make_tuple("rounds", "mistakes", "alive", "voters", "died");
  nb::class_<Voter>(
      m, "Voter",
      "The hypotheses that are kept: they vote, or the first one in the order is followed. Those alive are "
      "another set where only mistakes cost hypotheses their vote.")
      .def(nb::init<const ClassColumns&, std::int64_t, const Set&, const Counts&, const std::optional<Set>&,
                    const std::optional<Order>&, int, bool>(),
           "columns"_a.noconvert(), "hypotheses"_a, "voters"_a.noconvert(), "book"_a.noconvert(),
           "alive"_a.noconvert().none() = nb::none(), "order"_a.noconvert().none() = nb::none(), "tie"_a = 1,
           "lazy"_a = false)
      .def_prop_ro("size", &Voter::size, "How many are kept.")
      .def("ones", &Voter::ones, "point"_a, "How many of them say 1.")
      .def("predict", &Voter::predict, "point"_a, "Nothing is moved by it.")
      .def("settle", &Voter::settle, "point"_a, "label"_a, "predicted"_a, "A round whose label is known.")
      .def("play", &Voter::play, "points"_a.noconvert(), "labels"_a.noconvert(), "predictions"_a.noconvert(),
           "alive"_a.noconvert(), "Many rounds: what is predicted, and how many agree with all labels after each.");
}

}  // namespace regretless
