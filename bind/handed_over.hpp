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
using Array2 = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<2>>;

template <class Owner>
nanobind::capsule owner_of(Owner& owned) {
  auto kept = std::make_unique<Owner>(std::move(owned));
  return nanobind::capsule(kept.release(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
}

template <class T, class Free>
Array1<T> handed_over(std::unique_ptr<T[], Free>& array, std::size_t size) {
  T* const data = array.get();
  return Array1<T>(data, {size}, owner_of(array));
}

template <class T>
Array1<T> handed_over(std::vector<T>&& numbers) {
  T* const data = numbers.data();
  const std::size_t size = numbers.size();
  return Array1<T>(data, {size}, owner_of(numbers));
}

}  // namespace regretless
