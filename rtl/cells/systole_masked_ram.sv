// systole_masked_ram: a memory with one read and one write port whose words are written by lanes.
//
// Read data appears one clock after its address and holds while read_enable_i is low. A read of the
// address written at the same edge returns the old word. Bit i of write_mask_i writes lane i of the
// word, lane 0 lowest. Contents are not reset. Maps to block RAM where a lane is a byte or several.
// C++ twin: systole::hls::MaskedRam (memory.h), whose behaviour at the ports is this one's on every
// edge.

module systole_masked_ram #(
  parameter int Width = 32,
  parameter int Depth = 16,
  parameter int Lanes = 4
) (
  input  logic                     clk_i,
  input  logic                     read_enable_i,
  input  logic [$clog2(Depth)-1:0] read_address_i,
  output logic [Width-1:0]         read_data_o,
  input  logic [Lanes-1:0]         write_mask_i,
  input  logic [$clog2(Depth)-1:0] write_address_i,
  input  logic [Width-1:0]         write_data_i
);

  localparam int LaneWidth = Width / Lanes;

  logic [Width-1:0] word_q [Depth];

  always_ff @(posedge clk_i) begin
    if (read_enable_i) read_data_o <= word_q[read_address_i];
  end

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    always_ff @(posedge clk_i) begin
      if (write_mask_i[i]) begin
        word_q[write_address_i][i*LaneWidth +: LaneWidth] <= write_data_i[i*LaneWidth +: LaneWidth];
      end
    end
  end

endmodule
