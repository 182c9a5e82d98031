#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

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

// The same of what several share that know nothing of each other: they wait, and the user can break in.
class Queue {
 public:
  class Turn {
   public:
    explicit Turn(Queue& queue) : queue_(queue) {
      const std::thread::id me = std::this_thread::get_id();
      if (queue.holder_.load() == me) throw std::invalid_argument("this search is going on in the same thread");
      while (!queue.lock()) {
        if (PyErr_CheckSignals()) throw nanobind::python_error();
      }
      queue.holder_ = me;
    }
    ~Turn() {
      queue_.holder_ = std::thread::id();
      queue_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Queue& queue_;
  };

 private:
  bool lock() {
    if (mutex_.try_lock()) return true;
    const nanobind::gil_scoped_release unlock;
    return mutex_.try_lock_for(std::chrono::milliseconds(50));
  }

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> holder_;
};

}  // namespace regretless
