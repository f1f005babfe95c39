#include "host/cpu/kernel.h"
#include "host/cpu/parallel.h"
#include "host/device/cpu/cpu_matmul.h"

namespace systole::graph {
namespace {

using std::int64_t;

constexpr int64_t kMacsWorthAThread = 256 * 1024;

struct Product {
  int64_t rows = 0, depth = 0, cols = 0;
  bool transpose_a = false, transpose_b = false;

  int64_t macs() const { return rows * depth * cols; }
  void run(const float* a, const float* b, float* c, int threads) const {
    const auto size = [](int64_t x, int64_t y) { return static_cast<std::size_t>(x * y); };
    const CpuMatmul matmul(macs() < kMacsWorthAThread ? 1 : threads);
    matmul.fp32({.a = {},
                 .b = {},
                 .c = {},
                 .rows = rows,
                 .depth = depth,
                 .cols = cols,
                 .type = DataType::kFp32,
                 .transpose_a = transpose_a,
                 .transpose_b = transpose_b},
                {a, size(rows, depth)}, {b, size(depth, cols)}, {c, size(rows, cols)});
  }
};

bool is_run(const Integers& dimensions, int64_t first) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != first + static_cast<int64_t>(i)) return false;
  }
  return true;
}

int64_t product_of(const Shape& shape, int64_t from, int64_t to) {
  return element_count(Shape(shape.begin() + from, shape.begin() + to));
}

// One operand as batches of matrices: batching dimensions, then depth before or after the rest,
// each group in order. Other layouts go to the oracle, or need a transpose first.
struct Side {
  bool fits = false, depth_first = false;
  int64_t batch = 1, depth = 1, free = 1;

  Side(const Shape& shape, const Integers& batching, const Integers& contracting) {
    const auto rank = static_cast<int64_t>(shape.size());
    const auto batches = static_cast<int64_t>(batching.size());
    const auto depths = static_cast<int64_t>(contracting.size());
    depth_first = is_run(contracting, batches) && rank > batches + depths;
    fits = is_run(batching, 0) && (depth_first || is_run(contracting, rank - depths));
    if (!fits) return;
    batch = product_of(shape, 0, batches);
    depth = depth_first ? product_of(shape, batches, batches + depths)
                        : product_of(shape, rank - depths, rank);
    free = depth_first ? product_of(shape, batches + depths, rank)
                       : product_of(shape, batches, rank - depths);
  }
};

bool is_f32(const Graph& graph, const Operation& operation) {
  return graph.type(operation.operands[0]).element == Element::kF32;
}

}  // namespace

std::optional<DotForm> dot_form(const Graph& graph, const Operation& operation) {
  if (operation.kind->name != "dot_general" ||
      element_count(graph.type(operation.results[0]).shape) == 0) {
    return {};
  }
  const auto& lists = std::get<Dimensions>(operation.attributes[0]);
  const Side a(graph.type(operation.operands[0]).shape, lists["lhs_batching_dimensions"],
               lists["lhs_contracting_dimensions"]);
  const Side b(graph.type(operation.operands[1]).shape, lists["rhs_batching_dimensions"],
               lists["rhs_contracting_dimensions"]);
  if (!a.fits || !b.fits || a.depth == 0) return {};
  return DotForm{.batch = a.batch,
                 .rows = a.free,
                 .depth = a.depth,
                 .cols = b.free,
                 .transpose_a = a.depth_first,
                 .transpose_b = !b.depth_first && b.free != 1};
}

Kernel dot_kernel(const Graph& graph, const Operation& operation) {
  const auto form = dot_form(graph, operation);
  if (!form || !is_f32(graph, operation)) return {};
  const Product product{.rows = form->rows,
                        .depth = form->depth,
                        .cols = form->cols,
                        .transpose_a = form->transpose_a,
                        .transpose_b = form->transpose_b};
  return {.run =
              [=, batch = form->batch, &operation](Pointers pointers, int threads) {
                const float* left = pointer<float>(pointers, operation.operands[0]);
                const float* right = pointer<float>(pointers, operation.operands[1]);
                float* result = pointer<float>(pointers, operation.results[0]);
                const bool alone = batch == 1;
                for_each_part(alone ? 1 : threads, batch, [&](int64_t i) {
                  product.run(left + i * product.rows * product.depth,
                              right + i * product.depth * product.cols,
                              result + i * product.rows * product.cols, alone ? threads : 1);
                });
              },
          .macs = form->batch * product.macs()};
}

}  // namespace systole::graph
