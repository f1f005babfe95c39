// What AXI4 and the windows ask of a burst on AR or AW.
module burst_rules #(
  parameter int BusBytes = 16
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         valid_i,
  input logic         ready_i,
  input logic [39:0]  address_i,
  input logic [7:0]   beats_less_one_i,
  input logic [159:0] windows_base_i,
  input logic [159:0] windows_end_i,
  input logic [3:0]   windows_open_i
);

  // Beats are counted from the 4 KiB in which the burst begins.
  localparam int Lane = $clog2(BusBytes);
  localparam int BeatsIn4Kib = 4096 / BusBytes;
  logic [12-Lane:0] last_beat;
  assign last_beat = {1'b0, address_i[11:Lane]} + (13-Lane)'(beats_less_one_i);
  logic [39:0] last_beat_begins;
  assign last_beat_begins = {address_i[39:12], last_beat[11-Lane:0], {Lane{1'b0}}};

  // A burst is checked in the clock before it is offered, with that clock's windows. A window may end
  // in a beat; of a write's last beat, write_rules.sv says which bytes.
  logic [159:0] base_q, end_q;
  logic [3:0] open_q;
  logic waited_q;
  logic [47:0] burst_q;
  always @(posedge clk_i) begin
    base_q <= windows_base_i;
    end_q <= windows_end_i;
    open_q <= windows_open_i;
    waited_q <= rst_ni && valid_i && !ready_i;
    burst_q <= {beats_less_one_i, address_i};
  end
  logic [3:0] inside;
  for (genvar i = 0; i < 4; i++) begin : gen_window
    assign inside[i] = open_q[i] && (base_q[40*i +: 40] <= address_i)
                       && (last_beat_begins < end_q[40*i +: 40]);
  end

  always @(posedge clk_i) begin
    if (rst_ni && waited_q) holds_while_stalled: assert (
      valid_i && ({beats_less_one_i, address_i} == burst_q));
    if (rst_ni && valid_i) begin
      at_most_16_beats: assert (beats_less_one_i < 8'd16);
      within_4_kib: assert (last_beat < (13-Lane)'(BeatsIn4Kib));
      if (!waited_q) inside_a_window: assert (inside != 4'd0);
    end
  end

endmodule
