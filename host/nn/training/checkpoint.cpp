#include "host/nn/training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "host/data/atomic_file.h"
#include "host/data/file_bytes.h"
#include "host/graph/checksum.h"
#include "host/nn/training/training.h"

namespace systole::nn {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

template <typename T>
std::vector<std::uint8_t> bytes_of(std::span<const T> values) {
  std::vector<std::uint8_t> bytes(values.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> values_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename Number>
std::optional<Number> parsed(const std::string& text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

std::string slot_array(const std::string& parameter, std::size_t slot) {
  return fmt::format("optimizer/{}/{}", parameter, slot);
}

constexpr const char* kChecksum = "checksum";

// The file's bytes, with their checksum in the metadata; it is taken with zeros in its own place.
std::vector<std::uint8_t> sealed(Safetensors content) {
  Checksum checksum;
  content.metadata[kChecksum] = std::string(checksum.hex().size(), '0');
  checksum.add(std::span<const std::uint8_t>(to_bytes(content)));
  content.metadata[kChecksum] = checksum.hex();
  return to_bytes(content);
}

// A state that cannot be resumed must not replace one that can.
void need_finite(const std::string& name, std::span<const float> values) {
  if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return;
  throw TrainingError(fmt::format(
      "{} or its optimizer state is not finite, so nothing was saved: lower the learning rate",
      name));
}

}  // namespace

Checkpoint Checkpoint::load(const std::filesystem::path& path) {
  Checkpoint checkpoint;
  checkpoint.source_ = path.string();
  std::vector<std::uint8_t> bytes;
  try {
    bytes = read_plain_file(path);
  } catch (const DataError& error) {
    throw CheckpointError(error.what());
  }
  checkpoint.content_ = parse_safetensors(bytes, path.string());
  if (checkpoint.content_.metadata.erase(kChecksum) == 0) {
    throw checkpoint.error(
        "it has no checksum, so nobody knows whether it is damaged: another "
        "program or an earlier version wrote it");
  }
  if (sealed(checkpoint.content_) != bytes) {
    throw checkpoint.error("damaged: its bytes do not have its checksum; use another copy");
  }
  return checkpoint;
}

void Checkpoint::save(const std::filesystem::path& path) const {
  write_file_atomically(path, sealed(content_));
}

void Checkpoint::set(const std::string& key, const std::string& words) {
  content_.metadata[key] = words;
}

void Checkpoint::set(const std::string& key, std::int64_t number) {
  content_.metadata[key] = fmt::format("{}", number);
}

void Checkpoint::set(const std::string& key, double number) {
  content_.metadata[key] = fmt::format("{}", number);  // the shortest that reads back the same
}

void Checkpoint::set(const std::string& key, const Shape& shape, std::span<const float> values) {
  content_.tensors[key] = {.type = "F32", .shape = shape, .bytes = bytes_of(values)};
}

void Checkpoint::set(const std::string& key, std::span<const double> values) {
  content_.tensors[key] = {.type = "F64",
                           .shape = {static_cast<std::int64_t>(values.size())},
                           .bytes = bytes_of(values)};
}

bool Checkpoint::has(const std::string& key) const {
  return content_.metadata.contains(key) || content_.tensors.contains(key);
}

std::string Checkpoint::words(const std::string& key) const {
  const auto found = content_.metadata.find(key);
  if (found == content_.metadata.end()) throw error(fmt::format("it has no '{}'", key));
  return found->second;
}

std::int64_t Checkpoint::integer(const std::string& key) const {
  const auto value = parsed<std::int64_t>(words(key));
  if (value && *value >= 0) return *value;
  throw error(fmt::format("its '{}' is '{}', not a count", key, words(key)));
}

double Checkpoint::number(const std::string& key) const {
  const auto value = parsed<double>(words(key));
  if (value && std::isfinite(*value)) return *value;
  throw error(fmt::format("its '{}' is '{}', not a finite number", key, words(key)));
}

const StoredTensor& Checkpoint::array(const std::string& key, const char* type) const {
  const auto found = content_.tensors.find(key);
  if (found == content_.tensors.end()) throw error(fmt::format("it has no array '{}'", key));
  if (found->second.type != type) {
    throw error(fmt::format("its array '{}' is of type {}, not {}", key, found->second.type, type));
  }
  return found->second;
}

std::vector<double> Checkpoint::doubles(const std::string& key) const {
  return values_of<double>(array(key, "F64").bytes);
}

std::vector<float> Checkpoint::floats(const std::string& key, const Shape& shape) const {
  const StoredTensor& stored = array(key, "F32");
  if (stored.shape != shape) {
    throw error(fmt::format("its array '{}' is {}, the model's {}", key, to_string(stored.shape),
                            to_string(shape)));
  }
  auto values = values_of<float>(stored.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw error(fmt::format("its array '{}' is {} at place {}", key, values[i], i));
    }
  }
  return values;
}

Shape Checkpoint::shape(const std::string& key) const {
  const auto found = content_.tensors.find(key);
  if (found == content_.tensors.end()) throw error(fmt::format("it has no array '{}'", key));
  return found->second.shape;
}

std::vector<std::string> Checkpoint::arrays(const std::string& prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : content_.tensors) {
    if (name.starts_with(prefix)) names.push_back(name);
  }
  return names;
}

CheckpointError Checkpoint::error(const std::string& what) const {
  return CheckpointError(fmt::format("{}: {}", source_, what));
}

void save_parameters(Checkpoint& checkpoint, std::span<Parameter* const> parameters) {
  std::int64_t slots = 0;
  for (const Parameter* parameter : parameters) {
    const std::string& name = parameter->name;
    need_finite(name, parameter->value);
    checkpoint.set("model/" + name, parameter->shape, parameter->value);
    for (std::size_t slot = 0; slot < parameter->slots.size(); ++slot, ++slots) {
      need_finite(name, parameter->slots[slot]);
      checkpoint.set(slot_array(name, slot), parameter->shape, parameter->slots[slot]);
    }
  }
  checkpoint.set("optimizer_arrays", slots);
}

namespace {

// Checks a model's arrays against the checkpoint's.
std::vector<std::vector<float>> read_weights(const Checkpoint& checkpoint,
                                             std::span<Parameter* const> parameters) {
  std::set<std::string> wanted;
  std::vector<std::vector<float>> values;
  for (const Parameter* parameter : parameters) {
    wanted.insert("model/" + parameter->name);
    values.push_back(checkpoint.floats("model/" + parameter->name, parameter->shape));
  }
  for (const std::string& name : checkpoint.arrays("model/")) {
    if (!wanted.contains(name)) {
      throw checkpoint.error(fmt::format("its array '{}' does not belong to this model", name));
    }
  }
  return values;
}

}  // namespace

void restore_parameters(const Checkpoint& checkpoint, std::span<Parameter* const> parameters) {
  auto values = read_weights(checkpoint, parameters);
  std::vector<std::vector<std::vector<float>>> slots(parameters.size());
  std::size_t used = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, shape] = std::tie(parameters[i]->name, parameters[i]->shape);
    for (std::size_t s = 0; checkpoint.has(slot_array(name, s)); ++s, ++used) {
      slots[i].push_back(checkpoint.floats(slot_array(name, s), shape));
    }
  }
  const auto wanted = static_cast<std::size_t>(checkpoint.integer("optimizer_arrays"));
  const std::size_t stored = checkpoint.arrays("optimizer/").size();
  if (used != wanted || stored != wanted) {
    throw checkpoint.error(
        fmt::format("it should have {} optimizer arrays: it has {}, and {} of them fit this "
                    "model",
                    wanted, stored, used));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Parameter& parameter = *parameters[i];
    parameter.value = std::move(values[i]);
    parameter.need_slots(slots[i].size());
    slots[i].resize(parameter.slots.size(), std::vector<float>(parameter.value.size(), 0.0f));
    std::ranges::move(slots[i], parameter.slots.begin());  // where an update's graph finds them
    ++parameter.version;
  }
}

void load_weights(const Checkpoint& checkpoint, std::span<Parameter* const> parameters) {
  auto values = read_weights(checkpoint, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->value = std::move(values[i]);
    ++parameters[i]->version;
  }
}

}  // namespace systole::nn
