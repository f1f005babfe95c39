#include "tests/campaign/network_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace systole::tests {
namespace {

constexpr int kNarrowest = 4;  ///< so that data decides
constexpr int kWidest = 40;
constexpr int kAtWritersEnd = 2;  ///< elements that a stream holds besides its places

/// What a function leaves for a later one.
struct Link {
  enum Kind { kArray, kStream, kScalar };
  Kind kind = kArray;
  std::string name;
  ValueType type;
  int count = 0;           ///< elements of the array, or what is surely pushed
  int writer = 0;          ///< the function
  std::string shown = {};  ///< the array's or stream's type: "Vec<ap_uint<5>, 8>"
};

/// A stream as it stands in the network, and the most that its writer pushes.
struct Queue {
  std::string name;
  std::string element;
  int places = 0;
  int most = 0;
  std::size_t line = 0;  ///< where it is declared
};

/// A link and the function that reads it.
struct Use {
  Link link;
  int reader = 0;
};

class NetworkWriter {
 public:
  NetworkWriter(Random& random, std::string name)
      : random_(random), spellings_(random), name_(std::move(name)), expressions_(random) {}

  std::string run() {
    loops_ = one_in(3) ? 0 : random_.between(2, 6);
    const int processes = random_.between(2, 5);
    for (int i = random_.between(0, 2); i > 0; --i) {
      const ValueType type = integer();
      const std::string scalar = fmt::format("input{}", i);
      parameter(fmt::format("{} {}", type.text(), scalar));
      scalars_.push_back({scalar, type});
    }
    for (int p = 0; p < processes; ++p) process(p, false);
    for (int p = processes; p == processes || is_owed(); ++p) process(p, true);
    for (Queue& queue : queues_) {
      if (may_wait_for_itself(queue)) queue.places = std::max(1, queue.most - kAtWritersEnd);
      lines_[queue.line] =
          fmt::format("LocalStream<{}, {}> {};", queue.element, queue.places, queue.name);
    }
    const std::string indent = loops_ == 0 ? "" : "  ";
    std::string body =
        loops_ == 0 ? "" : fmt::format("  for (UInt<3> turn = 0; turn < {}; ++turn) {{\n", loops_);
    for (const std::string& line : lines_) body += indent + "  " + line + "\n";
    if (loops_ != 0) body += "  }\n";
    return fmt::format("{}inline void {}({}) {{\n  dataflow();\n{}}}\n\n", functions_, name_,
                       parameters_, body);
  }

 private:
  /// Whether an array or a stream is left that nobody reads.
  bool is_owed() const {
    return std::ranges::any_of(links_, [](const Link& one) { return one.kind != Link::kScalar; });
  }
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  ValueType integer() {
    ValueType type = random_integer(random_, kWidest);
    while (type.width < kNarrowest) type = random_integer(random_, kWidest);
    return type;
  }

  std::string array_of(const ValueType& type, int size) {
    return random_array(spellings_, spelled(type, random_spelling(spellings_)), size);
  }

  void parameter(const std::string& text) {
    parameters_ += (parameters_.empty() ? "" : ", ") + text;
  }

  /// A function while it is written, and its call.
  struct Process {
    int number = 0;
    int turns = 0;  ///< of its loop
    std::string parameters;
    std::string arguments;
    std::string start;  ///< before its loop
    std::string reads;  ///< in the loop
    std::string writes;
    std::string end;  ///< after it
    Scope scope;
    bool pops = false;
    bool pushes = false;

    void takes(const std::string& text, const std::string& argument) {
      parameters += (parameters.empty() ? "" : ", ") + text;
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
  };

  void process(int number, bool is_last) {
    Process one{.number = number};
    later_than_.emplace_back();
    fed_by_.push_back({number});
    constexpr std::array kTurns = {1, 2, 3, 4, 5, 8, 11};
    one.turns = any_of(random_, kTurns);
    take_links(one, is_last);
    if (one.arguments.empty() || one_in(2)) take_parameter(one);
    if (loops_ != 0 && one_in(2)) {
      one.takes("UInt<3> turn", "turn");
      one.scope.add("turn", Compound(ValueType{ValueType::kUInt, 3}));
    }
    for (const Variable& scalar : scalars_) {
      if (!one_in(3)) continue;
      one.takes(fmt::format("{} {}", scalar.type.text(), scalar.text), scalar.text);
      one.scope.add(scalar.text, Compound(scalar.type));
    }
    keep(one);
    maybe_set(one);
    if (is_last) {
      give_result(one);
    } else {
      const std::size_t before = links_.size();
      for (int i = random_.between(1, 2); i > 0; --i) give(one);
      const bool is_read =
          std::any_of(links_.begin() + static_cast<std::ptrdiff_t>(before), links_.end(),
                      [](const Link& link) { return link.kind != Link::kScalar; });
      if (!is_read) give_array(one);
    }
    close(one);
  }

  // ---- What it takes ----

  static bool meet(const std::set<int>& some, const std::set<int>& others) {
    return std::ranges::any_of(some, [&](int one) { return others.count(one) != 0; });
  }

  /// The functions that end before one starts that reads this link, if it makes that wait.
  std::set<int> waits_for(const Link& link) const {
    if (link.kind == Link::kStream) return {};
    std::set<int> before = later_than_[static_cast<std::size_t>(link.writer)];
    before.insert(link.writer);
    return before;
  }

  void take_links(Process& one, bool all) {
    std::set<int>& before = later_than_[static_cast<std::size_t>(one.number)];
    std::set<int>& feeds = fed_by_[static_cast<std::size_t>(one.number)];
    std::vector<Link> left;
    for (const Link& link : links_) {
      // What feeds it by streams waits until it starts, so it must not wait for that.
      const std::set<int> waits = waits_for(link);
      const std::set<int>& others = fed_by_[static_cast<std::size_t>(link.writer)];
      const bool meets =
          link.kind == Link::kStream ? one.pops || meet(before, others) : meet(waits, feeds);
      if (meets || (!all && one_in(3))) {
        left.push_back(link);
        continue;
      }
      before.insert(waits.begin(), waits.end());
      if (link.kind == Link::kStream) feeds.insert(others.begin(), others.end());
      take(one, link);
      if (link.kind == Link::kScalar && one_in(2)) left.push_back(link);  // for another, too
    }
    links_ = left;
  }

  // ---- What it waits for ----

  const Queue& queue_of(const Link& stream) const {
    return *std::ranges::find(queues_, stream.name, &Queue::name);
  }

  /// Whether a push into a full queue may wait, over others, for the function that pushes. A reader
  /// waits for the writer of each link, and who fills a stream too short for all waits for its
  /// reader.
  bool may_wait_for_itself(const Queue& queue) const {
    const auto stream =
        std::ranges::find(uses_, queue.name, [](const Use& one) { return one.link.name; });
    std::set<int> reached = {stream->reader};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const Use& use : uses_) {
        if (use.link.name == queue.name) continue;
        if (reached.count(use.reader) != 0) reached.insert(use.link.writer);
        if (use.link.kind != Link::kStream || reached.count(use.link.writer) == 0) continue;
        const Queue& other = queue_of(use.link);
        if (other.most > other.places + kAtWritersEnd) reached.insert(use.reader);
      }
    }
    return queue.most > queue.places + kAtWritersEnd && reached.count(stream->link.writer) != 0;
  }

  void take(Process& one, const Link& link) {
    uses_.push_back({link, one.number});
    const std::string value = fmt::format("{}_value", link.name);
    const std::string type = link.type.text();
    switch (link.kind) {
      case Link::kArray:
        one.takes(fmt::format("const {}& {}", link.shown, link.name), link.name);
        one.reads += fmt::format("    const {} {} = plain({}[i & {}]);\n", type, value, link.name,
                                 link.count - 1);
        break;
      case Link::kStream:
        one.takes(fmt::format("{}& {}", link.shown, link.name), link.name);
        one.reads += fmt::format("    const {} {} = plain({}.pop());\n", type, value, link.name);
        one.turns = link.count;
        one.pops = true;
        break;
      case Link::kScalar:
        one.takes(one_in(2) ? fmt::format("const {}& {}", type, link.name)
                            : fmt::format("{} {}", type, link.name),
                  link.name);
        one.scope.add(link.name, Compound(link.type));
        return;
    }
    one.scope.add(value, Compound(link.type));
  }

  void take_parameter(Process& one) {
    const ValueType type = integer();
    const int size = 1 << random_.between(1, 4);
    const std::string array = fmt::format("in{}", arrays_++);
    const std::string shown = array_of(type, size);
    parameter(fmt::format("const {}& {}", shown, array));
    one.takes(fmt::format("const {}& {}", shown, array), array);
    one.reads += fmt::format("    const {0} {1}_value = plain({1}[i & {2}]);\n", type.text(), array,
                             size - 1);
    one.scope.add(array + "_value", Compound(type));
  }

  // ---- What it computes ----

  /// A value over all turns, and one that everything depends on which the function takes.
  void keep(Process& one) {
    const ValueType type = integer();
    one.start += fmt::format("  {} kept = {};\n  UInt<16> noise = {};\n", type.text(),
                             expressions_.literal(type), random_.below(60000));
    for (const Variable& value : one.scope.readable) {
      one.reads += fmt::format("    noise ^= fit<UInt<16>>({});\n", value.text);
    }
    one.scope.add("kept", Compound(type));
    one.reads += fmt::format("    kept = {};\n", mixed(type, one.scope));
    one.writes += "    noise = truncate<UInt<16>>(noise * UInt<4>(13) + UInt<8>(41));\n";
  }

  /// A random value that depends on data.
  std::string mixed(const ValueType& type, const Scope& scope) {
    return fmt::format("fit<{0}>({1}) ^ fit<{0}>(noise)", type.text(),
                       expressions_.of(type, scope, 3));
  }

  /// A raw variable that two ways set, by a reference.
  void maybe_set(Process& one) {
    if (!one_in(3)) return;
    const std::string condition = expressions_.of(ValueType{ValueType::kBool, 1}, one.scope, 2);
    one.reads += fmt::format(
        "    bool either;\n    const auto set = [&](bool value) {{ either = value; }};\n"
        "    if ({}) {{\n      set({});\n    }} else {{\n      set({});\n    }}\n",
        condition, expressions_.of(ValueType{ValueType::kBool, 1}, one.scope, 2),
        expressions_.of(ValueType{ValueType::kBool, 1}, one.scope, 2));
    one.scope.add("either", Compound(ValueType{ValueType::kBool, 1}));
  }

  /// One that depends on data.
  std::string condition(const Process& one) {
    return fmt::format("({}) != (noise[{}] == 1)",
                       expressions_.of(ValueType{ValueType::kBool, 1}, one.scope, 2),
                       random_.below(kNarrowest));
  }

  // ---- What it gives ----

  void give(Process& one) {
    switch (random_.below(one.pushes ? 2 : 3)) {
      case 0:
        return give_array(one);
      case 1:
        return give_scalar(one);
      default:
        return give_stream(one);
    }
  }

  /// Every element, those of some turns, some places, or what data picks.
  void give_array(Process& one) {
    const ValueType type = integer();
    const int size = 1 << random_.between(1, 4);
    const std::string array = fmt::format("array{}", arrays_++);
    const std::string shown = array_of(type, size);
    lines_.push_back(fmt::format("{} {};", shown, array));
    one.takes(fmt::format("{}& {}", shown, array), array);
    one.writes += element_write(one, array, type, size);
    links_.push_back({Link::kArray, array, type, size, one.number, shown});
  }

  std::string element_write(const Process& one, const std::string& array, const ValueType& type,
                            int size) {
    std::string place = fmt::format("i & {}", size - 1);
    if (one_in(4)) {
      int bits = 0;
      while ((1 << bits) < size) ++bits;
      place = fmt::format("static_cast<int>({}.value())",
                          expressions_.of(ValueType{ValueType::kUInt, bits}, one.scope, 2));
    }
    const std::string guard = one_in(3) ? fmt::format("if ({}) ", condition(one)) : "";
    return fmt::format("    {}plain({}[{}]) = {};\n", guard, array, place, mixed(type, one.scope));
  }

  void give_scalar(Process& one) {
    const ValueType type = integer();
    const std::string scalar = fmt::format("value{}", arrays_++);
    lines_.push_back(
        fmt::format("{} {}{};", type.text(), scalar,
                    one_in(2) ? "" : fmt::format(" = {}", expressions_.literal(type))));
    one.takes(fmt::format("{}& {}", type.text(), scalar), scalar);
    const std::string guard = one_in(3) ? "if (noise[0] == 1) " : "";
    one.end += fmt::format("  {}{} = fit<{}>(noise);\n", guard, scalar, type.text());
    links_.push_back({Link::kScalar, scalar, type, 1, one.number});
  }

  void give_stream(Process& one) {
    const ValueType type = integer();
    const std::string stream = fmt::format("stream{}", arrays_++);
    const std::string element = spelled(type, random_spelling(spellings_));
    const std::string shown = fmt::format("Stream<{}>", element);
    queues_.push_back({stream, element, random_.between(1, 5), one.turns, lines_.size()});
    lines_.emplace_back();
    one.takes(fmt::format("{}& {}", shown, stream), stream);
    one.writes +=
        fmt::format("    {}.push(held<{}>({}));\n", stream, element, mixed(type, one.scope));
    if (one_in(3)) {
      queues_.back().most *= 2;
      one.writes += fmt::format("    if ({}) {}.push(held<{}>({}));\n", condition(one), stream,
                                element, expressions_.of(type, one.scope, 2));
    }
    one.pushes = true;
    links_.push_back({Link::kStream, stream, type, one.turns, one.number, shown});
  }

  void give_result(Process& one) {
    const ValueType type = integer();
    const int size = 1 << random_.between(1, 4);
    const std::string array = fmt::format("out{}", one.number);
    const std::string shown = array_of(type, size);
    parameter(fmt::format("{}& {}", shown, array));
    one.takes(fmt::format("{}& {}", shown, array), array);
    one.writes += element_write(one, array, type, size);
    const ValueType result = integer();
    const std::string scalar = fmt::format("result{}", one.number);
    parameter(fmt::format("{}& {}", result.text(), scalar));
    one.takes(fmt::format("{}& {}", result.text(), scalar), scalar);
    one.end += fmt::format("  {} = fit<{}>(kept);\n", scalar, result.text());
  }

  void close(Process& one) {
    const std::string function = fmt::format("{}_{}", name_, one.number);
    std::string body = one.start + fmt::format("  for (int i = 0; i < {}; ++i) {{\n", one.turns);
    if (one_in(6)) body += "    sequential();\n";
    body += one.reads + one.writes;
    if (!one.pushes && one_in(3)) body += fmt::format("    if ({}) break;\n", condition(one));
    functions_ += fmt::format("inline void {}({}) {{\n{}  }}\n{}}}\n\n", function, one.parameters,
                              body, one.end);
    lines_.push_back(fmt::format("{}({});", function, one.arguments));
  }

  Random& random_;
  Random spellings_;  ///< leaves the kernel of a seed as it was
  std::string name_;
  Expressions expressions_;
  int loops_ = 0;  ///< iterations around the calls; 0 for no loop
  std::vector<Variable> scalars_;
  std::vector<Link> links_;  ///< that nobody has read yet
  std::vector<Use> uses_;
  std::vector<Queue> queues_;
  std::vector<std::set<int>> later_than_;  ///< the functions that have ended when one starts
  std::vector<std::set<int>> fed_by_;      ///< itself, and those that it pops from, and they
  std::string parameters_;
  std::string functions_;
  std::vector<std::string> lines_;
  int arrays_ = 0;
};

}  // namespace

std::string random_network(Random& random, const std::string& name) {
  return NetworkWriter(random, name).run();
}

}  // namespace systole::tests
