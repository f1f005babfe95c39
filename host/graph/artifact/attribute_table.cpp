#include "host/graph/artifact/attribute_table.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace systole::graph::artifact {
namespace {

constexpr int kDeepestAttribute = 100;  // of attributes within attributes

}  // namespace

void AttributeTable::set_entries(std::vector<Entry> attributes, std::vector<Entry> types) {
  attribute_entries_ = std::move(attributes);
  type_entries_ = std::move(types);
  attributes_.resize(attribute_entries_.size());
  types_.resize(type_entries_.size());
}

template <typename Made, typename Decode, typename Text>
std::unique_ptr<Made> AttributeTable::decode(Entry& entry, const Decode& decode, const Text& text) {
  if (entry.is_open) fail("an attribute contains itself");
  if (++depth_ > kDeepestAttribute) fail("attributes nest too deeply");
  entry.is_open = true;
  auto made = std::make_unique<Made>();
  Cursor in(entry.bytes);
  if (entry.is_encoded) {
    decode(in, *made);
  } else {
    text(in.text(), *made);
  }
  entry.is_open = false;
  --depth_;
  return made;
}

const Attribute* AttributeTable::attribute(std::uint64_t number) {
  if (number >= attributes_.size()) fail("there is no such attribute");
  if (attributes_[number] == nullptr) {
    Entry& entry = attribute_entries_[number];
    attributes_[number] = decode<Attribute>(
        entry,
        [&](Cursor& in, Attribute& made) {
          if (entry.dialect == "vhlo") return read_vhlo(in, made);
          if (entry.dialect == "builtin") return read_builtin(in, made);
          // Where values lie (sdy), and others': nobody asks for what they say.
          made.kind = Attribute::Kind::kText;
        },
        [](std::string_view text, Attribute& made) {
          made.kind = Attribute::Kind::kText;
          made.text = text;
        });
  }
  return attributes_[number].get();
}

const StatedType* AttributeTable::type(std::uint64_t number) {
  if (number >= types_.size()) fail("there is no such type");
  if (types_[number] == nullptr) {
    Entry& entry = type_entries_[number];
    types_[number] = decode<StatedType>(
        entry,
        [&](Cursor& in, StatedType& made) {
          entry.dialect == "vhlo" ? read_vhlo(in, made) : read_builtin(in, made);
        },
        [](std::string_view text, StatedType& made) { made.name = text; });
  }
  return types_[number].get();
}

std::string_view AttributeTable::string(Cursor& in) const {
  const std::uint64_t number = in.number();
  if (number >= strings_.size()) fail("there is no such string");
  return strings_[number];
}

// ---- Attributes ----

void AttributeTable::read_array(Cursor& in, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kArray;
  for (std::uint64_t n = in.count(); n > 0; --n) {
    attribute.entries.emplace_back("", this->attribute(in));
  }
}

void AttributeTable::read_dictionary(Cursor& in, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kDictionary;
  for (std::uint64_t n = in.count(); n > 0; --n) {
    const std::string_view name = this->attribute(in)->text;
    attribute.entries.emplace_back(name, this->attribute(in));
  }
}

// Narrow ones take a byte, wider ones a number.
void AttributeTable::read_integer(Cursor& in, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kInteger;
  attribute.type = type(in);
  const std::string& name = attribute.type->name;
  const bool is_narrow = name.ends_with("i1") || name.ends_with("i4") || name.ends_with("i8");
  attribute.number = is_narrow ? static_cast<std::int8_t>(in.byte()) : in.signed_number();
}

void AttributeTable::read_float(Cursor& in, Attribute& attribute) {
  attribute.kind = Attribute::Kind::kFloat;
  attribute.type = type(in);
  attribute.number = in.signed_number();
}

void AttributeTable::read_builtin(Cursor& in, Attribute& attribute) {
  using Kind = Attribute::Kind;
  const auto enclose = [&](std::uint64_t count) {
    attribute.kind = Kind::kArray;
    for (; count > 0; --count) attribute.entries.emplace_back("", this->attribute(in));
  };
  switch (in.number()) {
    case 0:
      return read_array(in, attribute);
    case 1:
      return read_dictionary(in, attribute);
    case 2:
    case 3:
      attribute.kind = Kind::kString;
      attribute.text = string(in);
      return;
    case 4:
      attribute.kind = Kind::kSymbol;
      attribute.text = this->attribute(in)->text;
      return;
    case 6:
      attribute.kind = Kind::kType;
      attribute.type = type(in);
      return;
    case 7:
    case 15:  // a unit; an unknown location
      return;
    case 8:
      return read_integer(in, attribute);
    case 9:
      return read_float(in, attribute);
    case 10:  // a call: where the callee is, and the caller
      return enclose(2);
    case 11:
      attribute.kind = Kind::kPlace;
      attribute.text = this->attribute(in)->text;
      attribute.number = static_cast<std::int64_t>(in.number());
      return;
    case 12:  // several places
    case 13:
      return enclose(in.count());
    case 14:  // a name, and the place
      this->attribute(in);
      return enclose(1);
    case 22: {  // lines and columns of a file, from and to
      attribute.kind = Kind::kPlace;
      attribute.text = this->attribute(in)->text;
      if (in.number() > 0) attribute.number = static_cast<std::int64_t>(in.number());
      return;
    }
    default:
      attribute.kind = Kind::kText;  // refused where it is asked for
  }
}

void AttributeTable::read_vhlo(Cursor& in, Attribute& attribute) {
  using Kind = Attribute::Kind;
  static const std::map<std::uint64_t, std::string_view> kEnumerators = {
      {3, "comparison_direction"}, {4, "comparison_type"},      {5, "api_version"},
      {11, "precision"},           {12, "rng_algorithm"},       {13, "rng_distribution"},
      {16, "transpose"},           {19, "result_accuracy_mode"}};
  const std::uint64_t code = in.number();
  if (const auto enumerator = kEnumerators.find(code); enumerator != kEnumerators.end()) {
    attribute.kind = Kind::kEnum;
    attribute.text = enumerator->second;
    attribute.number = static_cast<std::int64_t>(in.number());
    return;
  }
  switch (code) {
    case 1:
      return read_array(in, attribute);
    case 2:
      attribute.kind = Kind::kInteger;
      attribute.number = static_cast<std::int64_t>(in.number());
      return;
    case 6:
      return read_dictionary(in, attribute);
    case 8:
      return read_float(in, attribute);
    case 9:
      return read_integer(in, attribute);
    case 14:
      attribute.kind = Kind::kString;
      attribute.text = string(in);
      return;
    case 15:
      attribute.kind = Kind::kTensor;
      attribute.type = type(in);
      attribute.text = in.take(in.number());
      return;
    case 17:
      attribute.kind = Kind::kType;
      attribute.type = type(in);
      return;
    case 20:  // tolerances, and the mode
      in.signed_number();
      in.signed_number();
      in.signed_number();
      attribute.kind = Kind::kEnum;
      attribute.text = "result_accuracy";
      attribute.number = this->attribute(in)->number;
      return;
    default:
      attribute.kind = Kind::kText;  // as of fft
  }
}

// ---- Types ----

void AttributeTable::read_types(Cursor& in, StatedType& made) {
  for (std::uint64_t n = in.count(); n > 0; --n) made.parts.push_back(type(in));
}

void AttributeTable::read_function(Cursor& in, StatedType& made) {
  made.name = "function";
  read_types(in, made);
  made.arguments = made.parts.size();
  read_types(in, made);
}

void AttributeTable::read_tensor(Cursor& in, StatedType& made) {
  made.name = "tensor";
  for (std::uint64_t n = in.count(); n > 0; --n) made.shape.push_back(in.signed_number());
  made.parts = {type(in)};
}

void AttributeTable::read_builtin(Cursor& in, StatedType& made) {
  static constexpr std::array kFloats{"bf16", "f16", "f32", "f64"};
  static constexpr std::array kSigns{"i", "si", "ui", "i"};
  const std::uint64_t code = in.number();
  if (code == 0) {
    const std::uint64_t value = in.number();
    made.name = fmt::format("{}{}", kSigns[value & 3U], value >> 2);
  } else if (code == 1) {
    made.name = "index";
  } else if (code == 2) {
    read_function(in, made);
  } else if (code >= 3 && code <= 6) {
    made.name = kFloats[code - 3];
  } else if (code == 13) {
    read_tensor(in, made);
  } else {
    made.name = fmt::format("builtin type {}", code);  // likewise
  }
}

void AttributeTable::read_vhlo(Cursor& in, StatedType& made) {
  static constexpr std::array kScalars{"i1",     "",    "bf16",  "f16",  "f32",  "f64", "f8E4M3FN",
                                       "f8E5M2", "",    "index", "i4",   "i8",   "i16", "i32",
                                       "i64",    "ui4", "ui8",   "ui16", "ui32", "ui64"};
  const std::uint64_t code = in.number();
  if (code == 1) {
    made.name = "complex";
    made.parts = {type(in)};
  } else if (code == 8) {
    read_function(in, made);
  } else if (code < kScalars.size()) {
    made.name = kScalars[code];
  } else if (code == 20) {
    read_tensor(in, made);
  } else if (code == 21) {  // an encoding, such as bounds of sizes
    attribute(in);
    read_tensor(in, made);
  } else if (code == 22) {
    made.name = "token";
  } else if (code == 23) {
    made.name = "tuple";
    read_types(in, made);
  } else if (code == 33) {
    made.name = "none";
  } else {
    made.name = fmt::format("vhlo type {}", code);  // refused where it is used
  }
}

}  // namespace systole::graph::artifact
