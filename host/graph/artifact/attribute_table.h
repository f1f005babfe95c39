#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "host/graph/artifact/bytecode.h"
#include "host/graph/artifact/cursor.h"

namespace systole::graph::artifact {

/// A module's attributes and types, which refer to each other by number; decoded when first asked
/// for.
///
/// Errors   GraphError for those that a portable artifact does not have
class AttributeTable {
 public:
  struct Entry {
    std::string_view dialect, bytes;
    bool is_encoded = false;  ///< by its dialect; else it is text
    bool is_open = false;     ///< being decoded
  };

  explicit AttributeTable(const std::vector<std::string_view>& strings) : strings_(strings) {}

  void set_entries(std::vector<Entry> attributes, std::vector<Entry> types);

  const Attribute* attribute(Cursor& in) { return attribute(in.number()); }
  const StatedType* type(Cursor& in) { return type(in.number()); }
  const Attribute* attribute(std::uint64_t number);
  const StatedType* type(std::uint64_t number);

 private:
  template <typename Made, typename Decode, typename Text>
  std::unique_ptr<Made> decode(Entry& entry, const Decode& decode, const Text& text);
  std::string_view string(Cursor& in) const;

  void read_array(Cursor& in, Attribute& attribute);
  void read_dictionary(Cursor& in, Attribute& attribute);
  void read_integer(Cursor& in, Attribute& attribute);
  void read_float(Cursor& in, Attribute& attribute);
  void read_builtin(Cursor& in, Attribute& attribute);
  void read_vhlo(Cursor& in, Attribute& attribute);
  void read_builtin(Cursor& in, StatedType& type);
  void read_vhlo(Cursor& in, StatedType& type);
  void read_tensor(Cursor& in, StatedType& type);
  void read_function(Cursor& in, StatedType& type);
  void read_types(Cursor& in, StatedType& type);

  const std::vector<std::string_view>& strings_;
  std::vector<Entry> attribute_entries_, type_entries_;
  std::vector<std::unique_ptr<Attribute>> attributes_;
  std::vector<std::unique_ptr<StatedType>> types_;
  int depth_ = 0;
};

}  // namespace systole::graph::artifact
