#include "host/cpu/cpu_matmul.h"
#include "host/cpu/kernel.h"
#include "host/cpu/parallel.h"
#include "host/graph/attribute.h"

namespace systole::graph {
namespace {

using std::int64_t;

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

/// A product of each matrix of a batch: multiply_one(left, right, number, result, threads).
template <typename T, typename MultiplyOne>
Kernel batch_kernel(const DotForm& form, const Operation& operation, MultiplyOne multiply_one) {
  return {.run =
              [=, &operation](Pointers pointers, int threads) {
                const T* left = pointer<T>(pointers, operation.operands[0]);
                const T* right = pointer<T>(pointers, operation.operands[1]);
                T* result = pointer<T>(pointers, operation.results[0]);
                const bool alone = form.batch == 1;
                for_each_part(alone ? 1 : threads, form.batch, [&](int64_t i) {
                  multiply_one(left, right, i, result + i * form.rows * form.cols,
                               alone ? threads : 1);
                });
              },
          .macs = form.batch * form.rows * form.depth * form.cols};
}

template <typename T>
Kernel kernel_of(const DotForm& form, const Operation& operation) {
  return batch_kernel<T>(form, operation,
                         [=](const T* left, const T* right, int64_t i, T* result, int threads) {
                           multiply(form, left + i * form.rows * form.depth,
                                    right + i * form.depth * form.cols, result, threads);
                         });
}

/// An operand's elements, by batch, free and contracted dimension: where each lies.
struct Layout {
  Integers batch, free, depth;  ///< offsets

  Layout(const Shape& shape, const Integers& batching, const Integers& contracting) {
    Integers rest;
    for (int64_t d = 0; d < std::ssize(shape); ++d) {
      if (!contains(batching, d) && !contains(contracting, d)) rest.push_back(d);
    }
    batch = offsets(shape, batching);
    free = offsets(shape, rest);
    depth = offsets(shape, contracting);
  }

  /// One matrix of the batch as rows of the free dimensions.
  template <typename T>
  std::vector<T> packed(const T* from, int64_t number) const {
    std::vector<T> matrix;
    matrix.reserve(free.size() * depth.size());
    for (const int64_t row : free) {
      for (const int64_t place : depth) matrix.push_back(from[batch[number] + row + place]);
    }
    return matrix;
  }

 private:
  static Integers offsets(const Shape& shape, const Integers& dimensions) {
    const Integers strides = row_major_strides(shape);
    Shape sizes;
    for (const int64_t d : dimensions) sizes.push_back(shape[d]);
    Integers offsets;
    for_each_index(sizes, [&](const Integers& index) {
      int64_t offset = 0;
      for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[dimensions[i]];
      offsets.push_back(offset);
    });
    return offsets;
  }
};

/// A product of dimensions in any order: each matrix is copied first.
template <typename T>
Kernel packed_kernel(const Graph& graph, const Operation& operation) {
  const auto& lists = attribute<Dimensions>(operation, "dot_dimension_numbers");
  const Layout a(graph.type(operation.operands[0]).shape, lists["lhs_batching_dimensions"],
                 lists["lhs_contracting_dimensions"]);
  const Layout b(graph.type(operation.operands[1]).shape, lists["rhs_batching_dimensions"],
                 lists["rhs_contracting_dimensions"]);
  const DotForm form{.batch = std::ssize(a.batch),
                     .rows = std::ssize(a.free),
                     .depth = std::ssize(a.depth),
                     .cols = std::ssize(b.free),
                     .transpose_b = b.free.size() != 1};
  return batch_kernel<T>(form, operation,
                         [=](const T* left, const T* right, int64_t i, T* result, int threads) {
                           const std::vector<T> rows = a.packed(left, i), cols = b.packed(right, i);
                           multiply(form, rows.data(), cols.data(), result, threads);
                         });
}

}  // namespace

std::optional<DotForm> dot_form(const Graph& graph, const Operation& operation) {
  if (operation.kind->name != "dot_general" ||
      element_count(graph.type(operation.results[0]).shape) == 0) {
    return {};
  }
  const auto& lists = attribute<Dimensions>(operation, "dot_dimension_numbers");
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
  if (operation.kind->name != "dot_general" ||
      element_count(graph.type(operation.results[0]).shape) == 0 ||
      element_count(graph.type(operation.operands[0]).shape) == 0) {
    return {};
  }
  const auto form = dot_form(graph, operation);
  const auto are = [&](Element element) {
    return std::ranges::all_of(operation.operands,
                               [&](int id) { return graph.type(id).element == element; });
  };
  if (are(Element::kF32)) {
    return form ? kernel_of<float>(*form, operation) : packed_kernel<float>(graph, operation);
  }
  if (are(Element::kS8) || are(Element::kU8)) {
    return form ? kernel_of<std::int32_t>(*form, operation)
                : packed_kernel<std::int32_t>(graph, operation);
  }
  return {};
}

}  // namespace systole::graph
