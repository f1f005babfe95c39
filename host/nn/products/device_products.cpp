#include "host/nn/products/device_products.h"

#include <algorithm>

#include "host/cpu/parallel.h"
#include "host/device/convert.h"

namespace systole::nn {
namespace {

using graph::Images;
using graph::Pointers;
using std::int64_t;

std::vector<int> those_there(std::initializer_list<int> values) {
  std::vector<int> there;
  std::ranges::copy_if(values, std::back_inserter(there), [](int value) { return value >= 0; });
  return there;
}

template <typename T>
std::span<T> values_at(Pointers pointers, int value, int64_t first, int64_t count) {
  return {graph::pointer<T>(pointers, value) + first, static_cast<std::size_t>(count)};
}

template <typename T>
void lay_out(const Images& images, const T* from, int64_t count, std::span<T> patches,
             int threads) {
  const int64_t size = images.positions() * images.patch();
  graph::for_each_part(threads, count, [&](int64_t i) {
    images.lay_out(from + i * images.size(), 0, images.positions(), patches.data() + i * size);
  });
}

// The first values, at a multiple of 64 bytes, of memory that only grows, so that none is cleared
// again in each step.
template <typename T>
std::span<T> first_of(std::vector<T>& memory, std::size_t count) {
  constexpr std::size_t kUnit = 64 / sizeof(T);
  if (memory.size() < count + kUnit) memory.resize(count + kUnit);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(T) % kUnit;
  return std::span(memory).subspan(skipped, count);
}

}  // namespace

std::vector<graph::Offload::Part> DeviceProducts::take(const graph::Graph& graph) {
  graph_ = &graph;
  matches_ = lowering::find_products(graph, {.fuses = multiplier_.keeps_results()});
  versions_.assign(graph.value_count(), 0);
  stays_.assign(graph.value_count(), false);
  uses_.assign(graph.value_count(), 0);
  std::vector<Part> parts;
  for (const lowering::MatrixMatch& match : matches_.matrices) {
    stays_[match.result] = match.stays;
    for (const int value : those_there({match.a, match.b, match.bias, match.mask})) {
      ++uses_[value];
    }
    parts.push_back({.kernel = {.reads = those_there({match.a, match.b, match.bias, match.mask}),
                                .writes = those_there({match.result, match.column_sums}),
                                .run = [this, &match](Pointers p, int) { run(match, p); }},
                     .order = match.order});
  }
  for (const lowering::ImageMatch& match : matches_.images) {
    for (const int value : those_there({match.x, match.w, match.bias, match.d_y})) {
      ++uses_[value];  // until the end of a run
    }
    parts.push_back(
        {.kernel = {.reads = those_there({match.x, match.w, match.bias, match.d_y}),
                    .writes = those_there({match.y, match.d_x, match.d_w, match.d_bias}),
                    .run =
                        [this, &match](Pointers p, int) {
                          match.y >= 0 ? run_forward(match, p) : run_backward(match, p);
                        }},
         .order = match.order});
  }
  return parts;
}

void DeviceProducts::begin(std::span<const std::uint64_t> input_versions) {
  ++run_;
  give_back(true);  // leftovers of a failed run
  left_ = uses_;
  for (std::size_t i = 0; i < input_versions.size(); ++i) {
    versions_[graph_->inputs()[i].value] = input_versions[i];
  }
}

// Gradients have their own scopes; see graph::gradients.
bool DeviceProducts::is_gradient(int value) const {
  const graph::Operation* operation = graph_->maker(value);
  return operation != nullptr && (operation->scope == "d" || operation->scope.starts_with("d_"));
}

bool DeviceProducts::is_current(int value, Loaded& loaded) const {
  const std::uint64_t version = versions_[value];
  const bool current = version != 0 ? loaded.version == version : loaded.run == run_;
  loaded.run = run_;
  loaded.version = version;
  return current;
}

// A parameter is loaded once per version and found by name; other values are loaded in each run.
template <typename Load>
const Operand& DeviceProducts::loaded(int value, const Range& range, int64_t size,
                                      const Load& load) {
  OperandStore& store = multiplier_.operands();
  if (const std::uint64_t version = versions_[value]; version != 0) {
    const auto input = std::ranges::find(graph_->inputs(), value, &graph::Input::value);
    OperandStore::Kept& kept = store.input(input->name, range);
    if (kept.version != version) load(kept.operand);
    kept.version = version;
    return kept.operand;
  }
  const auto [entry, is_new] = lent_.try_emplace({value, range});
  if (is_new) {
    entry->second = {.size = size, .place = store.take(size)};
    load(store[entry->second.place]);
  }
  return store[entry->second.place];
}

void DeviceProducts::give_back(bool all) {
  std::erase_if(lent_, [&](const auto& entry) {
    const bool goes = all || left_[entry.first.first] == 0;
    if (goes) multiplier_.operands().give_back(entry.second.size, entry.second.place);
    return goes;
  });
}

void DeviceProducts::end() {
  multiplier_.wait();
  give_back(true);
}

const Operand& DeviceProducts::operand(Pointers pointers, int value, const Range& range) {
  if (stays_[value]) return results_[value];
  const int64_t all = graph::element_count(graph_->type(value).shape);
  const int64_t size = range.count > 0 ? range.count : all;
  return loaded(value, range, size, [&](Operand& operand) {
    multiplier_.load(operand, values_at<const float>(pointers, value, range.first, size),
                     is_gradient(value) ? Rounding::kStochastic : Rounding::kNearest);
  });
}

const Operand* DeviceProducts::bias(Pointers pointers, int value) {
  if (value < 0) return nullptr;
  const int64_t size = graph::element_count(graph_->type(value).shape);
  constexpr Range kFp32{.first = -1};  // it may also be an operand
  return &loaded(value, kFp32, size, [&](Operand& operand) {
    multiplier_.load_bias(operand, values_at<const float>(pointers, value, 0, size));
  });
}

void DeviceProducts::run(const lowering::MatrixMatch& match, Pointers pointers) {
  const graph::DotForm& form = match.form;
  if (form.batch > 1) return run_batches(match, pointers);
  const Product product{.a = operand(pointers, match.a),
                        .b = operand(pointers, match.b),
                        .rows = form.rows,
                        .depth = form.depth,
                        .cols = form.cols,
                        .transpose_a = form.transpose_a,
                        .transpose_b = form.transpose_b};
  const Finish finish{.bias = bias(pointers, match.bias),
                      .relu = match.relu,
                      .mask = match.mask < 0 ? nullptr : &operand(pointers, match.mask)};
  for (const int value : those_there({match.a, match.b, match.bias, match.mask})) {
    --left_[value];
  }
  if (match.stays) return multiplier_.multiply(product, finish, results_[match.result]);
  const auto result = values_at<float>(pointers, match.result, 0, form.rows * form.cols);
  if (!match.waits || finish.bias != nullptr || finish.relu || finish.mask != nullptr) {
    multiplier_.multiply(product, result, finish);
    return give_back(false);  // everything queued has run
  }
  multiplier_.multiply(product, gradient(match.result), result,
                       match.column_sums < 0
                           ? std::span<float>{}
                           : values_at<float>(pointers, match.column_sums, 0, form.cols));
}

// All of them as one program.
void DeviceProducts::run_batches(const lowering::MatrixMatch& match, Pointers pointers) {
  const graph::DotForm& form = match.form;
  const int64_t a = form.rows * form.depth, b = form.depth * form.cols, y = form.rows * form.cols;
  for (int64_t i = 0; i < form.batch; ++i) {
    multiplier_.multiply({.a = operand(pointers, match.a, {.first = i * a, .count = a}),
                          .b = operand(pointers, match.b, {.first = i * b, .count = b}),
                          .rows = form.rows,
                          .depth = form.depth,
                          .cols = form.cols,
                          .transpose_a = form.transpose_a,
                          .transpose_b = form.transpose_b},
                         gradient(match.result, i),
                         values_at<float>(pointers, match.result, i * y, y), {});
  }
  multiplier_.wait();
  --left_[match.a];
  --left_[match.b];
  give_back(false);
}

GradientBuffers& DeviceProducts::gradient(int value, int64_t batch) {
  const auto [entry, is_new] = gradients_.try_emplace({value, batch}, gradients_.size());
  return multiplier_.operands().gradient(entry->second);
}

// The fewest that memory and int8's depth allow, of nearly equal size. The largest come first: a
// buffer that grew for a later one would give the earlier ones another place in the next run, and
// so another program.
std::vector<DeviceProducts::Range> DeviceProducts::slabs(const Images& images) const {
  const int64_t most =
      std::max<int64_t>(1, std::min(memory_.slab_values / (images.positions() * images.patch()),
                                    kMaxInt8Depth / images.positions()));
  const int64_t count = (images.batch + most - 1) / most;
  const auto begin = [&](int64_t slab) { return (images.batch * slab + count - 1) / count; };
  std::vector<Range> slabs;
  for (int64_t i = 0; i < count; ++i) {
    slabs.push_back({.first = begin(i), .count = begin(i + 1) - begin(i)});
  }
  return slabs;
}

// bf16 rounds before laying out patches, which hold each value once per tap of its windows.
const Operand& DeviceProducts::patches(const lowering::ImageMatch& match, Pointers pointers,
                                       const Range& slab) {
  const Images& images = match.images;
  const bool kept = matches_.keeps_patches[match.patches] &&
                    images.batch * images.positions() * images.patch() <= memory_.kept_values;
  Loaded& loaded = patches_[{match.patches, kept ? slab : Range{}}];
  if (is_current(match.x, loaded) && kept) return loaded.operand;
  const auto from = values_at<const float>(pointers, match.x, slab.first * images.size(),
                                           slab.count * images.size());
  const int threads = multiplier_.device().info().threads;
  const int64_t size = slab.count * images.positions() * images.patch();
  if (multiplier_.precision() == DataType::kBf16) {
    const auto rounded = first_of(rounded_, from.size());
    multiplier_.round_to_bf16(from, rounded);
    multiplier_.load_words(loaded.operand, size, [&](std::span<std::uint16_t> words) {
      lay_out<std::uint16_t>(images, rounded.data(), slab.count, words, threads);
    });
  } else {
    const auto laid_out = first_of(staging_, static_cast<std::size_t>(size));
    lay_out<float>(images, from.data(), slab.count, laid_out, threads);
    multiplier_.load(loaded.operand, laid_out);
  }
  return loaded.operand;
}

void DeviceProducts::run_forward(const lowering::ImageMatch& match, Pointers pointers) {
  const Images& images = match.images;
  const Finish finish{.bias = bias(pointers, match.bias), .relu = match.relu};
  for (const Range& slab : slabs(images)) {
    const int64_t rows = slab.count * images.positions();
    multiplier_.multiply(
        {.a = patches(match, pointers, slab),
         .b = operand(pointers, match.w),
         .rows = rows,
         .depth = images.patch(),
         .cols = match.filters},
        values_at<float>(pointers, match.y, slab.first * images.positions() * match.filters,
                         rows * match.filters),
        finish);
  }
}

void DeviceProducts::run_backward(const lowering::ImageMatch& match, Pointers pointers) {
  const Images& images = match.images;
  const int64_t weights = images.patch() * match.filters, row = images.positions() * match.filters;
  const auto sums_of = [&](int value, int64_t count) {
    return value < 0 ? std::span<float>{} : values_at<float>(pointers, value, 0, count);
  };
  const auto d_w = sums_of(match.d_w, weights), d_bias = sums_of(match.d_bias, match.filters);
  const auto all = slabs(images);
  const bool alone = all.size() == 1;
  slab_weight_.resize(alone ? 0 : d_w.size());
  slab_bias_.resize(alone ? 0 : d_bias.size());
  for (const Range& slab : all) {
    const int64_t rows = slab.count * images.positions();
    const Operand& d_y =
        operand(pointers, match.d_y,
                alone ? Range{} : Range{.first = slab.first * row, .count = slab.count * row});
    if (match.d_w >= 0) {
      multiplier_.multiply({.a = patches(match, pointers, slab),
                            .b = d_y,
                            .rows = images.patch(),
                            .depth = rows,
                            .cols = match.filters,
                            .transpose_a = true},
                           gradient(match.d_w), alone ? d_w : std::span(slab_weight_),
                           alone ? d_bias : std::span(slab_bias_));
    }
    if (match.d_x >= 0) {
      const auto staging = first_of(staging_, static_cast<std::size_t>(rows * images.patch()));
      multiplier_.multiply({.a = d_y,
                            .b = operand(pointers, match.w),
                            .rows = rows,
                            .depth = match.filters,
                            .cols = images.patch(),
                            .transpose_b = true},
                           staging);
      float* d_x = graph::pointer<float>(pointers, match.d_x) + slab.first * images.size();
      graph::for_each_part(multiplier_.device().info().threads, slab.count, [&](int64_t i) {
        images.add_back(staging.data() + i * images.positions() * images.patch(),
                        d_x + i * images.size());
      });
    }
    if (alone) continue;
    multiplier_.wait();
    add_slab(slab, slab_weight_, d_w);
    add_slab(slab, slab_bias_, d_bias);
  }
  if (match.d_w >= 0 && !match.waits) multiplier_.wait();
}

void DeviceProducts::add_slab(const Range& slab, std::span<const float> part,
                              std::span<float> sum) const {
  if (slab.first == 0) std::ranges::fill(sum, 0.0f);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}

}  // namespace systole::nn
