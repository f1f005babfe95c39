#include "hls/compiler/emit/cases.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;
namespace match = llvm::PatternMatch;

constexpr std::size_t kLeastLabels = 3;

/// Whether the value is read elsewhere than by chains, so that its signal stays in use.
bool is_read_elsewhere(const llvm::Value& test) {
  return std::any_of(test.user_begin(), test.user_end(), [&](const llvm::User* user) {
    const auto* select = dyn_cast<llvm::SelectInst>(user);
    return !select || select->getCondition() != &test || width_of(*select) == 1;
  });
}

/// Adds the constants that `test` compares with the selector, the first one's where that is null.
bool add_labels(const llvm::Value& test, const ExpressionBuilder& printer, Cases& cases,
                std::vector<const llvm::ConstantInt*>& labels) {
  Reference known;
  if (printer.find(test, known) && !is_read_elsewhere(test)) return false;
  const llvm::Value* left = nullptr;
  const llvm::Value* right = nullptr;
  auto& value = const_cast<llvm::Value&>(test);
  if (match::match(&value, match::m_LogicalOr(match::m_Value(left), match::m_Value(right)))) {
    return add_labels(*left, printer, cases, labels) && add_labels(*right, printer, cases, labels);
  }
  const auto* compare = dyn_cast<llvm::ICmpInst>(&test);
  if (!compare || compare->getPredicate() != llvm::CmpInst::ICMP_EQ) return false;
  const auto* label = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  const llvm::Value* selector = compare->getOperand(0);
  if (!label || width_of(*selector) == 1) return false;
  if (cases.selector && cases.selector != selector) return false;
  cases.selector = selector;
  labels.push_back(label);
  return true;
}

/// A select that prints as `? :`, not as && or ||.
bool is_choice(const llvm::SelectInst& select) {
  return width_of(select) > 1 || (!llvm::isa<llvm::Constant>(select.getTrueValue()) &&
                                  !llvm::isa<llvm::Constant>(select.getFalseValue()));
}

/// The value below zero extensions that have no names of their own, also cut to fewer bits.
const llvm::Value& narrowest(const llvm::Value& value, const ExpressionBuilder& printer) {
  Reference known;
  if (printer.find(value, known)) return value;
  const auto* cut = dyn_cast<llvm::TruncInst>(&value);
  const auto* wider = dyn_cast<llvm::ZExtInst>(cut ? cut->getOperand(0) : &value);
  if (!wider || printer.find(*wider, known)) return value;
  const llvm::Value& narrower = *wider->getOperand(0);
  return width_of(narrower) > width_of(value) ? value : narrowest(narrower, printer);
}

/// Makes assignments to one signal.
class Assigner {
 public:
  Assigner(std::string target, unsigned width, const Leaf* leaf, const ExpressionBuilder& printer)
      : target_(std::move(target)), width_(width), leaf_(leaf), printer_(printer) {}

  /// Of a chain that is narrower than the signal, zeros are above the value.
  sv::Expression assigned(const llvm::Value& value) const {
    const unsigned narrower = width_of(value);
    if (narrower == width_) return printer_.operand(value, leaf_);
    const auto* constant = dyn_cast<llvm::ConstantInt>(&value);
    if (constant) return sv::literal_of(constant->getValue().zext(width_));
    return sv::concatenation({sv::zeros(width_ - narrower), printer_.operand(value)});
  }

  sv::Statement choose(const Cases& cases) const {
    sv::Statement made{
        .kind = sv::Statement::Kind::kCase, .text = "", .value = printer_.operand(*cases.selector)};
    for (const Cases::Arm& arm : cases.arms) {
      sv::Statement::Arm& one = made.arms.emplace_back();
      for (const llvm::ConstantInt* label : arm.labels) {
        one.labels.push_back(printer_.operand(*label, *cases.selector));
      }
      one.body = body_of(*arm.value);
    }
    made.arms.push_back({.labels = {}, .body = body_of(*cases.otherwise)});
    return made;
  }

 private:
  sv::Statements body_of(const llvm::Value& value) const {
    sv::Statements body;
    if (const std::optional<Cases> inner = cases_of(value, printer_)) {
      sv::Statements content;
      content.add(choose(*inner));
      body.block("", content);
    } else {
      body.assign(target_, "=", assigned(value));
    }
    return body;
  }

  std::string target_;
  unsigned width_;
  const Leaf* leaf_;
  const ExpressionBuilder& printer_;
};

}  // namespace

std::optional<Cases> cases_of(const llvm::Value& value, const ExpressionBuilder& printer) {
  Cases cases;
  cases.otherwise = &value;
  std::set<const llvm::ConstantInt*> seen;
  for (;;) {
    Reference known;
    const auto* select = dyn_cast<llvm::SelectInst>(&narrowest(*cases.otherwise, printer));
    if (!select || printer.find(*select, known) || !is_choice(*select)) break;
    Cases::Arm arm{.labels = {}, .value = select->getTrueValue()};
    Cases more{.selector = cases.selector, .arms = {}, .otherwise = nullptr};
    if (!add_labels(*select->getCondition(), printer, more, arm.labels)) break;
    cases.selector = more.selector;
    // The first arm of a label takes it.
    std::erase_if(arm.labels, [&](const auto* label) { return !seen.insert(label).second; });
    if (!arm.labels.empty()) cases.arms.push_back(std::move(arm));
    cases.otherwise = select->getFalseValue();
  }
  if (seen.size() < kLeastLabels) return std::nullopt;
  return cases;
}

void assign_combinational(const std::string& target, const llvm::Value& value, const Leaf* leaf,
                          const ExpressionBuilder& printer, sv::Statements& out) {
  const Assigner assigner(target, width_of(value), leaf, printer);
  if (const std::optional<Cases> cases = cases_of(value, printer)) {
    sv::Statements body;
    body.add(assigner.choose(*cases));
    // Icarus 11 warns of each part of a vector that an always_comb reads.
    using enum sv::Expression::Kind;
    if (!contains(body, kSlice) && !contains(body, kPart) && !contains(body, kElement)) {
      return out.block("always_comb", body);
    }
  }
  out.connect(target, assigner.assigned(value));
}

}  // namespace systole::compiler
