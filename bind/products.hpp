#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_products(nanobind::module_& m);

}  // namespace regretless
