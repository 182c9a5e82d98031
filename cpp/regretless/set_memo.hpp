// Sets of hypotheses with two numbers for each, between which something lies that is not known yet. Sets are compared
// as a whole, so that no two are ever taken for one.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// Room for more; what was there stays where it is if there is none.
template <class T>
bool grow(T*& held, std::int64_t count) {
  void* more = std::realloc(held, std::size_t(count) * sizeof(T));
  if (more) held = static_cast<T*>(more);
  return more;
}

class SetMemo {
 public:
  struct Bounds {
    std::int64_t least, most;
  };

  SetMemo(std::int64_t words, std::int64_t memory) : words_(words), memory_(memory) {}
  ~SetMemo() { std::free(sets_), std::free(bounds_), std::free(slots_); }
  SetMemo(const SetMemo&) = delete;
  SetMemo& operator=(const SetMemo&) = delete;

  const std::uint64_t* set(std::int64_t entry) const { return sets_ + entry * words_; }
  Bounds& bounds(std::int64_t entry) const { return bounds_[entry]; }

  // -1 if it is not there.
  std::int64_t find(const std::uint64_t* set) const { return slots_ ? slots_[slot_of(set)] : -1; }

  // Where it is from now on; -1 if there is no room for it.
  std::int64_t add(const std::uint64_t* set, Bounds bounds) {
    if (2 * (count_ + 1) > slot_count_ && !widen()) return -1;
    if (count_ == room_ && !lengthen()) return -1;
    std::memcpy(sets_ + count_ * words_, set, std::size_t(words_) * sizeof(*set));
    bounds_[count_] = bounds;
    slots_[slot_of(set)] = count_;
    return count_++;
  }

 private:
  std::uint64_t hash(const std::uint64_t* set) const {
    std::uint64_t h = 0;
    for (std::int64_t w = 0; w < words_; ++w) {
      h = (h ^ set[w]) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h * 0xBF58476D1CE4E5B9u >> 20;
  }

  // The slot that holds the set, or the free one where it belongs.
  std::int64_t slot_of(const std::uint64_t* set) const {
    std::int64_t slot = std::int64_t(hash(set) & std::uint64_t(slot_count_ - 1));
    while (slots_[slot] >= 0 && std::memcmp(this->set(slots_[slot]), set, std::size_t(words_) * sizeof(*set)) != 0)
      slot = (slot + 1) & (slot_count_ - 1);
    return slot;
  }

  bool affords(std::int64_t room, std::int64_t slots) const {
    return room * (words_ * 8 + std::int64_t(sizeof(Bounds))) + slots * 8 <= memory_;
  }

  bool lengthen() {
    const std::int64_t room = room_ ? room_ + room_ / 2 : std::clamp<std::int64_t>((1 << 17) / words_, 16, 1024);
    if (!affords(room, slot_count_) || !grow(sets_, room * words_) || !grow(bounds_, room)) return false;
    room_ = room;
    return true;
  }

  bool widen() {
    const std::int64_t count = slot_count_ ? 2 * slot_count_ : 4096;
    if (!affords(room_, count) || !grow(slots_, count)) return false;
    slot_count_ = count;
    for (std::int64_t i = 0; i < count; ++i) slots_[i] = -1;
    for (std::int64_t entry = 0; entry < count_; ++entry) slots_[slot_of(set(entry))] = entry;
    return true;
  }

  std::int64_t words_, memory_, count_ = 0, room_ = 0, slot_count_ = 0;
  std::uint64_t* sets_ = nullptr;
  Bounds* bounds_ = nullptr;
  std::int64_t* slots_ = nullptr;
};

}  // namespace regretless::REGRETLESS_ISA
