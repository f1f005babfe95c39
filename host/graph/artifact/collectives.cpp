#include "host/graph/artifact/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/graph/artifact/cursor.h"
#include "host/graph/artifact/statements.h"
#include "host/graph/ops.h"

namespace systole::graph::artifact {
namespace {

constexpr std::array<std::string_view, 8> kCollectives = {
    "all_gather",         "all_reduce",     "all_to_all", "collective_broadcast",
    "collective_permute", "reduce_scatter", "replica_id", "partition_id"};

/// The rows of a list of cores; -1 fills up what is shorter.
std::vector<Integers> rows_of(const Properties& properties, std::string_view name) {
  const StatedType* type = properties.get(name).type;
  if (type == nullptr || type->shape.size() != 2) {
    throw GraphError(fmt::format("{} are not rows of cores", name));
  }
  const Integers numbers = properties.integers(name);
  std::vector<Integers> rows(static_cast<std::size_t>(type->shape[0]));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) {
      rows[i / static_cast<std::size_t>(type->shape[1])].push_back(numbers[i]);
    }
  }
  return rows;
}

bool has_channel(const Properties& properties) {
  const Attribute* channel = properties.find("channel_id");
  return channel != nullptr && channel->number > 0;
}

/// With a channel and without global numbers, a group of replicas has all their partitions. A
/// group of one replica alone is therefore all cores, or without a channel each by itself.
CoreGroup group_of(const Properties& properties, CorePlace place) {
  std::vector<Integers> groups = rows_of(properties, "replica_groups");
  if (groups.empty()) return CoreGroup(place);
  const bool is_global = properties.find("use_global_device_ids") != nullptr &&
                         properties.get("use_global_device_ids").number != 0;
  if (!is_global && groups == std::vector<Integers>{{0}}) {
    if (has_channel(properties)) return CoreGroup(place);
    groups.clear();
    for (std::int64_t core = 0; core < place.cores; ++core) groups.push_back({core});
  }
  return {place, std::move(groups)};
}

Value reduced(const StatedOperation& operation, const CoreGroup& group, Value x,
              const Combine& combine) {
  const std::string_view function =
      operation.regions.size() == 1 ? function_of(operation.regions[0]) : "";
  const bool is_predicate = x.type().element == Element::kPred;
  if (function == "add" || (function == "or" && is_predicate)) return group.sum(x);
  if (group.size() == 1) return x;
  const std::vector<Value> values = group.all(x);
  Value all = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) all = combine({all}, {values[i]}).at(0);
  return all;
}

Value permuted(const StatedOperation& operation, CorePlace place, Value x) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Integers& row : rows_of(Properties(operation), "source_target_pairs")) {
    if (row.size() != 2) throw GraphError("source_target_pairs are not pairs");
    pairs.emplace_back(row[0], row[1]);
  }
  return permute(place, pairs, x);
}

}  // namespace

bool is_collective(std::string_view name) {
  return std::ranges::find(kCollectives, name) != kCollectives.end();
}

std::vector<Value> read_collective(const StatedOperation& operation, Graph& graph, CorePlace place,
                                   const std::vector<Value>& operands, const Combine& combine) {
  const std::string_view name = plain_name(operation);
  if (name == "replica_id" || name == "partition_id") {
    return {constant(graph, {Element::kU32, {}}, static_cast<double>(place.core))};
  }
  if (name == "collective_permute" || name == "collective_broadcast") {
    if (operands.size() != 1) fail(fmt::format("{} has one operand", name));
  }
  if (name == "collective_permute") return {permuted(operation, place, operands[0])};
  const Properties properties(operation);
  const CoreGroup group = group_of(properties, place);
  const auto dimension = [&](std::string_view which, Value x) {
    const std::int64_t d = properties.integer(which);
    if (d < 0 || d >= x.type().rank()) fail(fmt::format("{} does not exist", which));
    return d;
  };
  std::vector<Value> results;
  for (const Value x : operands) {
    if (name == "all_reduce") {
      results.push_back(reduced(operation, group, x, combine));
    } else if (name == "all_gather") {
      results.push_back(group.gather(x, dimension("all_gather_dim", x)));
    } else if (name == "collective_broadcast") {
      results.push_back(group.broadcast(x));
    } else if (name == "all_to_all") {
      results.push_back(
          group.exchange(x, dimension("split_dimension", x), dimension("concat_dimension", x)));
    } else {
      results.push_back(
          group.part(reduced(operation, group, x, combine), dimension("scatter_dimension", x)));
    }
  }
  return results;
}

}  // namespace systole::graph::artifact
