// What AXI4 asks of W: beats that AW announced, the last one marked, and strobes from the burst's
// address to its last byte, no more and no fewer.
//
// `watch_i` picks any one burst on AW. It is written once as many bursts have ended on W as were open
// before it.
module write_rules #(
  parameter int BusBytes = 16,
  localparam int Lane = $clog2(BusBytes)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                watch_i,
  input logic                burst_valid_i,
  input logic                burst_ready_i,
  input logic [39:0]         burst_address_i,
  input logic [7:0]          burst_beats_less_one_i,
  input logic [Lane-1:0]     burst_last_i,  // its last byte's place in its last beat
  input logic                write_valid_i,
  input logic                write_ready_i,
  input logic [BusBytes-1:0] write_strobe_i,
  input logic                write_last_i
);

  logic taken, ended;
  assign taken = burst_valid_i && burst_ready_i;
  assign ended = write_valid_i && write_ready_i && write_last_i;

  logic [4:0] open_q;   // bursts announced whose last beat was not sent
  logic [4:0] ahead_q;  // of them before the watched one
  logic watching_q;
  logic [Lane-1:0] first_byte_q, last_byte_q;
  logic [7:0] beats_less_one_q, sent_q;
  logic its_beat, is_last;
  assign its_beat = watching_q && (ahead_q == '0);
  assign is_last = sent_q == beats_less_one_q;
  logic [BusBytes-1:0] from, to;
  assign from = (sent_q == 8'd0) ? {BusBytes{1'b1}} << first_byte_q : '1;
  assign to = is_last ? {BusBytes{1'b1}} >> ~last_byte_q : '1;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= '0;
      watching_q <= 1'b0;
    end else begin
      open_q <= open_q + 5'(taken) - 5'(ended);
      if (!watching_q) begin
        watching_q <= taken && watch_i;
        ahead_q <= open_q - 5'(ended);
        first_byte_q <= burst_address_i[Lane-1:0];
        last_byte_q <= burst_last_i;
        beats_less_one_q <= burst_beats_less_one_i;
        sent_q <= 8'd0;
      end else if (ahead_q != '0) begin
        ahead_q <= ahead_q - 5'(ended);
      end else if (write_valid_i && write_ready_i) begin
        watching_q <= !write_last_i;
        sent_q <= sent_q + 8'd1;
      end
      if (write_valid_i) announced_before_sent: assert (open_q != '0);
      if (write_valid_i && its_beat) begin
        last_with_the_last_beat: assert (write_last_i == is_last);
        strobes_are_the_bursts_bytes: assert (write_strobe_i == (from & to));
      end
    end
  end

endmodule
