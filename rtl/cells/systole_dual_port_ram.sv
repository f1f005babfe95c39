// systole_dual_port_ram: a memory with one port that reads or writes and one that reads.
//
// Read data appears one clock after its address and holds while the port is not enabled, and, on
// port a, while it writes. What port b reads at the edge at which port a writes the same address is
// the old word. Contents are not reset. Maps to block RAM. Does not write through port b: what two
// writes of one address leave behind differs between block RAMs. C++ twin:
// systole::hls::DualPortRam (memory.h), whose behaviour at the ports is this one's on every edge.

module systole_dual_port_ram #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     a_enable_i,
  input  logic                     a_write_enable_i,
  input  logic [$clog2(Depth)-1:0] a_address_i,
  input  logic [Width-1:0]         a_write_data_i,
  output logic [Width-1:0]         a_read_data_o,
  input  logic                     b_enable_i,
  input  logic [$clog2(Depth)-1:0] b_address_i,
  output logic [Width-1:0]         b_read_data_o
);

  logic [Width-1:0] word_q [Depth];

  always_ff @(posedge clk_i) begin
    if (b_enable_i) b_read_data_o <= word_q[b_address_i];
    if (a_enable_i) begin
      if (a_write_enable_i) word_q[a_address_i] <= a_write_data_i;
      else a_read_data_o <= word_q[a_address_i];
    end
  end

endmodule
