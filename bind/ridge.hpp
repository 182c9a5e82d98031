#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_ridge(nanobind::module_& m);

}  // namespace regretless
