#include "hls/compiler/compiler.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "hls/compiler/checks/constant_indices.h"
#include "hls/compiler/checks/initial_values.h"
#include "hls/compiler/checks/resets.h"
#include "hls/compiler/checks/unset_variables.h"
#include "hls/compiler/emit/function_module.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/module.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/emit/thread_module.h"
#include "hls/compiler/frontend/cell_types.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/picks.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/passes/drop_unread_results.h"
#include "hls/compiler/passes/return_in_memory.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/report/describe.h"
#include "hls/compiler/schedule/delay_model.h"
#include "hls/compiler/support/comments.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/progress.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/timing/spread.h"
#include "hls/compiler/timing/timing.h"

namespace systole::compiler {
namespace {

/// What describes the source's types and functions: no pass changes it.
std::vector<llvm::MDNode*> shared_descriptions(const llvm::Module& program) {
  llvm::DebugInfoFinder finder;
  finder.processModule(program);
  std::vector<llvm::MDNode*> nodes;
  const auto keep = [&](llvm::MDNode* node) {
    if (node->isDistinct()) nodes.push_back(node);
  };
  for (llvm::DICompileUnit* one : finder.compile_units()) keep(one);
  for (llvm::DISubprogram* one : finder.subprograms()) keep(one);
  for (llvm::DIType* one : finder.types()) keep(one);
  for (llvm::DIScope* one : finder.scopes()) keep(one);
  return nodes;
}

/// A copy of the program that holds these functions and all that they call, and no others: every
/// pass over it costs what this module is, not what the design around it is. All copies share the
/// nodes of `shared`.
std::unique_ptr<llvm::Module> clone_reachable(const llvm::Module& program,
                                              const std::vector<llvm::MDNode*>& shared,
                                              const std::vector<std::string>& roots) {
  std::vector<const llvm::Function*> reached;
  std::set<const llvm::Function*> seen;
  const auto reach = [&](const llvm::Value* value) {
    const auto* function = llvm::dyn_cast_or_null<llvm::Function>(value);
    if (function && seen.insert(function).second) reached.push_back(function);
  };
  for (const std::string& root : roots) reach(program.getFunction(root));
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[i])) {
      for (const llvm::Value* operand : instruction.operands()) reach(operand);
    }
  }
  auto copy = std::make_unique<llvm::Module>(program.getModuleIdentifier(), program.getContext());
  copy->setDataLayout(program.getDataLayout());
  copy->setTargetTriple(program.getTargetTriple());
  llvm::ValueToValueMapTy values;
  for (llvm::MDNode* node : shared) values.MD()[node].reset(node);
  for (const llvm::GlobalVariable& global : program.globals()) {
    auto* twin = new llvm::GlobalVariable(*copy, global.getValueType(), global.isConstant(),
                                          global.getLinkage(), nullptr, global.getName());
    twin->copyAttributesFrom(&global);
    values[&global] = twin;
  }
  // In the program's order: passes go through functions as the source has them.
  for (const llvm::Function& function : program) {
    if (!seen.contains(&function)) continue;
    auto* twin = llvm::Function::Create(function.getFunctionType(), function.getLinkage(),
                                        function.getAddressSpace(), function.getName(), copy.get());
    twin->copyAttributesFrom(&function);
    values[&function] = twin;
    for (unsigned i = 0; i < function.arg_size(); ++i) {
      twin->getArg(i)->setName(function.getArg(i)->getName());
      values[function.getArg(i)] = twin->getArg(i);
    }
  }
  for (const llvm::GlobalVariable& global : program.globals()) {
    auto* twin = llvm::cast<llvm::GlobalVariable>(values[&global]);
    if (global.hasInitializer()) twin->setInitializer(MapValue(global.getInitializer(), values));
    twin->copyMetadata(&global, 0);
  }
  for (const llvm::Function* function : reached) {
    if (function->isDeclaration()) continue;
    llvm::SmallVector<llvm::ReturnInst*, 8> returns;
    CloneFunctionInto(llvm::cast<llvm::Function>(values[function]), function, values,
                      llvm::CloneFunctionChangeType::ClonedModule, returns);
  }
  for (const llvm::NamedMDNode& named : program.named_metadata()) {
    for (const llvm::MDNode* node : named.operands())
      copy->getOrInsertNamedMetadata(named.getName())->addOperand(MapMetadata(node, values));
  }
  return copy;
}

/// "file.h:12:5" of a pure function.
std::string place_of(const LoweredFunction& function) {
  return source_position(pipelined_function(*class_of(function.body->getSubprogram())));
}

class Generator {
 public:
  Generator(const Source& source, const std::string& target, Paths paths)
      : source_(source), model_(delay_model(target)), paths_(paths) {
    enter_phase("clang", source.file);
    program_ = compile(source, context_);
    file_ = source.file;
    shared_ = shared_descriptions(*program_.module);
    const auto* top =
        class_of(program_.module->getFunction(program_.clock_function)->getSubprogram());
    check_constant_indices(clone_reachable(*program_.module, shared_,
                                           {program_.clock_function, program_.reset_function,
                                            method_of(top, "outputs")}),
                           EarlyExits::kProved);
    drop_index_tests(*program_.module);
    mark_unset_variables(*program_.module);
    return_in_memory(*program_.module);
    for (const CellType& cell : cell_types()) used_.insert(cell.module);
  }

  std::vector<GeneratedModule> run() {
    generate_module(program_.clock_function, program_.reset_function);
    return std::move(modules_);
  }

 private:
  /// Emits the module whose edge this is, once, and says how to instantiate it.
  ChildModule generate_module(const std::string& clock, const std::string& reset) {
    if (const auto done = done_.find(clock); done != done_.end()) return done->second;
    if (const std::string thread = thread_of(clock); !thread.empty()) {
      return done_[clock] = generate_thread(thread, clock);
    }
    const auto* own_type = class_of(program_.module->getFunction(clock)->getSubprogram());
    const auto program =
        clone_reachable(*program_.module, shared_, {clock, reset, method_of(own_type, "outputs")});
    check_lanes_are_reset(*program_.module, *own_type, reset);
    LoweredModule lowered = lower_module(*program, clock, reset);
    const llvm::DICompositeType* type = class_of(lowered.clock->getSubprogram());
    check_resets(lowered, *type);
    const std::string constructor = constructor_of(*program_.module, *type);
    if (!constructor.empty()) {
      const auto start = clone_reachable(*program_.module, shared_, {constructor});
      check_initial_values(*start, constructor, lowered);
    }

    GeneratedModule generated;
    generated.report = describe_module(lowered);
    generated.name = unique_name(kModulePrefix + module_name(*type), type);
    generated.report.module = generated.name;
    std::map<int, ChildModule> children;
    std::map<int, EdgeTiming> child_edges;
    for (auto& [leaf, instance] : lowered.instances) {
      children[leaf] = generate_child(lowered.state[leaf], instance);
      child_edges[leaf] = edge_of(lowered.state[leaf], instance);
      rename(instance.inputs, children[leaf].input_names);
      rename(instance.outputs, children[leaf].output_names);
      generated.report.instances.push_back(children[leaf].name);
    }
    std::vector<std::unique_ptr<llvm::Module>> clones;
    std::map<int, LoweredFunction> functions;
    std::map<int, Schedule> schedules;
    for (const auto& [leaf, use] : lowered.pipelines) {
      clones.push_back(clone_reachable(*program_.module, shared_, {use.function}));
      functions.emplace(leaf, lower_function(*clones.back(), use.function));
      drop_unread_results(functions.at(leaf), *lowered.clock, leaf);
      enter_phase("schedule", functions.at(leaf).name, place_of(functions.at(leaf)));
      schedules.emplace(leaf, cut_into_stages(*functions.at(leaf).body, use.stages, model_));
      generated.report.pipelines.push_back(describe_pipeline(
          functions.at(leaf), schedules.at(leaf), lowered.state[leaf].elements(), model_));
    }
    if (paths_ == Paths::kTime) {
      enter_phase("timing", generated.name);
      std::map<int, TimedPipeline> pipelines;
      for (const auto& [leaf, schedule] : schedules) {
        pipelines[leaf] = {.function = functions.at(leaf).name, .schedule = schedule};
      }
      ModuleTiming timing = time_module(lowered, child_edges, pipelines, model_);
      generated.report.paths = std::move(timing.paths);
      const double spread = spread_of(model_, flip_flops(generated.report));
      for (TimedPath& path : generated.report.paths) path.ns *= spread;
      edges_[clock] = std::move(timing.edge);
    }
    const ModuleText text{.name = generated.name,
                          .source_file = file_of(*type),
                          .top = type_name(*type),
                          .version = version(),
                          .comment = comment_of(*type)};
    enter_phase("emit", generated.name);
    generated.text = to_text(emit_module(lowered, text, children, functions, schedules));
    const ChildModule child{
        .name = generated.name, .parameters = "", .has_reset = lowered.reset != nullptr};
    modules_.push_back(std::move(generated));
    return done_[clock] = child;
  }

  /// Of a module and the modules in it; cells keep their words in memories.
  double flip_flops(const ModuleReport& report) {
    double sum = static_cast<double>(report.register_bits);
    for (const PipelineReport& pipeline : report.pipelines) {
      sum += static_cast<double>(pipeline.lanes * pipeline.area.flip_flops);
    }
    for (const std::string& instance : report.instances) sum += flip_flops_[instance];
    return flip_flops_[report.module] = sum;
  }

  /// "f" of StreamPipeline<&f, 3>, "" of any other type.
  std::string streamed_function(const llvm::DICompositeType& type) const {
    const llvm::Function* function = program_.module->getFunction(template_function(&type));
    const bool streamed = type.getName().starts_with("StreamPipeline<") && function;
    return streamed ? function->getSubprogram()->getName().str() : "";
  }

  /// "counter" of Counter<8>; "f_stream" of StreamPipeline<&f, 3>.
  std::string module_name(const llvm::DICompositeType& type) const {
    const std::string function = streamed_function(type);
    return function.empty() ? snake_case(type.getName()) : snake_case(function) + "_stream";
  }

  /// The type as its user writes it.
  std::string type_name(const llvm::DICompositeType& type) const {
    const std::string function = streamed_function(type);
    return function.empty()
               ? type.getName().str()
               : fmt::format("StreamPipeline<&{}, {}>", function, template_integers(&type).back());
  }

  /// What the source says about the type; about f for StreamPipeline<&f, 3>.
  std::vector<std::string> comment_of(const llvm::DICompositeType& type) const {
    const bool is_streamed = !streamed_function(type).empty();
    return declaration_comment(is_streamed ? source_position(pipelined_function(type))
                                           : source_position(type));
  }

  /// "f" of Process<&f>, "" where the edge is another module's.
  std::string thread_of(const std::string& clock) const {
    const llvm::DISubprogram* subprogram = program_.module->getFunction(clock)->getSubprogram();
    return is_method(subprogram, "Process", "clock") ? template_function(class_of(subprogram)) : "";
  }

  ChildModule generate_thread(const std::string& function, const std::string& clock) {
    auto program = clone_reachable(*program_.module, shared_, {function});
    const llvm::DISubprogram* subprogram = program->getFunction(function)->getSubprogram();
    const LoweredThread lowered = lower_thread(*program, function);
    GeneratedModule generated;
    generated.name = unique_name(kModulePrefix + snake_case(lowered.name), nullptr);
    generated.report.module = generated.name;
    if (paths_ == Paths::kTime) {
      enter_phase("timing", generated.name);
      ModuleTiming timing = time_thread(lowered, model_);
      generated.report.paths = std::move(timing.paths);
      edges_[clock] = std::move(timing.edge);
    }
    const ModuleText text{.name = generated.name,
                          .source_file = file_of(*subprogram),
                          .top = lowered.name,
                          .version = version(),
                          .comment = declaration_comment(source_position(*subprogram))};
    enter_phase("emit", generated.name);
    generated.text = to_text(emit_thread_module(lowered, text));
    ChildModule child{.name = generated.name, .parameters = "", .has_reset = true};
    for (const Leaf& leaf : lowered.ports.inputs) child.input_names.push_back(leaf.name);
    for (const Leaf& leaf : lowered.ports.outputs) child.output_names.push_back(leaf.name);
    modules_.push_back(std::move(generated));
    return child;
  }

  static void rename(std::vector<Leaf>& leaves, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) leaves.at(i).name = names[i];
  }

  /// The source file of a type or function as the user may write it.
  std::string file_of(const llvm::DIScope& scope) const {
    if (scope.getFilename().empty()) return file_;
    return shown_file(path_of(scope.getDirectory(), scope.getFilename()), source_.include_folders);
  }

  /// The words of the table that a Rom<&table> holds, as literals; none for other cells.
  static std::vector<std::string> table_words(const llvm::DICompositeType* type,
                                              const std::vector<Leaf>& outputs) {
    std::vector<std::string> words;
    const llvm::GlobalVariable* table = template_table(type);
    if (!table) return words;
    const auto bytes = static_cast<std::int64_t>(
        table->getParent()->getDataLayout().getTypeAllocSize(table->getValueType()) /
        table->getValueType()->getArrayNumElements());
    for (std::uint64_t i = 0; i < table->getValueType()->getArrayNumElements(); ++i) {
      const auto at = static_cast<std::int64_t>(i) * bytes;
      words.push_back(to_text(sv::literal_of(constant_at(*table, at, outputs[0].width))));
    }
    return words;
  }

  ChildModule generate_child(const Leaf& leaf, const Instance& instance) {
    const llvm::DICompositeType* type = leaf.type;
    if (const CellType* cell = cell_type(type)) {
      return {.name = cell->module,
              .parameters = cell_parameters(*cell, type, instance.inputs, instance.outputs,
                                            table_words(type, instance.outputs)),
              .has_reset = cell->has_reset};
    }
    return generate_module(instance.clock_function, method_of(type, "reset"));
  }

  EdgeTiming edge_of(const Leaf& leaf, const Instance& instance) const {
    const auto found = edges_.find(instance.clock_function);
    const CellType* cell = cell_type(leaf.type);
    if (!cell) return found == edges_.end() ? EdgeTiming() : found->second;
    const int depth = cell->has_depth ? static_cast<int>(template_integers(leaf.type).back()) : 0;
    return time_cell(cell->module, instance.inputs, instance.outputs, depth, model_);
  }

  /// Two types of one template in one design are told apart by their arguments.
  std::string unique_name(const std::string& cpp_name, const llvm::DICompositeType* type) {
    const std::string base = identifier(cpp_name);
    std::string name = base;
    if (used_.count(name) != 0) {
      for (const std::int64_t argument :
           type ? template_integers(type) : std::vector<std::int64_t>()) {
        name += fmt::format("_{}", argument);
      }
    }
    const std::string with_arguments = name;  // types may be arguments, too
    for (int copy = 2; !used_.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", with_arguments, copy);
    }
    return name;
  }

  const Source& source_;
  llvm::LLVMContext context_;
  Program program_;
  std::vector<llvm::MDNode*> shared_;
  std::string file_;
  DelayModel model_;
  Paths paths_;
  std::map<std::string, EdgeTiming> edges_;   ///< of modules, by their clock()
  std::map<std::string, double> flip_flops_;  ///< of modules that were timed, by name
  std::map<std::string, ChildModule> done_;
  std::set<std::string> used_;
  std::vector<GeneratedModule> modules_;
};

}  // namespace

std::vector<GeneratedModule> generate(const Source& source, const std::string& target,
                                      Paths paths) {
  configure_llvm();
  return Generator(source, target, paths).run();
}

GeneratedModule generate_function(const Source& source, const PipelineGoal& goal,
                                  const std::string& target) {
  configure_llvm();
  llvm::LLVMContext context;
  Source pipeline = source;
  pipeline.top_is_function = true;
  enter_phase("clang", source.file);
  Program program = compile(pipeline, context);
  const llvm::DICompositeType* type =
      class_of(program.module->getFunction(program.clock_function)->getSubprogram());
  check_constant_indices(clone_reachable(*program.module, shared_descriptions(*program.module),
                                         {program.clock_function}),
                         EarlyExits::kProved);
  drop_index_tests(*program.module);
  mark_unset_variables(*program.module);
  const LoweredFunction function = lower_function(*program.module, method_of(type, "evaluate"));
  const DelayModel model = delay_model(target);
  enter_phase("schedule", function.name, place_of(function));
  const Schedule schedule = goal.stages > 0
                                ? cut_into_stages(*function.body, goal.stages, model)
                                : least_stages(*function.body, 1000.0 / goal.clock_mhz, model);
  const llvm::DISubprogram& source_function = pipelined_function(*type);
  const std::string file = path_of(source_function.getDirectory(), source_function.getFilename());
  const ModuleText text{.name = identifier(kModulePrefix + function.name),
                        .source_file = shown_file(file, source.include_folders),
                        .top = function.name,
                        .version = version(),
                        .comment = declaration_comment(source_position(source_function))};
  return {.name = text.name,
          .text = to_text(emit_function_module(function, schedule, text)),
          .report = {.module = text.name,
                     .paths = {},
                     .instances = {},
                     .pipelines = {describe_pipeline(function, schedule, 1, model)},
                     .register_bits = 0,
                     .kernels = {}}};
}

Report report(const std::vector<GeneratedModule>& modules, const std::string& target,
              double clock_mhz) {
  Report report{.version = version(),
                .target = target,
                .origin = delay_model(target).origin,
                .clock_mhz = clock_mhz,
                .modules = {}};
  for (const GeneratedModule& module : modules) report.modules.push_back(module.report);
  return report;
}

std::string version() { return SYSTOLE_VERSION; }

}  // namespace systole::compiler
