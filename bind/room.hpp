// Room for numbers, which begins a cache line. Pages are made as they are first written to, and small ones take longer
// than what is written to them: room for many numbers begins a large page, and the system is asked for such. These it
// clears, which also takes longer than some use of them: a few that are given back are kept for the next room.
#pragma once
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace regretless {

inline constexpr std::size_t large_page = std::size_t(1) << 21;  // bytes

// Under a sanitizer memory comes from where it watches. Gcc says by a macro that there is one, clang by a feature.
#if defined(__SANITIZE_ADDRESS__)
#define REGRETLESS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REGRETLESS_WATCHED 1
#endif
#endif

#if defined(__linux__) && !defined(REGRETLESS_WATCHED)
inline constexpr std::size_t least_mapped = large_page / 2;

// Whether the system has any: fresh small ones would cost more than memory that was in use before.
inline bool has_large_pages() {
  static const bool has = [] {
    std::FILE* const file = std::fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (!file) return false;
    char line[64] = {};
    const bool read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    return read && !std::strstr(line, "[never]");
  }();
  return has;
}

// Zeros that take no memory until they are written to; null if there is no room.
inline void* map_pages(std::size_t bytes) {
  const std::size_t size = bytes + large_page;
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(at);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(at) % large_page;
  if (before > 0) munmap(first, before);
  munmap(first + before + bytes, large_page - before);
  madvise(first + before, bytes, MADV_HUGEPAGE);  // where none is free, small ones will do
  return first + before;
}
inline void unmap_pages(void* at, std::size_t bytes) { munmap(at, bytes); }
#else
inline constexpr std::size_t least_mapped = std::numeric_limits<std::size_t>::max();
inline bool has_large_pages() { return false; }
inline void* map_pages(std::size_t) { return nullptr; }
inline void unmap_pages(void*, std::size_t) {}
#endif

// Pages that were given back, up to 64 MB. A place has the address of some, and in the bits that are zero there how
// many they are: whoever exchanges it for 0 has them. So no thread waits for another one, nor for one that a fork has
// left behind.
class SparePages {
 public:
  // As many as that or somewhat more, whose number is put in the place of `bytes`; null if there are none.
  void* take(std::size_t& bytes) {
    for (auto& place : places_) {
      std::uintptr_t held = place.load(std::memory_order_relaxed);
      const std::size_t size = held % large_page * large_page;
      if (size < bytes || size > 2 * bytes || !place.compare_exchange_strong(held, 0, std::memory_order_acquire))
        continue;
      kept_ -= bytes = size;
      return reinterpret_cast<void*>(held - held % large_page);
    }
    return nullptr;
  }
  // False if there is no place for them, or they are many.
  bool keep(void* at, std::size_t bytes) {
    if ((kept_ += bytes) > most) {
      kept_ -= bytes;
      return false;
    }
    for (auto& place : places_) {
      std::uintptr_t none = 0;
      if (place.load(std::memory_order_relaxed) == 0 &&
          place.compare_exchange_strong(none, reinterpret_cast<std::uintptr_t>(at) + bytes / large_page,
                                        std::memory_order_release))
        return true;
    }
    kept_ -= bytes;
    return false;
  }

 private:
  static constexpr std::size_t most = 32 * large_page;
  std::array<std::atomic<std::uintptr_t>, 16> places_{};
  std::atomic<std::size_t> kept_ = 0;
};
inline SparePages spare_pages;

struct FreeRoom {
  std::size_t mapped = 0;  // bytes of pages
  template <class T>
  void operator()(T* room) const {
    if (mapped == 0) operator delete[](room, std::align_val_t{64});
    else if (!spare_pages.keep(room, mapped)) unmap_pages(room, mapped);
  }
};
template <class T>
using RoomOf = std::unique_ptr<T[], FreeRoom>;
using Room = RoomOf<double>;

// Throws std::bad_alloc by itself: the `new` of the sanitizers would end the process. Whether it holds zeros is put in
// `clean`.
template <class T>
RoomOf<T> room_for(std::int64_t numbers, bool& clean) {
  constexpr auto most = std::size_t(std::numeric_limits<std::int64_t>::max()) - 2 * large_page;
  if (numbers < 0 || std::size_t(numbers) > most / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = std::size_t(numbers) * sizeof(T);
  FreeRoom from;
  if (bytes >= least_mapped && has_large_pages()) from.mapped = (bytes + large_page - 1) / large_page * large_page;
  void* room =
      from.mapped > 0 ? spare_pages.take(from.mapped) : operator new[](bytes, std::align_val_t{64}, std::nothrow);
  clean = from.mapped > 0 && !room;
  if (clean) room = map_pages(from.mapped);
  if (!room) throw std::bad_alloc();
  return {static_cast<T*>(room), from};
}
template <class T = double>
RoomOf<T> room_for(std::int64_t numbers) {
  bool clean;
  return room_for<T>(numbers, clean);
}
inline Room zeros_for(std::int64_t numbers) {
  bool clean;
  Room room = room_for<double>(numbers, clean);
  if (!clean) std::fill_n(room.get(), numbers, 0.0);
  return room;
}

}  // namespace regretless
