#include "host/compiler/program/product_program.h"

#include "host/device/backend.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

StepProgram::Options options_of(const Device& device, DataType precision) {
  StepProgram::Options options{.sizes = *device.backend().sizes()};
  if (precision == DataType::kInt8) options.quantization.emplace();
  return options;
}

std::int64_t elements_of(const graph::Graph& graph, int value) {
  return graph::element_count(graph.type(value).shape);
}

}  // namespace

std::unique_ptr<graph::Graph> product_of_matrices(const graph::DotForm& form,
                                                  graph::Element element) {
  auto result = std::make_unique<graph::Graph>();
  const auto matrix = [&](const char* name, std::int64_t rows, std::int64_t cols, bool transposed) {
    return result->input(
        name, {element, transposed ? graph::Shape{cols, rows} : graph::Shape{rows, cols}});
  };
  const graph::Value a = matrix("a", form.rows, form.depth, form.transpose_a);
  const graph::Value b = matrix("b", form.depth, form.cols, form.transpose_b);
  result->output("y", dot_general(a, b,
                                  {.lhs_contracting = {form.transpose_a ? 0 : 1},
                                   .rhs_contracting = {form.transpose_b ? 1 : 0}}));
  return result;
}

ProductProgram::ProductProgram(const graph::Graph& operation, const Device& device,
                               DataType precision)
    : device_(device),
      a_(elements_of(operation, operation.inputs()[0].value)),
      b_(elements_of(operation, operation.inputs()[1].value)),
      y_(elements_of(operation, operation.outputs()[0].value)),
      program_(operation, device_.backend().memory(), options_of(device, precision)),
      takes_rounded_(program_.is_rounded("a")) {
  StepProgram::Feed feed = program_.make_feed();  // whose constants stay
  program_.set_random(feed, {});
  program_.set_scalars(feed, {});
  program_.write(0, feed);
}

void ProductProgram::run(const void* a, const void* b, void* y) {
  write_a(a);
  write_b(b);
  run();
  read(y);
}

void ProductProgram::write_a(const void* values) { program_.write_batch("a", values, a_); }
void ProductProgram::write_b(const void* values) { program_.write_batch("b", values, b_); }
void ProductProgram::run() { device_.backend().run(program_.program(1)); }
void ProductProgram::read(void* y) const { program_.read_output(0, "y", y, y_); }

}  // namespace systole::lowering
