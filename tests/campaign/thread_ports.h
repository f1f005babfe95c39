#pragma once

#include <string>
#include <vector>

#include "tests/campaign/expressions.h"
#include "tests/campaign/thread_ends_writer.h"

namespace systole::tests {

/// The ports of a random thread, and the modules around it. Ports are the thread's parameters in
/// the order in which they are added.
class ThreadPorts {
 public:
  struct Stream {
    std::string name;
    Compound type;
  };

  explicit ThreadPorts(std::string name) : name_(std::move(name)) {}

  void add_source(const Stream& stream);
  void add_sink(const Stream& stream);
  void add_wire(const Whole& wire);
  void add_register(const Whole& shown);
  void add_end(const std::string& parameter);

  const std::vector<Stream>& sources() const { return sources_; }
  const std::vector<Stream>& sinks() const { return sinks_; }
  /// The thread's parameters, and their names, each with a comma after it.
  const std::string& parameters() const { return parameters_; }
  const std::string& names() const { return names_; }

  /// A module of the thread alone, wired port by port.
  std::string alone() const;
  /// A module that holds what the thread reaches by ends, and a channel for each stream.
  std::string holder(const ThreadEndsWriter& ends, Random& random) const;
  /// Threads in a row, with a channel before and after each: of one source and one sink of one
  /// type.
  std::string chain(Random& random) const;

 private:
  void add(const std::string& parameter, const std::string& input, const std::string& output);
  std::string module(const std::string& clock, const std::string& reset,
                     const std::string& members) const;

  std::string name_;
  std::vector<Stream> sources_;
  std::vector<Stream> sinks_;
  std::vector<Whole> registers_;
  std::vector<std::string> connected_;  ///< to each parameter, in a parent
  std::string parameters_;
  std::string names_;
  std::string inputs_;
  std::string outputs_;
  std::string drives_;
  std::string shows_;
};

}  // namespace systole::tests
