#include "sim/systemc/bundles.h"

namespace systole::sim {
namespace {

using sc_core::sc_trace;
using sc_core::sc_trace_file;

char letter(char small, bool is_set) {
  return is_set ? static_cast<char>(small - 'a' + 'A') : small;
}

void trace_request(sc_trace_file* file, const MemoryRequest& request, const std::string& name) {
  sc_trace(file, request.valid, name + "_valid");
  sc_trace(file, request.address, name + "_address");
  sc_trace(file, request.beats_less_one, name + "_beats_less_one");
  sc_trace(file, request.id, name + "_id");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const AxiFromDevice& bundle) {
  return out << "ar " << letter('v', bundle.read_request.valid) << " aw "
             << letter('v', bundle.write_request.valid) << " w " << letter('v', bundle.write.valid)
             << " r " << letter('r', bundle.read_ready) << " b "
             << letter('r', bundle.response_ready);
}

std::ostream& operator<<(std::ostream& out, const AxiToDevice& bundle) {
  return out << "ar " << letter('r', bundle.read_request_ready) << " aw "
             << letter('r', bundle.write_request_ready) << " w " << letter('r', bundle.write_ready)
             << " r " << letter('v', bundle.read.valid) << " b "
             << letter('v', bundle.response.valid);
}

std::ostream& operator<<(std::ostream& out, const LiteFromDevice& bundle) {
  return out << "ar " << letter('r', bundle.read_address_ready) << " aw "
             << letter('r', bundle.write_address_ready) << " w "
             << letter('r', bundle.write_data_ready) << " r " << letter('v', bundle.read_data_valid)
             << " b " << letter('v', bundle.write_response_valid);
}

std::ostream& operator<<(std::ostream& out, const LiteToDevice& bundle) {
  return out << "ar " << letter('v', bundle.read_address_valid) << " aw "
             << letter('v', bundle.write_address_valid) << " w "
             << letter('v', bundle.write_data_valid) << " r " << letter('r', bundle.read_data_ready)
             << " b " << letter('r', bundle.write_response_ready);
}

std::ostream& operator<<(std::ostream& out, const LinkFromDevice& bundle) {
  return out << "out " << letter('v', bundle.out.valid) << " in " << letter('r', bundle.in_ready);
}

std::ostream& operator<<(std::ostream& out, const LinkToDevice& bundle) {
  return out << "out " << letter('r', bundle.out_ready) << " in " << letter('v', bundle.in.valid);
}

void sc_trace(sc_trace_file* file, const AxiFromDevice& bundle, const std::string& name) {
  trace_request(file, bundle.read_request, name + ".ar");
  trace_request(file, bundle.write_request, name + ".aw");
  sc_trace(file, bundle.write.valid, name + ".w_valid");
  sc_trace(file, bundle.write.last, name + ".w_last");
  sc_trace(file, bundle.write.strobe[0], name + ".w_strobe");
  sc_trace(file, bundle.read_ready, name + ".r_ready");
  sc_trace(file, bundle.response_ready, name + ".b_ready");
}

void sc_trace(sc_trace_file* file, const AxiToDevice& bundle, const std::string& name) {
  sc_trace(file, bundle.read_request_ready, name + ".ar_ready");
  sc_trace(file, bundle.write_request_ready, name + ".aw_ready");
  sc_trace(file, bundle.write_ready, name + ".w_ready");
  sc_trace(file, bundle.read.valid, name + ".r_valid");
  sc_trace(file, bundle.read.last, name + ".r_last");
  sc_trace(file, bundle.read.error, name + ".r_error");
  sc_trace(file, bundle.read.id, name + ".r_id");
  sc_trace(file, bundle.response.valid, name + ".b_valid");
  sc_trace(file, bundle.response.error, name + ".b_error");
}

void sc_trace(sc_trace_file* file, const LiteFromDevice& bundle, const std::string& name) {
  sc_trace(file, bundle.write_address_ready, name + ".aw_ready");
  sc_trace(file, bundle.write_data_ready, name + ".w_ready");
  sc_trace(file, bundle.write_response_valid, name + ".b_valid");
  sc_trace(file, bundle.write_response, name + ".b_response");
  sc_trace(file, bundle.read_address_ready, name + ".ar_ready");
  sc_trace(file, bundle.read_data_valid, name + ".r_valid");
  sc_trace(file, bundle.read_data, name + ".r_data");
  sc_trace(file, bundle.read_response, name + ".r_response");
}

void sc_trace(sc_trace_file* file, const LiteToDevice& bundle, const std::string& name) {
  sc_trace(file, bundle.write_address_valid, name + ".aw_valid");
  sc_trace(file, bundle.write_address, name + ".aw_address");
  sc_trace(file, bundle.write_data_valid, name + ".w_valid");
  sc_trace(file, bundle.write_data, name + ".w_data");
  sc_trace(file, bundle.write_strobe, name + ".w_strobe");
  sc_trace(file, bundle.write_response_ready, name + ".b_ready");
  sc_trace(file, bundle.read_address_valid, name + ".ar_valid");
  sc_trace(file, bundle.read_address, name + ".ar_address");
  sc_trace(file, bundle.read_data_ready, name + ".r_ready");
}

void sc_trace(sc_trace_file* file, const LinkFromDevice& bundle, const std::string& name) {
  sc_trace(file, bundle.out.valid, name + ".out_valid");
  sc_trace(file, bundle.out.last, name + ".out_last");
  sc_trace(file, bundle.in_ready, name + ".in_ready");
}

void sc_trace(sc_trace_file* file, const LinkToDevice& bundle, const std::string& name) {
  sc_trace(file, bundle.in.valid, name + ".in_valid");
  sc_trace(file, bundle.in.last, name + ".in_last");
  sc_trace(file, bundle.out_ready, name + ".out_ready");
}

}  // namespace systole::sim
