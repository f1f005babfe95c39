// TensorFlow's graph optimizer writes operations after it has placed the graph: Min for the maximum
// of -x, SquaredDifference for a square, with the device of what they replace. What no core has a
// kernel for is moved to TensorFlow's CPU device here, at the end of each of the optimizer's
// rounds.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include "host/python/plugin/context.h"
#include "host/python/plugin/wire.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/experimental/grappler/grappler.h"

namespace systole::tensorflow {
namespace {

using Types = std::set<std::uint64_t>;  // numbers of tensorflow.DataType
using Attributes = std::map<std::string_view, Types>;

// The numbers of the fields that are read, of graph.proto, node_def.proto, attr_value.proto and
// kernel_def.proto.
namespace graph_def {
constexpr std::uint64_t kNode = 1;
}
namespace node_def {
constexpr std::uint64_t kOperation = 2, kDevice = 4, kAttribute = 5;
}
namespace attribute_entry {  // of a node's map and of a kernel's constraints
constexpr std::uint64_t kName = 1, kValue = 2;
}
namespace attribute_value {
constexpr std::uint64_t kList = 1, kType = 6;  // a list has its types at kType as well
}
namespace kernel_list {
constexpr std::uint64_t kKernel = 1;
}
namespace kernel_def {
constexpr std::uint64_t kDevice = 2, kConstraint = 3, kLabel = 5;
}

void add_types(std::string_view attribute, Types& types) {
  for_each_field(attribute, [&](const Field& field) {
    if (field.number == attribute_value::kList) add_types(field.bytes, types);
    if (field.number != attribute_value::kType) return;
    if (field.bytes.empty()) types.insert(field.value);
    for (Wire packed(field.bytes); !packed.done();) types.insert(packed.varint());
  });
}

void add_attribute(std::string_view entry, Attributes& attributes) {
  std::string_view name;
  Types types;
  for_each_field(entry, [&](const Field& field) {
    if (field.number == attribute_entry::kName) name = field.bytes;
    if (field.number == attribute_entry::kValue) add_types(field.bytes, types);
  });
  attributes[name] = std::move(types);
}

struct Kernel {
  std::string_view device, label;
  Attributes constraints;

  bool takes(const Attributes& node) const {
    return label.empty() && std::ranges::all_of(constraints, [&](const auto& constraint) {
             const auto found = node.find(constraint.first);
             return found != node.end() && std::ranges::includes(constraint.second, found->second);
           });
  }
};

struct Kernels {
  std::shared_ptr<TF_Buffer> bytes;
  std::vector<Kernel> all;
};

Kernels read_kernels(const std::string& operation) {
  const Status status;
  Kernels kernels{
      .bytes = {TF_GetRegisteredKernelsForOp(operation.c_str(), status), TF_DeleteBuffer},
      .all = {}};
  status.check();
  for_each_field({static_cast<const char*>(kernels.bytes->data), kernels.bytes->length},
                 [&](const Field& listed) {
                   if (listed.number != kernel_list::kKernel) return;
                   Kernel& kernel = kernels.all.emplace_back();
                   for_each_field(listed.bytes, [&](const Field& field) {
                     if (field.number == kernel_def::kDevice) kernel.device = field.bytes;
                     if (field.number == kernel_def::kLabel) kernel.label = field.bytes;
                     if (field.number == kernel_def::kConstraint) {
                       add_attribute(field.bytes, kernel.constraints);
                     }
                   });
                 });
  return kernels;
}

// TensorFlow has kernels for any device as well.
std::span<const Kernel> kernels_of(std::string_view operation) {
  static std::mutex mutex;
  static std::map<std::string, Kernels, std::less<>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(operation);
  if (found == known.end()) {
    const std::string name(operation);
    found = known.emplace(name, read_kernels(name)).first;
  }
  return found->second.all;
}

constexpr std::string_view kAnyDevice = "DEFAULT", kCpu = "CPU";

// A node that the cores lack and the CPU has. A call of a function has no kernels at all.
bool must_move(std::string_view operation, const Attributes& attributes) {
  const std::span<const Kernel> kernels = kernels_of(operation);
  const auto is_of = [](const Kernel& kernel, std::string_view device) {
    return kernel.device == device || kernel.device == kAnyDevice;
  };
  return std::ranges::any_of(kernels, [&](const Kernel& kernel) { return is_of(kernel, kCpu); }) &&
         std::ranges::none_of(kernels, [&](const Kernel& kernel) {
           return is_of(kernel, kDeviceType) && kernel.takes(attributes);
         });
}

// Where the device's name says the kind and number of a core:
// "/job:localhost/.../device:SYSTOLE:0".
std::size_t core_in(std::string_view device) {
  return device.rfind(std::string("device:") + kDeviceType + ":");
}

// The node on the CPU; empty if it stays.
std::string moved(std::string_view node) {
  std::string_view operation, device;
  for_each_field(node, [&](const Field& field) {
    if (field.number == node_def::kOperation) operation = field.bytes;
    if (field.number == node_def::kDevice) device = field.bytes;
  });
  const std::size_t core = core_in(device);
  if (core == std::string_view::npos) return {};
  Attributes attributes;
  for_each_field(node, [&](const Field& field) {
    if (field.number == node_def::kAttribute) add_attribute(field.bytes, attributes);
  });
  if (!must_move(operation, attributes)) return {};
  std::string result;
  for_each_field(node, [&](const Field& field) {
    if (field.number != node_def::kDevice) result += field.whole;
  });
  append_field(result, node_def::kDevice, std::string(device.substr(0, core)) + "device:CPU:0");
  return result;
}

// The graph with such nodes moved; empty if there are none.
std::string placed(std::string_view graph) {
  std::string result;
  bool any = false;
  for_each_field(graph, [&](const Field& field) {
    const std::string node = field.number == graph_def::kNode ? moved(field.bytes) : std::string();
    any = any || !node.empty();
    if (node.empty()) {
      result += field.whole;
    } else {
      append_field(result, graph_def::kNode, node);
    }
  });
  return any ? result : std::string();
}

void optimize(void*, const TF_Buffer* graph, const TF_GrapplerItem*, TF_Buffer* optimized,
              TF_Status* status) {
  guarded(
      [&] {
        const std::string result = placed({static_cast<const char*>(graph->data), graph->length});
        if (result.empty()) return TF_SetStatus(status, TF_ABORTED, "nothing to move");
        void* data = std::malloc(result.size());
        if (data == nullptr) throw std::bad_alloc();
        std::ranges::copy(result, static_cast<char*>(data));
        *optimized = {.data = data,
                      .length = result.size(),
                      .data_deallocator = [](void* data, std::size_t) { std::free(data); }};
        TF_SetStatus(status, TF_OK, "");
      },
      [&](const Failure& failure) { Status::fill(status, failure); });
}

}  // namespace
}  // namespace systole::tensorflow

extern "C" SYSTOLE_API void TF_InitGraph(TP_OptimizerRegistrationParams* params,
                                         TF_Status* status) {
  params->struct_size = TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE;
  params->device_type = systole::tensorflow::kDeviceType;
  params->optimizer_configs->struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
  params->optimizer->struct_size = TP_OPTIMIZER_STRUCT_SIZE;
  params->optimizer->optimize_func = systole::tensorflow::optimize;
  TF_SetStatus(status, TF_OK, "");
}
