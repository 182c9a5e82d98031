// Room for numbers, which begins a cache line.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace regretless {

struct FreeRoom {
  void operator()(double* room) const { operator delete[](room, std::align_val_t{64}); }
};
using Room = std::unique_ptr<double[], FreeRoom>;

// Throws std::bad_alloc by itself: the `new` of the sanitizers would end the process.
inline Room room_for(std::int64_t numbers) {
  Room room(new (std::align_val_t{64}, std::nothrow) double[std::size_t(numbers)]);
  if (!room) throw std::bad_alloc();
  return room;
}
inline Room zeros_for(std::int64_t numbers) {
  Room room = room_for(numbers);
  std::fill_n(room.get(), numbers, 0.0);
  return room;
}

}  // namespace regretless
