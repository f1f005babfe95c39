#include "hls/compiler/emit/tables.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cctype>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/ir/picks.h"

namespace systole::compiler {
namespace {

/// "kSquares" or "squares_" -> "Squares".
std::string capitalised(std::string name) {
  if (name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])) != 0) {
    name.erase(0, 1);
  }
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return result.empty() ? "Table" : result;
}

}  // namespace

void Tables::add(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::CallInst* pick = as_pick(instruction);
    if (pick && is_look_up(*pick)) name_of(*pick);
  }
}

std::string Tables::name_of(const llvm::CallInst& pick) {
  Table table{.name = "", .width = width_of(pick), .elements = {}};
  for (unsigned i = 1; i < pick.arg_size(); ++i) {
    const auto* element = llvm::cast<llvm::ConstantInt>(pick.getArgOperand(i));
    table.elements.push_back(to_text(sv::literal_of(element->getValue())));
  }
  const std::string base = capitalised(pick_name(pick));
  const std::string key = base + " " + fmt::format("{}", fmt::join(table.elements, " "));
  const auto [found, added] = tables_.try_emplace(key, std::move(table));
  if (added) {
    found->second.name = names_.unique(base);
    order_.push_back(key);
  }
  return found->second.name;
}

void Tables::declare(sv::Statements& out) const {
  if (!order_.empty()) out.line("// ---- Tables, element 0 lowest ----");
  for (const std::string& key : order_) {
    const Table& table = tables_.at(key);
    const auto count = static_cast<unsigned>(table.elements.size());
    sv::Statements rows;
    std::string row;
    for (std::size_t i = table.elements.size(); i-- > 0;) {
      row += (row.empty() ? "" : " ") + table.elements[i] + (i > 0 ? "," : "");
      if (row.size() > 80 || i == 0) {
        rows.line(row);
        row.clear();
      }
    }
    out.list(fmt::format("localparam {} {} = {{", sv::logic_type(count * table.width), table.name),
             rows, "};");
  }
}

}  // namespace systole::compiler
