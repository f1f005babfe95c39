#include "host/python/plugin/context.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

namespace systole::tensorflow {

void Status::check() const {
  if (TF_GetCode(*this) != TF_OK)
    throw Failure(static_cast<Code>(TF_GetCode(*this)), TF_Message(*this));
}

Shape Tensor::integers() const {
  if (TF_TensorType(get()) == TF_INT64) {
    const auto from = values<std::int64_t>();
    return {from.begin(), from.end()};
  }
  const auto from = values<std::int32_t>();
  return {from.begin(), from.end()};
}

bool needs_device(const Tensor& a, const Tensor& b, const Tensor& y) {
  if (a.size() > 0 && b.size() > 0 && y.size() > 0) return true;
  std::ranges::fill(y.values<float>(), 0.0f);
  return false;
}

namespace {
std::atomic<std::int64_t> products_asked = 1;
}  // namespace

std::int64_t asked(const Tensor& a, const Tensor& b) {
  return a.given() == TF_BFLOAT16 && b.given() == TF_BFLOAT16 ? 1 : products_asked.load();
}

bool Construction::flag(const char* name) const {
  const Status status;
  TF_Bool value = 0;
  TF_OpKernelConstruction_GetAttrBool(context_, name, &value, status);
  status.check();
  return value != 0;
}

float Construction::number(const char* name) const {
  const Status status;
  float value = 0;
  TF_OpKernelConstruction_GetAttrFloat(context_, name, &value, status);
  status.check();
  return value;
}

std::string Construction::text(const char* name) const {
  const Status status;
  std::int32_t items = 0, length = 0;
  TF_OpKernelConstruction_GetAttrSize(context_, name, &items, &length, status);
  status.check();
  std::string value(static_cast<std::size_t>(length), ' ');
  TF_OpKernelConstruction_GetAttrString(context_, name, value.data(), value.size(), status);
  status.check();
  return value;
}

std::vector<std::int32_t> Construction::integers(const char* name) const {
  const Status status;
  std::int32_t items = 0, length = 0;
  TF_OpKernelConstruction_GetAttrSize(context_, name, &items, &length, status);
  status.check();
  std::vector<std::int32_t> values(static_cast<std::size_t>(items));
  TF_OpKernelConstruction_GetAttrInt32List(context_, name, values.data(), items, status);
  status.check();
  return values;
}

namespace {

float widened(std::uint16_t bits) {  // of bfloat16
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t rounded(float value) {  // to bfloat16, halves to even
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

Tensor floats(const Shape& shape, TF_DataType given = TF_FLOAT) {
  return Tensor(TF_AllocateTensor(TF_FLOAT, shape.data(), static_cast<int>(shape.size()),
                                  static_cast<std::size_t>(count(shape)) * sizeof(float)),
                given);
}

bool is_narrow(TF_DataType type) { return type == TF_BFLOAT16 || type == TF_HALF; }

}  // namespace

Tensor Context::input(int index) const {
  const Status status;
  TF_Tensor* tensor = nullptr;
  TF_GetInput(context_, index, &tensor, status);
  status.check();
  Tensor input(tensor);
  if (!is_narrow(input.type())) return input;
  const Tensor wide = floats(input.shape(), input.type());
  const auto to = wide.values<float>().begin();
  if (input.type() == TF_HALF) {
    std::ranges::copy(input.values<_Float16>(), to);
  } else {
    std::ranges::transform(input.values<std::uint16_t>(), to, widened);
  }
  return wide;
}

void Context::finish() const {
  for (const auto& [result, wide] : wide_) {
    const auto values = wide.values<float>();
    if (result.type() == TF_HALF) {
      std::ranges::transform(values, result.values<_Float16>().begin(),
                             [](float value) { return static_cast<_Float16>(value); });
    } else {
      std::ranges::transform(values, result.values<std::uint16_t>().begin(), rounded);
    }
  }
}

Tensor Context::output(int index, TF_DataType type, const Shape& shape) const {
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
    refuse("{} has a negative dimension", shape);
  }
  const TF_DataType own = TF_ExpectedOutputDataType(context_, index);
  if (type == TF_FLOAT && is_narrow(own)) {
    wide_.push_back({.result = output(index, own, shape), .values = floats(shape)});
    return wide_.back().values;
  }
  const Status status;
  TF_Tensor* tensor =
      TF_AllocateOutput(context_, index, type, shape.data(), static_cast<int>(shape.size()),
                        static_cast<std::size_t>(count(shape)) * TF_DataTypeSize(type), status);
  status.check();
  return Tensor(tensor);
}

Tensor Context::output_over(std::initializer_list<int> inputs, int index,
                            const Shape& shape) const {
  if (is_narrow(TF_ExpectedOutputDataType(context_, index))) return output(index, TF_FLOAT, shape);
  const Status status;
  int forwarded = 0;
  TF_Tensor* tensor = TF_ForwardInputOrAllocateOutput(
      context_, inputs.begin(), static_cast<int>(inputs.size()), index, shape.data(),
      static_cast<int>(shape.size()), &forwarded, status);
  status.check();
  return Tensor(tensor);
}

Core& Context::core() const {
  const Status status;
  const SP_Stream stream = TF_GetStream(context_, status);
  status.check();
  return *stream->core;
}

void register_kernel(const char* operation, const KernelFunctions& functions, Constraints types,
                     std::initializer_list<const char*> on_host) {
  const Status status;
  TF_KernelBuilder* builder = TF_NewKernelBuilder(operation, kDeviceType, functions.create,
                                                  functions.compute, functions.destroy);
  for (const auto& [attribute, type] : types) {
    TF_KernelBuilder_TypeConstraint(builder, attribute, type, status);
    status.check();
  }
  for (const char* argument : on_host) TF_KernelBuilder_HostMemory(builder, argument);
  TF_RegisterKernelBuilder(operation, builder, status);
  status.check();
}

}  // namespace systole::tensorflow

extern "C" SYSTOLE_API void systole_tensorflow_ask(int64_t products) {
  systole::tensorflow::products_asked = products;
}
