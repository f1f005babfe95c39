#include "host/graph/artifact/bytecode.h"

#include <fmt/format.h>

#include <array>

#include "host/graph/artifact/attribute_table.h"

namespace systole::graph::artifact {
namespace {

constexpr std::uint64_t kNewestVersion = 6;
constexpr int kDeepestRegion = 100;  // of regions within regions

enum SectionId : std::uint8_t {
  kStrings,
  kDialects,
  kAttributesAndTypes,
  kOffsets,
  kOperations,
  kResources,
  kResourceOffsets,
  kDialectVersions,
  kProperties,
  kSectionCount
};

template <typename T>
const T& at(const std::vector<T>& values, std::uint64_t i) {
  if (i >= values.size()) fail("a number is too large");
  return values[i];
}

}  // namespace

struct Module::Attributes {
  std::vector<std::string_view> strings;
  AttributeTable table{strings};
};

namespace {

// Reads the sections of tables, then the operations.
class BytecodeReader {
 public:
  BytecodeReader(std::string_view bytes, std::vector<std::string_view>& strings,
                 AttributeTable& table)
      : bytes_(bytes), strings_(strings), table_(table) {}

  void read(Block& top) {
    Cursor in(bytes_);
    if (in.take(kMark.size()) != kMark) fail("it does not begin with MLIR's mark");
    version_ = in.number();
    if (version_ > kNewestVersion) fail(fmt::format("version {} is unknown", version_));
    in.text();  // the producer
    std::array<std::string_view, kSectionCount> sections;
    while (!in.at_end()) {
      unsigned id = 0;
      const std::string_view data = in.section(id, bytes_);
      if (id >= kSectionCount) fail(fmt::format("the section {} is unknown", id));
      sections[id] = data;
    }
    read_strings(Cursor(sections[kStrings]));
    read_dialects(Cursor(sections[kDialects]));
    read_offsets(Cursor(sections[kOffsets]), sections[kAttributesAndTypes]);
    if (!sections[kProperties].empty()) {
      Cursor properties(sections[kProperties]);
      for (std::uint64_t n = properties.count(); n > 0; --n) {
        properties_.push_back(properties.take(properties.number()));
      }
    }
    Cursor operations(sections[kOperations]);
    scopes_.emplace_back();
    read_block(operations, top);
  }

  int value_count() const { return values_; }

 private:
  struct Name {
    std::string_view dialect, name;
    bool is_registered = true;
  };

  // ---- Tables ----

  void read_strings(Cursor in) {
    std::vector<std::uint64_t> sizes(in.count());
    for (std::size_t i = sizes.size(); i-- > 0;) sizes[i] = in.number();
    for (const std::uint64_t size : sizes) {
      const std::string_view text = in.take(size);
      if (text.empty()) fail("a string has no end");
      strings_.push_back(text.substr(0, text.size() - 1));
    }
  }

  void read_dialects(Cursor in) {
    for (std::uint64_t n = in.count(); n > 0; --n) {
      bool versioned = false;
      dialects_.push_back(at(strings_, version_ >= 1 ? in.flagged(versioned) : in.number()));
      unsigned id = 0;
      if (versioned) in.section(id, bytes_);
    }
    if (version_ >= 4) in.number();
    while (!in.at_end()) {
      const std::string_view dialect = at(dialects_, in.number());
      for (std::uint64_t n = in.count(); n > 0; --n) {
        bool registered = true;
        const std::uint64_t name = version_ >= 5 ? in.flagged(registered) : in.number();
        names_.push_back({dialect, at(strings_, name), registered});
      }
    }
  }

  void read_offsets(Cursor in, std::string_view data) {
    std::vector<AttributeTable::Entry> attributes, types;
    const std::uint64_t attribute_count = in.number(), type_count = in.number();
    Cursor entries(data);
    while (!in.at_end()) {
      const std::string_view dialect = at(dialects_, in.number());
      for (std::uint64_t n = in.count(); n > 0; --n) {
        bool is_encoded = false;
        const std::uint64_t size = in.flagged(is_encoded);
        (attributes.size() < attribute_count ? attributes : types)
            .push_back({.dialect = dialect, .bytes = entries.take(size), .is_encoded = is_encoded});
      }
    }
    if (attributes.size() != attribute_count || types.size() != type_count) {
      fail("attributes or types are missing");
    }
    table_.set_entries(std::move(attributes), std::move(types));
  }

  // ---- Operations ----

  void define(std::size_t count, std::vector<int>& values) {
    for (std::size_t i = 0; i < count; ++i) {
      if (next_ >= scopes_.back().size()) fail("a region has more values than it says");
      scopes_.back()[next_++] = values_;
      values.push_back(values_++);
    }
  }

  int use(std::uint64_t number) const {
    const int value = at(scopes_.back(), number);
    if (value < 0) fail("a value is used before it is defined");
    return value;
  }

  // Orders of uses, which nothing here needs.
  static void pass_orders(Cursor& in, bool several) {
    for (std::uint64_t n = several ? in.count() : 1; n > 0; --n) {
      if (several) in.number();
      bool pairs = false;
      for (std::uint64_t i = in.flagged_count(pairs); i > 0; --i) in.number();
    }
  }

  void read_block(Cursor& in, Block& block) {
    bool has_arguments = false;
    const std::uint64_t operations = in.flagged_count(has_arguments);
    if (has_arguments) {
      for (std::uint64_t n = in.count(); n > 0; --n) {
        bool is_located = true;
        const std::uint64_t type = version_ >= 4 ? in.flagged(is_located) : in.number();
        block.types.push_back(table_.type(type));
        if (is_located) table_.attribute(in);
      }
      define(block.types.size(), block.arguments);
      if (version_ >= 3 && in.byte() != 0) pass_orders(in, block.types.size() > 1);
    }
    for (std::uint64_t n = 0; n < operations; ++n) {
      read_operation(in, block.operations.emplace_back());
    }
  }

  void read_operation(Cursor& in, StatedOperation& operation) {
    enum Part : std::uint8_t {
      kAttributes = 0x01,
      kResults = 0x02,
      kOperands = 0x04,
      kSuccessors = 0x08,
      kRegions = 0x10,
      kOrders = 0x20,
      kHasProperties = 0x40
    };
    const Name& name = at(names_, in.number());
    operation.dialect = name.dialect;
    operation.name = name.name;
    const unsigned parts = in.byte();
    operation.location = table_.attribute(in);
    if ((parts & kAttributes) != 0) table_.attribute(in);
    if ((parts & kHasProperties) != 0) {
      if (name.is_registered) {
        read_properties(Cursor(at(properties_, in.number())), operation);
      } else {
        table_.attribute(in);
      }
    }
    if ((parts & kResults) != 0) {
      for (std::uint64_t n = in.count(); n > 0; --n) operation.types.push_back(table_.type(in));
      define(operation.types.size(), operation.results);
    }
    if ((parts & kOperands) != 0) {
      for (std::uint64_t n = in.count(); n > 0; --n) {
        operation.operands.push_back(use(in.number()));
      }
    }
    if ((parts & kSuccessors) != 0) fail("a block has successors");
    if (version_ >= 3 && (parts & kOrders) != 0) pass_orders(in, operation.types.size() > 1);
    if ((parts & kRegions) != 0) read_regions(in, operation);
  }

  // Those of other dialects say where values lie, or nothing that a graph has.
  void read_properties(Cursor in, StatedOperation& operation) {
    if (operation.dialect != "vhlo") return;
    while (!in.at_end()) operation.properties.push_back(table_.attribute(in));
  }

  void read_regions(Cursor& in, StatedOperation& operation) {
    bool isolated = false;
    const std::uint64_t regions = in.flagged_count(isolated);
    if (++depth_ > kDeepestRegion) fail("regions nest too deeply");
    operation.regions.resize(regions);
    if (isolated && version_ >= 2) {  // a section of all regions, whose values are its own
      unsigned id = 0;
      Cursor inner(in.section(id, bytes_));
      const std::size_t next = std::exchange(next_, 0);
      scopes_.emplace_back();
      for (Region& region : operation.regions) read_region(inner, region);
      scopes_.pop_back();
      next_ = next;
    } else {
      for (Region& region : operation.regions) read_region(in, region);
    }
    --depth_;
  }

  void read_region(Cursor& in, Region& region) {
    const std::uint64_t blocks = in.count();
    if (blocks == 0) return;
    const std::size_t outer = next_, begin = scopes_.back().size();
    next_ = begin;
    scopes_.back().resize(begin + in.count(), -1);
    region.resize(blocks);
    for (Block& block : region) read_block(in, block);
    scopes_.back().resize(begin);
    next_ = outer;
  }

  std::string_view bytes_;
  std::vector<std::string_view>& strings_;
  AttributeTable& table_;
  std::uint64_t version_ = 0;
  std::vector<std::string_view> dialects_, properties_;
  std::vector<Name> names_;
  std::vector<std::vector<int>> scopes_;  // of isolated regions: their values' numbers, by place
  std::size_t next_ = 0;
  int depth_ = 0, values_ = 0;
};

}  // namespace

Module::Module(std::string_view bytes) : attributes_(std::make_unique<Attributes>()) {
  BytecodeReader reader(bytes, attributes_->strings, attributes_->table);
  reader.read(top_);
  value_count_ = reader.value_count();
}

Module::~Module() = default;

}  // namespace systole::graph::artifact
