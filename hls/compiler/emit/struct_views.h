#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/verilog/statement.h"

namespace llvm {
class CallInst;
class DbgVariableRecord;
class DICompositeType;
class DILocation;
class DIScope;
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Bits of a word by the names of a struct's members, as the source reads them.
///
///     const Load load = decode(word_);      typedef struct packed {
///     x_ = load.rows;                         logic [15:0] rows;
///                                     ->      ...
///                                           } load_t;
///                                           load_t load;
///                                           assign load = word_q;
///                                           ...
///                                           x_q <= load.rows;
///
/// A member's place is where debug information says that the struct's variable has these bits. A
/// word that a cell holds is declared as the struct that it is.
///
/// Limits   structs of which two members and more are bits of the word. Bits that are members of
///          several structs are the one's that the place of use sees; else they stay a slice
class StructViews {
 public:
  /// The signal that an operation reads.
  using Lookup = std::function<bool(const llvm::Value&, Reference&)>;
  /// Instructions that are printed, the statement first.
  using Uses = std::vector<const llvm::Instruction*>;
  /// Bits [high:low] of what an operation reads.
  struct Bits {
    const llvm::CallInst* read = nullptr;
    unsigned high = 0;
    unsigned low = 0;
  };

  StructViews() = default;
  StructViews(const LoweredModule& module, Names& names, const Lookup& lookup);

  /// Bits [high:low] of a signal as a member, or a part of one; none where they are no member's.
  sv::Expression field(const Reference& signal, unsigned high, unsigned low,
                       const Uses& uses) const;
  /// Only what these parts of the module read is declared.
  void keep_read(const std::vector<sv::Statements>& parts);
  void declare_types(sv::Statements& out) const;
  void declare_views(sv::Statements& out) const;
  /// The type that a signal is declared with; "" for a vector.
  std::string type_of(const std::string& signal) const;

 private:
  /// A struct, and the bits of the word that is read as one.
  using Key = std::pair<const llvm::DICompositeType*, unsigned>;
  struct Member {
    std::string name;
    unsigned width = 0;
  };
  /// A struct in SystemVerilog.
  struct Type {
    std::string name;
    std::map<unsigned, Member> members;  ///< by their lowest bits
  };
  /// A signal that is another one read as a struct, or one that is declared as a struct.
  struct View {
    std::string name;
    std::string base;
    Key type = {};
    NameChoices choices = {};
    std::set<unsigned> places = {};  ///< members that are read
    bool is_declared = false;        ///< the name is the base's
    bool is_read = false;
  };
  /// A variable of the source that has bits of a signal.
  struct Use {
    std::size_t view = 0;
    unsigned low = 0;
    unsigned width = 0;
    const llvm::DILocation* at = nullptr;
    const llvm::DIScope* scope = nullptr;
  };

  void add_word(const LoweredModule& module, const llvm::Instruction& read, const Lookup& lookup);
  void add_variables(llvm::Function& clock, const Lookup& lookup);
  void add_part(const llvm::DbgVariableRecord& record, const Bits& bits, const Lookup& lookup);
  bool add_member(const Key& type, unsigned low, Member member);
  std::size_t view_of(const std::string& base, const Key& type);
  void name_views(Names& names);
  const Use* chosen(const std::vector<const Use*>& candidates, const Uses& uses) const;
  sv::Expression member(const View& view, unsigned high, unsigned low, unsigned place) const;

  std::map<Key, Type> types_;
  std::vector<View> views_;
  std::map<std::string, std::vector<Use>> variables_;  ///< by the signal
};

}  // namespace systole::compiler
