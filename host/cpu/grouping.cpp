#include "host/cpu/grouping.h"

#include <algorithm>
#include <map>
#include <optional>

#include "host/graph/attribute.h"
#include "host/graph/reference.h"

// Every operation in a loop gets a level: how many kernels must run in sequence before its operands
// are in memory. Operations of one level and shape become one loop. A loop can then never wait for
// itself: a value that leaves it and returns has a higher level.
namespace systole::graph {
namespace {

using std::int64_t;
using Kind = Storage::Kind;

bool is_view(std::string_view name) {
  return name == "broadcast_in_dim" || name == "transpose" || name == "slice" || name == "reverse";
}

class Grouping {
 public:
  Grouping(const Graph& graph, std::vector<Kernel> elsewhere)
      : graph_(graph),
        elsewhere_(std::move(elsewhere)),
        made_by_(graph.value_count(), -1),
        roles_(graph.operations().size()),
        dense_(graph.value_count()),
        level_(graph.value_count()),
        inlined_(graph.value_count()) {
    result_.storage.places.resize(graph.value_count());
    result_.storage.constants.resize(graph.value_count());
    for (std::size_t i = 0; i < elsewhere_.size(); ++i) {
      for (const int value : elsewhere_[i].writes) made_by_[value] = static_cast<int>(i);
    }
  }

  Kernels run() {
    choose_roles();
    leave_out();
    choose_dense();
    place_values();
    find_levels();
    write_what_groups_share();
    make_loops();
    make_others();
    sort_kernels(result_, orders_);
    return std::move(result_);
  }

 private:
  enum class Role : std::uint8_t {
    kElementwise,
    kView,
    kReduce,
    kConstant,
    kReshape,
    kKernel,
    kElsewhere,  ///< done by a kernel of elsewhere_, or needed only by those
  };

  const Operation& operation(int index) const { return graph_.operations()[index]; }
  const Shape& shape(int value) const { return graph_.type(value).shape; }
  Storage::Place& place(int value) { return result_.storage.places[value]; }
  const Storage::Place& place(int value) const { return result_.storage.places[value]; }
  bool in_memory(int value) const { return place(value).kind != Kind::kNone; }
  int producer(int value) const { return graph_.producer(value); }
  bool is(int value, Role role) const {
    return producer(value) >= 0 && roles_[producer(value)] == role;
  }
  bool is_splat(int value) const { return graph_.splat(value).has_value(); }

  // ---- Classification ----

  void choose_roles() {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Operation& op = graph_.operations()[i];
      const std::string_view name = op.kind->name;
      roles_[i] = op.kind->loop != nullptr               ? Role::kElementwise
                  : is_view(name)                        ? Role::kView
                  : name == "constant" || name == "iota" ? Role::kConstant
                  : name == "reshape"                    ? Role::kReshape
                  : name == "reduce" && sums_in_loop(op) ? Role::kReduce
                                                         : Role::kKernel;
    }
  }

  void leave_out() {
    if (elsewhere_.empty()) return;
    std::vector<bool> needed(graph_.value_count());
    for (const Output& output : graph_.outputs()) needed[output.value] = true;
    for (const Kernel& kernel : elsewhere_) {
      for (const int value : kernel.reads) needed[value] = true;
    }
    for (std::size_t i = roles_.size(); i-- > 0;) {
      const Operation& op = graph_.operations()[i];
      const bool here = std::ranges::any_of(
          op.results, [&](int value) { return needed[value] && made_by_[value] < 0; });
      if (!here) {
        roles_[i] = Role::kElsewhere;
        continue;
      }
      for (const int operand : op.operands) needed[operand] = true;
    }
  }

  bool sums_in_loop(const Operation& op) const {
    const std::string& body = attribute<std::string>(op, "body");
    return body != "and" && body != "or" && is_splat(op.operands[1]) &&
           graph_.type(op.operands[0]).element == Element::kF32 &&
           shape(op.operands[0]).size() <= 16 && element_count(shape(op.operands[0])) > 0;
  }

  // Values that are needed row-major in memory.
  void choose_dense() {
    for (const Output& output : graph_.outputs()) dense_[output.value] = true;
    for (const Kernel& kernel : elsewhere_) {
      for (const int value : kernel.reads) dense_[value] = true;
    }
    for (std::size_t i = roles_.size(); i-- > 0;) {
      const Operation& op = graph_.operations()[i];
      if (roles_[i] == Role::kKernel) {
        for (const int operand : op.operands) dense_[operand] = true;
      }
      if (roles_[i] == Role::kReshape) dense_[op.operands[0]] = true;
      // A view needs its source in memory; a view of a view refers to the first source.
      if (roles_[i] == Role::kView && is(op.operands[0], Role::kElementwise)) {
        dense_[op.operands[0]] = true;
      }
    }
  }

  void place_values() {
    for (const Input& input : graph_.inputs()) place(input.value).kind = Kind::kInput;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Operation& op = graph_.operations()[i];
      const int result = op.results[0];
      switch (roles_[i]) {
        case Role::kConstant:
          place_constant(op, result);
          break;
        case Role::kReshape:
          place(result) = {.kind = Kind::kAlias, .alias = op.operands[0]};
          break;
        case Role::kReduce:
          place(result).kind = Kind::kMemory;
          break;
        case Role::kKernel:
          for (const int each : op.results) place(each).kind = Kind::kMemory;
          break;
        case Role::kElementwise:
        case Role::kView:
          if (dense_[result]) place(result).kind = Kind::kMemory;
          break;
        case Role::kElsewhere:
          for (const int each : op.results) {
            if (made_by_[each] >= 0) place(each).kind = Kind::kMemory;
          }
          break;
      }
    }
  }

  // Splats belong to loops; iota is a view of 0, 1, 2, ...
  void place_constant(const Operation& op, int value) {
    auto& words = result_.storage.constants[value];
    if (graph_.literal(value) != nullptr && is_splat(value) && !dense_[value]) return;
    place(value).kind = Kind::kConstant;
    Call call = graph_.call(op);
    std::vector<Attribute> attributes = op.attributes;
    if (op.kind->name == "iota" && !dense_[value]) {
      const int64_t size = shape(value)[std::get<int64_t>(attributes[0])];
      attributes = {int64_t{0}, Type{graph_.type(value).element, {size}}};
      call.attributes = attributes;
    }
    const Literal literal = evaluate(call, {})[0];
    words.resize(element_count(literal.type.shape));
    from_literal(literal, words.data());
  }

  // ---- Access of a loop to a value ----

  Access access(int value) const {
    const Operation* made = graph_.maker(value);
    if (made != nullptr && made->kind->name == "iota" && !dense_[value]) {
      Access result{.value = value, .strides = Integers(shape(value).size(), 0)};
      result.strides[attribute<int64_t>(*made, "iota_dimension")] = 1;
      return result;
    }
    if (in_memory(value)) {
      return {.value = result_.storage.base(value), .strides = row_major_strides(shape(value))};
    }
    return through_view(*made, value);
  }

  Access through_view(const Operation& op, int value) const {
    const int source = op.operands[0];
    Access from = is_splat(source)
                      ? Access{.value = source, .strides = Integers(shape(source).size(), 0)}
                      : access(source);
    Access result{.value = from.value, .offset = from.offset, .strides = {}};
    const auto numbers = [&](std::size_t i) -> const Integers& {
      return std::get<Integers>(op.attributes[i]);
    };
    const std::string_view name = op.kind->name;
    if (name == "broadcast_in_dim") {
      result.strides.assign(shape(value).size(), 0);
      for (std::size_t d = 0; d < numbers(0).size(); ++d) {
        if (shape(source)[d] != 1) result.strides[numbers(0)[d]] = from.strides[d];
      }
    } else if (name == "transpose") {
      for (const int64_t d : numbers(0)) result.strides.push_back(from.strides[d]);
    } else if (name == "slice") {
      for (std::size_t d = 0; d < from.strides.size(); ++d) {
        result.offset += numbers(0)[d] * from.strides[d];
        result.strides.push_back(from.strides[d] * numbers(2)[d]);
      }
    } else {
      result.strides = from.strides;
      for (const int64_t d : numbers(0)) {
        result.offset += (shape(source)[d] - 1) * from.strides[d];
        result.strides[d] = -from.strides[d];
      }
    }
    return result;
  }

  // The splat at the end of views, if there is one.
  std::optional<std::uint32_t> splat_word(int value) const {
    while (is(value, Role::kView) && !in_memory(value)) value = graph_.maker(value)->operands[0];
    if (!is_splat(value) || in_memory(value)) return {};
    std::uint32_t word = 0;
    from_literal({{graph_.type(value).element, {}}, {*graph_.splat(value)}}, &word);
    return word;
  }

  // ---- Levels ----

  // The level from which a loop can read a value from memory.
  int available(int value) const {
    if (splat_word(value)) return 0;
    if (!in_memory(value)) return available(graph_.maker(value)->operands[0]);
    const int base = result_.storage.base(value);
    return place(base).kind == Kind::kMemory ? level_[base] + 1 : 0;
  }

  bool in_loop(int value) const { return is(value, Role::kElementwise); }

  void find_levels() {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Operation& op = graph_.operations()[i];
      if (roles_[i] == Role::kElsewhere) {
        for (const int result : op.results) {
          if (made_by_[result] < 0) continue;
          for (const int value : elsewhere_[made_by_[result]].reads) {
            level_[result] = std::max(level_[result], available(value));
          }
        }
        continue;
      }
      if (roles_[i] == Role::kConstant || roles_[i] == Role::kReshape) continue;
      const bool loops = roles_[i] == Role::kElementwise || roles_[i] == Role::kReduce;
      int level = 0;
      for (const int operand : op.operands) {
        level = std::max(level, loops && in_loop(operand) ? level_[operand] : available(operand));
      }
      for (const int result : op.results) level_[result] = level;
      if (roles_[i] == Role::kElementwise) inlined_[op.results[0]] = can_inline(op);
    }
  }

  // Cheap, and computed from one tensor in memory: recomputed in each loop that needs it.
  bool can_inline(const Operation& op) const {
    if (in_memory(op.results[0])) return false;
    constexpr std::string_view kDear[] = {"exponential", "exponential_minus_one",
                                          "log",         "log_plus_one",
                                          "tanh",        "logistic",
                                          "divide",      "sqrt",
                                          "rsqrt",       "erf",
                                          "erfc",        "erf_inv",
                                          "tan",         "atan2",
                                          "cbrt"};
    if (std::ranges::find(kDear, op.kind->name) != std::end(kDear)) return false;
    int large = 0;
    for (const int operand : op.operands) {
      if (in_loop(operand) && !in_memory(operand)) return false;
      if (splat_word(operand)) continue;
      const bool repeats =
          is(operand, Role::kView) && !in_memory(operand) &&
          element_count(shape(access(operand).value)) < element_count(shape(operand));
      large += repeats ? 0 : 1;
    }
    return large <= 1;
  }

  // A loop's results that another kernel needs.
  void write_what_groups_share() {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] != Role::kElementwise && roles_[i] != Role::kReduce) continue;
      const Operation& op = graph_.operations()[i];
      for (const int operand : op.operands) {
        if (!in_loop(operand) || in_memory(operand) || inlined_[operand]) continue;
        if (level_[operand] != level_[op.results[0]]) place(operand).kind = Kind::kMemory;
      }
    }
  }

  // ---- Kernels ----

  struct Group {
    std::vector<int> operations;  // operations whose results leave the loop
  };

  void make_loops() {
    std::map<std::pair<int, Shape>, Group> groups;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const Operation& op = graph_.operations()[i];
      const int result = op.results[0];
      const bool leaves = roles_[i] == Role::kReduce ||
                          ((roles_[i] == Role::kElementwise || roles_[i] == Role::kView) &&
                           place(result).kind == Kind::kMemory);
      if (!leaves) continue;
      const Shape& over = roles_[i] == Role::kReduce ? shape(op.operands[0]) : shape(result);
      groups[{level_[result], over}].operations.push_back(static_cast<int>(i));
    }
    for (const auto& [where, group] : groups) make_loop(where.second, group);
  }

  void make_loop(const Shape& over, const Group& group) {
    FusedLoop loop(over);
    std::map<int, int> slots;  // by value
    for (const int index : group.operations) {
      const Operation& op = operation(index);
      if (roles_[index] == Role::kReduce) {
        add_sum(loop, slots, op);
      } else if (roles_[index] == Role::kView) {
        loop.keep(slot_of_view(loop, op), op.results[0]);
      } else {
        slot_of(loop, slots, op.results[0], level_[op.results[0]]);
      }
    }
    orders_.push_back(group.operations.back());
    result_.kernels.push_back(std::move(loop).finish());
  }

  int slot_of_view(FusedLoop& loop, const Operation& op) {
    const auto word = splat_word(op.operands[0]);
    return word ? loop.constant(*word) : loop.read(through_view(op, op.results[0]));
  }

  int slot_of(FusedLoop& loop, std::map<int, int>& slots, int value, int level) {
    const auto known = slots.find(value);
    if (known != slots.end()) return known->second;
    int slot = 0;
    if (const auto word = splat_word(value)) {
      slot = loop.constant(*word);
    } else if (in_loop(value) && (!in_memory(value) || level_[value] == level)) {
      const Operation& op = *graph_.maker(value);
      std::vector<int> operands;
      for (const int operand : op.operands)
        operands.push_back(slot_of(loop, slots, operand, level));
      slot = loop.apply(op.kind->loop(graph_.call(op)), graph_.type(value).element, operands,
                        place(value).kind == Kind::kMemory ? value : -1);
    } else {
      slot = loop.read(access(value));
    }
    slots.emplace(value, slot);
    return slot;
  }

  void add_sum(FusedLoop& loop, std::map<int, int>& slots, const Operation& op) {
    const auto& dimensions = attribute<Integers>(op, "dimensions");
    const std::string& body = attribute<std::string>(op, "body");
    const Combine combine = body == "add"        ? Combine::kAdd
                            : body == "multiply" ? Combine::kMultiply
                            : body == "maximum"  ? Combine::kMaximum
                                                 : Combine::kMinimum;
    const Integers result_strides = row_major_strides(shape(op.results[0]));
    Integers kept;
    std::size_t next = 0;
    for (int64_t d = 0; d < std::ssize(shape(op.operands[0])); ++d) {
      kept.push_back(contains(dimensions, d) ? 0 : result_strides[next++]);
    }
    const int slot = slot_of(loop, slots, op.operands[0], level_[op.results[0]]);
    loop.reduce(combine, slot, kept, op.results[0],
                static_cast<float>(graph_.literal(op.operands[1])->values[0]));
  }

  void make_others() {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] != Role::kKernel) continue;
      orders_.push_back(static_cast<double>(i));
      const Operation& op = graph_.operations()[i];
      if (op.kind->name == "dot_general" || op.kind->name == "convolution") {
        result_.products.push_back(static_cast<int>(i));
      }
      result_.kernels.push_back(make_kernel(graph_, op));
    }
    for (Kernel& kernel : elsewhere_) {
      orders_.push_back(producer(kernel.writes[0]));
      result_.kernels.push_back(std::move(kernel));
    }
  }

  const Graph& graph_;
  std::vector<Kernel> elsewhere_;
  std::vector<int> made_by_;    // by value: the kernel of elsewhere_ that writes it, or -1
  std::vector<Role> roles_;     // by operation
  std::vector<bool> dense_;     // by value
  std::vector<int> level_;      // by value
  std::vector<bool> inlined_;   // by value
  std::vector<double> orders_;  // by kernel: the last operation that it does
  Kernels result_;
};

}  // namespace

int Storage::base(int value) const {
  while (places[value].kind == Kind::kAlias) value = places[value].alias;
  return value;
}

Kernels make_kernels(const Graph& graph, std::vector<Kernel> elsewhere) {
  return Grouping(graph, std::move(elsewhere)).run();
}

}  // namespace systole::graph
