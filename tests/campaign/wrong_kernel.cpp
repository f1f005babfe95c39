#include "tests/campaign/wrong_kernel.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/campaign/random_type.h"
#include "tests/campaign/wrong_language.h"
#include "tests/campaign/wrong_loops.h"
#include "tests/campaign/wrong_walks.h"

namespace systole::tests {
namespace {

class Writer {
 public:
  Writer(Random& random, const std::string& name) : random_(random), name_(name) {}

  WrongKernel write() {
    if (Random(Random(random_).bits() ^ 0xe4a5).below(16) == 0) return unnamed_enum();
    switch (random_.below(8)) {
      case 0:
        return channel();
      case 1:
        return reset();
      case 2:
        return initial_value();
      case 3:
        return index();
      default:
        return wrong_language(random_, name_);
    }
  }

  /// A function over arrays with a parameter that takes the name of another's port, of the
  /// handshake or of a register.
  WrongKernel clashing_name() {
    // A wider scalar has two registers, of other names.
    const std::string type =
        ValueType{ValueType::kUInt, std::min(random_width(random_), 32)}.text();
    struct Clash {
      const char* name;
      bool has_registers = false;  ///< and is one of their names
      bool is_input = false;       ///< clashes as an input only
    };
    constexpr Clash kClashes[] = {
        {"start"},
        {"done"},
        {"clk", false, true},
        {"data_read_data"},
        {"data_read_enable"},
        {"data_"},
        {"out_write_data"},
        {"from_valid"},
        {"from_data"},
        {"to_ready"},
        {"control", true},
        {"status", true},
        {"wide_low", true},
        {"wide_high", true},
        {"kept_result", true, true},
    };
    const Clash& clash = kClashes[random_.below(std::size(kClashes))];
    const bool is_result = one_in(2) && !clash.is_input;
    const auto whole = [&](const std::string& scalar) {
      return fmt::format(
          "inline void {0}(const Vec<{1}, 8>& data, Vec<{1}, 8>& out, Stream<{1}>& from,\n"
          "    Stream<{1}>& to, const UInt<40>& wide, {1}& kept, {2}{1}& {3}) {{\n"
          "  for (int i = 0; i < 8; ++i) {{\n    out[i] = data[i];\n    to.push(from.pop());\n  "
          "}}\n"
          "  if (wide != 0) kept = data[1];\n  {4};\n}}\n\n",
          name_, type, is_result ? "" : "const ", scalar,
          is_result ? scalar + " = data[2]" : "out[3] = " + scalar);
    };
    return {whole("value"), whole(clash.name), kLoopHeaders,
            clash.has_registers ? "--interface axi4lite" : ""};
  }

 private:
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  ValueType integer() { return {ValueType::kUInt, random_width(random_)}; }

  std::string module(const std::string& inputs, const std::string& outputs,
                     const std::string& rest) const {
    return fmt::format(
        "struct {} {{\n  struct Inputs {{\n{}  }};\n  struct Outputs {{\n{}  }};\n{}}};\n\n", name_,
        inputs, outputs, rest);
  }

  /// An array somewhere and a loop or a constant over it, which leaves it at one end.
  WrongKernel index() {
    const std::string type = integer().text();
    const int size = random_.between(2, 9);
    const int rows = random_.between(2, 4);
    const int row = random_.between(0, rows - 1);
    std::string before;
    std::string members;
    std::string local;
    std::string array = "array_";
    std::string cleared = "array_[i]";
    bool writable = true;
    switch (random_.below(6)) {
      case 0:
        members = fmt::format("  {} array_[{}];\n", type, size);
        break;
      case 1:
        members = fmt::format("  {} array_[{}][{}];\n", type, rows, size);
        array = fmt::format("array_[{}]", row);
        cleared = "array_[r][i]";
        break;
      case 2:
        members = fmt::format("  Vec<{}, {}> array_;\n", type, size);
        break;
      case 3:
        members = fmt::format("  Vec<{}, {}> array_[{}];\n", type, size, rows);
        array = fmt::format("array_[{}]", row);
        cleared = "array_[r][i]";
        break;
      case 4:
        before = fmt::format("struct {}Record {{\n  {} first;\n  {} list[{}];\n  {} last;\n}};\n\n",
                             name_, type, type, size, type);
        members = fmt::format("  {}Record array_;\n", name_);
        array = "array_.list";
        cleared = "array_.list[i]";
        break;
      default:
        local =
            fmt::format("    {0} array[{1}];\n    for (int i = 0; i < {1}; ++i) array[i] = in.x;\n",
                        type, size);
        array = "array";
        writable = false;  // it is only read: what is written last would be dead
        break;
    }
    const std::string clears =
        !writable ? ""
                  : fmt::format(
                        "    for (int r = 0; r < {}; ++r) {{\n      for (int i = 0; i < {}; "
                        "++i) {} = {}(0);\n    }}\n",
                        rows, size, cleared, type);
    // Every k from `first` to `last`, with `shift` added, is an index.
    int shift = random_.between(-2, 2);
    int first = std::max(0, -shift);
    const int last = size - 1 - shift;
    const bool at_end = !one_in(3);
    const auto text = [&](int from, int to) {
      const std::string plus = shift == 0  ? std::string("k")
                               : shift > 0 ? fmt::format("k + {}", shift)
                                           : fmt::format("k - {}", -shift);
      const std::string element = fmt::format("{}[{}]", array, plus);
      const std::string access =
          writable_ ? fmt::format("{} = in.x;", element) : fmt::format("sum = sum ^ {};", element);
      const std::string guarded = guard_ + access;
      std::string loop;
      if (style_ == 0) {
        loop = fmt::format("    for (int k = {}; k <= {}; ++k) {{\n      {}\n    }}\n", from, to,
                           guarded);
      } else if (style_ == 1) {
        loop = fmt::format("    for (int k = {}; k >= {}; --k) {{\n      {}\n    }}\n", to, from,
                           guarded);
      } else {
        loop =
            fmt::format("    int k = {};\n    while (k <= {}) {{\n      {}\n      ++k;\n    }}\n",
                        from, to, guarded);
      }
      return before +
             module(fmt::format("    {} x;\n    UInt1 c;\n", type),
                    fmt::format("    {} y;\n", type),
                    fmt::format("  Outputs clock(const Inputs& in) {{\n    {0} sum = in.x;\n{1}"
                                "    const Outputs out{{.y = {2}}};\n{3}    sum_ = sum;\n"
                                "    return out;\n  }}\n  void reset() {{\n    sum_ = {0}(0);\n{4}"
                                "  }}\n  {0} sum_;\n{5}",
                                type, local,
                                writable ? fmt::format("{}[0]", array) : std::string("sum_"), loop,
                                clears, members));
    };
    writable_ = writable && one_in(2);
    constexpr const char* kGuards[] = {"", "if (in.c) ", "if (in.c) break;\n      ",
                                       "if (in.x == 0) break;\n      "};
    guard_ = kGuards[random_.below(std::size(kGuards))];
    style_ = static_cast<int>(random_.below(3));
    first = std::min(first, last);
    const std::string right = text(first, last);
    const int beyond = random_.between(1, 2);
    return {right, at_end ? text(first, last + beyond) : text(-shift - beyond, last)};
  }

  /// A register of an enum of a class template, of which the code names an enumerator or none.
  WrongKernel unnamed_enum() {
    const bool is_port = one_in(2);
    const char* under = one_in(2) ? " : std::uint8_t" : "";
    const int count = random_.between(2, 9);
    const int first = random_.between(0, count - 1);
    std::string enumerators = "kItem0";
    for (int i = 1; i < count; ++i) enumerators += fmt::format(", kItem{}", i);
    const auto whole = [&](const std::string& named) {
      return fmt::format(
          "template <int kVariant>\nstruct {0}Of {{\n  enum class Phase{1} {{ {2} }};\n  struct "
          "Inputs "
          "{{\n    Phase phase;\n  }};\n  struct Outputs {{\n    {3};\n  }};\n"
          "  Outputs clock(const Inputs& in) {{\n    const Outputs out{{{4}}};\n    phase_ = "
          "in.phase;\n    return out;\n  }}\n{5}  Phase phase_;\n}};\nusing {0} = {0}Of<1>;\n\n",
          name_, under, enumerators, is_port ? "Phase phase" : "UInt<9> held",
          is_port ? ".phase = phase_" : ".held = UInt<9>::from(static_cast<unsigned>(phase_))",
          named);
    };
    return {whole(fmt::format("  void reset() {{ phase_ = Phase::kItem{}; }}\n", first)),
            whole("")};
  }

  /// Submodules, alone and in arrays, of which one is forgotten in reset().
  WrongKernel reset() {
    const int count = random_.between(1, 4);
    const int forgotten = random_.between(0, count - 1);
    const std::string type = integer().text();
    std::string text = fmt::format(
        "struct {0}Child {{\n  struct Inputs {{\n    {1} x;\n  }};\n  struct Outputs {{\n    {1} "
        "y;\n"
        "  }};\n  Outputs outputs() const {{ return {{.y = y_}}; }}\n"
        "  void clock(const Inputs& in) {{ y_ = y_ ^ in.x; }}\n  void reset() {{ y_ = {1}(0); }}\n"
        "  {1} y_;\n}};\n\n",
        name_, type);
    std::string members;
    std::string clocks;
    std::string sum = "in.x";
    std::vector<std::string> resets;
    for (int i = 0; i < count; ++i) {
      const std::string child = fmt::format("child{}_", i);
      if (one_in(3)) {
        members += fmt::format("  {}Child {}[2];\n", name_, child);
        clocks +=
            fmt::format("    for (int n = 0; n < 2; ++n) {}[n].clock({{.x = in.x}});\n", child);
        sum += fmt::format(" ^ {0}[0].outputs().y ^ {0}[1].outputs().y", child);
        resets.push_back(fmt::format("    for (int n = 0; n < 2; ++n) {}[n].reset();\n", child));
      } else {
        members += fmt::format("  {}Child {};\n", name_, child);
        clocks += fmt::format("    {}.clock({{.x = in.x}});\n", child);
        sum += fmt::format(" ^ {}.outputs().y", child);
        resets.push_back(fmt::format("    {}.reset();\n", child));
      }
    }
    // Two arrays of one type: that the other is reset says nothing of this one.
    const auto whole = [&](int without) {
      std::string reset;
      for (int i = 0; i < count; ++i)
        reset += i == without ? "" : resets[static_cast<std::size_t>(i)];
      const std::string function =
          reset.empty() && one_in(2) ? "" : fmt::format("  void reset() {{\n{}  }}\n", reset);
      return text + module(fmt::format("    {} x;\n", type), fmt::format("    {} y;\n", type),
                           fmt::format("  Outputs clock(const Inputs& in) {{\n    const Outputs "
                                       "out{{.y = {}}};\n{}    return out;\n  }}\n{}{}",
                                       sum, clocks, function, members));
    };
    return {whole(-1), whole(forgotten)};
  }

  /// A chain of threads and channels, in which one thread reads or writes another's channel.
  WrongKernel channel() {
    const int count = random_.between(2, 4);
    const std::string type = integer().text();
    const std::string thread = fmt::format(
        "inline Thread {0}Copy(StreamIn<{1}>& from, StreamOut<{1}>& to) {{\n  for (;;) {{\n    "
        "const "
        "{1} beat = co_await from.pop();\n    co_await to.push(beat);\n  }}\n}}\n\n",
        name_, type);
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_.below(static_cast<std::uint32_t>(i))]);
    }
    const int wrong = random_.between(0, count - 1);
    const bool reads = one_in(2);
    const int other = (wrong + random_.between(1, count - 1)) % count;
    const auto whole = [&](bool is_wrong) {
      std::string members;
      std::string connects;
      std::string updates;
      std::string resets;
      for (const int i : order) {
        const bool here = is_wrong && i == wrong;
        connects += fmt::format("    copy{}_.connect(channel{}_, channel{}_);\n", i,
                                here && reads ? other : i, here && !reads ? other + 1 : i + 1);
      }
      for (int i = 0; i <= count; ++i) {
        members += fmt::format("  Channel<{}, 2> channel{}_;\n", type, i);
        updates += fmt::format("    channel{}_.update();\n", i);
        resets += fmt::format("    channel{}_.reset();\n", i);
        if (i == count) break;
        members += fmt::format("  Process<&{}Copy> copy{}_;\n", name_, i);
        resets += fmt::format("    copy{}_.reset();\n", i);
      }
      return thread +
             module(
                 fmt::format("    Beat<{}> in;\n    UInt1 out_ready;\n", type),
                 fmt::format("    UInt1 in_ready;\n    Beat<{}> out;\n", type),
                 fmt::format("  Outputs outputs() const {{\n    return {{.in_ready = "
                             "channel0_.ready(), .out = channel{0}_.front()}};\n  }}\n"
                             "  void clock(const Inputs& in) {{\n    channel0_.push(in.in);\n{1}"
                             "    channel{0}_.pop(in.out_ready);\n{2}  }}\n  void reset() {{\n{3}"
                             "  }}\n{4}",
                             count, connects, updates, resets, members));
    };
    return {whole(false), whole(true)};
  }

  /// Registers with initial values, one of which nothing resets.
  WrongKernel initial_value() {
    const int count = random_.between(1, 4);
    const int wrong = random_.between(0, count - 1);
    const bool is_array = one_in(3);
    const auto whole = [&](bool is_wrong) {
      std::string inputs;
      std::string outputs;
      std::string shows;
      std::string members;
      std::string resets;
      Random types(seed_of_types_);
      for (int i = 0; i < count; ++i) {
        const ValueType type{types.below(3) == 0 ? ValueType::kInt : ValueType::kUInt,
                             types.between(2, 40)};
        inputs += fmt::format("    {} x{};\n    UInt1 c{};\n", type.text(), i, i);
        outputs += fmt::format("    {} y{};\n", type.text(), i);
        const std::string element =
            i == wrong && is_array ? fmt::format("q{}_[1]", i) : fmt::format("q{}_", i);
        shows += fmt::format("    out.y{0} = {1};\n    if (in.c{0}) {1} = in.x{0};\n", i, element);
        members += i == wrong && is_array
                       ? fmt::format("  {0} q{1}_[2] = {{{0}(0), {0}(1)}};\n", type.text(), i)
                       : fmt::format("  {} q{}_ = {};\n", type.text(), i, types.between(1, 1));
        if (!is_wrong || i != wrong)
          resets += fmt::format("    {} = {}(0);\n", element, type.text());
      }
      return module(
          inputs, outputs,
          fmt::format("  Outputs clock(const Inputs& in) {{\n    Outputs out;\n{}    return "
                      "out;\n  }}\n  void reset() {{\n{}  }}\n{}",
                      shows, resets, members));
    };
    seed_of_types_ = random_.bits();
    return {whole(false), whole(true)};
  }

  Random& random_;
  std::string name_;
  std::uint64_t seed_of_types_ = 0;
  bool writable_ = false;
  std::string guard_;  ///< before an access
  int style_ = 0;
};

/// hlsc's exit code, and its words.
int compile(const BatchTools& tools, const std::string& text, const std::string& options,
            std::string& said) {
  std::ofstream(tools.work_dir / "wrong.h") << text;
  const int status = std::system(
      fmt::format(
          "cd {0} && {1} wrong.h --time-limit 120 --top tests::Kernel -I {2} -I {2}/hls/include "
          "{3} -o wrong.sv > wrong.txt 2>&1",
          tools.work_dir.string(), tools.hlsc, tools.source_dir.string(), options)
          .c_str());
  if (status == -1) throw std::runtime_error("cannot run a shell");
  std::ifstream answer(tools.work_dir / "wrong.txt");
  said = {std::istreambuf_iterator<char>(answer), {}};
  return WEXITSTATUS(status);
}

/// Whether each line of a refusal is a message about the kernel's file, or shows a line of it.
bool names_the_kernel_alone(const std::string& said) {
  if (!said.starts_with("hlsc: error: wrong.h:")) return false;
  std::istringstream lines(said);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (!line.starts_with("wrong.h:") && !line.starts_with("  ")) return false;
  }
  return true;
}

}  // namespace

WrongKernel wrong_kernel(std::uint64_t seed, const std::string& name) {
  Random random(seed);
  Random kind(~seed - 3);
  switch (kind.below(8)) {
    case 0:
    case 1:
      return wrong_loops(random, name);
    case 2:
      return wrong_walk(random, name);
    case 3:
      return Writer(random, name).clashing_name();
    default:
      return Writer(random, name).write();
  }
}

std::vector<CampaignFailure> run_wrong(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools) {
  std::vector<CampaignFailure> failures;
  for (const CampaignKernel& kernel : kernels) {
    const WrongKernel pair = wrong_kernel(kernel.seed, "Kernel");
    std::string said;
    if (compile(tools, file_of(pair.headers, pair.right), pair.options, said) != 0) {
      failures.push_back({kernel, "without its fault it is refused: " + said});
    } else if (compile(tools, file_of(pair.headers, pair.wrong), pair.options, said) == 0) {
      failures.push_back({kernel, "hlsc takes it"});
    } else if (!names_the_kernel_alone(said)) {
      failures.push_back({kernel, "it is refused without its line: " + said});
    }
  }
  return failures;
}

}  // namespace systole::tests
