#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/float_fields.h"
#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/read_bits.h"
#include "hls/compiler/emit/temporaries.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/stages.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// The stages of one pipeline leaf (an array of pipelines is one set of register arrays).
class PipelineText {
 public:
  PipelineText(const Leaf& leaf, const LoweredFunction& function, const Schedule& schedule,
               Names& names, Tables& tables);

  int stages() const { return schedule_.stages; }
  bool is_array() const { return lanes_ > 1; }
  std::int64_t lanes() const { return lanes_; }
  /// Bits of the whole result.
  unsigned result_width() const;
  /// "mac": the prefix of the stages' labels.
  const std::string& base_name() const { return base_name_; }
  /// The register of an element of the result's leaf `field`, for lane `index`, or none for a lone
  /// pipeline.
  Reference result(std::int64_t field, std::int64_t element, const sv::Expression& index) const;
  const LoweredFunction& function() const { return function_; }
  const Schedule& schedule() const { return schedule_; }
  std::string argument_name(unsigned argument) const { return argument_names_[argument]; }
  /// Whether the function reads the argument at all.
  bool reads(unsigned argument) const { return read_.count(argument) != 0; }

  void declare(sv::Statements& out) const;

  /// The statements of one stage for the lane `index`, none for a lone pipeline. Stage 0 reads its
  /// arguments through `arguments`; the others read the registers before them.
  sv::Statements stage(int stage, const sv::Expression& index,
                       const std::vector<Reference>& arguments, Temporaries& temporaries) const;

 private:
  static sv::Expression element(const std::string& name, const sv::Expression& index);
  sv::Statements stage(int stage, const sv::Expression& index,
                       const std::vector<Reference>& arguments, Temporaries& temporaries,
                       FloatFields& floats) const;
  bool needs_local(const llvm::Value& value, int stage) const;
  /// Names what the stage reads. A lane first copies each register to a variable: a read inside a
  /// select would be conditional, which vector code does lane by lane.
  void read_registers(int stage, const sv::Expression& index, Temporaries& temporaries,
                      ExpressionBuilder& printer, FloatFields& floats, sv::Statements& out) const;

  const LoweredFunction& function_;
  const Schedule& schedule_;
  Tables& tables_;
  std::int64_t lanes_;
  std::string base_name_;
  std::map<std::int64_t, std::string> result_names_;  ///< of the leaves that are read
  std::vector<std::string> argument_names_;           ///< of every element
  std::set<unsigned> read_;
  struct Register {
    std::string name;
    NameChoices locals;  ///< name of a lane's copy
    BitSpan bits;        ///< the bits that a later stage reads
  };
  std::vector<std::map<const llvm::Value*, Register>> registers_;  ///< after each stage
  std::map<const llvm::Value*, NameChoices> value_names_;
};

}  // namespace systole::compiler
