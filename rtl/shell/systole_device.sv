// systole_device: the accelerator under AXI's own names, as a board's interconnect wants it.
//
// AXI4-Lite subordinate s_axil (32 bits, docs/device.md), AXI4 manager m_axi (BusBytes a beat), one
// level interrupt. Wires alone: nothing is delayed, and no channel's valid or ready changes.
//
// BusBytes is the bus of the systole_accelerator that it is compiled with: N, or 2 N or 4 N bytes; ArraySize is
// its N. Linters and synthesis report another value as ports of different widths.
//
// What AXI asks for and the accelerator has no use for is constant: bursts are INCR of whole beats,
// normal memory, not exclusive; all writes have one id, so their responses come in order.
// It does not cross clock domains and does not change widths.

module systole_device #(
  parameter int BusBytes = 16,
  parameter int ArraySize = BusBytes
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         interrupt_o,

  // AXI4-Lite: registers
  input  logic [11:0]  s_axil_awaddr,
  input  logic [2:0]   s_axil_awprot,
  input  logic         s_axil_awvalid,
  output logic         s_axil_awready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  input  logic         s_axil_wvalid,
  output logic         s_axil_wready,
  output logic [1:0]   s_axil_bresp,
  output logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  input  logic [11:0]  s_axil_araddr,
  input  logic [2:0]   s_axil_arprot,
  input  logic         s_axil_arvalid,
  output logic         s_axil_arready,
  output logic [31:0]  s_axil_rdata,
  output logic [1:0]   s_axil_rresp,
  output logic         s_axil_rvalid,
  input  logic         s_axil_rready,

  // AXI4: memory
  output logic [1:0]   m_axi_arid,
  output logic [39:0]  m_axi_araddr,
  output logic [7:0]   m_axi_arlen,
  output logic [2:0]   m_axi_arsize,
  output logic [1:0]   m_axi_arburst,
  output logic         m_axi_arlock,
  output logic [3:0]   m_axi_arcache,
  output logic [2:0]   m_axi_arprot,
  output logic         m_axi_arvalid,
  input  logic         m_axi_arready,
  input  logic [1:0]   m_axi_rid,
  input  logic [8*BusBytes-1:0] m_axi_rdata,
  input  logic [1:0]   m_axi_rresp,
  input  logic         m_axi_rlast,
  input  logic         m_axi_rvalid,
  output logic         m_axi_rready,
  output logic         m_axi_awid,
  output logic [39:0]  m_axi_awaddr,
  output logic [7:0]   m_axi_awlen,
  output logic [2:0]   m_axi_awsize,
  output logic [1:0]   m_axi_awburst,
  output logic         m_axi_awlock,
  output logic [3:0]   m_axi_awcache,
  output logic [2:0]   m_axi_awprot,
  output logic         m_axi_awvalid,
  input  logic         m_axi_awready,
  output logic [8*BusBytes-1:0] m_axi_wdata,
  output logic [BusBytes-1:0] m_axi_wstrb,
  output logic         m_axi_wlast,
  output logic         m_axi_wvalid,
  input  logic         m_axi_wready,
  input  logic         m_axi_bid,
  input  logic [1:0]   m_axi_bresp,
  input  logic         m_axi_bvalid,
  output logic         m_axi_bready
);

  localparam logic [2:0] WholeBeat       = 3'($clog2(BusBytes));
  localparam logic [1:0] BurstIncr       = 2'b01;
  localparam logic [3:0] CacheModifiable = 4'b0011;
  localparam logic [2:0] ProtData        = 3'b000;

  assign m_axi_arsize  = WholeBeat;
  assign m_axi_arburst = BurstIncr;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = CacheModifiable;
  assign m_axi_arprot  = ProtData;
  assign m_axi_awid    = 1'b0;
  assign m_axi_awsize  = WholeBeat;
  assign m_axi_awburst = BurstIncr;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = CacheModifiable;
  assign m_axi_awprot  = ProtData;

  // Protection and the write's id carry nothing; of a response only whether it is an error counts.
  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot, m_axi_bid, m_axi_rresp[0], m_axi_bresp[0]};

  // A device alone: no core above or below offers a beat or takes one.
  localparam int LinkBits = 8 * ArraySize;
  logic up_in_ready, up_out_valid, up_out_last;
  logic down_in_ready, down_out_valid, down_out_last;
  logic [LinkBits-1:0] up_out_lanes, down_out_lanes;
  logic unused_links;
  assign unused_links = ^{up_in_ready, up_out_valid, up_out_last, up_out_lanes,
                          down_in_ready, down_out_valid, down_out_last, down_out_lanes};

  systole_accelerator u_accelerator (
    .clk_i,
    .rst_ni,
    .write_address_valid_i                    (s_axil_awvalid),
    .write_address_ready_o                    (s_axil_awready),
    .write_address_data_i                     (s_axil_awaddr),
    .write_data_valid_i                       (s_axil_wvalid),
    .write_data_ready_o                       (s_axil_wready),
    .write_data_data_data_i                   (s_axil_wdata),
    .write_data_data_strobe_i                 (s_axil_wstrb),
    .write_response_valid_o                   (s_axil_bvalid),
    .write_response_ready_i                   (s_axil_bready),
    .write_response_data_o                    (s_axil_bresp),
    .read_address_valid_i                     (s_axil_arvalid),
    .read_address_ready_o                     (s_axil_arready),
    .read_address_data_i                      (s_axil_araddr),
    .read_data_valid_o                        (s_axil_rvalid),
    .read_data_ready_i                        (s_axil_rready),
    .read_data_data_data_o                    (s_axil_rdata),
    .read_data_data_response_o                (s_axil_rresp),
    .interrupt_o,
    .memory_read_request_valid_o              (m_axi_arvalid),
    .memory_read_request_ready_i              (m_axi_arready),
    .memory_read_request_data_address_o       (m_axi_araddr),
    .memory_read_request_data_beats_less_one_o(m_axi_arlen),
    .memory_read_request_data_id_o            (m_axi_arid),
    .memory_read_valid_i                      (m_axi_rvalid),
    .memory_read_ready_o                      (m_axi_rready),
    .memory_read_data_data_i                  (m_axi_rdata),
    .memory_read_data_error_i                 (m_axi_rresp[1]),
    .memory_read_data_last_i                  (m_axi_rlast),
    .memory_read_data_id_i                    (m_axi_rid),
    .memory_write_request_valid_o             (m_axi_awvalid),
    .memory_write_request_ready_i             (m_axi_awready),
    .memory_write_request_data_address_o      (m_axi_awaddr),
    .memory_write_request_data_beats_less_one_o(m_axi_awlen),
    .memory_write_valid_o                     (m_axi_wvalid),
    .memory_write_ready_i                     (m_axi_wready),
    .memory_write_data_data_o                 (m_axi_wdata),
    .memory_write_data_strobe_o               (m_axi_wstrb),
    .memory_write_data_last_o                 (m_axi_wlast),
    .memory_response_valid_i                  (m_axi_bvalid),
    .memory_response_ready_o                  (m_axi_bready),
    .memory_response_data_i                   (m_axi_bresp[1]),
    .up_in_valid_i                            (1'b0),
    .up_in_ready_o                            (up_in_ready),
    .up_in_data_lanes_i                       (LinkBits'(0)),
    .up_in_data_last_i                        (1'b0),
    .down_in_valid_i                          (1'b0),
    .down_in_ready_o                          (down_in_ready),
    .down_in_data_lanes_i                     (LinkBits'(0)),
    .down_in_data_last_i                      (1'b0),
    .up_out_valid_o                           (up_out_valid),
    .up_out_ready_i                           (1'b0),
    .up_out_data_lanes_o                      (up_out_lanes),
    .up_out_data_last_o                       (up_out_last),
    .down_out_valid_o                         (down_out_valid),
    .down_out_ready_i                         (1'b0),
    .down_out_data_lanes_o                    (down_out_lanes),
    .down_out_data_last_o                     (down_out_last)
  );

endmodule
