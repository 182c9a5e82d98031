#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_treeplex(nanobind::module_& m);

}  // namespace regretless
