#include "host/compiler/kernels/wide_kernels.h"

#include <algorithm>
#include <utility>

namespace systole::lowering {
namespace {

using graph::Call;
using graph::Literal;
using graph::Shape;
using graph::Type;
using vector::Assembler;

WidePixels wide_of(const Call& call) {
  return {.pixels = call.integer("pixels"),
          .apart = call.integer("apart"),
          .width = call.integer("width"),
          .first = call.integer("first")};
}

std::vector<Type> infer(const Call& call) {
  const Shape& kernel = call.operands[0].shape;
  const WidePixels wide = wide_of(call);
  call.need(kernel.size() == 4 && wide.apart >= 1 && wide.pixels % wide.apart == 0 &&
                wide.first >= 0 &&
                wide.first + kernel[1] + wide.pixels - 1 <= wide.width * wide.pixels,
            "{} wide pixels of {} do not hold the kernel", wide.width, wide.pixels);
  return {{call.operands[0].element,
           {kernel[0], wide.width, wide.pixels * kernel[2], wide.pixels * kernel[3]}}};
}

/// One column of a kernel's pixels, for one pixel of the result.
struct Column {
  std::int64_t from = 0;            ///< of the kernel
  std::int64_t wide = 0, part = 0;  ///< the wide pixel, and the pixel in it
  std::int64_t place = 0;           ///< of the result's pixel
};

std::vector<Column> columns_of(const WidePixels& wide, std::int64_t kernel_width) {
  std::vector<Column> columns;
  for (std::int64_t pixel = 0; pixel < wide.pixels; ++pixel) {
    for (std::int64_t from = 0; from < kernel_width; ++from) {
      const std::int64_t to = wide.first + pixel + from;
      columns.push_back({from, to / wide.pixels, to % wide.pixels, wide.place(pixel)});
    }
  }
  return columns;
}

std::vector<Literal> evaluate(const Call& call, std::span<const Literal> operands) {
  const Shape& kernel = call.operands[0].shape;
  const WidePixels wide = wide_of(call);
  const std::int64_t channels = kernel[2], filters = kernel[3], all = wide.pixels * filters;
  Literal result{infer(call)[0], {}};
  result.values.resize(static_cast<std::size_t>(graph::element_count(result.type.shape)));
  for (const Column& column : columns_of(wide, kernel[1])) {
    for (std::int64_t row = 0; row < kernel[0] * channels; ++row) {
      const std::int64_t y = row / channels, channel = row % channels;
      const std::int64_t from = ((y * kernel[1] + column.from) * channels + channel) * filters;
      const std::int64_t pixel = (y * wide.width + column.wide) * wide.pixels + column.part;
      const std::int64_t to = (pixel * channels + channel) * all + column.place * filters;
      for (std::int64_t i = 0; i < filters; ++i) {
        result.values[static_cast<std::size_t>(to + i)] = operands[0].at(from + i);
      }
    }
  }
  return {std::move(result)};
}

const graph::OperationKind kWideKernel{
    .name = "wide_kernel",
    .operands = 1,
    .attributes = {{.name = "pixels"}, {.name = "apart"}, {.name = "width"}, {.name = "first"}},
    .infer = infer,
    .evaluate = evaluate,
    .dialect = "systole"};

}  // namespace

graph::Value wide_kernel(graph::Value kernel, const WidePixels& wide) {
  const graph::Value operands[] = {kernel};
  return kernel.graph().add(kWideKernel, operands,
                            {wide.pixels, wide.apart, wide.width, wide.first})[0];
}

const graph::OperationKind& wide_kernel_kind() { return kWideKernel; }

bool is_wide_kernel(const graph::Operation& operation) { return operation.kind == &kWideKernel; }

KernelColumns columns_of(const graph::Graph& graph, const graph::Operation& wide_kernel) {
  const Call call = graph.call(wide_kernel);
  const WidePixels wide = wide_of(call);
  return {.all = wide.width * wide.pixels, .kernel = call.operands[0].shape[1]};
}

std::vector<KernelCode> write_wide_kernel(const Surroundings& around, int value,
                                          const std::vector<Format>& formats) {
  const graph::Operation& operation = *around.graph.maker(value);
  const int from = around.graph.before_reshapes(operation.operands[0]);
  const Shape& kernel = around.graph.type(operation.operands[0]).shape;
  const WidePixels wide = wide_of(around.graph.call(operation));
  const std::int64_t height = kernel[0], channels = kernel[2], filters = kernel[3];
  const std::int64_t all = wide.pixels * filters, taps = height * wide.width;
  // Where the kernel's rows of filters come from, and where they go.
  const auto read = [&](const Column& column) {
    return View{.first = column.from * channels * filters,
                .step = filters,
                .group_rows = channels,
                .group_step = kernel[1] * channels * filters};
  };
  const auto written = [&](const Column& column, Format format) {
    const std::int64_t channel = column.part * channels, filter = column.place * filters;
    if (format == Format::kTurned) {
      const std::int64_t tap = taps - 1 - column.wide;
      return View{.first = (channel * taps + tap) * all + filter,
                  .step = taps * all,
                  .group_rows = channels,
                  .group_step = -wide.width * all};
    }
    return View{.first = (column.wide * wide.pixels * channels + channel) * all + filter,
                .step = all,
                .group_rows = channels,
                .group_step = wide.width * wide.pixels * channels * all};
  };
  const auto section = [](Assembler& program) {
    return Section{.program = program.finish(), .table = {}};
  };

  std::vector<KernelCode> codes;
  const std::vector<Column> columns = columns_of(wide, kernel[1]);
  const std::size_t most = kStreams / formats.size();
  for (std::size_t first = 0; first < columns.size(); first += most) {
    KernelCode code;
    code.walk = Walk::kRows;
    code.rows = height * channels;
    code.cols = filters;
    Assembler program;
    const std::size_t end = std::min(first + most, columns.size());
    for (std::size_t i = first; i < end; ++i) {
      const vector::Value row = program.read(static_cast<int>(code.in.size()));
      code.in.push_back({.value = from,
                         .format = around.narrow[from] ? Format::kBf16 : Format::kWord,
                         .view = read(columns[i])});
      for (const Format format : formats) {
        program.send(static_cast<int>(code.out.size()), row);
        code.out.push_back({.value = value, .format = format, .view = written(columns[i], format)});
      }
    }
    code.body = section(program);
    if (first == 0) {
      Assembler zeros;
      zeros.send(0, Assembler::kZero);
      code.clear = section(zeros);
      const std::int64_t elements = graph::element_count(around.graph.type(value).shape);
      for (const Format format : formats) {
        code.cleared.push_back({.value = value, .format = format, .elements = elements});
      }
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

}  // namespace systole::lowering
