// Triangles of sums of squares: a square array is borrowed, whose last row and column stand beside the triangle.
#include "triangle.hpp"

#include "regretless/triangle.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Square = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ReadVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Triangle triangle_of(const Square& square) {
  demand(square.shape(0) > 0 && square.shape(1) == square.shape(0), "the array is not square");
  return {square.data(), std::int64_t(square.shape(0)) - 1, std::int64_t(square.shape(0))};
}

void rotate(const Square& square) {
  const Triangle triangle = triangle_of(square);
  const nb::gil_scoped_release unlock;
  triangle.rotate(triangle.row(triangle.n));
}

void solve(const Square& square, const Vector& right, bool transposed) {
  const Triangle triangle = triangle_of(square);
  demand(std::int64_t(right.size()) == triangle.n, "one number for each row of the triangle");
  const nb::gil_scoped_release unlock;
  if (transposed) triangle.solve_transposed(right.data());
  else triangle.solve(right.data());
}

double products(const ReadVector& a, const ReadVector& b) {
  demand(a.size() == b.size(), "the vectors are not of one length");
  return sum_of_products(a.data(), b.data(), std::int64_t(a.size()));
}

}  // namespace

void bind_triangle(nb::module_& m) {
  m.def("rotate_triangle", &rotate, "triangle"_a.noconvert(),
        "Rotate the last row of a square array into the triangle above it, with the last column.");
  m.def("solve_triangle", &solve, "triangle"_a.noconvert(), "right"_a.noconvert(), "transposed"_a,
        "Put the solution in the place of the right-hand side; the last row and column of the array do not count.");
  m.def("sum_of_products", &products, "a"_a.noconvert(), "b"_a.noconvert(), "Of two vectors, from the first entry on.");
}

}  // namespace regretless
