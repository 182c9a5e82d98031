#pragma once
#include <atomic>
#include <stdexcept>

namespace regretless {

// One call at a time: long ones let go of the interpreter's lock, and all of them work on the same state and scratch.
class Turn {
 public:
  explicit Turn(std::atomic_flag& busy) : busy_(busy) {
    if (busy.test_and_set(std::memory_order_acquire))
      throw std::invalid_argument("this learner is being used by another thread");
  }
  ~Turn() { busy_.clear(std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic_flag& busy_;
};

}  // namespace regretless
