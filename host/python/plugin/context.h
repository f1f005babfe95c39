#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/python/core/core.h"
#include "host/python/core/program_text.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/tf_status.h"

// TensorFlow's kernels in C++, through its public C API alone.
namespace systole::tensorflow {

inline constexpr const char* kDeviceType = "SYSTOLE";

using namespace python;

/// Refuses an operation's arguments; shapes are written as "[2, 3]".
template <typename... T>
[[noreturn]] void refuse(fmt::format_string<T...> text, T&&... arguments) {
  throw Failure(Code::kInvalidArgument, fmt::format(text, std::forward<T>(arguments)...));
}

/// A TF_Status that throws.
class Status {
 public:
  Status() : status_(TF_NewStatus()) {}
  explicit Status(const Failure& failure) : Status() { fill(status_.get(), failure); }
  operator TF_Status*() const { return status_.get(); }
  void check() const;  ///< throws what TensorFlow says
  static void fill(TF_Status* status, const Failure& failure) {
    TF_SetStatus(status, static_cast<TF_Code>(failure.code()), failure.what());
  }

 private:
  struct Delete {
    void operator()(TF_Status* status) const { TF_DeleteStatus(status); }
  };
  std::unique_ptr<TF_Status, Delete> status_;
};

template <typename T>
inline constexpr TF_DataType kType = TF_FLOAT;
template <>
inline constexpr TF_DataType kType<std::int32_t> = TF_INT32;
template <>
inline constexpr TF_DataType kType<std::int64_t> = TF_INT64;
template <>
inline constexpr TF_DataType kType<bool> = TF_BOOL;

/// A dense, row-major tensor in the memory of this process; copies share it.
class Tensor {
 public:
  /// `given` is the type before the values were widened.
  explicit Tensor(TF_Tensor* tensor, std::optional<TF_DataType> given = {})
      : tensor_(tensor, TF_DeleteTensor),
        given_(given.value_or(TF_TensorType(tensor))),
        shape_(TF_NumDims(tensor)) {
    for (std::size_t i = 0; i < shape_.size(); ++i) shape_[i] = TF_Dim(tensor, static_cast<int>(i));
  }
  TF_DataType type() const { return TF_TensorType(tensor_.get()); }
  TF_DataType given() const { return given_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  std::int64_t size() const { return count(shape_); }
  TF_Tensor* get() const { return tensor_.get(); }
  template <typename T>
  std::span<T> values() const {
    return {static_cast<T*>(TF_TensorData(tensor_.get())), static_cast<std::size_t>(size())};
  }
  /// int32 or int64 in host memory, such as axes and shapes.
  Shape integers() const;
  systole_buffer buffer() const {
    return {.name = nullptr,
            .data = TF_TensorData(tensor_.get()),
            .size_bytes = static_cast<std::int64_t>(TF_TensorByteSize(tensor_.get()))};
  }

 private:
  std::shared_ptr<TF_Tensor> tensor_;
  TF_DataType given_;
  Shape shape_;
};

/// Whether there is something to multiply; otherwise fills `y` with 0.
bool needs_device(const Tensor& a, const Tensor& b, const Tensor& y);

/// How many products of bf16 numbers one of these shall be worth (docs/numerics.md): what
/// systole_tensorflow_ask set, and 1 where both were bfloat16.
std::int64_t asked(const Tensor& a, const Tensor& b);

/// A kernel's attributes, while it is made.
class Construction {
 public:
  explicit Construction(TF_OpKernelConstruction* context) : context_(context) {}
  bool flag(const char* name) const;
  float number(const char* name) const;
  std::string text(const char* name) const;
  std::vector<std::int32_t> integers(const char* name) const;

 private:
  TF_OpKernelConstruction* context_;
};

/// A kernel's call. Kernels compute in float32: operands in bfloat16 and float16 are widened when
/// they are asked for, and results of such types rounded by finish().
class Context {
 public:
  explicit Context(TF_OpKernelContext* context) : context_(context) {}
  int inputs() const { return TF_NumInputs(context_); }
  Tensor input(int index) const;
  /// `type` is TF_FLOAT for bfloat16 and float16 as well.
  ///
  /// Errors   Failure for a negative dimension
  Tensor output(int index, TF_DataType type, const Shape& shape) const;
  /// An output of this shape, in the memory of an input that nobody else needs if there is one.
  Tensor output_over(std::initializer_list<int> inputs, int index, const Shape& shape) const;
  void finish() const;  ///< once the kernel has computed
  Core& core() const;
  int threads() const { return core().info().threads; }

 private:
  // A result's values before they are rounded.
  struct Wide {
    Tensor result, values;
  };
  TF_OpKernelContext* context_;
  mutable std::vector<Wide> wide_;
};

using Constraints = std::initializer_list<std::pair<const char*, TF_DataType>>;

/// The types of TensorFlow that are float32 to a kernel.
inline constexpr TF_DataType kFloats[] = {TF_FLOAT, TF_BFLOAT16, TF_HALF};

/// What a TF_KernelBuilder needs: the functions, and where arguments lie.
struct KernelFunctions {
  void* (*create)(TF_OpKernelConstruction*);
  void (*compute)(void*, TF_OpKernelContext*);
  void (*destroy)(void*);
};
void register_kernel(const char* operation, const KernelFunctions& functions, Constraints types,
                     std::initializer_list<const char*> on_host);

/// Registers a class with compute(const Context&), constructed from Construction or from nothing.
template <typename Kernel>
void add_kernel(const char* operation, Constraints types,
                std::initializer_list<const char*> on_host = {}) {
  register_kernel(operation,
                  {.create = [](TF_OpKernelConstruction* context) -> void* {
                     Kernel* kernel = nullptr;
                     guarded(
                         [&] {
                           if constexpr (std::is_constructible_v<Kernel, Construction>) {
                             kernel = new Kernel(Construction(context));
                           } else {
                             kernel = new Kernel();
                           }
                         },
                         [&](const Failure& failure) {
                           TF_OpKernelConstruction_Failure(context, Status(failure));
                         });
                     return kernel;
                   },
                   .compute =
                       [](void* kernel, TF_OpKernelContext* context) {
                         guarded(
                             [&] {
                               const Context call(context);
                               static_cast<Kernel*>(kernel)->compute(call);
                               call.finish();
                             },
                             [&](const Failure& failure) {
                               TF_OpKernelContext_Failure(context, Status(failure));
                             });
                       },
                   .destroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); }},
                  types, on_host);
}

/// The types of TensorFlow that are T to a kernel.
template <typename T>
std::span<const TF_DataType> types_of() {
  if constexpr (std::is_same_v<T, float>) return kFloats;
  return {&kType<T>, 1};
}
/// Registers the class for each of them as the attribute T.
template <typename T, typename Kernel>
void add_typed_kernel(const char* operation, std::initializer_list<const char*> on_host = {}) {
  for (const TF_DataType type : types_of<T>())
    add_kernel<Kernel>(operation, {{"T", type}}, on_host);
}
template <typename Kernel>
void add_float_kernel(const char* operation, std::initializer_list<const char*> on_host = {}) {
  add_typed_kernel<float, Kernel>(operation, on_host);
}

// One function for each source of kernels.
void add_adam();
void add_products();
void add_convolutions();
void add_elementwise();
void add_pooling();
void add_reductions();

}  // namespace systole::tensorflow

/// TensorFlow's name for a stream; kernels find their core through it.
struct SP_Stream_st {
  systole::tensorflow::Core* core;
};
