#include "hls/compiler/prove/netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

const std::set<std::string> kBinary = {"add",  "sub",    "mul",     "and", "nand", "or",   "nor",
                                       "xor",  "xnor",   "eq",      "neq", "ult",  "ulte", "ugt",
                                       "ugte", "slt",    "slte",    "sgt", "sgte", "sll",  "srl",
                                       "sra",  "concat", "implies", "iff"};
const std::set<std::string> kUnary = {"not", "neg", "inc", "dec", "redand", "redor", "redxor"};

Bits binary_digits(const std::string& digits) {
  Bits bits;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    bits.push_back(*at == '1' ? kTrue : kFalse);
  }
  return bits;
}

}  // namespace

Netlist::Netlist(const std::string& btor) {
  std::map<long, unsigned> sorts;
  std::istringstream lines(btor);
  for (std::string text; std::getline(lines, text);) {
    if (const std::size_t comment = text.find(';'); comment != std::string::npos) {
      text.erase(comment);
    }
    std::istringstream words(text);
    long number = 0;
    std::string operation;
    if (!(words >> number >> operation)) continue;
    if (operation == "sort") {
      std::string kind;
      words >> kind >> sorts[number];
      if (kind != "bitvec")
        throw Refusal("a proof covers no memory; prove the functions around it");
      continue;
    }
    if (operation == "output") {
      long value = 0;
      std::string name;
      words >> value >> name;
      output_lines_[name] = value;
      outputs_.push_back({name, lines_.at(value).width});
      continue;
    }
    Line line{.operation = operation};
    long sort = 0;
    words >> sort;
    line.width = sorts[sort];
    if (operation == "input" || operation == "state") {
      std::string name;
      words >> name;
      if (operation == "input" && !name.empty()) {
        inputs_.push_back({name, line.width});
        input_names_[number] = name;
      }
    } else if (operation.starts_with("const")) {
      words >> line.text;
    } else {
      for (long one = 0; words >> one;) line.numbers.push_back(one);
    }
    if (operation == "next") {
      next_[line.numbers.at(0)] = line.numbers.at(1);
    } else {
      lines_[number] = line;
    }
  }
}

int Netlist::register_bits() const {
  int bits = 0;
  for (const auto& [state, next] : next_) bits += static_cast<int>(lines_.at(state).width);
  return bits;
}

NetlistRun::NetlistRun(const Netlist& netlist, Circuit& circuit)
    : netlist_(netlist), circuit_(circuit), gates_(circuit) {}

void NetlistRun::set_input(const std::string& name, int clock, const Bits& bits) {
  input_bits_[{name, clock}] = bits;
}

Bits NetlistRun::output(const std::string& name, int clock) {
  return word(netlist_.output_lines_.at(name), clock);
}

Bits NetlistRun::operand(long line, int clock) {
  return line < 0 ? Arithmetic::complement(word(-line, clock)) : word(line, clock);
}

Bits NetlistRun::word(long number, int clock) {
  const auto key = std::pair(number, clock);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const Netlist::Line& line = netlist_.lines_.at(number);
  Bits bits = evaluate(line, number, clock);
  if (bits.size() != line.width) throw std::logic_error("a netlist's word has another width");
  return known_[key] = bits;
}

Bits NetlistRun::evaluate(const Netlist::Line& line, long number, int clock) {
  const std::string& operation = line.operation;
  const auto width = line.width;
  if (operation == "input") {
    const auto name = netlist_.input_names_.find(number);
    if (name != netlist_.input_names_.end()) {
      const auto set = input_bits_.find({name->second, clock});
      if (set != input_bits_.end()) return set->second;
    }
    return circuit_.inputs(width);
  }
  if (operation == "state") {
    const auto next = netlist_.next_.find(number);
    if (clock == 0 || next == netlist_.next_.end()) return circuit_.inputs(width);
    return operand(next->second, clock - 1);
  }
  if (operation == "one") return Arithmetic::constant(1, width);
  if (operation == "ones") return Bits(width, kTrue);
  if (operation == "zero") return Bits(width, kFalse);
  if (operation == "const") return binary_digits(line.text);
  if (operation == "constd") return Arithmetic::constant(std::stoull(line.text), width);

  const auto a = [&] { return operand(line.numbers.at(0), clock); };
  const auto b = [&] { return operand(line.numbers.at(1), clock); };
  if (operation == "slice") {
    const auto low = static_cast<std::size_t>(line.numbers.at(2));
    return Arithmetic::slice(a(), low, width);
  }
  if (operation == "uext") return Arithmetic::extend(a(), width, false);
  if (operation == "sext") return Arithmetic::extend(a(), width, true);
  if (operation == "ite") {
    return circuit_.choose(a().at(0), b(), operand(line.numbers.at(2), clock));
  }
  if (kUnary.count(operation) != 0) {
    const Bits x = a();
    const auto size = static_cast<unsigned>(x.size());
    if (operation == "not") return Arithmetic::complement(x);
    if (operation == "neg") return gates_.negate(x);
    if (operation == "inc") return gates_.add(x, Arithmetic::constant(1, size));
    if (operation == "dec") return gates_.subtract(x, Arithmetic::constant(1, size));
    if (operation == "redand") return {gates_.all(x)};
    if (operation == "redor") return {gates_.any(x)};
    return {gates_.parity(x)};
  }
  if (kBinary.count(operation) == 0) {
    throw Refusal(fmt::format("no proof covers the netlist's operator '{}'", operation));
  }
  const Bits x = a();
  const Bits y = b();
  if (operation == "concat") return Arithmetic::concat(x, y);
  if (operation == "add") return gates_.add(x, y);
  if (operation == "sub") return gates_.subtract(x, y);
  if (operation == "mul") return gates_.multiply(x, y);
  if (operation == "and") return gates_.both(x, y);
  if (operation == "nand") return Arithmetic::complement(gates_.both(x, y));
  if (operation == "or") return gates_.either(x, y);
  if (operation == "nor") return Arithmetic::complement(gates_.either(x, y));
  if (operation == "xor") return gates_.differ(x, y);
  if (operation == "xnor") return Arithmetic::complement(gates_.differ(x, y));
  if (operation == "eq" || operation == "iff") return {gates_.equal(x, y)};
  if (operation == "neq") return {inverse(gates_.equal(x, y))};
  if (operation == "implies") return {circuit_.either(inverse(x[0]), y[0])};
  if (operation == "ult") return {gates_.below(x, y)};
  if (operation == "ulte") return {inverse(gates_.below(y, x))};
  if (operation == "ugt") return {gates_.below(y, x)};
  if (operation == "ugte") return {inverse(gates_.below(x, y))};
  if (operation == "slt") return {gates_.signed_below(x, y)};
  if (operation == "slte") return {inverse(gates_.signed_below(y, x))};
  if (operation == "sgt") return {gates_.signed_below(y, x)};
  if (operation == "sgte") return {inverse(gates_.signed_below(x, y))};
  if (operation == "sll") return gates_.shift_left(x, y);
  return gates_.shift_right(x, y, operation == "sra" ? x.back() : kFalse);
}

}  // namespace systole::compiler
