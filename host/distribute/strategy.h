#pragma once

#include <memory>
#include <span>
#include <utility>

#include "host/distribute/core_team.h"
#include "host/distribute/split.h"
#include "host/distribute/system.h"

namespace systole {

/// Spreads each batch over the cores of all ranks: the third step of a Cloud TPU program, whose
/// fourth is compile and fit.
///
/// Every core has a replica of the model and computes the gradients of its rows. Their sum,
/// weighted by rows, updates the weights on every core. Cores are numbered across all ranks, rank
/// 0's first.
///
/// Limits   a value: copies share the cores; a model uses the strategy of the scope in which it was
///          made, on the thread that made it
/// Numbers  sums go in the order of the cores: a run is repeatable to the last bit for a number of
///          cores, whatever the threads and the ranks they are divided into
class Strategy {
 public:
  explicit Strategy(System system);

  int cores() const;        ///< of all ranks
  int local_cores() const;  ///< of this rank
  int first_core() const;   ///< this rank's first, numbered across all ranks
  int workers() const;      ///< threads of this rank; core c is driven by thread c % workers
  const Device& device(int local_core) const;
  const std::vector<Device>& devices() const;
  Communicator& ranks() const;
  /// Of cores that run a step together: null where they have no links.
  BackendLine* links() const;

  /// Whether this rank prints and writes files for all.
  bool is_first_rank() const { return ranks().is_first(); }

  /// This core's rows of a batch.
  RowRange rows_of(int local_core, std::int64_t rows) const {
    return rows_of_core(rows, first_core() + local_core, cores());
  }

  /// Runs a job for each local core; see CoreTeam::run.
  void run(const std::function<void(int local_core)>& job) const;

  /// Builds a model that this strategy trains:
  ///   auto model = strategy.scope([] { return Sequential{Flatten{}, Dense{.units = 10}}; });
  template <typename Make>
  auto scope(Make&& make) const {
    const Scope inside(*this);
    return std::forward<Make>(make)();
  }

  /// The strategy of the innermost scope that this thread is in, or null.
  static const Strategy* current();

 private:
  class Scope {
   public:
    explicit Scope(const Strategy& strategy);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Strategy* outer_;
  };
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace systole
