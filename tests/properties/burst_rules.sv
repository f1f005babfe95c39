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

  // A window may end in a beat; of a write's last beat, write_rules.sv says which bytes.
  logic [3:0] begin_before, end_after;
  windows_around u_around (
    .first_i(address_i), .last_i(last_beat_begins), .windows_base_i, .windows_end_i, .windows_open_i,
    .begin_before_o(begin_before), .end_after_o(end_after)
  );

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
      inside_a_window: assert ((begin_before & end_after) != 4'd0);
    end
  end

endmodule

// What the manual promises: windows change only while the module that checks them is idle. A check may
// then come any number of clocks before its burst.
module windows_stay (
  input  logic         clk_i,
  input  logic         busy_i,
  input  logic [159:0] windows_base_i,
  input  logic [159:0] windows_end_i,
  input  logic [3:0]   windows_open_i,
  output logic [159:0] windows_base_o,
  output logic [159:0] windows_end_o,
  output logic [3:0]   windows_open_o
);

  always @(posedge clk_i) begin
    if (!busy_i) begin
      windows_base_o <= windows_base_i;
      windows_end_o <= windows_end_i;
      windows_open_o <= windows_open_i;
    end
  end

endmodule

// Which windows begin before [first, last] and are open, and which end after it.
module windows_around (
  input  logic [39:0]  first_i,
  input  logic [39:0]  last_i,
  input  logic [159:0] windows_base_i,
  input  logic [159:0] windows_end_i,
  input  logic [3:0]   windows_open_i,
  output logic [3:0]   begin_before_o,
  output logic [3:0]   end_after_o
);

  for (genvar i = 0; i < 4; i++) begin : gen_window
    assign begin_before_o[i] = windows_open_i[i] && (windows_base_i[40*i +: 40] <= first_i);
    assign end_after_o[i] = last_i < windows_end_i[40*i +: 40];
  end

endmodule
