#include "host/nn/training/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/data/strict_json.h"

namespace systole::nn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;
constexpr std::size_t kAlignment = 8;
constexpr const char* kMetadata = "__metadata__";

constexpr std::pair<std::string_view, std::size_t> kTypes[] = {
    {"F64", 8}, {"I64", 8}, {"U64", 8},     {"F32", 4},     {"I32", 4},
    {"U32", 4}, {"F16", 2}, {"BF16", 2},    {"I16", 2},     {"U16", 2},
    {"I8", 1},  {"U8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"BOOL", 1}};

// 0 for an unknown type.
std::size_t size_of_type(std::string_view type) {
  for (const auto& [name, size] : kTypes) {
    if (name == type) return size;
  }
  return 0;
}

class Parser {
 public:
  Parser(std::span<const std::uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  Safetensors parse() {
    const Json header = read_header();
    Safetensors content;
    for (const auto& [key, value] : header.items()) {
      if (key == kMetadata) {
        content.metadata = read_metadata(value);
      } else {
        content.tensors[key] = read_tensor(key, value);
      }
    }
    need_full_cover();
    return content;
  }

 private:
  struct Extent {
    std::uint64_t begin, end;
    std::string name;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw CheckpointError(fmt::format("{}: {}", name_, what));
  }

  Json read_header() {
    if (bytes_.size() < kLengthBytes) {
      refuse(fmt::format("cut off after {} of the {} bytes of its header's length", bytes_.size(),
                         kLengthBytes));
    }
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | bytes_[i];
    if (length > kMostHeaderBytes) {
      refuse(fmt::format("not a safetensors file: it begins with a header length of {}", length));
    }
    if (length > bytes_.size() - kLengthBytes) {
      refuse(fmt::format("cut off after {} of its header's {} bytes", bytes_.size() - kLengthBytes,
                         length));
    }
    const auto header = bytes_.subspan(kLengthBytes, static_cast<std::size_t>(length));
    data_ = bytes_.subspan(kLengthBytes + header.size());
    if (header.empty() || header[0] != '{') refuse("its header does not begin with '{'");
    try {
      return parse_strictly({reinterpret_cast<const char*>(header.data()), header.size()});
    } catch (const std::exception& error) {
      refuse(fmt::format("its header is damaged: {}", error.what()));
    }
  }

  std::map<std::string, std::string> read_metadata(const Json& value) const {
    if (!value.is_object()) refuse("its metadata is not an object");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, words] : value.items()) {
      if (!words.is_string()) refuse(fmt::format("its metadata '{}' is not a string", key));
      metadata[key] = words.get<std::string>();
    }
    return metadata;
  }

  StoredTensor read_tensor(const std::string& key, const Json& value) {
    const auto wrong = [&](const char* what) {
      refuse(fmt::format("its array '{}' has {}", key, what));
    };
    if (!value.is_object() || value.size() != 3) wrong("not just a dtype, shape and data_offsets");
    const auto type = value.find("dtype"), shape = value.find("shape"),
               offsets = value.find("data_offsets");
    if (type == value.end() || !type->is_string()) wrong("no dtype");
    if (shape == value.end() || !is_counts(*shape)) wrong("no shape");
    if (offsets == value.end() || !is_counts(*offsets) || offsets->size() != 2) {
      wrong("no data_offsets of two numbers");
    }
    StoredTensor tensor{
        .type = type->get<std::string>(), .shape = shape->get<Shape>(), .bytes = {}};
    __extension__ unsigned __int128 size = size_of_type(tensor.type);
    if (size == 0) wrong("an unknown dtype");
    for (const std::int64_t dimension : tensor.shape) {
      if (size > data_.size()) size = data_.size() + 1;  // already too large; must not wrap
      size *= static_cast<std::uint64_t>(dimension);
    }
    const auto begin = (*offsets)[0].get<std::uint64_t>(), end = (*offsets)[1].get<std::uint64_t>();
    if (begin > end || end > data_.size()) {
      refuse(
          fmt::format("its array '{}' is at bytes {} to {} of {}: the file is cut off or its "
                      "header damaged",
                      key, begin, end, data_.size()));
    }
    if (size != end - begin) wrong("data_offsets that do not fit its dtype and shape");
    const auto bytes = data_.subspan(begin, static_cast<std::size_t>(end - begin));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    extents_.push_back({.begin = begin, .end = end, .name = key});
    return tensor;
  }

  static bool is_counts(const Json& value) {
    constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
    return value.is_array() && std::ranges::all_of(value, [](const Json& item) {
             return item.is_number_unsigned() && item.get<std::uint64_t>() <= kMost;
           });
  }

  void need_full_cover() {
    std::ranges::sort(extents_, [](const Extent& a, const Extent& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t covered = 0;
    for (const Extent& extent : extents_) {
      if (extent.begin != covered) {
        refuse(fmt::format("its array '{}' begins at byte {}, where {} was expected", extent.name,
                           extent.begin, covered));
      }
      covered = extent.end;
    }
    if (covered != data_.size()) {
      refuse(fmt::format("{} bytes follow its last array", data_.size() - covered));
    }
  }

  std::span<const std::uint8_t> bytes_, data_;
  const std::string& name_;
  std::vector<Extent> extents_;
};

}  // namespace

std::vector<std::uint8_t> to_bytes(const Safetensors& content) {
  std::vector<const std::pair<const std::string, StoredTensor>*> order;
  for (const auto& entry : content.tensors) order.push_back(&entry);
  // Wider types first, then by name.
  std::ranges::sort(order, [](const auto* a, const auto* b) {
    const std::size_t a_size = size_of_type(a->second.type), b_size = size_of_type(b->second.type);
    return a_size != b_size ? a_size > b_size : a->first < b->first;
  });

  Json header = Json::object();
  if (!content.metadata.empty()) header[kMetadata] = content.metadata;
  std::size_t end = 0;
  for (const auto* entry : order) {
    const StoredTensor& tensor = entry->second;
    const std::size_t begin = end;
    end += tensor.bytes.size();
    header[entry->first] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');

  std::vector<std::uint8_t> bytes;
  bytes.reserve(kLengthBytes + text.size() + end);
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{text.size()} >> (8 * i)));
  }
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (const auto* entry : order) {
    bytes.insert(bytes.end(), entry->second.bytes.begin(), entry->second.bytes.end());
  }
  return bytes;
}

Safetensors parse_safetensors(std::span<const std::uint8_t> bytes, const std::string& name) {
  return Parser(bytes, name).parse();
}

}  // namespace systole::nn
