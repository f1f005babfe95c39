#pragma once

// The operators that SystemC requires of a signal's type, for the bundles of axi_signals.h.

#include <ostream>
#include <string>
#include <systemc>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// The handshakes of a bundle, one letter each; a capital where the signal is set.
std::ostream& operator<<(std::ostream& out, const AxiFromDevice& bundle);
std::ostream& operator<<(std::ostream& out, const AxiToDevice& bundle);
std::ostream& operator<<(std::ostream& out, const LiteFromDevice& bundle);
std::ostream& operator<<(std::ostream& out, const LiteToDevice& bundle);
std::ostream& operator<<(std::ostream& out, const LinkFromDevice& bundle);
std::ostream& operator<<(std::ostream& out, const LinkToDevice& bundle);

/// Traces a bundle's handshakes, addresses and answers below `name`, but not the bus's data.
void sc_trace(sc_core::sc_trace_file* file, const AxiFromDevice& bundle, const std::string& name);
void sc_trace(sc_core::sc_trace_file* file, const AxiToDevice& bundle, const std::string& name);
void sc_trace(sc_core::sc_trace_file* file, const LiteFromDevice& bundle, const std::string& name);
void sc_trace(sc_core::sc_trace_file* file, const LiteToDevice& bundle, const std::string& name);
void sc_trace(sc_core::sc_trace_file* file, const LinkFromDevice& bundle, const std::string& name);
void sc_trace(sc_core::sc_trace_file* file, const LinkToDevice& bundle, const std::string& name);

}  // namespace systole::sim
