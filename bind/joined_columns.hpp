#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_joined_columns(nanobind::module_& m);

}  // namespace regretless
