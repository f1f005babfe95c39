#include "host/compiler/kernels/kernel_writer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/kernels/extents.h"
#include "host/compiler/kernels/kernel_walk.h"
#include "host/vector/functions.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

using graph::Call;
using graph::Operation;
using vector::Assembler;
using vector::Value;
using Op = vector::VectorOperation;

/// A NaN with a number: stands for a constant of the step's table until the program is finished.
constexpr std::uint32_t kTableConstant = 0x7fa5'0000, kTableMask = 0xffff'0000;

class Writer {
 public:
  Writer(const Surroundings& around, Extents extents, std::span<const Root> roots)
      : around_(around), graph_(around.graph), extents_(std::move(extents)), roots_(roots) {
    has_slices_ = std::ranges::any_of(
        extents_.all(), [&](const auto& value) { return around.slices.contains(value.first); });
  }

  OrRefusal<KernelCode> write() {
    code_.rows = extents_.rows();
    code_.cols = extents_.cols();
    const auto walk = choose_walk(around_, extents_, roots_);
    if (const Refusal* refusal = std::get_if<Refusal>(&walk)) return *refusal;
    code_.walk = std::get<ChosenWalk>(walk).walk;
    code_.block_words = std::get<ChosenWalk>(walk).block_words;
    Part body, finish;
    body.in = &code_.in;
    body.out = &code_.out;
    finish.in = &code_.finish_in;
    finish.out = &code_.finish_out;
    finish.is_finish = true;
    for (const Root& root : roots_) {
      if (!extents_.is_total(root.value)) send(body, root);
    }
    for (const auto& [value, extent] : extents_.all()) {
      if (extents_.is_accumulated(value)) accumulate(body, value, extent);
    }
    for (const Root& root : roots_) {
      if (extents_.is_total(root.value)) send(finish, root);
    }
    code_.body = section(body);
    code_.finish = section(finish);
    write_around();
    // Only a row of the same tensor may follow, which is written later.
    const bool has_parts =
        std::ranges::any_of(code_.out, [](const Port& port) { return port.view.step > 0; });
    const auto is_part = [&](const Port& port) { return around_.wholes.contains(port.value); };
    if ((has_parts && code_.overlaps(around_.lanes)) ||
        (std::ranges::any_of(code_.out, is_part) && code_.writes_ahead(around_.lanes))) {
      remember("a row's words would reach into the next part");
    }
    if (refusal_) return *refusal_;
    return std::move(code_);
  }

 private:
  /// A section under way, with the values that it has computed.
  struct Part {
    Assembler program = {};
    std::map<int, Value> values = {};
    std::vector<Port>* in = nullptr;
    std::vector<Port>* out = nullptr;
    std::vector<int> exchanged = {};  ///< instructions that exchange slots
    std::optional<Value> is_inside = {};
    bool is_finish = false;
  };
  struct Accumulator {
    int place = 0;  ///< register
    Combining combining;
    bool adds_lanes = false;  ///< of every element; else lanes are columns, or alike
    std::int64_t first_slot_distance = 1;
  };

  // The first limit passed. After it nothing that is written counts.
  void remember(std::string limit) {
    if (!refusal_) refusal_ = {.why = std::move(limit), .is_a_limit = true};
  }
  bool is_refused(const Part& part) const {
    return refusal_.has_value() || part.program.limit().has_value();
  }

  Call call(int value) const { return graph_.call(*graph_.maker(value)); }

  // ---- Values ----

  Value constant(Part& part, int value) const { return part.program.constant(bits(value)); }

  // Of a constant in a lane.
  std::uint32_t bits(int constant) const {
    const double number = *graph_.splat(constant);
    const graph::Element element = graph_.type(constant).element;
    if (graph::is_float(element)) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(number));
    return element == graph::Element::kPred && bits != 0 ? ~std::uint32_t{0} : bits;
  }

  // Whether another kernel puts a number for all lanes into memory, which spares a stream. Kernels
  // of slices are cut where streams end.
  bool is_scalar(int value) const {
    return !has_slices_ && extents_.has(value) && extents_.is_read(value) &&
           !around_.slices.contains(value) && extents_.of(value) == Extent::kScalar &&
           !around_.narrow[value] && graph_.producer(value) >= 0 &&
           graph_.before_reshapes(value) == value &&
           graph::element_count(graph_.type(value).shape) == 1;
  }

  Value from_table(Part& part, int value) {
    if (!around_.in_table[value]) {
      const Port port = port_of(value);
      const bool is_known = std::ranges::find(code_.scalars, port) != code_.scalars.end();
      if (!is_known) code_.scalars.push_back(port);
    }
    auto found = std::ranges::find(table_, value);
    if (found == table_.end()) found = table_.insert(found, value);
    return part.program.constant(kTableConstant |
                                 static_cast<std::uint32_t>(found - table_.begin()));
  }

  Port port_of(int value) const {
    Port port{.value = value, .extent = extents_.of(value)};
    if (const auto slice = around_.slices.find(value); slice != around_.slices.end()) {
      port.value = slice->second.value;
      port.view = slice->second.view;
      if (port.extent != Extent::kFull) port.view = {.first = port.view.first};
    }
    if (around_.narrow[port.value]) port.format = Format::kBf16;
    if (graph_.type(port.value).element == graph::Element::kS8) port.format = Format::kInt8;
    return port;
  }

  int stream(Part& part, int value) {
    const Port port = port_of(value);
    const auto found = std::ranges::find(*part.in, port);
    const auto number = static_cast<int>(found - part.in->begin());
    if (found != part.in->end()) return number;
    if (part.in->size() == kStreams) {
      remember("a kernel reads at most 4 streams");
      return 0;
    }
    part.in->push_back(port);
    return number;
  }

  // Whether a value that is read is in a register, where each column keeps its slot.
  bool is_shared(const Part& part, int id) const {
    return code_.walk == Walk::kBlocks && !part.is_finish && extents_.of(id) == Extent::kColumn &&
           (code_.shared.size() < kStreams ||
            std::ranges::find(code_.shared, port_of(id)) != code_.shared.end());
  }
  Value shared(Part& part, int id) {
    const Port port = port_of(id);
    auto found = std::ranges::find(code_.shared, port);
    if (found == code_.shared.end()) {
      found = code_.shared.insert(found, port);
      shared_places_.push_back(next_place());
    }
    return part.program.kept(
        shared_places_[static_cast<std::size_t>(found - code_.shared.begin())]);
  }
  int next_place() {
    if (pinned_ == static_cast<int>(kernels::kVectorRegisters)) {
      remember("a micro-program keeps at most 16 values at once");
      return 0;
    }
    return static_cast<int>(kernels::kVectorRegisters) - 1 - pinned_++;
  }

  Value value(Part& part, int id) {
    if (is_refused(part)) return Assembler::kZero;
    const auto known = part.values.find(id);
    if (known != part.values.end()) return known->second;
    const Value made = write_value(part, id);
    part.values.emplace(id, made);
    return made;
  }

  Value write_value(Part& part, int id) {
    if (graph_.splat(id)) return constant(part, id);
    if (around_.in_table[id] || is_scalar(id)) return from_table(part, id);
    if (extents_.is_read(id) && is_shared(part, id)) return shared(part, id);
    if (extents_.is_read(id)) return part.program.read(stream(part, id));
    const Operation& operation = *graph_.maker(id);
    const std::string_view name = operation.kind->name;
    if (name == "reshape" || name == "broadcast_in_dim") return value(part, operation.operands[0]);
    if (name == "iota") {
      if (code_.walk == Walk::kBlocks && code_.cols > code_.block_words * around_.lanes) {
        remember("columns are numbered from 0 in each block");
      }
      const bool is_float = graph::is_float(graph_.type(id).element);
      return is_float ? part.program.make(Op::kToFloat, Assembler::kColumn) : Assembler::kColumn;
    }
    if (reduces_nothing(graph_, operation)) {
      return with_start(part, id, Combining(call(id)), value(part, operation.operands[0]));
    }
    if (name == "reduce")
      return extents_.is_accumulated(id) ? total(part, id) : reduce_row(part, id);
    return write_elements(part, operation);
  }

  // Through reshapes and broadcasts, which change nothing in a lane.
  int source(int id) const {
    const Operation* operation = extents_.is_read(id) ? nullptr : graph_.maker(id);
    const bool moves = operation != nullptr && (operation->kind->name == "reshape" ||
                                                operation->kind->name == "broadcast_in_dim");
    return moves && extents_.uses(id) == 1 ? source(operation->operands[0]) : id;
  }
  // Whether a word of the value can go from its stream into one instruction.
  bool can_stream(const Part& part, int id) const {
    return extents_.has(id) && extents_.is_read(id) && extents_.uses(id) == 1 &&
           !part.values.contains(id) && !is_shared(part, id) && !is_scalar(id);
  }

  // The operands of an instruction; the first that can comes straight from its stream.
  std::vector<Value> operands(Part& part, std::span<const int> ids, bool may_stream) {
    int streamed = -1;
    for (std::size_t i = 0; i < ids.size() && may_stream && streamed < 0; ++i) {
      if (can_stream(part, source(ids[i]))) streamed = static_cast<int>(i);
    }
    std::vector<Value> values(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (static_cast<int>(i) != streamed) values[i] = value(part, ids[i]);
    }
    if (streamed >= 0) {
      const int taken = stream(part, source(ids[static_cast<std::size_t>(streamed)]));
      values[static_cast<std::size_t>(streamed)] = part.program.take(taken);
    }
    return values;
  }

  Value write_elements(Part& part, const Operation& operation) {
    if (const auto fused = fused_multiply_add(part, operation)) return *fused;
    if (const auto quotient = divided_by_root(part, operation)) return *quotient;
    if (const auto integer = floored(part, operation)) return *integer;
    const Call one = graph_.call(operation);
    const auto values = operands(part, operation.operands, is_one_instruction(one));
    return write_element_operation(part.program, one, values);
  }

  // a * b + c, a * b - c and c - a * b, if nothing else needs the product.
  std::optional<Value> fused_multiply_add(Part& part, const Operation& operation) {
    const std::string_view name = operation.kind->name;
    const bool subtracts = name == "subtract";
    if ((name != "add" && !subtracts) ||
        graph_.type(operation.results[0]).element != graph::Element::kF32) {
      return {};
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const int product = source(operation.operands[i]);
      std::optional<RootDivisor> divisor;
      if (is_lone(part, product, "divide")) divisor = root_divisor(part, product);
      if (!divisor && !is_lone(part, product, "multiply")) continue;
      const auto& factors = graph_.maker(product)->operands;
      std::vector<int> ids = {factors[0], operation.operands[1 - i]};
      if (!divisor) ids.push_back(factors[1]);
      std::optional<Value> inverse;
      if (divisor) inverse = reciprocal_of_root(part, *divisor);
      const auto x = operands(part, ids, true);
      const Value a = subtracts && i == 1 ? -x[0] : x[0], c = subtracts && i == 0 ? -x[1] : x[1];
      return part.program.fma(a, inverse ? *inverse : x[2], c);
    }
    return {};
  }
  bool is_lone(const Part& part, int id, std::string_view name) const {
    return extents_.has(id) && !extents_.is_read(id) && extents_.uses(id) == 1 &&
           !part.values.contains(id) && graph_.maker(id)->kind->name == name &&
           std::ranges::find(roots_, id, &Root::value) == roots_.end();
  }

  // The divisor sqrt(x) + c of a quotient, as an optimizer's step has, with a constant c that hides
  // what the quick form does to small x.
  struct RootDivisor {
    int x = -1, c = -1;
  };
  std::optional<RootDivisor> root_divisor(const Part& part, int quotient) const {
    constexpr double kLeast = 0x1p-60;
    const Operation* operation = graph_.maker(quotient);
    if (operation == nullptr || operation->kind->name != "divide") return {};
    const int divisor = source(operation->operands[1]);
    if (!is_lone(part, divisor, "add")) return {};
    const auto& terms = graph_.maker(divisor)->operands;
    const int root = source(terms[0]);
    const auto addend = graph_.splat(terms[1]);
    if (!addend || *addend < kLeast || !is_lone(part, root, "sqrt")) return {};
    return RootDivisor{.x = graph_.maker(root)->operands[0], .c = terms[1]};
  }
  Value reciprocal_of_root(Part& part, const RootDivisor& divisor) {
    const Value x = value(part, divisor.x);
    return vector::reciprocal_of_root(part.program, x, constant(part, divisor.c));
  }
  std::optional<Value> divided_by_root(Part& part, const Operation& operation) {
    const auto divisor = root_divisor(part, operation.results[0]);
    if (!divisor) return {};
    const Value a = value(part, operation.operands[0]);
    return part.program.multiply(a, reciprocal_of_root(part, *divisor));
  }

  // A conversion and floor are one instruction.
  std::optional<Value> floored(Part& part, const Operation& operation) {
    if (!converts_to_integer(graph_.call(operation))) return {};
    const int from = source(operation.operands[0]);
    if (!is_lone(part, from, "floor")) return {};
    return integer_below(part.program, value(part, graph_.maker(from)->operands[0]));
  }

  // ---- Reductions ----

  // The value where the element is inside its row or tensor, else what changes no sum.
  Value inside(Part& part, Value value, const Combining& combining) {
    const std::int64_t n = around_.lanes, cols = code_.cols, all = code_.rows * cols;
    const bool is_flat = code_.walk == Walk::kFlat;
    const bool is_padded = code_.walk == Walk::kBlocks ? cols % (n * code_.block_words) != 0
                                                       : (is_flat ? all : cols) % n != 0;
    if (!is_padded) return value;
    if (!part.is_inside) {
      const auto end = part.program.constant(static_cast<std::uint32_t>(is_flat ? all : cols));
      part.is_inside =
          part.program.compare(vector::VectorPredicate::kUnsignedLess,
                               is_flat ? Assembler::kElement : Assembler::kColumn, end);
    }
    const std::uint32_t neutral = combining.neutral();
    return part.program.select(*part.is_inside, value,
                               neutral == 0 ? Assembler::kZero : part.program.constant(neutral));
  }

  Value add_lanes(Part& part, Value value, const Combining& combining) const {
    for (int k = 0; 1 << k < around_.lanes; ++k)
      value = combining.with_lane(part.program, value, k);
    return value;
  }
  Value add_slots(Part& part, Value value, const Combining& combining, std::int64_t first,
                  std::int64_t end) {
    for (std::int64_t distance = first; distance < end; distance *= 2) {
      const int k = std::countr_zero(static_cast<unsigned>(distance));
      value = combining.with_slot(part.program, value, k);
      part.exchanged.push_back(value.place);
    }
    return value;
  }
  Value with_start(Part& part, int reduce, const Combining& combining, Value value) {
    const int start = graph_.maker(reduce)->operands[1];
    const bool is_zero = graph_.splat(start) == 0 && combining.neutral() == 0;  // -0, too
    return is_zero || bits(start) == combining.neutral()
               ? value
               : combining.both(part.program, value, constant(part, start));
  }

  Value reduce_row(Part& part, int id) {
    const Combining combining(call(id));
    const Value row = inside(part, value(part, graph_.maker(id)->operands[0]), combining);
    const Value lanes = add_lanes(part, row, combining);
    return with_start(part, id, combining, add_slots(part, lanes, combining, 1, code_.block_words));
  }

  // In the body, a register for each slot and lane; epilogue() adds them up.
  void accumulate(Part& part, int id, Extent extent) {
    const int from = graph_.maker(id)->operands[0];
    const bool is_row = extents_.has(from) && extents_.of(from) == Extent::kRow;
    Accumulator sum{.place = next_place(),
                    .combining = Combining(call(id)),
                    .adds_lanes = extent == Extent::kScalar && !is_row};
    const bool keeps_words = is_row || extent == Extent::kColumn;
    sum.first_slot_distance = keeps_words ? code_.block_words : 1;
    if (sum.adds_lanes && code_.walk == Walk::kBlocks &&
        code_.cols > code_.block_words * around_.lanes) {
      remember("sums of columns and of all elements are two kernels");
    }
    Value next = value(part, from);
    if (sum.adds_lanes) next = inside(part, next, sum.combining);
    part.program.keep(sum.place,
                      sum.combining.both(part.program, part.program.kept(sum.place), next));
    registers_.emplace(id, sum);
  }

  Value total(Part& part, int id) {
    const auto found = registers_.find(id);
    if (found == registers_.end() || !part.is_finish) {
      refusal_ = {.why = call(id).error(
                      "the device cannot use a sum over rows in the kernel that adds it up"),
                  .is_a_limit = true};
      return Assembler::kZero;
    }
    return with_start(part, id, found->second.combining, part.program.kept(found->second.place));
  }

  void write_around() {
    Part before, after;
    for (std::size_t i = 0; i < shared_places_.size(); ++i) {
      before.program.keep(shared_places_[i], before.program.take(static_cast<int>(i)));
    }
    for (const auto& [id, sum] : registers_) {
      const Value start = before.program.constant(sum.combining.neutral());
      before.program.keep(sum.place, before.program.bits_or(start, Assembler::kZero));
      Value all = after.program.bits_or(after.program.kept(sum.place), Assembler::kZero);
      if (sum.adds_lanes) all = add_lanes(after, all, sum.combining);
      all = add_slots(after, all, sum.combining, sum.first_slot_distance, kSlots);
      // Not the exchange itself, which must not write what other slots still read.
      after.program.keep(sum.place, after.program.bits_or(all, Assembler::kZero));
    }
    code_.prologue = section(before);
    code_.epilogue = section(after);
  }

  // ---- Results ----

  void send(Part& part, const Root& root) {
    if (const auto rows = extents_.joined(root.value)) return send_joined(part, root, *rows);
    Extent extent = extents_.of(root.value);
    const bool is_of_one_row =
        extent == Extent::kScalar && code_.rows == 1 && !extents_.is_total(root.value);
    if (is_of_one_row) extent = Extent::kRow;
    const bool is_written = extent == Extent::kFull ||
                            (extent == Extent::kRow && code_.walk == Walk::kBlocks) ||
                            extents_.is_total(root.value);
    const bool is_late =
        extents_.is_total(root.value) && extent != Extent::kScalar && extent != Extent::kColumn;
    if (!is_written || is_late) return remember("a kernel writes whole tensors, or sums");
    Value result = value(part, root.value);
    const bool is_exchange =
        result.is_made && std::ranges::count(part.exchanged, int{result.place}) != 0;
    if (is_exchange) result = part.program.bits_or(result, Assembler::kZero);
    for (const Format format : root.formats) {
      Port port{.value = root.value, .extent = extent, .format = format};
      if (format == Format::kTerms) {
        send_terms(part, port, result);
        continue;
      }
      if (is_turned(format)) port.view = turned(root.value);
      send(part, port, result);
    }
  }

  // Where the rows of a kernel [taps x channels, filters] lie in the turned one.
  View turned(int kernel) const {
    const std::int64_t taps = around_.taps.at(kernel), filters = code_.cols;
    return {.first = (taps - 1) * filters,
            .step = taps * filters,
            .group_rows = code_.rows / taps,
            .group_step = -filters};
  }

  void send(Part& part, const Port& port, Value value) {
    if (part.out->size() == kStreams) return remember("a kernel writes at most 4 streams");
    if (part.is_finish && !part.out->empty() && part.out->front().extent != port.extent) {
      return remember("sums of columns and of all elements are two kernels");
    }
    part.program.send(static_cast<int>(part.out->size()), value);
    part.out->push_back(port);
  }

  // Each term is what the ones before leave, which its stream rounds.
  void send_terms(Part& part, Port port, Value rest) {
    const Value half = part.program.constant(std::uint32_t{16});
    for (port.term = 0; port.term < kTerms; ++port.term) {
      send(part, port, rest);
      if (port.term + 1 == kTerms) return;
      const Value rounded = part.program.make(Op::kToBf16, rest);
      rest = part.program.subtract(rest, part.program.make(Op::kShiftLeft, rounded, half));
    }
  }

  // Each value fills its part of every row.
  void send_joined(Part& part, const Root& root, const JoinedRows& rows) {
    for (const JoinedRows::Part& joined : rows.parts) {
      const Value result = value(part, joined.value);
      for (const Format format : root.formats) {
        send(part, {.value = root.value, .format = format, .view = joined.view}, result);
      }
    }
    if (!rows.is_padded) return;
    const std::int64_t elements = graph::element_count(graph_.type(root.value).shape);
    for (const Format format : root.formats) {
      code_.cleared.push_back({.value = root.value, .format = format, .elements = elements});
    }
    if (!code_.clear.empty()) return;
    Part zeros;
    zeros.program.send(0, Assembler::kZero);
    code_.clear = section(zeros);
  }

  Section section(Part& part) {
    auto assembled = part.program.assemble();
    if (auto* limit = std::get_if<std::string>(&assembled)) {
      remember(std::move(*limit));
      return {};
    }
    Section section{.program = std::get<vector::Program>(std::move(assembled)), .table = {}};
    auto& constants = section.program.constants;
    for (std::size_t i = 0; i < constants.size(); ++i) {
      if ((constants[i] & kTableMask) != kTableConstant) continue;
      section.table.push_back(
          {.place = static_cast<int>(i), .scalar = table_[constants[i] & ~kTableMask]});
      constants[i] = 0;
    }
    return section;
  }

  const Surroundings& around_;
  const graph::Graph& graph_;
  Extents extents_;
  std::span<const Root> roots_;
  bool has_slices_ = false;
  KernelCode code_;
  std::vector<int> table_;
  std::map<int, Accumulator> registers_;
  std::vector<int> shared_places_;  ///< the registers of code_.shared
  int pinned_ = 0;                  ///< registers that are kept from word to word
  std::optional<Refusal> refusal_;  ///< the first
};

}  // namespace

OrRefusal<KernelCode> write_kernel(const Surroundings& around, std::span<const Root> roots) {
  auto extents = Extents::find(around, roots);
  if (auto* refusal = std::get_if<Refusal>(&extents)) return std::move(*refusal);
  return Writer(around, std::get<Extents>(std::move(extents)), roots).write();
}

}  // namespace systole::lowering
