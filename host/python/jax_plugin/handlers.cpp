// JAX's calls of products, convolutions and poolings: handlers of XLA's foreign function interface,
// and the cores that they run on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "host/python/core/core.h"
#include "host/python/core/pooling.h"
#include "host/python/core/program_text.h"
#include "host/python/jax_plugin/counters.h"
#include "xla/ffi/api/ffi.h"

namespace systole::jax {
namespace {

namespace ffi = xla::ffi;
using namespace python;

// JAX keeps its devices until the process ends, and so do we.
std::mutex cores_mutex;
std::array<std::unique_ptr<Core>, kMostCores> open_cores;

Core& core(std::int32_t device) {
  if (device < 0 || device >= kMostCores) {
    throw Failure(Code::kInvalidArgument,
                  fmt::format("device {}: a process has 1 to {} cores", device, kMostCores));
  }
  const std::lock_guard lock(cores_mutex);
  auto& open = open_cores[static_cast<std::size_t>(device)];
  if (open == nullptr) open = std::make_unique<Core>();
  return *open;
}

// One execution of a compiled function, on all its cores: XLA numbers them, in no order.
struct Execution {
  std::mutex mutex;
  std::int64_t run = -1, number = 0;
  systole_step done{};
  systole_device_info core{};
} last_execution;

void record(std::int64_t run, const systole_step& step, const systole_device_info& core) {
  const std::lock_guard lock(last_execution.mutex);
  if (run != last_execution.run) {
    last_execution.run = run;
    ++last_execution.number;
    last_execution.done = {};
    last_execution.core = core;
  }
  add(last_execution.done, step);
}

template <typename Buffer>
Shape shape(const Buffer& buffer) {  // without the first dimension
  const auto dimensions = buffer.dimensions();
  return {dimensions.begin() + 1, dimensions.end()};
}

template <typename Buffer>
systole_buffer part(Buffer& buffer, std::int64_t index) {
  const std::int64_t size = count(shape(buffer));
  return {.name = nullptr,
          .data = buffer.typed_data() + index * size,
          .size_bytes = size * static_cast<std::int64_t>(sizeof(float))};
}

// Failures of `work` as XLA's errors.
template <typename Work>
ffi::Error with_errors(const Work& work) {
  ffi::Error error = ffi::Error::Success();
  guarded(work, [&](const Failure& failure) {
    error = ffi::Error(static_cast<ffi::ErrorCode>(failure.code()), failure.what());
  });
  return error;
}

// Runs `text(a, b, y)` for each of the tensors along the operands' first dimension.
template <typename Operand, typename Result, typename Text>
ffi::Error run_each(std::int32_t device, ffi::RunId run, Operand& a, Operand& b, Result& y,
                    const Text& text) {
  return with_errors([&] {
    const Shape left = shape(a), right = shape(b), result = shape(*y);
    if (count(left) == 0 || count(right) == 0) {
      std::fill_n(y->typed_data(), y->element_count(), 0.0f);
    }
    if (count(left) == 0 || count(right) == 0 || count(result) == 0) return;
    Core& on = core(device);
    const std::string program = text(left, right, result);
    for (std::int64_t i = 0; i < a.dimensions()[0]; ++i) {
      const systole_buffer operands[] = {part(a, i), part(b, i)};
      record(run.run_id, on.run(program, operands, part(*y, i)), on.info());
    }
  });
}

using Matrices = ffi::Buffer<ffi::F32, 3>;

ffi::Error product(std::int32_t device, ffi::RunId run, Matrices a, Matrices b,
                   ffi::Result<Matrices> y, bool transpose_a, bool transpose_b,
                   std::int64_t asked) {
  return run_each(device, run, a, b, y,
                  [&](const Shape& left, const Shape& right, const Shape& result) {
                    return product_text(left, right, result, transpose_a, transpose_b, asked);
                  });
}

using Images = ffi::Buffer<ffi::F32, 5>;
using Integers = ffi::Span<const std::int64_t>;

template <std::size_t size>
std::array<std::int64_t, size> array(Integers values) {
  if (values.size() != size) {
    throw Failure(Code::kInvalidArgument, fmt::format("{} numbers, not {}", values.size(), size));
  }
  std::array<std::int64_t, size> result;
  std::ranges::copy(values, result.begin());
  return result;
}

ffi::Error convolution(std::int32_t device, ffi::RunId run, Images a, Images b,
                       ffi::Result<Images> y, std::string_view dimensions, Integers strides,
                       Integers padding, Integers lhs_dilation, Integers rhs_dilation,
                       bool mirrors_rhs, std::int64_t asked) {
  return run_each(device, run, a, b, y,
                  [&](const Shape& left, const Shape& right, const Shape& result) {
                    return convolution_text(left, right, result,
                                            {.dimensions = dimensions,
                                             .strides = array<2>(strides),
                                             .padding = array<4>(padding),
                                             .a_dilation = array<2>(lhs_dilation),
                                             .b_dilation = array<2>(rhs_dilation),
                                             .mirrors_b = mirrors_rhs,
                                             .asked = asked});
                  });
}

using Pixels = ffi::Buffer<ffi::F32, 4>;

PooledAxis axis(const Pixels& x, const Pixels& y, std::size_t dimension, Integers window) {
  const auto [size, stride, low] = array<3>(window);
  return {.input = x.dimensions()[dimension],
          .size = size,
          .stride = stride,
          .output = y.dimensions()[dimension],
          .low = low};
}

// Calls pool(pooling, threads) for windows of x whose results are y's.
template <typename Pool>
ffi::Error pooled(std::int32_t device, const Pixels& x, const Pixels& y, Integers rows,
                  Integers columns, const Pool& pool) {
  return with_errors([&] {
    pool({.images = x.dimensions()[0],
          .rows = axis(x, y, 1, rows),
          .columns = axis(x, y, 2, columns),
          .channels = x.dimensions()[3]},
         core(device).info().threads);
  });
}

ffi::Error max_pool(std::int32_t device, Pixels x, ffi::Result<Pixels> y, Integers rows,
                    Integers columns) {
  return pooled(device, x, *y, rows, columns, [&](const Pooling& pooling, int threads) {
    python::max_pool(pooling, x.typed_data(), y->typed_data(), threads);
  });
}

ffi::Error max_pool_gradient(std::int32_t device, Pixels d_y, Pixels x, ffi::Result<Pixels> d_x,
                             Integers rows, Integers columns) {
  return pooled(device, x, d_y, rows, columns, [&](const Pooling& pooling, int threads) {
    python::max_pool_gradient(pooling, x.typed_data(), d_y.typed_data(), d_x->typed_data(),
                              threads);
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(systole_jax_product, product,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Ctx<ffi::RunId>()
                                  .Arg<Matrices>()
                                  .Arg<Matrices>()
                                  .Ret<Matrices>()
                                  .Attr<bool>("transpose_a")
                                  .Attr<bool>("transpose_b")
                                  .Attr<std::int64_t>("asked"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(systole_jax_convolution, convolution,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Ctx<ffi::RunId>()
                                  .Arg<Images>()
                                  .Arg<Images>()
                                  .Ret<Images>()
                                  .Attr<std::string_view>("dimensions")
                                  .Attr<Integers>("strides")
                                  .Attr<Integers>("padding")
                                  .Attr<Integers>("lhs_dilation")
                                  .Attr<Integers>("rhs_dilation")
                                  .Attr<bool>("mirrors_rhs")
                                  .Attr<std::int64_t>("asked"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(systole_jax_max_pool, max_pool,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Arg<Pixels>()
                                  .Ret<Pixels>()
                                  .Attr<Integers>("rows")
                                  .Attr<Integers>("columns"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(systole_jax_max_pool_gradient, max_pool_gradient,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Arg<Pixels>()
                                  .Arg<Pixels>()
                                  .Ret<Pixels>()
                                  .Attr<Integers>("rows")
                                  .Attr<Integers>("columns"));

}  // namespace systole::jax

using namespace systole::jax;
using systole::python::Failure;

extern "C" {

int32_t systole_jax_core_count() {
  int32_t cores = 1;
  systole::python::guarded([&] { cores = systole::python::core_count(); }, [](const Failure&) {});
  return cores;
}

int32_t systole_jax_count(int32_t core, systole_core_counters* counters) {
  const std::lock_guard lock(cores_mutex);
  const auto index = static_cast<std::size_t>(core);
  if (index >= open_cores.size() || open_cores[index] == nullptr) return 1;
  *counters = open_cores[index]->counters();
  return 0;
}

int64_t systole_jax_last_execution(systole_step* done) {
  const std::lock_guard lock(last_execution.mutex);
  *done = last_execution.done;
  done->utilization = systole::python::utilization(*done, last_execution.core);
  return last_execution.number;
}
}
