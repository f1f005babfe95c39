#include "hls/compiler/emit/ports.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

#include "hls/compiler/emit/instances.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/comments.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// The ports in the order in which they are declared, with a comment above each stream.
class PortList {
 public:
  PortList(const LoweredModule& module, const Ports& ports) : module_(module), ports_(ports) {}

  sv::Statements run() {
    lines_.push_back({.text = "input  logic clk_i", .is_port = true});
    if (module_.reset) lines_.push_back({.text = "input  logic rst_ni", .is_port = true});
    while (input_ < static_cast<int>(module_.inputs.size())) next_input();
    while (output_ < static_cast<int>(module_.outputs.size())) next_output();
    const auto last =
        std::find_if(lines_.rbegin(), lines_.rend(), [](const Line& line) { return line.is_port; });
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      if (line->is_port && &*line != &*last) line->text += ",";
    }
    return print();
  }

 private:
  struct Line {
    std::string text;
    std::string comment = "";
    bool is_port = false;
  };
  static constexpr std::size_t kColumns = 98;  // within the margin

  /// Comments of ports that follow each other stand below each other. One too long for its line is
  /// above it.
  sv::Statements print() const {
    sv::Statements out;
    for (auto line = lines_.begin(); line != lines_.end();) {
      auto end = line;
      std::size_t column = 0;
      while (end != lines_.end() && is_described(*end)) column = std::max(column, width(*end++));
      for (; line != end; ++line) {
        const bool fits = column + line->comment.size() + 5 <= kColumns;
        out.line(fmt::format("{:{}}  // {}", line->text, fits ? column : 0, line->comment));
      }
      if (line == lines_.end()) break;
      for (const std::string& one : comment_lines(line->comment, kColumns)) out.line(one);
      if (line->is_port) out.line(line->text);
      if (line->text.empty() && line->comment.empty()) out.blank();
      ++line;
    }
    return out;
  }
  static std::size_t width(const Line& line) { return line.text.size(); }
  static bool is_described(const Line& line) {
    return line.is_port && !line.comment.empty() &&
           width(line) + line.comment.size() + 5 <= kColumns;
  }

  const PortStream* stream_at(bool is_output, int leaf) const {
    for (const PortStream& one : ports_.streams()) {
      if (one.is_output == is_output && one.valid == leaf) return &one;
      if (one.is_output != is_output && one.ready == leaf) return &one;
    }
    return nullptr;
  }

  void add(bool is_output) {
    int& at = is_output ? output_ : input_;
    const Leaf& leaf = (is_output ? module_.outputs : module_.inputs)[at];
    lines_.push_back(
        {.text = fmt::format("{} {} {}", is_output ? "output" : "input ", logic_type(leaf),
                             is_output ? ports_.output(at) : ports_.input(at)),
         .comment = leaf.position == described_ ? "" : member_comment(leaf.position),
         .is_port = true});
    ++at;
  }

  /// A port of no stream, below what the source says about the struct that it is part of.
  void add_single(bool is_output) {
    const Leaf& leaf = (is_output ? module_.outputs : module_.inputs)[is_output ? output_ : input_];
    const bool is_part = leaf.position != leaf.outer_position;
    const std::string comment = is_part ? member_comment(leaf.outer_position) : "";
    if (comment.empty() || leaf.outer_position != described_) {
      separate(!comment.empty());
      described_ = comment.empty() ? "" : leaf.outer_position;
      if (!comment.empty()) {
        lines_.push_back({.comment = without_underscore(leaf.outer) + ": " + comment});
      }
    }
    add(is_output);
  }

  void next_input() {
    if (const PortStream* stream = stream_at(false, input_)) {
      group(*stream);
    } else {
      add_single(false);
    }
  }
  void next_output() {
    if (const PortStream* stream = stream_at(true, output_)) {
      group(*stream);
    } else {
      add_single(true);
    }
  }

  /// One stream's ports, after those that come before them in their structs.
  void group(const PortStream& stream) {
    int& own = stream.is_output ? output_ : input_;
    int& other = stream.is_output ? input_ : output_;
    const auto before = [&](bool outputs, int end) {
      int& at = outputs ? output_ : input_;
      while (at < end) add_single(outputs);
    };
    before(stream.is_output, stream.valid);
    before(!stream.is_output, stream.ready);
    separate(true);
    const std::string& position =
        (stream.is_output ? module_.outputs : module_.inputs)[stream.valid].position;
    const std::string comment = member_comment(position);
    lines_.push_back({.comment = fmt::format("{}: stream of {}{}", stream.name, stream.element,
                                             comment.empty() ? "" : "; " + comment)});
    described_ = position;
    if (own == stream.valid) add(stream.is_output);
    if (other == stream.ready) add(!stream.is_output);
    while (own <= stream.data.back()) add(stream.is_output);
  }

  /// A blank line around streams.
  void separate(bool stream) {
    if (stream || after_stream_) lines_.push_back({.text = ""});
    after_stream_ = stream;
  }

  const LoweredModule& module_;
  const Ports& ports_;
  std::vector<Line> lines_;
  int input_ = 0;
  int output_ = 0;
  bool after_stream_ = false;
  std::string described_;  ///< position of the member whose ports follow its comment
};

}  // namespace

Ports::Ports(const LoweredModule& module, Names& names) : module_(module) {
  for (const Leaf& leaf : module.inputs) {
    inputs_.push_back(names.unique(without_underscore(leaf.name) + "_i"));
  }
  for (const Leaf& leaf : module.outputs) {
    outputs_.push_back(names.unique(without_underscore(leaf.name) + "_o"));
  }
  find_streams();
}

void Ports::find_streams() {
  for (const bool is_output : {false, true}) {
    const std::vector<Leaf>& own = is_output ? module_.outputs : module_.inputs;
    const std::vector<Leaf>& other = is_output ? module_.inputs : module_.outputs;
    for (int leaf = 0; leaf < static_cast<int>(own.size()); ++leaf) {
      const std::string& name = own[leaf].stream;
      if (name.empty()) continue;
      if (own[leaf].name == name + "_valid") {
        PortStream stream{.name = without_underscore(name),
                          .element = own[leaf].stream_of,
                          .is_output = is_output,
                          .valid = leaf,
                          .data = {},
                          .ready = -1};
        for (int at = 0; at < static_cast<int>(other.size()); ++at) {
          if (other[at].name == name + "_ready" && other[at].width == 1 &&
              other[at].elements() == 1) {
            stream.ready = at;
          }
        }
        streams_.push_back(stream);
      } else if (!streams_.empty()) {
        streams_.back().data.push_back(leaf);
      }
    }
  }
  std::erase_if(streams_, [](const PortStream& one) { return one.ready < 0 || one.data.empty(); });
}

sv::Statements Ports::declarations() const { return PortList(module_, *this).run(); }

bool Ports::depends_on_inputs(const PortStream& stream) const {
  std::vector<const llvm::Value*> left;
  for (const llvm::Instruction& instruction : llvm::instructions(*module_.clock)) {
    if (!is_operation(instruction, Operation::kWritePort)) continue;
    const int leaf = leaf_of(instruction);
    if (leaf == stream.valid ||
        std::find(stream.data.begin(), stream.data.end(), leaf) != stream.data.end()) {
      left.push_back(instruction.getOperand(2));
    }
  }
  std::set<const llvm::Value*> seen;
  while (!left.empty()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(left.back());
    left.pop_back();
    if (!instruction || !seen.insert(instruction).second) continue;
    if (is_operation(*instruction, Operation::kReadPort)) return true;
    if (is_operation(*instruction, Operation::kInstanceOutput) &&
        !module_.instances.at(leaf_of(*instruction)).shows_registers) {
      return true;
    }
    for (const llvm::Value* operand : instruction->operands()) left.push_back(operand);
  }
  return false;
}

sv::Expression Ports::data_of(const PortStream& stream) const {
  std::vector<sv::Expression> parts;
  for (const int leaf : stream.data) {
    parts.insert(parts.begin(), stream.is_output ? outputs_[leaf] : inputs_[leaf]);
  }
  return sv::concatenation(parts);
}

sv::Statements Ports::rules(Names& names) const {
  if (!module_.reset) return {};
  sv::Statements flags;
  sv::Statements declared;
  sv::Statements body;
  sv::Statements checks;
  sv::Expression kept;  // the incoming streams' obligations; none until needed
  const auto both = [](const sv::Expression& a, const sv::Expression& b) {
    return sv::binary(a, "&&", b);
  };
  const auto watch = [&](const PortStream& stream) {
    const std::vector<Leaf>& own = stream.is_output ? module_.outputs : module_.inputs;
    const auto& own_names = stream.is_output ? outputs_ : inputs_;
    const auto& other_names = stream.is_output ? inputs_ : outputs_;
    unsigned width = 0;
    for (const int leaf : stream.data) {
      width += bits_of(own[leaf]);
    }
    const std::string stalled = names.unique(stream.name + "_stalled_q");
    const std::string held = names.unique(stream.name + "_held_q");
    const std::string& valid = own_names[stream.valid];
    const sv::Expression data = data_of(stream);
    flags.add(sv::declaration(stalled, 1));
    declared.add(sv::declaration(held, width));
    body.assign(stalled,
                "<=", both(both("rst_ni", valid), sv::unary("!", other_names[stream.ready])));
    body.assign(held, "<=", data);
    return std::pair<sv::Expression, sv::Expression>(stalled,
                                                     both(valid, sv::binary(data, "===", held)));
  };
  for (const PortStream& stream : streams_) {
    if (!stream.is_output) continue;
    sv::Expression condition = "rst_ni";
    if (depends_on_inputs(stream)) {
      if (kept.empty()) {
        kept = "rst_ni";
        for (const PortStream& in : streams_) {
          if (in.is_output) continue;
          const auto [stalled, holds] = watch(in);
          const sv::Expression moves = sv::unary("!", stalled);
          kept = both(kept, sv::binary(moves, "||", holds));
        }
      }
      condition = kept;
    }
    const auto [stalled, holds] = watch(stream);
    checks.line(
        fmt::format("if ({}) assert ({});", to_text(both(condition, stalled)), to_text(holds)));
  }
  if (checks.empty()) return {};
  body.append(checks);
  sv::Statements rules;
  rules.line("// ---- Rules of the streams: a beat stays until it is taken ----");
  rules.line("`ifndef SYNTHESIS");
  rules.append(flags);
  rules.append(declared);
  rules.block("always @(posedge clk_i)", body, names.unique("streams_hold_while_stalled"));
  rules.line("`endif");
  return rules;
}

}  // namespace systole::compiler
