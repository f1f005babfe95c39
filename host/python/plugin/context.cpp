#include "host/python/plugin/context.h"

#include <algorithm>

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

Tensor Context::input(int index) const {
  const Status status;
  TF_Tensor* tensor = nullptr;
  TF_GetInput(context_, index, &tensor, status);
  status.check();
  return Tensor(tensor);
}

Tensor Context::output(int index, TF_DataType type, const Shape& shape) const {
  const Status status;
  TF_Tensor* tensor =
      TF_AllocateOutput(context_, index, type, shape.data(), static_cast<int>(shape.size()),
                        static_cast<std::size_t>(count(shape)) * TF_DataTypeSize(type), status);
  status.check();
  return Tensor(tensor);
}

Tensor Context::output_over(std::initializer_list<int> inputs, int index,
                            const Shape& shape) const {
  const Status status;
  int forwarded = 0;
  TF_Tensor* tensor = TF_ForwardInputOrAllocateOutput(
      context_, inputs.begin(), static_cast<int>(inputs.size()), index, shape.data(),
      static_cast<int>(shape.size()), &forwarded, status);
  status.check();
  return Tensor(tensor);
}

void Context::pass_on(int index, const Tensor& tensor) const {
  const Status status;
  TF_SetOutput(context_, index, tensor.get(), status);
  status.check();
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
