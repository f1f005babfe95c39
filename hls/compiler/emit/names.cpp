#include "hls/compiler/emit/names.h"

#include <fmt/format.h>

#include <bit>

#include "hls/compiler/emit/identifier.h"

namespace systole::compiler {
namespace {

/// IEEE 1800-2017, annex B, and words of C++ of which Verilator warns.
const std::set<std::string>& keywords() {
  // clang-format off
  static const std::set<std::string> words = {
      "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert",
      "assign", "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break",
      "buf", "bufif0", "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker",
      "class", "clocking", "cmos", "config", "const", "constraint", "context", "continue", "cover",
      "covergroup", "coverpoint", "cross", "deassign", "default", "defparam", "design", "disable",
      "dist", "do", "edge", "else", "end", "endcase", "endchecker", "endclass", "endclocking",
      "endconfig", "endfunction", "endgenerate", "endgroup", "endinterface", "endmodule",
      "endpackage", "endprimitive", "endprogram", "endproperty", "endsequence", "endspecify",
      "endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends",
      "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin",
      "function", "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone",
      "ignore_bins", "illegal_bins", "implements", "implies", "import", "incdir", "include",
      "initial", "inout", "input", "inside", "instance", "int", "integer", "interconnect",
      "interface", "intersect", "join", "join_any", "join_none", "large", "let", "liblist",
      "library", "local", "localparam", "logic", "longint", "macromodule", "matches", "medium",
      "modport", "module", "nand", "negedge", "nettype", "new", "nexttime", "nmos", "nor",
      "noshowcancelled", "not", "notif0", "notif1", "null", "or", "output", "package", "packed",
      "parameter", "pmos", "posedge", "primitive", "priority", "program", "property", "protected",
      "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent", "pure",
      "rand", "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg",
      "reject_on", "release", "repeat", "restrict", "return", "rnmos", "rpmos", "rtran",
      "rtranif0", "rtranif1", "s_always", "s_eventually", "s_nexttime", "s_until", "s_until_with",
      "scalared", "sequence", "shortint", "shortreal", "showcancelled", "signed", "small", "soft",
      "solve", "specify", "specparam", "static", "string", "strong", "strong0", "strong1",
      "struct", "super", "supply0", "supply1", "sync_accept_on", "sync_reject_on", "table",
      "tagged", "task", "this", "throughout", "time", "timeprecision", "timeunit", "tran",
      "tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "type", "typedef",
      "union", "unique", "unique0", "unsigned", "until", "until_with", "untyped", "use", "uwire",
      "var", "vectored", "virtual", "void", "wait", "wait_order", "wand", "weak", "weak0", "weak1",
      "while", "wildcard", "wire", "with", "within", "wor", "xnor", "xor",
      "abort", "bit_vector", "cdecl", "complex", "const_iterator", "const_reference", "far", "huge",
      "interrupt", "near", "pascal", "type_info"};
  // clang-format on
  return words;
}

/// i, j, k ...: the variables of emitted loops, which no inner name may hide.
bool is_loop_variable(const std::string& name) {
  return name.size() == 1 && name[0] >= 'i' && name[0] <= 'p';
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    if (byte < 0x80) {
      result += name[at];
      continue;
    }
    // UTF-8: the first byte's leading ones count the bytes; each of the others has six bits.
    const int more = std::countl_one(byte) - 1;
    unsigned point = byte & (0x3fu >> more);
    for (int i = 0; i < more && at + 1 < name.size(); ++i) {
      point = point << 6 | (static_cast<unsigned char>(name[++at]) & 0x3fu);
    }
    result += fmt::format("_u{:04x}", point);
  }
  return !result.empty() && result[0] == '$' ? "_" + result : result;
}

bool Names::is_free(const std::string& name, const Names& others) const {
  return keywords().count(name) == 0 && !is_loop_variable(name) && taken_.count(name) == 0 &&
         others.taken_.count(name) == 0;
}

std::string Names::unique(const NameChoices& choices, const Names& others) {
  std::string name;
  for (const std::string& choice : choices) {
    name = identifier(choice);
    if (is_free(name, others)) {
      taken_.insert(name);
      return name;
    }
  }
  for (int copy = 2; !is_free(name, others); ++copy) {
    name = fmt::format("{}_{}", identifier(choices.front()), copy);
  }
  taken_.insert(name);
  return name;
}

}  // namespace systole::compiler
