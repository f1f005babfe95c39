#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {

/// The values that a field of a number may have.
enum class Allowed : std::uint8_t { kAny, kNotNegative, kPositive };

/// The names and numbers of an object whose keys are data.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Reads the fields of an object of a record that a list of fields names. FieldWriter has the same
/// functions and writes them, so that one list says both.
///
/// Errors   std::runtime_error that names the object and the key
class FieldReader {
 public:
  using Json = nlohmann::ordered_json;

  FieldReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) refuse(fmt::format("{}, not an object", kind(object)));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error(fmt::format("{}: {}", where_, why));
  }

  /// Refuses an object with other keys.
  void need_known(std::span<const std::string_view> keys) const {
    for (const auto& [key, value] : object_.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      refuse(fmt::format("unknown key '{}': choose from {}", key, fmt::join(keys, ", ")));
    }
  }

  /// Whether the key is there, and not null; writing leaves `is` as it was.
  void presence(const char* key, bool& is) const { is = has(key); }

  /// A field that is there.
  template <typename T>
  void field(const char* key, T& value, Allowed allowed = Allowed::kAny) const {
    if (!object_.contains(key)) refuse(fmt::format("no key '{}'", key));
    take(key, object_[key], value, allowed);
  }
  /// One that is null unless `is_known`.
  template <typename T>
  void field_if(bool is_known, const char* key, T& value, Allowed allowed = Allowed::kAny) const {
    if (is_known) field(key, value, allowed);
  }
  /// One that may be missing: then `value` stays.
  template <typename T>
  void given(const char* key, T& value, Allowed allowed = Allowed::kAny) const {
    if (object_.contains(key)) field(key, value, allowed);
  }
  /// One that older records, and other writers, may lack or leave null.
  template <typename T>
  void maybe(const char* key, T& value, Allowed allowed = Allowed::kAny) const {
    if (has(key)) field(key, value, allowed);
  }
  /// One that is left out where it is empty or 0.
  template <typename T>
  void unless_empty(const char* key, T& value, Allowed allowed = Allowed::kAny) const {
    maybe(key, value, allowed);
  }
  /// One that nobody reads from a record.
  template <typename T>
  void written(const char* /*key*/, const T& /*value*/) const {}
  template <typename T>
  void written_if(bool /*is_there*/, const char* /*key*/, const T& /*value*/) const {}
  template <typename Fields>
  void written_object(bool /*is_known*/, const char* /*key*/, const Fields& /*fields*/) const {}
  /// The rest of an object, likewise.
  void others(const Json& /*rest*/) const {}

  /// An object within; `fields` lists its own.
  template <typename Fields>
  void object(const char* key, const Fields& fields) const {
    if (!object_.contains(key)) refuse(fmt::format("no key '{}'", key));
    fields(FieldReader(object_[key], fmt::format("{}.{}", where_, key)));
  }
  template <typename Fields>
  void object_if(bool is_known, const char* key, const Fields& fields) const {
    if (is_known) object(key, fields);
  }
  template <typename Fields>
  void maybe_object(const char* key, const Fields& fields) const {
    if (has(key)) object(key, fields);
  }
  template <typename Fields>
  void given_object(const char* key, const Fields& fields) const {
    if (object_.contains(key)) object(key, fields);
  }
  template <typename T, typename Fields>
  void maybe_object(const char* key, std::optional<T>& value, const Fields& fields) const {
    if (has(key)) object(key, [&](const FieldReader& in) { fields(in, value.emplace()); });
  }
  /// A list of objects.
  template <typename T, typename Fields>
  void list(const char* key, std::vector<T>& values, const Fields& fields) const {
    const Json& all = items(key);
    for (std::size_t i = 0; i < all.size(); ++i) {
      fields(FieldReader(all[i], fmt::format("{}.{}[{}]", where_, key, i)), values.emplace_back());
    }
  }
  const Json& items(const char* key) const {
    if (!object_.contains(key)) refuse(fmt::format("no key '{}'", key));
    if (!object_[key].is_array()) wrong(key, object_[key], "a list");
    return object_[key];
  }

 private:
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }

  void take(const char* key, const Json& json, std::string& value, Allowed /*allowed*/) const {
    if (!json.is_string()) wrong(key, json, "a text");
    value = json.get<std::string>();
  }
  void take(const char* key, const Json& json, bool& value, Allowed /*allowed*/) const {
    if (!json.is_boolean()) wrong(key, json, "true or false");
    value = json.get<bool>();
  }
  void take(const char* key, const Json& json, double& value, Allowed allowed) const {
    if (!json.is_number() || !std::isfinite(json.get<double>())) wrong(key, json, "a number");
    value = json.get<double>();
    if (allowed != Allowed::kAny && value < 0) refuse(fmt::format("'{}' is below 0", key));
    if (allowed == Allowed::kPositive && value == 0) {
      refuse(fmt::format("'{}' is not above 0", key));
    }
  }
  template <std::integral T>
  void take(const char* key, const Json& json, T& value, Allowed allowed) const {
    constexpr std::uint64_t kMost =
        std::min<std::uint64_t>(std::uint64_t{1} << 62, std::numeric_limits<T>::max());
    const bool is_whole =
        json.is_number_integer() && (json.is_number_unsigned() || json.get<std::int64_t>() >= 0);
    const bool is_positive = allowed == Allowed::kPositive;
    if (!is_whole || (is_positive && (json == 0 || json.get<std::uint64_t>() > kMost))) {
      wrong(key, json, is_positive ? "a whole number of 1 or more" : "a whole number of 0 or more");
    }
    value = static_cast<T>(json.get<std::uint64_t>());
  }
  template <typename T>
  void take(const char* key, const Json& json, std::optional<T>& value, Allowed allowed) const {
    take(key, json, value.emplace(), allowed);
  }
  void take(const char* key, const Json& json, std::vector<double>& values, Allowed) const {
    if (!json.is_array()) wrong(key, json, "a list");
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!json[i].is_number()) refuse(fmt::format("'{}[{}]' is not a number", key, i));
      values.push_back(json[i].get<double>());
    }
  }
  void take(const char* key, const Json& json, NamedNumbers& numbers, Allowed allowed) const {
    const FieldReader within(json, fmt::format("{}.{}", where_, key));
    for (const auto& [name, number] : json.items()) {
      within.field(name.c_str(), numbers.emplace_back(name, 0).second, allowed);
    }
  }

  [[noreturn]] void wrong(const char* key, const Json& value, const char* wanted) const {
    refuse(fmt::format("'{}' is {}, not {}", key, kind(value), wanted));
  }
  static std::string kind(const Json& value) {
    if (value.is_number()) return value.dump();
    if (value.is_null()) return "null";
    const std::string name = value.type_name();
    return (name == "array" || name == "object" ? "an " : "a ") + name;
  }

  const Json& object_;
  std::string where_;
};

/// Writes the fields that a list names into an object, in its order.
class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;

  explicit FieldWriter(Json& object) : object_(object) {}

  void presence(const char* /*key*/, bool /*is*/) const {}
  template <typename T>
  void field(const char* key, const T& value, Allowed /*allowed*/ = Allowed::kAny) const {
    object_[key] = json_of(value);
  }
  template <typename T>
  void field_if(bool is_known, const char* key, const T& value, Allowed = Allowed::kAny) const {
    object_[key] = is_known ? json_of(value) : Json();
  }
  template <typename T>
  void maybe(const char* key, const T& value, Allowed /*allowed*/ = Allowed::kAny) const {
    field(key, value);
  }
  template <typename T>
  void unless_empty(const char* key, const T& value, Allowed /*allowed*/ = Allowed::kAny) const {
    written_if(value != T{}, key, value);
  }
  template <typename T>
  void written(const char* key, const T& value) const {
    field(key, value);
  }
  template <typename T>
  void written_if(bool is_there, const char* key, const T& value) const {
    if (is_there) field(key, value);
  }
  template <typename Fields>
  void written_object(bool is_known, const char* key, const Fields& fields) const {
    object_if(is_known, key, fields);
  }
  void others(const Json& rest) const {
    if (rest.is_object()) object_.update(rest);
  }

  template <typename Fields>
  void object(const char* key, const Fields& fields) const {
    object_[key] = Json::object();
    fields(FieldWriter(object_[key]));
  }
  template <typename Fields>
  void object_if(bool is_known, const char* key, const Fields& fields) const {
    object_[key] = nullptr;
    if (is_known) object(key, fields);
  }
  template <typename Fields>
  void maybe_object(const char* key, const Fields& fields) const {
    object(key, fields);
  }
  template <typename T, typename Fields>
  void maybe_object(const char* key, const std::optional<T>& value, const Fields& fields) const {
    object_if(value.has_value(), key, [&](const FieldWriter& out) { fields(out, *value); });
  }
  template <typename T, typename Fields>
  void list(const char* key, const std::vector<T>& values, const Fields& fields) const {
    object_[key] = Json::array();
    for (const T& value : values)
      fields(FieldWriter(object_[key].emplace_back(Json::object())), value);
  }

 private:
  template <typename T>
  static Json json_of(const T& value) {
    return value;
  }
  template <typename T>
  static Json json_of(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
  }
  static Json json_of(const NamedNumbers& numbers) {
    Json object = Json::object();
    for (const auto& [name, number] : numbers) object[name] = number;
    return object;
  }

  Json& object_;
};

}  // namespace systole
