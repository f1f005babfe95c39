#include <cmath>

#include "host/graph/operations/operations.h"

// Factors of matrices, as LAPACK has them: JAX's orthogonal initialisers ask for them.
namespace systole::graph {
namespace {

using std::int64_t;

// Stacked matrices, row-major; the last two dimensions are rows and columns.
struct Matrices {
  explicit Matrices(const Shape& shape)
      : rows(shape[shape.size() - 2]),
        columns(shape.back()),
        count(rows * columns == 0 ? 0 : element_count(shape) / (rows * columns)) {}
  int64_t rows, columns, count;
};

void need_matrices(const Call& call) {
  call.need_elements(0, call.operands[0].element == Element::kF32, "f32");
  call.need(call.operands[0].rank() >= 2, "it is no matrix");
}

Shape scales_of(const Shape& matrices) {
  Shape shape(matrices.begin(), matrices.end() - 2);
  shape.push_back(std::min(matrices[matrices.size() - 2], matrices.back()));
  return shape;
}

// ---- qr: A = H1 H2 ... R, with H = I - scale v v', v = (1, below the diagonal) ----

std::vector<Type> infer_qr(const Call& call) {
  need_matrices(call);
  return {call.operands[0], {Element::kF32, scales_of(call.operands[0].shape)}};
}

void factor(double* a, const Matrices& of, std::vector<double>& scales) {
  const auto at = [&](int64_t i, int64_t j) -> double& { return a[i * of.columns + j]; };
  for (int64_t k = 0; k < std::min(of.rows, of.columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < of.rows; ++i) below += at(i, k) * at(i, k);
    if (below == 0) {
      scales.push_back(0);
      continue;
    }
    const double head = at(k, k);
    const double diagonal = -std::copysign(std::sqrt(head * head + below), head);
    const double scale = (diagonal - head) / diagonal;
    for (int64_t i = k + 1; i < of.rows; ++i) at(i, k) /= head - diagonal;
    at(k, k) = diagonal;
    for (int64_t j = k + 1; j < of.columns; ++j) {
      double sum = at(k, j);
      for (int64_t i = k + 1; i < of.rows; ++i) sum += at(i, k) * at(i, j);
      at(k, j) -= scale * sum;
      for (int64_t i = k + 1; i < of.rows; ++i) at(i, j) -= scale * sum * at(i, k);
    }
    scales.push_back(scale);
  }
}

std::vector<Literal> evaluate_qr(const Call& call, std::span<const Literal> x) {
  const Matrices of(x[0].type.shape);
  Literal factors{x[0].type, {}}, scales{infer_qr(call)[1], {}};
  for (int64_t i = 0; i < element_count(x[0].type.shape); ++i) factors.values.push_back(x[0].at(i));
  for (int64_t m = 0; m < of.count; ++m) {
    factor(factors.values.data() + m * of.rows * of.columns, of, scales.values);
  }
  if (scales.values.empty()) scales.values.assign(element_count(scales.type.shape), 0);
  return {factors, scales};
}

// ---- householder_product: the first columns of H1 H2 ... ----

std::vector<Type> infer_product(const Call& call) {
  need_matrices(call);
  const Shape& a = call.operands[0].shape;
  call.need(call.operands[1].element == Element::kF32 &&
                call.operands[1].rank() + 1 == call.operands[0].rank(),
            "the scales are {}", to_string(call.operands[1]));
  const int64_t count = call.operands[1].shape.back();
  call.need(count <= a.back() && a.back() <= a[a.size() - 2] &&
                std::equal(a.begin(), a.end() - 2, call.operands[1].shape.begin()),
            "{} scales do not fit", to_string(call.operands[1]));
  return {call.operands[0]};
}

std::vector<Literal> evaluate_product(const Call&, std::span<const Literal> x) {
  const Matrices of(x[0].type.shape);
  const int64_t count = x[1].type.shape.back();
  Literal result{x[0].type, std::vector<double>(element_count(x[0].type.shape))};
  for (int64_t m = 0; m < of.count; ++m) {
    const int64_t first = m * of.rows * of.columns;
    double* q = result.values.data() + first;
    for (int64_t i = 0; i < of.columns; ++i) q[i * of.columns + i] = 1;
    for (int64_t k = count; k-- > 0;) {
      const double scale = x[1].at(m * count + k);
      const auto v = [&](int64_t i) { return i == k ? 1 : x[0].at(first + i * of.columns + k); };
      for (int64_t j = 0; j < of.columns; ++j) {
        double sum = 0;
        for (int64_t i = k; i < of.rows; ++i) sum += v(i) * q[i * of.columns + j];
        for (int64_t i = k; i < of.rows; ++i) q[i * of.columns + j] -= scale * sum * v(i);
      }
    }
  }
  return {result};
}

}  // namespace

std::span<const OperationKind> factor_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "qr", .infer = infer_qr, .evaluate = evaluate_qr, .dialect = "systole"},
      {.name = "householder_product",
       .operands = 2,
       .infer = infer_product,
       .evaluate = evaluate_product,
       .dialect = "systole"},
  };
  return kKinds;
}

}  // namespace systole::graph
