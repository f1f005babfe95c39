#include <array>

#include "host/driver/cpu/cpu_matmul.h"
#include "host/graph/cpu/images.h"
#include "host/graph/cpu/kernel.h"
#include "host/graph/cpu/parallel.h"

namespace systole::graph {
namespace {

using std::int64_t;

constexpr int64_t kMacsWorthAThread = 256 * 1024;

struct Product {
  int64_t rows = 0, depth = 0, cols = 0;
  bool transpose_a = false, transpose_b = false;

  int64_t macs() const { return rows * depth * cols; }
  void run(const float* a, const float* b, float* c, int threads, bool accumulate = false) const {
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
                 .transpose_b = transpose_b,
                 .accumulate = accumulate},
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

// ---- Convolutions of images: patches of a block of rows are laid out, then multiplied ----

namespace {

// Patches of one block, which stay in the cache until they are multiplied.
constexpr int64_t kBlockValues = int64_t{1} << 16;

std::vector<float>& scratch() {
  thread_local std::vector<float> values;
  return values;
}

// Y = patches(X) W.
Kernel forward(const Images& images, const Operation& operation, int64_t filters) {
  const int64_t rows = images.batch * images.positions();
  const int64_t block = std::clamp<int64_t>(kBlockValues / images.patch() / 16 * 16, 64, rows);
  return {.run = [=, &operation](Pointers pointers, int threads) {
    const float* x = pointer<float>(pointers, operation.operands[0]);
    const float* w = pointer<float>(pointers, operation.operands[1]);
    float* y = pointer<float>(pointers, operation.results[0]);
    for_each_part(threads, (rows + block - 1) / block, [&](int64_t part) {
      const int64_t first = part * block, count = std::min(block, rows - first);
      std::vector<float>& patches = scratch();
      patches.resize(block * images.patch());
      images.lay_out(x, first, count, patches.data());
      Product{.rows = count, .depth = images.patch(), .cols = filters}.run(patches.data(), w,
                                                                           y + first * filters, 1);
    });
  }};
}

// Convolves dY, with holes where strides skipped, with the mirrored kernel, whose features are
// swapped first, since it is small.
Kernel input_gradient(const Graph& graph, const Operation& operation) {
  const Call call = graph.call(operation);
  const Shape &d_y = call.operands[0].shape, &w = call.operands[1].shape;
  const auto windows = convolution_windows(call, parse_convolution(call.word("dimension_numbers")));
  const Images images{.batch = d_y[0], .channels = d_y[3], .y = windows[0], .x = windows[1]};
  const int64_t taps = w[0] * w[1], outputs = w[2], features = w[3];
  return {
      .run = [=, &operation, kernel = forward(images, operation, outputs),
              swapped = std::make_shared<std::vector<float>>()](Pointers pointers, int threads) {
        const float* from = pointer<float>(pointers, operation.operands[1]);
        swapped->resize(static_cast<std::size_t>(taps * outputs * features));
        for (int64_t t = 0; t < taps; ++t) {
          for (int64_t o = 0; o < outputs; ++o) {
            for (int64_t i = 0; i < features; ++i) {
              (*swapped)[(t * features + i) * outputs + o] = from[(t * outputs + o) * features + i];
            }
          }
        }
        std::vector<void*> moved(pointers.begin(), pointers.end());
        moved[operation.operands[1]] = swapped->data();
        kernel.run(moved, threads);
      }};
}

// dW = patches(X)^T dY, in a fixed number of parts, so that the order of sums does not depend on
// threads.
Kernel kernel_gradient(const Images& images, const Operation& operation, int64_t filters) {
  constexpr int64_t kParts = 8;
  const int64_t rows = images.batch * images.positions();
  const int64_t block = std::clamp<int64_t>(kBlockValues / images.patch() / 16 * 16, 64, rows);
  const int64_t size = images.patch() * filters;
  return {.run = [=, &operation, sums = std::make_shared<std::vector<float>>()](Pointers pointers,
                                                                                int threads) {
    const float* x = pointer<float>(pointers, operation.operands[0]);
    const float* d_y = pointer<float>(pointers, operation.operands[1]);
    float* d_w = pointer<float>(pointers, operation.results[0]);
    sums->resize(static_cast<std::size_t>(kParts * size));
    for_each_part(threads, kParts, [&](int64_t part) {
      float* sum = sums->data() + part * size;
      const int64_t begin = rows * part / kParts, end = rows * (part + 1) / kParts;
      std::fill_n(sum, size, 0.0f);
      for (int64_t first = begin; first < end; first += block) {
        const int64_t count = std::min(block, end - first);
        std::vector<float>& patches = scratch();
        patches.resize(block * images.patch());
        images.lay_out(x, first, count, patches.data());
        Product{.rows = images.patch(), .depth = count, .cols = filters, .transpose_a = true}.run(
            patches.data(), d_y + first * filters, sum, 1, true);
      }
    });
    for (int64_t i = 0; i < size; ++i) {
      float total = 0;
      for (int64_t part = 0; part < kParts; ++part) total += (*sums)[part * size + i];
      d_w[i] = total;
    }
  }};
}

}  // namespace

Kernel convolution_kernel(const Graph& graph, const Operation& operation) {
  using Kind = ImageConvolution::Kind;
  const auto found = image_convolution(graph, operation);
  if (!found || !is_f32(graph, operation)) return {};
  Kernel kernel = found->kind == Kind::kForward ? forward(found->images, operation, found->filters)
                  : found->kind == Kind::kKernelGradient
                      ? kernel_gradient(found->images, operation, found->filters)
                      : input_gradient(graph, operation);
  kernel.macs =
      found->images.batch * found->images.positions() * found->images.patch() * found->filters;
  return kernel;
}

}  // namespace systole::graph
