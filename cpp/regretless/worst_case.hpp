// The most mistakes that labels of some hypothesis force on a learner which follows the hypotheses that are left: their
// majority or the first of them. With V the set of those and x a point that splits it, V_wrong being those who say
// otherwise of x than the learner,
//
//   W(V) = max over x of max(1 + W(V_wrong), W(V_right)),    W(one hypothesis) = 0.
//
// A lazy learner keeps V where it is right. So an environment without the rounds in which it was right forces as many
// mistakes, and after mistakes alone V are those that agree with all labels: W(V) = max over x of 1 + W(V_wrong).
//
// Asked is whether W(V) >= k, for k = 1, 2, .. until it is not. That cuts off what is too small for k: a mistake halves
// V at least, or takes the first of V away; who follows one of V makes no more mistakes than V has rank
// (theory/finite_classes); and no part of V has a larger minority on any point than V has. Answers stay as bounds of
// W(V), so that what is asked again is answered at once.
#pragma once
#include <algorithm>
#include <bit>
#include <new>

#include "worst_case_types.hpp"
#include "rank_of_set.hpp"
#include "set_memo.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t most_to_eliminate = std::int64_t(1) << 24;  // words; beyond, points are counted instead

class Forcer {
 public:
  explicit Forcer(const Forced& asked) : asked_(asked), memo_(asked.words, asked.memory) {}
  ~Forcer() { std::free(frames_), std::free(choices_), std::free(child_), std::free(rows_); }
  Forcer(const Forcer&) = delete;
  Forcer& operator=(const Forcer&) = delete;

  bool begin() {
    if (!grow(child_, asked_.words) || (eliminates() && !grow(rows_, (asked_.points + 1) * asked_.words))) return false;
    for (std::int64_t w = 0; w < asked_.words; ++w) {
      const std::int64_t left = asked_.hypotheses - 64 * w;
      child_[w] = left >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << left) - 1;
    }
    if (entry_of(asked_.hypotheses) != 0) return false;
    if (asked_.first) rank_allows(0, asked_.points, asked_.points + 1);
    return true;
  }

  // Until so many words were looked at, a step at least.
  Forcing run(std::int64_t words) {
    for (words_seen_ = 0; words_seen_ < words && !full_ && (depth_ || open(0)); ++steps_)
      if (depth_) advance();
      else ask(0, memo_.bounds(0).least + 1);
    return {memo_.bounds(0).least, memo_.bounds(0).most, steps_, full_};
  }

  std::int64_t trace(std::int64_t* points, std::uint8_t* labels, std::uint64_t* left) {
    std::int64_t rounds = 0, wanted = memo_.bounds(0).least;
    std::copy_n(memo_.set(0), asked_.words, left);
    while (wanted > 0) {
      const bool longer = step(left, wanted, false, points[rounds], labels[rounds]) ||
                          (!asked_.lazy && step(left, wanted, true, points[rounds], labels[rounds]));
      if (!longer) break;
      ++rounds;
    }
    return rounds;
  }

 private:
  using Bounds = SetMemo::Bounds;

  struct Choice {
    std::int64_t point, wrong, right;  // how many say otherwise than the learner, and how many say the same
    bool predicted;
  };

  // Whether W(V) >= k; of its choices those from `next` on are still to be looked at.
  struct Frame {
    std::int64_t entry, k, begin, end, next;
    bool right;  // whether it is the turn of those who say the same
  };

  bool eliminates() const { return asked_.first && asked_.points * asked_.points * asked_.words <= most_to_eliminate; }
  bool open(std::int64_t entry) const { return memo_.bounds(entry).least < memo_.bounds(entry).most; }
  const std::uint64_t* column(std::int64_t point) const { return asked_.columns + point * asked_.words; }

  std::int64_t most_of(std::int64_t size) const {
    return asked_.first ? size - 1 : std::int64_t(std::bit_width(std::uint64_t(size))) - 1;
  }

  // Any two hypotheses differ on some point, so that a mistake can be forced.
  Bounds bounds_of(std::int64_t size) const { return {size > 1, most_of(size)}; }

  // Of the set that was put into child_, which has so many hypotheses.
  std::int64_t entry_of(std::int64_t size) {
    const std::int64_t place = memo_.find(child_);
    if (place >= 0) return place;
    const std::int64_t added = memo_.add(child_, bounds_of(size));
    full_ |= added < 0;
    return added;
  }

  bool first_says(const std::uint64_t* set, std::int64_t point) const {
    std::int64_t w = 0;
    while (!set[w]) ++w;
    return column(point)[w] & set[w] & (~set[w] + 1);
  }

  // What becomes of a set with a point; false if all of it says the same.
  bool look(const std::uint64_t* set, std::int64_t size, std::int64_t point, Choice& choice) const {
    const std::uint64_t* says = column(point);
    std::int64_t ones = 0;
    for (std::int64_t w = 0; w < asked_.words; ++w) ones += std::popcount(set[w] & says[w]);
    if (ones == 0 || ones == size) return false;
    const bool predicted = asked_.first ? first_says(set, point) : 2 * ones == size ? asked_.tie : 2 * ones > size;
    choice = {point, predicted ? size - ones : ones, predicted ? ones : size - ones, predicted};
    return true;
  }

  // child_ are those who say `label`.
  void cut(const std::uint64_t* set, std::int64_t point, bool label) {
    const std::uint64_t* says = column(point);
    const std::uint64_t flip = label ? 0 : ~std::uint64_t(0);
    for (std::int64_t w = 0; w < asked_.words; ++w) child_[w] = set[w] & (says[w] ^ flip);
  }

  std::int64_t size_of(const std::uint64_t* set) const {
    std::int64_t size = 0;
    for (std::int64_t w = 0; w < asked_.words; ++w) size += std::popcount(set[w]);
    return size;
  }

  void ask(std::int64_t entry, std::int64_t k) {
    words_seen_ += asked_.points * asked_.words;
    const std::int64_t size = size_of(memo_.set(entry)), begin = choice_count_;
    std::int64_t splits = 0, most_wrong = 1;
    Choice choice;
    for (std::int64_t point = 0; point < asked_.points; ++point) {
      if (!look(memo_.set(entry), size, point, choice)) continue;
      ++splits;
      most_wrong = std::max(most_wrong, choice.wrong);
      if (most_of(choice.wrong) + 1 < k && (asked_.lazy || most_of(choice.right) < k)) continue;
      if (!room_for_choice()) return;
      choices_[choice_count_++] = choice;
    }
    if (asked_.first ? !rank_allows(entry, splits, k) : !minority_allows(entry, most_wrong, k)) {
      choice_count_ = begin;
      return;
    }
    if (depth_ == frame_room_) {
      if (!grow(frames_, 2 * frame_room_ + 64)) return void(full_ = true);
      frame_room_ = 2 * frame_room_ + 64;
    }
    std::sort(choices_ + begin, choices_ + choice_count_, [](const Choice& a, const Choice& b) {
      return a.wrong != b.wrong ? a.wrong > b.wrong : a.point < b.point;
    });
    frames_[depth_++] = {entry, k, begin, choice_count_, begin, false};
  }

  bool room_for_choice() {
    if (choice_count_ < choice_room_) return true;
    if (!grow(choices_, 2 * choice_room_ + 64)) return !(full_ = true);
    choice_room_ = 2 * choice_room_ + 64;
    return true;
  }

  // Whether W(V) >= k may be, as far as the largest minority tells: none is larger in a part of V. If not, that is
  // noted.
  bool minority_allows(std::int64_t entry, std::int64_t largest, std::int64_t k) {
    const std::int64_t most = 1 + most_of(largest);
    if (most < k) memo_.bounds(entry).most = std::min(memo_.bounds(entry).most, most);
    return most >= k;
  }

  // The same, as far as the points that split V tell, and their rank.
  bool rank_allows(std::int64_t entry, std::int64_t splits, std::int64_t k) {
    std::int64_t rank = splits;
    if (eliminates()) {
      const std::uint64_t* set = memo_.set(entry);
      std::copy_n(set, asked_.words, rows_);
      for (std::int64_t x = 0; x < asked_.points; ++x)
        for (std::int64_t w = 0; w < asked_.words; ++w) rows_[(x + 1) * asked_.words + w] = set[w] & column(x)[w];
      rank = rank_of_rows(rows_, asked_.points + 1, asked_.words, k + 1) - 1;
      words_seen_ += rank * asked_.points * asked_.words;
    }
    if (rank < k) memo_.bounds(entry).most = std::min(memo_.bounds(entry).most, rank);
    return rank >= k;
  }

  void advance() {
    words_seen_ += asked_.words;
    Frame& f = frames_[depth_ - 1];
    if (f.next == f.end) {
      if (f.right || asked_.lazy) return conclude(false);
      f.right = true;
      f.next = f.begin;
      return;
    }
    const Choice& c = choices_[f.next];
    const std::int64_t size = f.right ? c.right : c.wrong, k = f.right ? f.k : f.k - 1;
    if (most_of(size) < k) return void(++f.next);
    if (bounds_of(size).least >= k) return conclude(true);
    cut(memo_.set(f.entry), c.point, c.predicted == f.right);
    const std::int64_t child = entry_of(size);
    if (child < 0) return;
    if (memo_.bounds(child).least >= k) conclude(true);
    else if (memo_.bounds(child).most < k) ++f.next;
    else ask(child, k);
  }

  void conclude(bool holds) {
    const Frame& f = frames_[--depth_];
    Bounds& bounds = memo_.bounds(f.entry);
    if (holds) bounds.least = f.k;
    else bounds.most = f.k - 1;
    choice_count_ = f.begin;
  }

  // Whether so many mistakes can be forced on child_, as far as was found out.
  bool forces(std::int64_t size, std::int64_t k) const {
    if (bounds_of(size).least >= k) return true;
    const std::int64_t entry = memo_.find(child_);
    return entry >= 0 && memo_.bounds(entry).least >= k;
  }

  // A round after which as many mistakes can be forced as are wanted then.
  bool step(std::uint64_t* set, std::int64_t& wanted, bool right, std::int64_t& point, std::uint8_t& label) {
    const std::int64_t size = size_of(set), k = right ? wanted : wanted - 1;
    Choice choice;
    for (std::int64_t x = 0; x < asked_.points; ++x) {
      if (!look(set, size, x, choice)) continue;
      cut(set, x, choice.predicted == right);
      if (!forces(right ? choice.right : choice.wrong, k)) continue;
      std::copy_n(child_, asked_.words, set);
      wanted = k;
      point = x;
      label = choice.predicted == right;
      return true;
    }
    return false;
  }

  Forced asked_;
  SetMemo memo_;
  Frame* frames_ = nullptr;
  Choice* choices_ = nullptr;
  std::uint64_t *child_ = nullptr, *rows_ = nullptr;
  std::int64_t depth_ = 0, frame_room_ = 0, choice_count_ = 0, choice_room_ = 0, steps_ = 0, words_seen_ = 0;
  bool full_ = false;
};

inline void* open_forcer(const Forced& asked) {
  Forcer* made = static_cast<Forcer*>(std::malloc(sizeof(Forcer)));
  if (!made) return nullptr;
  new (made) Forcer(asked);
  if (made->begin()) return made;
  made->~Forcer();
  std::free(made);
  return nullptr;
}

inline void close_forcer(void* forcer) {
  static_cast<Forcer*>(forcer)->~Forcer();
  std::free(forcer);
}

inline Forcing run_forcer(void* forcer, std::int64_t words) { return static_cast<Forcer*>(forcer)->run(words); }

inline std::int64_t trace_forcer(void* forcer, std::int64_t* points, std::uint8_t* labels, std::uint64_t* left) {
  return static_cast<Forcer*>(forcer)->trace(points, labels, left);
}

}  // namespace regretless::REGRETLESS_ISA
