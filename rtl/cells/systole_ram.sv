// systole_ram: a memory with one read and one write port on one clock.
//
// Read data appears one clock after its address and holds while read_enable_i is low. A read of the
// address written at the same edge returns the old word. Contents are not reset. Maps to block RAM.
// Does not arbitrate, check addresses, or forward writes. C++ twin: systole::hls::Ram (ram.h), whose
// behaviour at the ports is this one's on every edge.

module systole_ram #(
  parameter int Width = 32,
  parameter int Depth = 16
) (
  input  logic                     clk_i,
  input  logic                     read_enable_i,
  input  logic [$clog2(Depth)-1:0] read_address_i,
  output logic [Width-1:0]         read_data_o,
  input  logic                     write_enable_i,
  input  logic [$clog2(Depth)-1:0] write_address_i,
  input  logic [Width-1:0]         write_data_i
);

  logic [Width-1:0] word_q [Depth];

  always_ff @(posedge clk_i) begin
    if (read_enable_i) read_data_o <= word_q[read_address_i];
    if (write_enable_i) word_q[write_address_i] <= write_data_i;
  end

endmodule
