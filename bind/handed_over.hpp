// Memory that Python holds from then on: arrays of numpy, and who frees them.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace regretless {

template <class T>
using Array1 = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

template <class T>
nanobind::capsule owner_of(std::unique_ptr<T>& owned) {
  using Pointer = typename std::unique_ptr<T>::pointer;
  return nanobind::capsule(owned.release(),
                           [](void* p) noexcept { std::unique_ptr<T> freed(static_cast<Pointer>(p)); });
}

template <class T>
Array1<T> handed_over(std::unique_ptr<T[]>& array, std::size_t size) {
  T* const data = array.get();
  return Array1<T>(data, {size}, owner_of(array));
}

template <class T>
Array1<T> handed_over(std::vector<T>&& numbers) {
  auto owned = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = owned->data();
  const std::size_t size = owned->size();
  return Array1<T>(data, {size}, owner_of(owned));
}

}  // namespace regretless
