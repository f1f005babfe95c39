// second_simulator_bench: one program on the accelerator in its shell, in plain SystemVerilog, for
// simulators other than Verilator (second_simulator_test.cpp).
//
//   +memory=FILE  memory before, a byte a line, for $readmemh
//   +writes=FILE  register writes in order, as 32-bit words: offset, value, offset, value ...
//   +result=FILE  memory afterwards
//
// Prints `fault N`, from register fault_code, after the interrupt. Memory answers one burst a
// direction at a time, in order, and every third clock lets a beat wait.

module second_simulator_bench;
  parameter int BusBytes = 4;
  parameter int MemoryBytes = 65536;
  parameter int MostWrites = 64;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic        interrupt;
  logic [11:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic        awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  logic        awready, wready, bvalid, arready, rvalid;
  logic [1:0]  bresp, rresp;

  logic [1:0]  m_arid;
  logic [39:0] m_araddr, m_awaddr;
  logic [7:0]  m_arlen, m_awlen;
  logic        m_arvalid, m_arready, m_rready, m_awvalid, m_awready, m_wvalid, m_wready, m_wlast;
  logic        m_bready;
  logic [8*BusBytes-1:0] m_rdata, m_wdata;
  logic [BusBytes-1:0]   m_wstrb;

  // ---- Memory ----
  logic [7:0]  memory [0:MemoryBytes-1];
  logic        reading = 1'b0, writing = 1'b0, answering = 1'b0;
  logic [1:0]  read_id;
  logic [39:0] read_at, write_at;
  logic [8:0]  read_left;
  logic [1:0]  phase = 2'd0;
  wire         willing = phase != 2'd2;
  wire         m_rvalid = reading && willing;

  assign m_arready = !reading;
  assign m_awready = !writing && !answering;
  assign m_wready  = writing && willing;

  for (genvar i = 0; i < BusBytes; i++) begin : gen_read
    assign m_rdata[8*i +: 8] = memory[read_at[15:0] + 16'(i)];
  end

  always_ff @(posedge clk) begin
    // A beat that was offered stays until it is taken.
    if (!(m_rvalid && !m_rready)) phase <= phase == 2'd2 ? 2'd0 : phase + 2'd1;
    if (m_arvalid && m_arready) begin
      reading   <= 1'b1;
      read_id   <= m_arid;
      read_at   <= m_araddr & ~40'(BusBytes - 1);  // lanes are those of the address
      read_left <= {1'b0, m_arlen} + 9'd1;
    end
    if (m_rvalid && m_rready) begin
      read_at   <= read_at + 40'(BusBytes);
      read_left <= read_left - 9'd1;
      if (read_left == 9'd1) reading <= 1'b0;
    end
    if (m_awvalid && m_awready) begin
      writing  <= 1'b1;
      write_at <= m_awaddr & ~40'(BusBytes - 1);
    end
    if (m_wvalid && m_wready) begin
      for (int i = 0; i < BusBytes; i++) begin
        if (m_wstrb[i]) memory[write_at[15:0] + 16'(i)] <= m_wdata[8*i +: 8];
      end
      write_at <= write_at + 40'(BusBytes);
      if (m_wlast) begin
        writing   <= 1'b0;
        answering <= 1'b1;
      end
    end
    if (answering && m_bready) answering <= 1'b0;
  end

  systole_device #(.BusBytes(BusBytes)) u_device (
    .clk_i(clk), .rst_ni(rst_n), .interrupt_o(interrupt),
    .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .m_axi_arid(m_arid), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_arsize(),
    .m_axi_arburst(), .m_axi_arlock(), .m_axi_arcache(), .m_axi_arprot(),
    .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready),
    .m_axi_rid(read_id), .m_axi_rdata(m_rdata), .m_axi_rresp(2'd0),
    .m_axi_rlast(read_left == 9'd1), .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready),
    .m_axi_awid(), .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(),
    .m_axi_awburst(), .m_axi_awlock(), .m_axi_awcache(), .m_axi_awprot(),
    .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
    .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast),
    .m_axi_wvalid(m_wvalid), .m_axi_wready(m_wready),
    .m_axi_bid(1'b0), .m_axi_bresp(2'd0), .m_axi_bvalid(answering), .m_axi_bready(m_bready)
  );

  // ---- Host; its signals change at the falling edge ----
  task automatic write_register(input logic [31:0] offset, input logic [31:0] value);
    awaddr  = offset[11:0];
    wdata   = value;
    awvalid = 1'b1;
    wvalid  = 1'b1;
    bready  = 1'b1;
    while (awvalid || wvalid || bready) begin
      @(posedge clk);
      if (awvalid && awready) awvalid <= #1 1'b0;
      if (wvalid && wready) wvalid <= #1 1'b0;
      if (bready && bvalid) begin
        if (bresp != 2'd0) $display("register %h refused", offset);
        bready <= #1 1'b0;
      end
      @(negedge clk);
      #0;
    end
  endtask

  task automatic read_register(input logic [11:0] offset, output logic [31:0] value);
    araddr  = offset;
    arvalid = 1'b1;
    rready  = 1'b1;
    while (arvalid || rready) begin
      @(posedge clk);
      if (arvalid && arready) arvalid <= #1 1'b0;
      if (rready && rvalid) begin
        value = rdata;
        rready <= #1 1'b0;
      end
      @(negedge clk);
      #0;
    end
  endtask

  logic [31:0]   writes [0:MostWrites-1];
  logic [8*256:1] memory_file, writes_file, result_file;
  logic [31:0]   fault;
  int            clocks = 0;
  initial begin
    if (!$value$plusargs("memory=%s", memory_file) || !$value$plusargs("writes=%s", writes_file) ||
        !$value$plusargs("result=%s", result_file)) $fatal(1, "give +memory, +writes and +result");
    $readmemh(memory_file, memory);
    $readmemh(writes_file, writes);  // warns of the words that it leaves out
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    for (int i = 0; i + 1 < MostWrites; i += 2) begin
      if (writes[i] !== 32'bx) write_register(writes[i], writes[i+1]);
    end
    while (interrupt !== 1'b1 && clocks < 20000) begin
      @(negedge clk);
      clocks++;
    end
    read_register(12'h028, fault);
    if (interrupt === 1'b1) $display("fault %0d", fault);
    else $display("no interrupt in %0d clocks", clocks);
    $writememh(result_file, memory);
    $finish;
  end
endmodule
