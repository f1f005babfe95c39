// What AXI4 asks of a burst on AR or AW.
module burst_rules #(
  parameter int BusBytes = 16
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic        ready_i,
  input logic [39:0] address_i,
  input logic [7:0]  beats_less_one_i
);

  // Beats are counted from the 4 KiB in which the burst begins.
  localparam int Lane = $clog2(BusBytes);
  localparam int BeatsIn4Kib = 4096 / BusBytes;
  logic [12-Lane:0] last_beat;
  assign last_beat = {1'b0, address_i[11:Lane]} + (13-Lane)'(beats_less_one_i);

  logic waited_q;
  logic [47:0] burst_q;
  always @(posedge clk_i) begin
    waited_q <= rst_ni && valid_i && !ready_i;
    burst_q <= {beats_less_one_i, address_i};
  end

  always @(posedge clk_i) begin
    if (rst_ni && waited_q) holds_while_stalled: assert (
      valid_i && ({beats_less_one_i, address_i} == burst_q));
    if (rst_ni && valid_i) begin
      at_most_16_beats: assert (beats_less_one_i < 8'd16);
      within_4_kib: assert (last_beat < (13-Lane)'(BeatsIn4Kib));
    end
  end

endmodule
