#include "host/compiler/program/product_programs.h"

#include <algorithm>
#include <array>

#include "host/compiler/program/patch_product.h"
#include "host/compiler/units/image_products.h"
#include "host/cpu/images.h"
#include "host/graph/ops.h"
#include "host/graph/text.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::Kernel;
using graph::Operation;
using graph::Pointers;

bool has_elements(const Graph& graph, const Operation& operation) {
  return std::ranges::all_of(operation.operands, [&](int operand) {
    return graph::element_count(graph.type(operand).shape) > 0;
  });
}

bool are(const Graph& graph, const Operation& operation, Element element) {
  return std::ranges::all_of(operation.operands,
                             [&](int operand) { return graph.type(operand).element == element; });
}

/// The convolution, on the kernel that its own mirrors.
std::unique_ptr<Graph> alone(const Graph& graph, const Operation& operation, int kernel) {
  auto result = std::make_unique<Graph>();
  const graph::Value a = result->input("a", graph.type(operation.operands[0]));
  const graph::Value b = result->input("b", graph.type(kernel));
  const bool is_mirrored = kernel != operation.operands[1];
  const std::array operands{a, is_mirrored ? graph::reverse(b, {0, 1}) : b};
  result->output("y", result->add(operation, operands)[0]);
  return result;
}

/// Whether the device loads the patches. It does not spread out dY with strides, most of whose
/// patches are zeros: the gradient of patches has a part of its multiply-adds.
bool loads_patches(const graph::ImageConvolution& found) {
  if (found.kind != graph::ImageConvolution::Kind::kInputGradient) {
    return can_load_patches(found.images);
  }
  return found.images.y.stride == 1 && found.images.x.stride == 1 &&
         can_load_patches(turned(found.images, found.filters));
}

Kernel matrix_kernel(std::shared_ptr<ProductProgram> program, const Operation& operation,
                     const graph::DotForm& form) {
  return {.reads = operation.operands,
          .writes = operation.results,
          .run = [=, &operation](Pointers pointers, int) {
            const auto* a = graph::pointer<std::uint32_t>(pointers, operation.operands[0]);
            const auto* b = graph::pointer<std::uint32_t>(pointers, operation.operands[1]);
            auto* y = graph::pointer<std::uint32_t>(pointers, operation.results[0]);
            for (std::int64_t i = 0; i < form.batch; ++i) {
              program->run(a + i * form.rows * form.depth, b + i * form.depth * form.cols,
                           y + i * form.rows * form.cols);
            }
          }};
}

Kernel convolution_kernel(std::shared_ptr<ProductProgram> program, const Operation& operation,
                          int kernel) {
  return {.reads = {operation.operands[0], kernel},
          .writes = operation.results,
          .run = [=, &operation](Pointers pointers, int) {
            program->run(pointers[operation.operands[0]], pointers[kernel],
                         pointers[operation.results[0]]);
          }};
}

Kernel patch_kernel(std::shared_ptr<PatchProduct> product, const Operation& operation, int kernel) {
  return {.reads = {operation.operands[0], kernel},
          .writes = operation.results,
          .run = [=, &operation](Pointers pointers, int threads) {
            product->run(graph::pointer<float>(pointers, operation.operands[0]),
                         graph::pointer<float>(pointers, kernel),
                         graph::pointer<float>(pointers, operation.results[0]), threads);
          }};
}

}  // namespace

std::shared_ptr<ProductProgram> ProductPrograms::compile(const Graph& operation) {
  std::weak_ptr<ProductProgram>& known = programs_[graph::print(operation)];
  if (auto program = known.lock()) return program;
  auto program = std::make_shared<ProductProgram>(operation, device_, precision_);
  known = program;
  std::erase_if(programs_, [](const auto& one) { return one.second.expired(); });
  return program;
}

std::optional<Kernel> ProductPrograms::kernel(const Graph& graph, const Operation& operation) {
  if (!has_elements(graph, operation)) return {};
  const bool is_f32 = are(graph, operation, Element::kF32);
  if (const auto form = graph::dot_form(graph, operation)) {
    const bool is_i8 = are(graph, operation, Element::kS8) && form->depth <= kMaxInt8Depth;
    if (!is_f32 && !is_i8) return {};
    const auto matrices = product_of_matrices(*form, is_i8 ? Element::kS8 : Element::kF32);
    return matrix_kernel(compile(*matrices), operation, *form);
  }
  const auto found = graph::image_convolution(graph, operation);
  if (!found || !is_f32) return {};
  if (loads_patches(*found)) {
    return convolution_kernel(compile(*alone(graph, operation, found->right)), operation,
                              found->right);
  }
  return patch_kernel(std::make_shared<PatchProduct>(*this, *found), operation, found->right);
}

std::vector<Kernel> ProductPrograms::kernels(const Graph& graph) {
  std::vector<Kernel> kernels;
  for (const Operation& operation : graph.operations()) {
    if (auto made = kernel(graph, operation)) kernels.push_back(*std::move(made));
  }
  return kernels;
}

}  // namespace systole::lowering
