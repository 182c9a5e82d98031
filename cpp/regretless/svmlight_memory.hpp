// Memory of what is read: arrays that grow by moving pages, and return to a pool when nobody holds them any more.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "svmlight.hpp"

namespace regretless {

// Memory for one array. It grows by moving pages, not by copying them, and costs nothing where it was never written.
class SvmlightRegion {
 public:
  SvmlightRegion() = default;
  SvmlightRegion(const SvmlightRegion&) = delete;
  SvmlightRegion& operator=(const SvmlightRegion&) = delete;
  ~SvmlightRegion() { release(); }

  template <class T>
  T* as() const {
    return static_cast<T*>(at_);
  }

// Under a sanitizer memory comes from where it watches.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  void resize(std::size_t size) {
    size = std::max<std::size_t>(size, 1);
    void* moved = at_ ? mremap(at_, size_, size, MREMAP_MAYMOVE)
                      : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (moved == MAP_FAILED) throw std::bad_alloc();
    at_ = moved;
    size_ = size;
  }
  // To touch fresh pages one by one costs as much as to read the text that fills them.
  void use_huge_pages() const { madvise(at_, size_, MADV_HUGEPAGE); }

 private:
  void release() {
    if (at_) munmap(at_, size_);
  }
  std::size_t size_ = 0;
#else
  void resize(std::size_t size) {
    void* moved = std::realloc(at_, std::max<std::size_t>(size, 1));
    if (!moved) throw std::bad_alloc();
    at_ = moved;
  }
  void use_huge_pages() const {}

 private:
  void release() { std::free(at_); }
#endif
  void* at_ = nullptr;
};

// SvmlightRoom for rows, and the entries in them.
struct SvmlightRoom {
  std::int64_t rows, entries;

  bool holds(const SvmlightRoom& other) const { return rows >= other.rows && entries >= other.entries; }
  SvmlightRoom operator+(const SvmlightRoom& other) const { return {rows + other.rows, entries + other.entries}; }
  SvmlightRoom operator*(double factor) const {
    return {std::int64_t(double(rows) * factor), std::int64_t(double(entries) * factor)};
  }
  // The most that text can hold: a row is at least "1\n", an entry " 1:1".
  static SvmlightRoom for_text(std::size_t bytes) { return {std::int64_t(bytes / 2 + 1), std::int64_t(bytes / 4 + 1)}; }
};

struct SvmlightArrays {
  SvmlightRegion labels, starts, indices, values;
  SvmlightRoom room{-1, -1};

  void resize(SvmlightRoom to, bool single) {
    labels.resize(std::size_t(to.rows) * sizeof(double));
    starts.resize(std::size_t(to.rows + 1) * sizeof(std::int64_t));
    indices.resize(std::size_t(to.entries) * sizeof(std::int32_t));
    values.resize(std::size_t(to.entries) * (single ? sizeof(float) : sizeof(double)));
    room = to;
  }
  void use_huge_pages() const {
    for (const SvmlightRegion* region : {&labels, &starts, &indices, &values}) region->use_huge_pages();
  }
  void lend(SvmlightJob& job) const {
    job.labels = labels.as<double>();
    job.starts = starts.as<std::int64_t>();
    job.indices = indices.as<std::int32_t>();
    job.values = values.as<void>();
    job.starts[job.rows] = job.entries;
  }
};

// SvmlightArrays that wait to be filled again: their pages are there already.
class SvmlightPool {
 public:
  std::unique_ptr<SvmlightArrays> take() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::make_unique<SvmlightArrays>();
    auto arrays = std::move(waiting_.back());
    waiting_.pop_back();
    return arrays;
  }
  void give_back(std::unique_ptr<SvmlightArrays> arrays) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < most_waiting) waiting_.push_back(std::move(arrays));
  }

 private:
  static constexpr std::size_t most_waiting = 4;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SvmlightArrays>> waiting_;
};

// What numpy's arrays hold on to: when the last of them goes, the memory returns to the pool.
struct SvmlightLease {
  std::shared_ptr<SvmlightPool> pool;
  std::unique_ptr<SvmlightArrays> arrays;
  ~SvmlightLease() { pool->give_back(std::move(arrays)); }
};

}  // namespace regretless
