#include "tests/campaign/thread_ports.h"

namespace systole::tests {

void ThreadPorts::add(const std::string& parameter, const std::string& input,
                      const std::string& output) {
  const std::string name = parameter.substr(parameter.rfind(' ') + 1);
  const std::size_t place = connected_.size();
  parameters_ += (parameters_.empty() ? "" : ", ") + parameter;
  names_ += name + ", ";
  const auto port_name = [](const std::string& port) {
    const std::string last = port.substr(port.rfind(' ') + 1);
    return last.substr(0, last.find('['));
  };
  if (!input.empty()) {
    inputs_ += fmt::format("    {};\n", input);
    drives_ += fmt::format("    part<{}>(ends) = in.{};\n", place, port_name(input));
  }
  if (!output.empty()) {
    outputs_ += fmt::format("    {};\n", output);
    shows_ += fmt::format("    out.{} = part<{}>(shown);\n", port_name(output), place);
  }
  connected_.push_back(name + "_");
}

void ThreadPorts::add_source(const Stream& stream) {
  add(fmt::format("StreamIn<{}>& {}", stream.type.text(), stream.name),
      fmt::format("Beat<{}> {}", stream.type.text(), stream.name),
      fmt::format("UInt1 {}_ready", stream.name));
  sources_.push_back(stream);
}

void ThreadPorts::add_sink(const Stream& stream) {
  add(fmt::format("StreamOut<{}>& {}", stream.type.text(), stream.name),
      fmt::format("UInt1 {}_ready", stream.name),
      fmt::format("Beat<{}> {}", stream.type.text(), stream.name));
  sinks_.push_back(stream);
}

void ThreadPorts::add_wire(const Whole& wire) {
  add(wire.type.parameter(wire.text), wire.type.declared(wire.text), "");
  connected_.back() = "in." + wire.text;
}

void ThreadPorts::add_register(const Whole& shown) {
  add(fmt::format("{}& {}", shown.type.text(), shown.text), "", shown.type.declared(shown.text));
  registers_.push_back(shown);
}

void ThreadPorts::add_end(const std::string& parameter) { add(parameter, "", ""); }

std::string ThreadPorts::module(const std::string& clock, const std::string& reset,
                                const std::string& members) const {
  return fmt::format(
      "struct {0} {{\n  struct Inputs {{\n{1}  }};\n  struct Outputs {{\n{2}  }};\n\n"
      "  Outputs clock(const Inputs& in) {{\n    Outputs out;\n{3}    return out;\n  }}\n"
      "  void reset() {{\n{4}  }}\n\n private:\n{5}}};\n\n",
      name_, inputs_, outputs_, clock, reset, members);
}

std::string ThreadPorts::alone() const {
  return module(fmt::format("    const auto shown = process_.outputs();\n"
                            "    decltype(process_)::Inputs ends;\n{}    process_.clock(ends);\n{}",
                            drives_, shows_),
                "    process_.reset();\n", fmt::format("  Process<&{}Thread> process_;\n", name_));
}

std::string ThreadPorts::holder(const ThreadEndsWriter& ends, Random& random) const {
  std::string clock;
  std::string updates;
  std::string resets;
  std::string members;
  const auto hold = [&](const Stream& stream) {
    updates += fmt::format("    {}_.update();\n", stream.name);
    resets += fmt::format("    {}_.reset();\n", stream.name);
    members += fmt::format("  Channel<{}, {}> {}_;\n", stream.type.text(), random.between(1, 3),
                           stream.name);
  };
  for (const Stream& source : sources_) {
    clock +=
        fmt::format("    out.{0}_ready = {0}_.ready();\n    {0}_.push(in.{0});\n", source.name);
    hold(source);
  }
  for (const Stream& sink : sinks_) {
    clock += fmt::format("    out.{0} = {0}_.front();\n    {0}_.pop(in.{0}_ready);\n", sink.name);
    hold(sink);
  }
  clock += fmt::format("    process_.connect({});\n{}{}{}", fmt::join(connected_, ", "),
                       ends.connects(), updates, ends.updates());
  for (const Whole& shown : registers_) {
    members += fmt::format("  {};\n", shown.type.declared(shown.text + "_"));
    clock += fmt::format("    out.{0} = {0}_;\n", shown.text);
  }
  return module(
      clock, resets + ends.resets() + "    process_.reset();\n",
      fmt::format("{}{}  Process<&{}Thread> process_;\n", members, ends.members(), name_));
}

std::string ThreadPorts::chain(Random& random) const {
  const int count = random.between(1, 4);
  const std::string& source = sources_.front().name;
  const std::string& sink = sinks_.front().name;
  std::string wires;
  for (const std::string& one : connected_) {
    if (one.starts_with("in.")) wires += ", " + one;
  }
  return module(
      fmt::format("    out.{1}_ready = joints_[0].ready();\n    out.{2} = joints_[{0}].front();\n"
                  "    joints_[0].push(in.{1});\n    joints_[{0}].pop(in.{2}_ready);\n"
                  "    for (int i = 0; i < {0}; ++i) "
                  "threads_[i].connect(joints_[i], joints_[i + 1]{3});\n"
                  "    for (auto& joint : joints_) joint.update();\n",
                  count, source, sink, wires),
      "    for (auto& thread : threads_) thread.reset();\n"
      "    for (auto& joint : joints_) joint.reset();\n",
      fmt::format("  Channel<{}, {}> joints_[{}];\n  Process<&{}Thread> threads_[{}];\n",
                  sinks_.front().type.text(), random.between(1, 3), count + 1, name_, count));
}

}  // namespace systole::tests
