#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_vector_tables(nanobind::module_& m);

}  // namespace regretless
