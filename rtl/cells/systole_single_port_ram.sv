// systole_single_port_ram: a memory with one port, which reads or writes.
//
// Read data appears one clock after its address and holds while enable_i is low and while the port
// writes. Contents are not reset. Maps to block RAM. C++ twin: systole::hls::SinglePortRam
// (memory.h), whose behaviour at the ports is this one's on every edge.

module systole_single_port_ram #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     enable_i,
  input  logic                     write_enable_i,
  input  logic [$clog2(Depth)-1:0] address_i,
  input  logic [Width-1:0]         write_data_i,
  output logic [Width-1:0]         read_data_o
);

  logic [Width-1:0] word_q [Depth];

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      if (write_enable_i) word_q[address_i] <= write_data_i;
      else read_data_o <= word_q[address_i];
    end
  end

endmodule
