module debouncer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic button_i,
  output logic level_o,
  output logic pressed_o
);
  logic       meta_q, sync_q;
  logic [9:0] count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {meta_q, sync_q, level_o, pressed_o} <= '0;
      count_q <= '0;
    end else begin
      meta_q    <= button_i;
      sync_q    <= meta_q;
      pressed_o <= 1'b0;
      count_q   <= (sync_q == level_o) ? '0 : count_q + 10'd1;
      if (sync_q != level_o && count_q == '1) begin
        level_o   <= sync_q;
        pressed_o <= sync_q;
      end
    end
  end
endmodule
