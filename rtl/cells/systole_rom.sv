// systole_rom: a constant table behind a register.
//
// Read data appears one clock after its address and holds while enable_i is low. Init holds the
// words side by side, word 0 lowest. Maps to block RAM. C++ twin: systole::hls::Rom (memory.h),
// whose behaviour at the ports is this one's on every edge.

module systole_rom #(
  parameter int                     Width = 8,
  parameter int                     Depth = 16,
  parameter logic [Width*Depth-1:0] Init  = '0
) (
  input  logic                     clk_i,
  input  logic                     enable_i,
  input  logic [$clog2(Depth)-1:0] address_i,
  output logic [Width-1:0]         read_data_o
);

  logic [Width-1:0] word [Depth];

  initial begin
    for (int i = 0; i < Depth; i++) word[i] = Init[i*Width +: Width];
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) read_data_o <= word[address_i];
  end

endmodule
