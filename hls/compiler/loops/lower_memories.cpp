#include "hls/compiler/loops/lower_memories.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/checks/unset_variables.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/frontend/stream_types.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/lower_streams.h"
#include "hls/compiler/loops/tables.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {

unsigned KernelMemory::address_width() const {
  return std::max(1u, llvm::Log2_64_Ceil(static_cast<std::uint64_t>(word.elements())));
}

namespace {

using llvm::dyn_cast;

/// What a pointer points into: a parameter or a local array, and its leaves.
struct Object {
  std::vector<Leaf> leaves;
  bool is_const = false;
  bool is_local = false;
  std::optional<AxiShape> axi = std::nullopt;
  bool has_padding = false;  ///< elements may be narrower than their leaf
};

class MemoryLowering {
 public:
  MemoryLowering(LoweredKernel& kernel, const llvm::DISubprogram& source)
      : kernel_(kernel),
        source_(source),
        function_(*kernel.body),
        layout_(function_.getParent()->getDataLayout()) {}

  void run() {
    find_parameters();
    std::vector<llvm::MemIntrinsic*> copies;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (auto* copy = dyn_cast<llvm::MemIntrinsic>(&instruction)) copies.push_back(copy);
    }
    for (llvm::MemIntrinsic* copy : copies) lower_copy(*copy);
    std::vector<llvm::Instruction*> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) accesses.push_back(&instruction);
    }
    for (llvm::Instruction* access : accesses) lower(*access);
    show_outputs();
  }

 private:
  // ---- What pointers point into ----

  void find_parameters() {
    const auto types = source_.getType()->getTypeArray();
    kernel_.parameters = parameter_names(source_);
    for (unsigned i = 1; i < types.size(); ++i) {
      const std::string& name = kernel_.parameters[i - 1];
      const llvm::DIType* type = types[i];
      if (is_stream_parameter(type)) continue;
      Object object;
      bool is_reference = false;
      while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type) {
          throw Refusal(fmt::format(
              "{}: '{}' is a pointer, whose array has no known length; make it a reference to an "
              "array: const Vec<UInt<8>, 64>& {}",
              source_position(source_), name, name));
        }
        is_reference = is_reference || derived->getTag() == llvm::dwarf::DW_TAG_reference_type;
        object.is_const = object.is_const || derived->getTag() == llvm::dwarf::DW_TAG_const_type;
        type = derived->getBaseType();
      }
      if (!is_reference) object.is_const = true;
      object.leaves = leaves_of_value(type, name, source_position(source_));
      if (object.leaves.empty()) continue;  // of a class that nothing looks into
      if (is_library_template(type, "AxiArray")) {
        object.leaves[0].name = name;
        object.leaves[0].position = source_position(source_);
        object.axi = {.element_bytes = static_cast<int>(object.leaves[0].size_bytes),
                      .bus_bytes = static_cast<int>(
                          template_integers(llvm::cast<llvm::DICompositeType>(type))[1])};
      }
      if (object.leaves.size() > 1) {
        throw Refusal(
            fmt::format("{}: '{}' holds structs, and each array and port of a kernel holds "
                        "integers; pass each member on its own",
                        source_position(source_), name));
      }
      if (object.leaves[0].is_signed) kernel_.signed_scalars.insert(name);
      for (Leaf& leaf : object.leaves) {
        if (leaf.position.empty()) leaf.position = source_position(source_);
        check_integer(leaf);
      }
      objects_[function_.getArg(i - 1)] = std::move(object);
    }
    check_names();
  }

  // An array's ports have its name and what they are for.
  void check_names() const {
    for (const std::string& array : kernel_.parameters) {
      for (const char* port : {"read_enable", "read_address", "read_data", "write_enable",
                               "write_address", "write_data"}) {
        const std::string name = fmt::format("{}_{}", array, port);
        if (std::ranges::count(kernel_.parameters, name) == 0) continue;
        throw Refusal(fmt::format("{}: '{}' would have the name of a port of '{}'; rename it",
                                  source_position(source_), name, array));
      }
    }
  }

  static void check_integer(const Leaf& leaf) {
    if (!leaf.is_enum()) return;
    throw Refusal(
        fmt::format("{}: '{}' is an enum, which a kernel's arrays and ports do not hold; "
                    "use UInt<N>",
                    leaf.position, leaf.name));
  }

  const Object& object_of(const llvm::Instruction& access, const llvm::Value* base) {
    const auto found = objects_.find(base);
    if (found != objects_.end()) return found->second;
    const auto* local = dyn_cast<llvm::AllocaInst>(base);
    if (!local) {
      refuse(access,
             "this array is chosen at run time; choose between elements, not between arrays");
    }
    const auto records = llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(local));
    // LLVM may have taken it from its variable, or kept a part of one.
    if (records.empty() || records.front()->getExpression()->getNumElements() != 0) {
      return objects_[base] = object_by_type(access, *local);
    }
    const llvm::DILocalVariable& variable = *records.front()->getVariable();
    Object object{.leaves = leaves_of_value(variable.getType(), variable.getName().str(),
                                            source_position(access)),
                  .is_const = false,
                  .is_local = true};
    if (object.leaves.size() > 1) {
      refuse(access,
             fmt::format("'{}' holds structs, and each array of a kernel holds integers; use "
                         "an array for each member",
                         variable.getName().str()));
    }
    for (Leaf& leaf : object.leaves) {
      leaf.position = source_position(access);
      check_integer(leaf);
    }
    return objects_[base] = std::move(object);
  }

  static bool is_value(const llvm::StructType& record) {
    return record.hasName() && (record.getName().starts_with("class.systole::hls::UInt") ||
                                record.getName().starts_with("class.systole::hls::Int"));
  }

  /// A local array that LLVM has taken from its variable: elements of one integer, named after it.
  Object object_by_type(const llvm::Instruction& access, const llvm::AllocaInst& local) const {
    Leaf leaf;
    leaf.name = local.getName().take_until([](char c) { return c == '.'; }).str();
    if (leaf.name.empty()) leaf.name = "local";
    leaf.position = source_position(access);
    llvm::Type* type = local.getAllocatedType();
    for (;;) {
      auto* record = dyn_cast<llvm::StructType>(type);
      if (record && is_value(*record)) {  // a wide one is bytes
        type = llvm::Type::getIntNTy(
            access.getContext(),
            static_cast<unsigned>(layout_.getTypeAllocSizeInBits(type).getFixedValue()));
      } else if (record && record->getNumElements() == 1) {
        type = record->getElementType(0);
      } else if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
        type = array->getElementType();
        leaf.dimensions.push_back(
            {static_cast<std::int64_t>(array->getNumElements()),
             static_cast<std::int64_t>(layout_.getTypeAllocSize(type).getFixedValue())});
      } else {
        break;
      }
    }
    if (!type->isIntegerTy() || leaf.dimensions.empty()) {
      refuse(access,
             "this array is of structs that hlsc cannot tell apart; use an array for each "
             "member");
    }
    leaf.width = type->getIntegerBitWidth();
    leaf.size_bytes = static_cast<std::int64_t>(layout_.getTypeAllocSize(type).getFixedValue());
    return {.leaves = {leaf}, .is_const = false, .is_local = true, .has_padding = true};
  }

  int memory_of(const llvm::Value* base, int leaf) {
    const auto [found, is_new] = memories_.try_emplace({base, leaf}, 0);
    if (is_new) {
      const Object& object = objects_.at(base);
      found->second = static_cast<int>(kernel_.memories.size());
      kernel_.memories.push_back({.word = object.leaves[static_cast<std::size_t>(leaf)],
                                  .is_local = object.is_local,
                                  .is_input = object.is_const,
                                  .axi = object.axi});
    }
    return found->second;
  }

  /// The local variable that stands for a scalar parameter, or null for a constant one.
  llvm::AllocaInst* variable_of(const llvm::Value* base, int leaf_number) {
    auto& variable = variables_[{base, leaf_number}];
    if (variable) return variable;
    const Leaf& leaf = objects_.at(base).leaves[static_cast<std::size_t>(leaf_number)];
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    variable = builder.CreateAlloca(builder.getIntNTy(leaf.width), nullptr, leaf.name);
    builder.CreateStore(input(builder, leaf), variable);
    return variable;
  }

  llvm::Value* input(llvm::IRBuilder<>& builder, const Leaf& leaf) {
    const auto [found, is_new] = inputs_.try_emplace(leaf.name, 0);
    if (is_new) {
      found->second = static_cast<int>(kernel_.inputs.size());
      kernel_.inputs.push_back(leaf);
    }
    llvm::Value* value = emit_operation(
        builder, Operation::kReadPort, builder.getIntNTy(leaf.width),
        {builder.getInt32(static_cast<unsigned>(found->second)), builder.getInt32(0)});
    value->setName(leaf.name);
    return value;
  }

  // ---- Accesses ----

  llvm::Value* address(llvm::IRBuilder<>& builder, const KernelMemory& memory, const Place& place) {
    llvm::Type* type = builder.getIntNTy(memory.address_width());
    const auto constant = [&](std::int64_t value) {
      return llvm::ConstantInt::get(
          type,
          llvm::APInt(64, static_cast<std::uint64_t>(value)).zextOrTrunc(memory.address_width()));
    };
    llvm::Value* sum = constant(place.element);
    for (const auto& [value, factor] : place.terms) {
      llvm::Value* term = builder.CreateZExtOrTrunc(value, type);
      sum = builder.CreateAdd(sum, builder.CreateMul(term, constant(factor)));
    }
    return sum;
  }

  llvm::Value* read(llvm::IRBuilder<>& builder, const llvm::Value* base, const Place& place) {
    const Leaf& leaf = objects_.at(base).leaves[static_cast<std::size_t>(place.leaf)];
    if (leaf.dimensions.empty()) {
      if (objects_.at(base).is_const) return input(builder, leaf);
      return builder.CreateLoad(builder.getIntNTy(leaf.width), variable_of(base, place.leaf));
    }
    const int number = memory_of(base, place.leaf);
    llvm::Value* where =
        address(builder, kernel_.memories[static_cast<std::size_t>(number)], place);
    return emit_operation(builder, Operation::kMemoryRead, builder.getIntNTy(leaf.width),
                          {builder.getInt32(static_cast<unsigned>(number)), where});
  }

  void write(llvm::IRBuilder<>& builder, const llvm::Instruction& access, const llvm::Value* base,
             const Place& place, llvm::Value* value) {
    const Object& object = objects_.at(base);
    const Leaf& leaf = object.leaves[static_cast<std::size_t>(place.leaf)];
    if (object.is_const) {
      refuse(access, fmt::format("'{}' is an input and cannot be written; copy it to a local value",
                                 leaf.name));
    }
    if (leaf.dimensions.empty()) {
      written_.insert({base, place.leaf});
      builder.CreateStore(value, variable_of(base, place.leaf));
      return;
    }
    const int number = memory_of(base, place.leaf);
    llvm::Value* where =
        address(builder, kernel_.memories[static_cast<std::size_t>(number)], place);
    emit_operation(
        builder, Operation::kMemoryWrite, nullptr,
        {builder.getInt32(static_cast<unsigned>(number)), where, value, builder.getTrue()});
  }

  /// Whether the local variable is a plain value, which LLVM promotes.
  static bool is_plain(const llvm::Value* base) {
    const auto* local = dyn_cast<llvm::AllocaInst>(base);
    return local && local->getAllocatedType()->isIntegerTy();
  }

  /// Whether an access of this type is one of a whole element.
  static bool holds(const llvm::Type* type, const Leaf& leaf, bool has_padding) {
    const unsigned half = 4 * static_cast<unsigned>(leaf.size_bytes);  // fits half as many bytes
    const unsigned least = !has_padding ? leaf.width : leaf.size_bytes == 1 ? 1 : half + 1;
    return type->isIntegerTy() && type->getIntegerBitWidth() >= least &&
           type->getIntegerBitWidth() <= 8 * static_cast<unsigned>(leaf.size_bytes);
  }

  void lower(llvm::Instruction& access) {
    auto* pointer = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&access));
    const Address where = decode(pointer, layout_);
    if (is_plain(where.base)) return;
    if (stores_unset(access)) {
      access.eraseFromParent();
      return;
    }
    llvm::IRBuilder<> builder(&access);
    auto* load = dyn_cast<llvm::LoadInst>(&access);
    llvm::Value* value = load ? nullptr : llvm::cast<llvm::StoreInst>(access).getValueOperand();
    if (load && llvm::isa<llvm::GlobalVariable>(where.base)) {
      value = read_table(*load, where);
    } else {
      const Object& object = object_of(access, where.base);
      const auto place = place_of(where, object.leaves);
      llvm::Type* type = load ? load->getType() : value->getType();
      if (!place ||
          !holds(type, object.leaves[static_cast<std::size_t>(place->leaf)], object.has_padding)) {
        refuse(access, "this is not one element of an array; read and write whole elements");
      }
      // Above an element's bits clang's integers have padding.
      if (load) {
        value = builder.CreateZExtOrTrunc(read(builder, where.base, *place), type);
      } else {
        const unsigned width = object.leaves[static_cast<std::size_t>(place->leaf)].width;
        write(builder, access, where.base, *place,
              builder.CreateZExtOrTrunc(value, builder.getIntNTy(width)));
      }
    }
    if (load) {
      if (!llvm::isa<llvm::Constant>(value)) value->takeName(load);
      load->replaceAllUsesWith(value);
    }
    access.eraseFromParent();
  }

  // ---- Whole arrays ----

  /// An array cleared, or copied from another of its shape.
  void lower_copy(llvm::MemIntrinsic& copy) {
    const auto* size = dyn_cast<llvm::ConstantInt>(copy.getLength());
    const auto* transfer = dyn_cast<llvm::MemTransferInst>(&copy);
    const Address to = decode(copy.getDest(), layout_);
    if (!size) refuse(copy, "this copies raw memory; assign the elements in a loop");
    const Object target = object_of(copy, to.base);
    const std::vector<Piece> parts = pieces_of(to, size->getSExtValue(), target.leaves);
    if (parts.empty()) refuse(copy, "this copies raw memory; assign the elements in a loop");
    const auto* fill =
        transfer ? nullptr
                 : dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(copy).getValue());
    if (!transfer && (!fill || !fill->isZero())) {
      refuse(copy, "this fills raw memory; assign the elements in a loop");
    }
    std::optional<Address> from;
    std::vector<Piece> source_parts;
    if (transfer) {
      from = decode(transfer->getSource(), layout_);
      if (!llvm::isa<llvm::GlobalVariable>(from->base)) {
        const Object source = object_of(copy, from->base);
        source_parts = pieces_of(*from, size->getSExtValue(), source.leaves);
        if (source_parts.size() != parts.size()) {
          refuse(copy, "the arrays of this copy differ in shape; assign the elements in a loop");
        }
      }
    }
    constexpr std::size_t kMostInPlace = 4;
    const bool varies = std::any_of(parts.begin(), parts.end(),
                                    [](const Piece& one) { return !one.place.terms.empty(); });
    if (parts.size() <= kMostInPlace || varies) {
      copy_in_place(copy, to, from, parts, source_parts, target);
    } else {
      copy_in_loops(copy, to, from, parts, source_parts, target);
    }
    copy.eraseFromParent();
  }

  llvm::Value* copied(llvm::IRBuilder<>& builder, const std::optional<Address>& from,
                      const Piece* part, const Leaf& leaf, llvm::Value* step, std::int64_t byte) {
    if (!from) return builder.getIntN(leaf.width, 0);
    if (part) {
      Place place = part->place;
      if (step) place.terms.emplace_back(step, 1);
      return read(builder, from->base, place);
    }
    Address at = *from;
    at.field_bytes += byte;
    if (step) at.indices.push_back({step, 0, leaf.dimensions.back().stride_bytes, leaf.elements()});
    return table_element(builder, at, leaf.width);
  }

  void copy_in_place(llvm::MemIntrinsic& copy, const Address& to,
                     const std::optional<Address>& from, const std::vector<Piece>& parts,
                     const std::vector<Piece>& source_parts, const Object& target) {
    llvm::IRBuilder<> builder(&copy);
    std::vector<llvm::Value*> values;  // all read before any is written: the two may overlap
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Leaf& leaf = target.leaves[static_cast<std::size_t>(parts[i].place.leaf)];
      values.push_back(copied(builder, from, source_parts.empty() ? nullptr : &source_parts[i],
                              leaf, nullptr, parts[i].byte));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      write(builder, copy, to.base, parts[i].place, values[i]);
    }
  }

  void copy_in_loops(llvm::MemIntrinsic& copy, const Address& to,
                     const std::optional<Address>& from, const std::vector<Piece>& parts,
                     const std::vector<Piece>& source_parts, const Object& target) {
    for (std::size_t first = 0; first < parts.size();) {
      const int leaf_number = parts[first].place.leaf;
      const Leaf& leaf = target.leaves[static_cast<std::size_t>(leaf_number)];
      std::size_t count = 1;
      while (first + count < parts.size() && parts[first + count].place.leaf == leaf_number) {
        ++count;
      }
      if (leaf.dimensions.empty() || count == 1) {
        llvm::IRBuilder<> builder(&copy);
        write(builder, copy, to.base, parts[first].place,
              copied(builder, from, source_parts.empty() ? nullptr : &source_parts[first], leaf,
                     nullptr, parts[first].byte));
      } else if (leaf.dimensions.size() > 1 && from && source_parts.empty() &&
                 llvm::isa<llvm::GlobalVariable>(from->base) && !is_dense(leaf)) {
        refuse(copy, "this table has no hardware; fill the array in a loop");
      } else {
        llvm::Type* type = llvm::Type::getInt64Ty(copy.getContext());
        auto [body, step] =
            llvm::SplitBlockAndInsertSimpleForLoop(llvm::ConstantInt::get(type, count), &copy);
        llvm::IRBuilder<> builder(body);
        builder.SetCurrentDebugLocation(copy.getDebugLoc());
        Place place = parts[first].place;
        place.terms.emplace_back(step, 1);
        write(builder, copy, to.base, place,
              copied(builder, from, source_parts.empty() ? nullptr : &source_parts[first], leaf,
                     step, parts[first].byte));
      }
      first += count;
    }
  }

  /// Whether elements lie side by side through all dimensions.
  static bool is_dense(const Leaf& leaf) {
    for (std::size_t d = 0; d + 1 < leaf.dimensions.size(); ++d) {
      if (leaf.dimensions[d].stride_bytes !=
          leaf.dimensions[d + 1].stride_bytes * leaf.dimensions[d + 1].count) {
        return false;
      }
    }
    return true;
  }

  // ---- Outputs ----

  void show_outputs() {
    for (llvm::BasicBlock& block : function_) {
      auto* end = dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (!end) continue;
      llvm::IRBuilder<> builder(end);
      for (const auto& [base, leaf_number] : written_order()) {
        const Leaf& leaf = objects_.at(base).leaves[static_cast<std::size_t>(leaf_number)];
        const auto number = output_of(leaf);
        emit_operation(builder, Operation::kWritePort, nullptr,
                       {builder.getInt32(number), builder.getInt32(0),
                        builder.CreateLoad(builder.getIntNTy(leaf.width),
                                           variables_.at({base, leaf_number}))});
      }
    }
  }

  /// In the order of the parameters.
  std::vector<std::pair<const llvm::Value*, int>> written_order() const {
    std::vector<std::pair<const llvm::Value*, int>> order(written_.begin(), written_.end());
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(llvm::cast<llvm::Argument>(a.first)->getArgNo(), a.second) <
             std::pair(llvm::cast<llvm::Argument>(b.first)->getArgNo(), b.second);
    });
    return order;
  }

  unsigned output_of(const Leaf& leaf) {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      if (kernel_.outputs[i].name == leaf.name) return static_cast<unsigned>(i);
    }
    kernel_.outputs.push_back(leaf);
    return static_cast<unsigned>(kernel_.outputs.size()) - 1;
  }

  LoweredKernel& kernel_;
  const llvm::DISubprogram& source_;
  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, Object> objects_;
  std::map<std::pair<const llvm::Value*, int>, int> memories_;
  std::map<std::pair<const llvm::Value*, int>, llvm::AllocaInst*> variables_;
  std::set<std::pair<const llvm::Value*, int>> written_;
  std::map<std::string, int> inputs_;
};

}  // namespace

void lower_memories(LoweredKernel& kernel, const llvm::DISubprogram& source) {
  MemoryLowering(kernel, source).run();
}

}  // namespace systole::compiler
