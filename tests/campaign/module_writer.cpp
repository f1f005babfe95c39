#include "tests/campaign/module_writer.h"

#include <algorithm>

#include "tests/campaign/function_writer.h"
#include "tests/campaign/statements.h"
#include "tests/campaign/tables.h"

namespace systole::tests {
namespace {

/// How much a module may hold.
struct Budget {
  int submodules = 0;  ///< levels below
  bool memories = true;
  bool pipelines = true;
};

/// Writes one module, part by part, in the order in which clock() makes its edge.
class ModuleWriter {
 public:
  ModuleWriter(Random& random, const std::string& name, const Budget& budget)
      : random_(random), expressions_(random), statements_(random, expressions_), budget_(budget) {
    module_.name = name;
  }

  /// As a class template, sometimes, with an enum of its own: nothing else in it changes.
  RandomModule write_top() {
    Random own(Random(random_).bits() ^ 0xe4a5);
    if (own.below(4) == 0) {
      for (int i = own.between(2, 9); i > 0; --i) {
        phases_.push_back(fmt::format("k{}{}", "ABCDEFGHI"[phases_.size()], own.below(90)));
      }
    }
    return write();
  }

  RandomModule write() {
    pipelined_ = budget_.pipelines && one_in(3);
    late_outputs_ = one_in(4);
    resets_all_ = pipelined_ || one_in(2);
    helpers();
    random_tables(random_, module_.name, module_.text, scope_);
    inputs();
    ports_ = scope_;
    registers();
    const Scope known = scope_;  // ports and registers: known in reset
    pipelines();
    memories(known_after_reset_ ? scope_ : known);
    submodules(known_after_reset_ ? scope_ : known);
    lanes(known_after_reset_ ? scope_ : known);
    finish();
    return module_;
  }

 private:
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  std::string expression(const ValueType& type, const Scope& scope, int depth = 3) {
    return expressions_.of(type, scope, depth);
  }

  void helpers() {
    for (int i = random_.between(-1, 1); i > 0; --i) {
      const RandomFunction helper = random_function(random_, module_.name + "Helper", 3);
      module_.text += helper.text;
      scope_.functions.push_back(helper.callable);
    }
  }

  void inputs() {
    for (int i = random_.between(1, 5); i > 0; --i) {
      const std::string name = fmt::format("in{}", i);
      const Compound type = port_type(fmt::format("In{}", i));
      ports_in_ += fmt::format("    {};\n", type.declared(name));
      scope_.add("in." + name, type);
      module_.inputs.push_back({name, type});
    }
  }

  /// Of a port: now and then a struct, a Vec, an array, an enum.
  Compound port_type(const std::string& name) {
    if (!one_in(5)) return Compound(random_type(random_));
    const Compound type =
        random_compound(random_, module_.name + name, module_.text, /*may_be_array=*/true);
    if (type.kind != Compound::kArray) scope_.types.push_back(type);
    return type;
  }

  void registers() {
    for (int i = random_.between(1, 5); i > 0; --i) {
      const Variable one{fmt::format("state{}_", i), random_type(random_)};
      members_ += fmt::format("  {} {};\n", one.type.text(), one.text);
      add_register(one);
    }
    if (one_in(4)) record();
    if (late_outputs_) return;
    for (int i = random_.between(-2, 2); i > 0; --i) {
      constexpr int kSizes[] = {2, 3, 4, 5, 8, 16};
      const Array array{fmt::format("array{}_", i), random_type(random_),
                        kSizes[random_.below(std::size(kSizes))], one_in(2), true};
      members_ += fmt::format("  {} {}[{}];\n", array.type.text(), array.name, array.size);
      resets_ += fmt::format("    for (int i = 0; i < {}; ++i) {}[i] = {};\n", array.size,
                             array.name, expressions_.literal(array.type));
      module_.needs_reset = true;
      scope_.arrays.push_back(array);
    }
  }

  /// Reset, or written at every edge with what depends on ports alone, or both.
  void add_register(const Variable& one) {
    const std::uint32_t kind = random_.below(resets_all_ ? 3 : 5);
    if (kind != 4) {
      resets_ += fmt::format("    {} = {};\n", one.text, expressions_.literal(one.type));
    }
    if (kind >= 3) {
      unreset_.push_back(one);
    } else {
      module_.needs_reset = true;
    }
    scope_.readable.push_back(one);
    scope_.writable.push_back(one);
  }

  /// A struct of registers.
  void record() {
    const std::string type = module_.name + "Record";
    std::string fields;
    for (const char* name : {"first", "second", "third"}) {
      const ValueType field = random_type(random_);
      fields += fmt::format("  {} {};\n", field.text(), name);
      add_register({fmt::format("record_.{}", name), field});
    }
    module_.text += fmt::format("struct {} {{\n{}}};\n\n", type, fields);
    members_ += fmt::format("  {} record_;\n", type);
  }

  /// Their outputs are read first, their clocks come last. A pipeline shows 0 in C++ until its
  /// stages have filled, and its function of 0 in hardware, so what it shows must not come round to
  /// its own arguments in reset: they depend on ports and registers alone, or the module takes 0
  /// for what it shows until it has counted more edges than there are stages.
  void pipelines() {
    if (!pipelined_) return;
    arguments_ = scope_;
    known_after_reset_ = one_in(2);
    if (known_after_reset_) {
      members_ += "  UInt<3> filled_;\n";
      resets_ += "    filled_ = UInt<3>(0);\n";
      module_.needs_reset = true;
      clock_ +=
          "    const bool full = filled_ == UInt<3>(7);\n"
          "    if (!full) filled_ = truncate<UInt<3>>(filled_ + UInt<3>(1));\n";
    }
    for (int i = random_.between(1, 2); i > 0; --i) {
      const RandomFunction function =
          random_function(random_, fmt::format("{}Function{}", module_.name, i), 4, true);
      module_.text += function.text;
      members_ += fmt::format("  Pipeline<&{}, {}> pipe{}_;\n", function.callable.name,
                              random_.between(1, 5), i);
      const Compound type = function.callable.result;
      const std::string shown = fmt::format("pipe{}_.output()", i);
      clock_ += fmt::format(
          "    const {} piped{} = {};\n", type.text(), i,
          known_after_reset_ ? fmt::format("full ? {} : {}{{}}", shown, type.text()) : shown);
      scope_.add(fmt::format("piped{}", i), type);
      functions_.push_back({fmt::format("pipe{}_", i), function.callable.arguments, type});
    }
    if (known_after_reset_) return;
    for (Callable& pipe : functions_) {
      for (const Compound& argument : pipe.arguments) taken_.push_back(take(argument, arguments_));
    }
  }

  /// A local that holds a pipeline's argument.
  std::string take(const Compound& argument, const Scope& from) {
    const std::string name = fmt::format("argument{}", arguments_taken_++);
    clock_ += fmt::format("    const {} = {};\n", argument.declared(name),
                          expressions_.of(argument, wires(from), 2));
    return name;
  }

  void memories(const Scope& known) {
    if (!budget_.memories || !one_in(4)) return;
    const ValueType word{ValueType::kUInt, random_width(random_)};
    const int address_bits = random_.between(1, 5);
    const ValueType bit{ValueType::kUInt, 1};
    const ValueType address{ValueType::kUInt, address_bits};
    members_ += fmt::format("  Ram<{}, {}> ram_;\n", word.text(), 1 << address_bits);
    const Scope from = wires(known);
    clock_ += fmt::format(
        "    const auto ram = ram_.clock({{.read_enable = {},\n        .read_address = {},\n"
        "        .write_enable = {},\n        .write_address = {},\n        .write_data = {}}});\n",
        expression(bit, from, 2), expression(address, from, 2), expression(bit, from, 2),
        expression(address, from, 2), expression(word, from, 2));
    scope_.readable.push_back({"ram.read_data", word});
  }

  /// What a submodule's inputs may depend on: no element picked by a value, except of a table.
  static Scope wires(Scope scope) {
    for (Array& array : scope.arrays) array.any_index = array.any_index && !array.writable;
    return scope;
  }

  RandomModule child(const std::string& name, bool as_lane) {
    Budget budget = budget_;
    --budget.submodules;
    if (as_lane) budget = {.submodules = 0, .memories = false, .pipelines = false};
    RandomModule made = ModuleWriter(random_, module_.name + name, budget).write();
    module_.text += made.text;
    return made;
  }

  std::string clock_of(const RandomModule& made, const std::string& member, const Scope& from) {
    std::string fields;
    for (const Whole& input : made.inputs) {
      fields += fmt::format("{}.{} = {}", fields.empty() ? "" : ", ", input.text,
                            expressions_.of(input.type, from, 2));
    }
    return fmt::format("{}.clock({{{}}})", member, fields);
  }

  void submodules(const Scope& known) {
    if (budget_.submodules <= 0) return;
    for (int i = random_.between(-2, 2); i > 0; --i) {
      const RandomModule made = child(fmt::format("Child{}", i), false);
      const std::string member = fmt::format("child{}_", i);
      members_ += fmt::format("  {} {};\n", made.name, member);
      clock_ +=
          fmt::format("    const auto child{} = {};\n", i, clock_of(made, member, wires(known)));
      for (const Whole& output : made.outputs) {
        scope_.add(fmt::format("child{}.{}", i, output.text), output.type);
      }
      if (made.has_reset) {
        resets_ += fmt::format("    {}.reset();\n", member);
        module_.needs_reset = module_.needs_reset || made.needs_reset;
      }
    }
  }

  /// An array of submodules; what their outputs add up to is a local.
  void lanes(const Scope& known) {
    if (budget_.submodules <= 0 || !one_in(4)) return;
    const RandomModule made = child("Lane", true);
    const int count = random_.between(2, 5);
    members_ += fmt::format("  {} lane_[{}];\n", made.name, count);
    Scope from = wires(known);
    from.counters.push_back({"n", count});
    // One bit more than it has is the sum of two.
    const Variable total{"total", {ValueType::kUInt, std::min(127, random_width(random_))}};
    Scope inside = from;
    inside.readable.push_back(total);
    for (const Whole& output : made.outputs) inside.add("one." + output.text, output.type);
    clock_ += fmt::format(
        "    {0} total;\n    for (int n = 0; n < {1}; ++n) {{\n      const auto one = {2};\n"
        "      total = truncate<{0}>(total + {3});\n    }}\n",
        total.type.text(), count, clock_of(made, "lane_[n]", from),
        expression(total.type, inside, 2));
    total_ = total;
    if (made.has_reset) {
      resets_ += fmt::format("    for (int n = 0; n < {}; ++n) lane_[n].reset();\n", count);
      module_.needs_reset = module_.needs_reset || made.needs_reset;
    }
  }

  std::string outputs() {
    const Scope from = wires(scope_);
    std::string text;
    for (int i = random_.between(1, 4); i > 0; --i) {
      const std::string name = fmt::format("out{}", i);
      // The first one is no bool: a struct of bools alone would be returned in a register.
      const Compound type =
          i == 1 ? Compound(random_integer(random_)) : port_type(fmt::format("Out{}", i));
      ports_out_ += fmt::format("    {};\n", type.declared(name));
      module_.outputs.push_back({name, type});
      if (type.kind == Compound::kArray || (type.kind == Compound::kVec && one_in(2))) {
        Scope inside = from;
        inside.counters.push_back({"n", type.size});
        text += fmt::format("    for (int n = 0; n < {}; ++n) out.{}[n] = {};\n", type.size, name,
                            expressions_.of(type.element(), inside, 3));
      } else {
        text += fmt::format("    out.{} = {};\n", name, expressions_.of(type, from, 3));
      }
    }
    return text;
  }

  void finish() {
    clock_ += "    Outputs out;\n";
    if (!phases_.empty()) clock_ += "    out.phase = phase_;\n";
    if (!late_outputs_) clock_ += outputs();
    // Lanes write their arrays one by one: what they add up to comes too late for outputs.
    if (!total_.text.empty()) scope_.readable.push_back(total_);
    // A register that nothing writes is no register: Verilator says so.
    for (const Variable& one : unreset_) {
      clock_ += fmt::format("    {} = {};\n", one.text, expression(one.type, ports_, 2));
    }
    if (!late_outputs_ && functions_.empty()) statements_.set_return_text("out");
    clock_ += statements_.some(random_.between(1, 5), scope_, 4);
    if (late_outputs_) clock_ += outputs();
    std::size_t next = 0;
    for (const Callable& pipe : functions_) {
      std::string arguments;
      for (const Compound& argument : pipe.arguments) {
        arguments += (arguments.empty() ? "" : ", ") +
                     (known_after_reset_ ? take(argument, scope_) : taken_.at(next++));
      }
      clock_ += fmt::format("    {}.clock({});\n", pipe.name, arguments);
    }
    const bool is_template = !phases_.empty();
    if (is_template) phase();
    module_.has_reset = !resets_.empty();
    module_.text += fmt::format(
        "{}struct {}{} {{\n{}  struct Inputs {{\n{}  }};\n  struct Outputs {{\n{}  }};\n\n"
        "  Outputs clock(const Inputs& in) {{\n{}    return out;\n  }}\n",
        is_template ? "template <int kVariant>\n" : "", module_.name, is_template ? "Of" : "",
        enum_, ports_in_, ports_out_, clock_);
    if (module_.has_reset) module_.text += fmt::format("  void reset() {{\n{}  }}\n", resets_);
    module_.text += fmt::format("\n private:\n{}}};\n\n", members_);
    if (is_template) module_.text += fmt::format("using {0} = {0}Of<1>;\n\n", module_.name);
  }

  /// A register of the module's own enum, which goes from one enumerator to another, and its port.
  void phase() {
    const auto place = [&] { return random_.below(static_cast<std::uint32_t>(phases_.size())); };
    enum_ = fmt::format("  enum {}Phase {{ {} }};\n", random_.below(2) == 0 ? "class " : "",
                        fmt::join(phases_, ", "));
    ports_out_ += "    Phase phase;\n";
    members_ += "  Phase phase_;\n";
    resets_ += "    phase_ = Phase::" + phases_[place()] + ";\n";
    module_.needs_reset = true;
    for (std::size_t from = 0; from < phases_.size(); ++from) {
      const std::string& to = phases_[place()];
      clock_ += fmt::format("    {}if (phase_ == Phase::{} && {}) phase_ = Phase::{};\n",
                            from == 0 ? "" : "else ", phases_[from],
                            expression({ValueType::kBool, 1}, ports_, 2), to);
    }
  }

  Random& random_;
  Expressions expressions_;
  Statements statements_;
  Budget budget_;
  RandomModule module_;
  Scope scope_;
  Scope ports_;
  std::vector<Variable> unreset_;
  Variable total_;  ///< of lanes
  bool pipelined_ = false;
  bool late_outputs_ = false;  ///< outputs are computed after the registers are written
  bool resets_all_ = false;
  bool known_after_reset_ = true;   ///< all of scope_ is; else what pipelines show is not
  Scope arguments_;                 ///< what pipelines' arguments may depend on
  std::vector<std::string> taken_;  ///< those arguments, pipeline by pipeline
  int arguments_taken_ = 0;
  std::vector<Callable> functions_;  ///< of the pipelines, named by their members
  std::vector<std::string> phases_;  ///< enumerators of a top that is a class template
  std::string enum_;
  std::string ports_in_;
  std::string ports_out_;
  std::string members_;
  std::string resets_;
  std::string clock_;
};

}  // namespace

RandomModule random_module(Random& random, const std::string& name) {
  const Budget budget{.submodules = random.between(-1, 2)};
  return ModuleWriter(random, name, budget).write_top();
}

}  // namespace systole::tests
