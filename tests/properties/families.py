"""What scripts/prove_properties proves: families of properties, and mutants that refute each."""

import re
from dataclasses import dataclass, field
from pathlib import Path

RTL = Path(__file__).resolve().parent.parent.parent / "rtl"


@dataclass
class Mutant:
    file: str          # of rtl/
    pattern: str
    replacement: str
    refutes: list      # labels


@dataclass
class Family:
    name: str
    sources: list            # of tests/properties
    rtl: list                # of rtl/
    proves: list             # labels of assertions
    mutants: list
    top: str
    lemmas: list = field(default_factory=list)    # proved beside them, to make them inductive
    method: str = "pdr"                           # or "induction", "bmc"
    depth: int = 1                                # clocks of induction or bmc
    given: list = field(default_factory=list)     # labels assumed, which another family proves
    inserted: dict = field(default_factory=dict)  # file of rtl/ -> what goes before its endmodule
    cut: set = field(default_factory=set)         # of rtl/: modules whose outputs are free
    parameters: str = ""
    refuter: str = "bmc3"                         # abc's engine for mutants
    quick: bool = True

    @property
    def engine(self):
        return self.method if self.method == "pdr" else f"{self.method} {self.depth}"


FIFO = "cells/systole_fifo.sv"
SLICE = "cells/systole_register_slice.sv"
TOKENS = "generated/systole_tokens.sv"
REGISTERS = "generated/systole_registers.sv"
LOAD_BURSTS = "generated/systole_load_bursts.sv"
FETCHER = "generated/systole_fetcher.sv"
STORE_ENGINE = "generated/systole_store_engine.sv"
STORE_BURSTS = "generated/systole_store_bursts.sv"
STORE_BEATS = "generated/systole_store_beats.sv"
STORE = [STORE_ENGINE, STORE_BURSTS, STORE_BEATS, FIFO]
STORE_SOURCES = ["burst_rules.sv", "write_rules.sv", "write_answers.sv", "store_path.sv"]
STORE_CUTS = {"cut": {"generated/systole_store_rows.sv", "generated/systole_vector_lanes.sv"}}
ACCELERATOR = "generated/systole_accelerator.sv"
SEQUENCER = "generated/systole_sequencer.sv"
SUPERVISOR = "generated/systole_supervisor.sv"
AROUND_FENCES = {"cells/systole_fifo.sv", "cells/systole_register_slice.sv", "cells/systole_ram.sv",
                 *(f"generated/systole_{module}.sv"
                   for module in ("registers", "fetcher", "tokens", "load_engine", "compute_engine",
                                  "store_engine", "vector_engine", "burst_arbiter_32",
                                  "matrix_unit"))}
LINK = "generated/systole_link.sv"
LINK_SENDER = "generated/systole_link_sender.sv"
LINK_RECEIVER = "generated/systole_link_receiver.sv"
LINK_READER = "generated/systole_vector_link_reader.sv"
LINK_WRITER = "generated/systole_vector_link_writer.sv"
VECTOR_ENGINE = "generated/systole_vector_engine.sv"
VECTOR_WRITES = [VECTOR_ENGINE, "generated/systole_vector_write_stream.sv", STORE_BURSTS, FIFO,
                 "generated/systole_burst_arbiter.sv",
                 "generated/systole_burst_arbiter_8.sv"]
VECTOR_CUTS = {f"generated/systole_{module}.sv"
               for module in ("vector_unit", "vector_unit_drain", "vector_program_loader",
                              "vector_read_stream", "vector_link_reader", "vector_link_writer",
                              "store_beats")}
ANSWERS = ["an_idle_engine_offers_no_write", "idle_once_all_is_answered", "not_idle_before_its_fault"]
BURSTS_LEMMAS = {"systole_store_bursts.sv": "store_bursts.sv"}
ORDER = ["full_at_capacity", "empty_at_none", "in_order"]
BURST_RULES = ["holds_while_stalled", "at_most_16_beats", "within_4_kib"]


def depths_in_use():
    """Of every queue in rtl/, so that a new depth is proved as it comes."""
    text = "".join(file.read_text() for file in sorted(RTL.glob("*/*.sv")))
    return sorted({int(depth) for depth in re.findall(r"systole_fifo #\([^;]*?\.Depth\((\d+)\)", text)}
                  | {1, 3})


FULL_MUTANTS = [  # wrong only when the queue is full
    Mutant(FIFO, r"if \(push\) word_q", "if (push_valid_i) word_q", ["in_order"]),
    Mutant(FIFO, r"assign push_ready_o = .*;", "assign push_ready_o = 1'b1;", ["full_at_capacity"]),
    Mutant(FIFO, r"assign pop_valid_o  = .*;",
           "assign pop_valid_o = (count_q != '0) && (count_q != Full);", ["empty_at_none"])]
EARLY_MUTANTS = [  # a deep queue takes long to fill
    Mutant(FIFO, r"if \(push\) word_q", "if (push_valid_i && !pop_ready_i) word_q", ["in_order"]),
    Mutant(FIFO, r"assign push_ready_o = ", "assign push_ready_o = !pop_ready_i && ",
           ["full_at_capacity"]),
    Mutant(FIFO, r"assign pop_valid_o  = ", "assign pop_valid_o = !push_valid_i && ",
           ["empty_at_none"])]

FIFOS = [Family(f"fifo of {depth}", ["stream_order.sv"], [FIFO], ORDER,
                FULL_MUTANTS if depth <= 16 else EARLY_MUTANTS, top="systole_fifo",
                lemmas=["lemma_"], method="induction", inserted={"systole_fifo.sv": "fifo.sv"},
                parameters=f"-set Width 2 -set Depth {depth}", refuter="pdr" if depth <= 16 else "bmc3",
                quick=depth in (2, 16))
         for depth in depths_in_use()]

FAMILIES = [
    *FIFOS,
    Family("register slice", ["stream_order.sv", "register_slice.sv"], [SLICE], ORDER,
           [Mutant(SLICE, r"push_ready_o \? push_data_i : spare_q", "push_data_i", ["in_order"]),
            Mutant(SLICE, r"push_ready_o <= 1'b0", "push_ready_o <= 1'b1", ["full_at_capacity"]),
            Mutant(SLICE, r"push_valid_i \|\| !push_ready_o", "push_valid_i", ["empty_at_none"])],
           top="register_slice_properties"),
    Family("tokens", ["tokens.sv"], [TOKENS], ["shown_while_held", "overflow_is_told"],
           [Mutant(TOKENS, r"assign available_load_o = ", "assign available_load_o = 4'd1 | ",
                   ["shown_while_held"]),
            Mutant(TOKENS, r"assign overflow_o = ", "assign overflow_o = !clear_i & ",
                   ["overflow_is_told"])],
           top="tokens_properties"),
    Family("AXI4-Lite subordinate", ["registers.sv"], [REGISTERS],
           ["write_answered_once", "read_answered_once", "write_okay_or_slverr",
            "read_okay_or_slverr", "one_at_a_time", "writes_are_taken_soon",
            "writes_are_answered_soon", "reads_are_taken_soon", "reads_are_answered_soon",
            "(stalled)"],
           [Mutant(REGISTERS, r"assign write_response_valid_o = ",
                   "assign write_response_valid_o = clear_i | ", ["write_answered_once"]),
            Mutant(REGISTERS, r"assign read_data_valid_o = ", "assign read_data_valid_o = clear_i | ",
                   ["read_answered_once"]),
            Mutant(REGISTERS, r"write_response_data_o <= ", "write_response_data_o <= 2'd1 | ",
                   ["write_okay_or_slverr"]),
            Mutant(REGISTERS, r"read_data_data_response_o <= ", "read_data_data_response_o <= 2'd1 | ",
                   ["read_okay_or_slverr"]),
            Mutant(REGISTERS, r"!handshake_write_ready_q &&\s+!handshake_write_done_q",
                   "!handshake_write_ready_q",
                   ["one_at_a_time"]),
            Mutant(REGISTERS, r"handshake_write_ready_q <= write_address_valid_i",
                   "handshake_write_ready_q <= !clear_i && write_address_valid_i", ["writes_are_taken_soon"]),
            Mutant(REGISTERS, r"assign write_response_valid_o = ",
                   "assign write_response_valid_o = !clear_i & ", ["writes_are_answered_soon"]),
            Mutant(REGISTERS, r"handshake_read_ready_q <= asked",
                   "handshake_read_ready_q <= !clear_i && asked", ["reads_are_taken_soon"]),
            Mutant(REGISTERS, r"assign read_data_valid_o = ", "assign read_data_valid_o = !clear_i & ",
                   ["reads_are_answered_soon", "(stalled)"])],
           top="registers_properties"),
    Family("load bursts on AR", ["burst_rules.sv", "load_bursts.sv"], [LOAD_BURSTS, SLICE],
           BURST_RULES,
           [Mutant(LOAD_BURSTS, r"pop_ready_i\(burst_ready_i\)", "pop_ready_i(burst_ready_i | stop_i)",
                   ["holds_while_stalled"]),
            Mutant(LOAD_BURSTS, r"assign burst_data_beats_less_one_o = ",
                   "assign burst_data_beats_less_one_o = 8'd1 + ",
                   ["at_most_16_beats", "within_4_kib"])],
           top="load_bursts_properties"),
    Family("load bursts in windows", ["burst_rules.sv", "load_bursts.sv"], [LOAD_BURSTS, SLICE],
           ["inside_a_window"],
           [Mutant(LOAD_BURSTS, r"windows_open_i\[2\] && ", "", ["inside_a_window"])],
           top="load_bursts_properties", lemmas=["lemma_window"], method="induction",
           given=BURST_RULES, quick=False),
    Family("load bursts go on", ["burst_rules.sv", "load_bursts.sv"], [LOAD_BURSTS, SLICE],
           ["it_offers_or_says_why"],
           [Mutant(LOAD_BURSTS, r"push_valid_i\(sends\)", "push_valid_i(sends && !burst_done_i)",
                   ["it_offers_or_says_why"])],
           top="load_bursts_properties", method="induction", depth=6, quick=False,
           lemmas=["lemma_in_flight", "lemma_offered", "lemma_parts", "lemma_stretches",
                   "lemma_blocked"]),
    Family("fetcher on AR", ["burst_rules.sv", "fetcher.sv"], [FETCHER, FIFO], BURST_RULES,
           [Mutant(FETCHER, r"assign burst_valid_o = ", "assign burst_valid_o = !stop_i & ",
                   ["holds_while_stalled"]),
            Mutant(FETCHER, r"burst_data_beats_less_one_o <= ",
                   "burst_data_beats_less_one_o <= 8'd16 | ",
                   ["at_most_16_beats", "within_4_kib"])],
           top="fetcher_properties", quick=False),
    Family("fetcher in windows", ["burst_rules.sv", "fetcher.sv"], [FETCHER, FIFO],
           ["inside_a_window"],
           [Mutant(FETCHER, r"windows_open_i\[2\] && ", "", ["inside_a_window"])],
           top="fetcher_properties", lemmas=["lemma_window"], method="induction",
           given=BURST_RULES, quick=False),
    Family("fetcher's commands", ["burst_rules.sv", "fetcher.sv"], [FETCHER, FIFO],
           ["at_most_16_on_their_way", "no_command_is_lost", "it_asks_or_says_why"],
           [Mutant(FETCHER, r"owed_q != 5'd16", "owed_q != 5'd17", ["at_most_16_on_their_way"]),
            Mutant(FETCHER, r"push_valid_i\(arrives", "push_valid_i(!command_ready_i && arrives",
                   ["no_command_is_lost"]),
            Mutant(FETCHER, r"wire goes = ", "wire goes = command_ready_i && ",
                   ["it_asks_or_says_why"])],
           top="fetcher_properties", method="induction", depth=5,
           lemmas=["lemma_owed", "lemma_held", "lemma_range", "lemma_blocked"]),
    Family("store bursts on AW", STORE_SOURCES, STORE, BURST_RULES,
           [Mutant(STORE_BURSTS, r"assign burst_valid_o = ", "assign burst_valid_o = !stop_i & ",
                   ["holds_while_stalled"]),
            Mutant(STORE_BURSTS, r"burst_data_beats_less_one_o <= ",
                   "burst_data_beats_less_one_o <= 8'd15 + ",
                   ["at_most_16_beats", "within_4_kib"])],
           top="store_path_properties", **STORE_CUTS, quick=False),
    # Whatever the queues and store_beats do, the check comes after them.
    Family("store bursts in windows", STORE_SOURCES, [STORE_ENGINE, STORE_BURSTS],
           ["inside_a_window"],
           [Mutant(STORE_BURSTS, r"windows_open_i\[2\] && ", "", ["inside_a_window"])],
           top="store_path_properties", lemmas=["lemma_part"], method="induction",
           given=BURST_RULES, cut=STORE_CUTS["cut"] | {STORE_BEATS, FIFO}, quick=False),
    Family("store responses", STORE_SOURCES, [STORE_ENGINE, STORE_BURSTS, FIFO],
           ["every_response_is_taken", *ANSWERS],
           [Mutant(STORE_ENGINE, r"assign response_ready_o = 1'b1", "assign response_ready_o = !stop",
                   ["every_response_is_taken"]),
            Mutant(STORE_BURSTS, r"part_valid_q \| checked_valid_q \|", "part_valid_q |",
                   ["an_idle_engine_offers_no_write"]),
            Mutant(STORE_BURSTS, r"\(outstanding_q == 7'd0\)", "(outstanding_q[6:1] == 6'd0)",
                   ["idle_once_all_is_answered"]),
            Mutant(STORE_BURSTS, r"wire fails = ", "wire fails = !response_error_i && ",
                   ["not_idle_before_its_fault"])],
           top="store_path_properties", method="induction",
           lemmas=["lemma_outstanding", "lemma_room", "lemma_owed", "lemma_rests", "lemma_told",
                   "lemma_failed"],
           inserted=BURSTS_LEMMAS, cut=STORE_CUTS["cut"] | {STORE_BEATS}),
    Family("stores go on", STORE_SOURCES, STORE, ["it_offers_or_says_why", "it_writes_what_it_can"],
           [Mutant(STORE_BURSTS, r"!part_valid_q \| is_checked", "(!part_valid_q & write_ready_i) | is_checked",
                   ["it_offers_or_says_why"]),
            Mutant(STORE_BEATS, r"wire enters = jobs_valid_q",
                   "wire enters = write_ready_i & jobs_valid_q", ["it_writes_what_it_can"])],
           top="store_path_properties", method="bmc", depth=24, **STORE_CUTS),
    Family("store beats on W", STORE_SOURCES, STORE,
           ["announced_before_sent", "last_with_the_last_beat", "strobes_are_the_bursts_bytes"],
           [Mutant(STORE_ENGINE, r"job_valid_i\(burst_valid_o & burst_ready_i\)",
                   "job_valid_i(burst_valid_o)", ["announced_before_sent"]),
            Mutant(STORE_BEATS, r"write_data_last_o <= ", "write_data_last_o <= 1'b1 | ",
                   ["last_with_the_last_beat"]),
            Mutant(STORE_BEATS, r"write_data_strobe_o <= ", "write_data_strobe_o <= 16'd1 | ",
                   ["strobes_are_the_bursts_bytes"])],
           top="store_path_properties", method="bmc", depth=13, quick=False, **STORE_CUTS),
    Family("fences", [], [ACCELERATOR, SEQUENCER, SUPERVISOR],
           ["no_marker_after_a_fault", "no_marker_before_an_answer",
            "no_marker_after_a_failed_write", "nothing_after_a_refusal",
            "a_fault_stops_the_device", "stop_stays_until_idle"],
           [Mutant(SUPERVISOR, r"\(!is_reset && \(stuck \|\| token_overflow_case\)\) \|", "", ["a_fault_stops_the_device"]),
            Mutant(SUPERVISOR, r"stopped_q && all_idle", "stopped_q", ["stop_stays_until_idle"]),
            Mutant(ACCELERATOR, r"supervisor_stop \| meets_fault", "supervisor_stop",
                   ["no_marker_after_a_fault"]),
            Mutant(ACCELERATOR, r"writes_none_q & !writes_asked_q &", "",
                   ["no_marker_before_an_answer"]),
            Mutant(SEQUENCER, r"engines_done_i && !stop_i", "engines_done_i",
                   ["no_marker_after_a_failed_write"]),
            Mutant(SEQUENCER, r"stop_i \|\| fault_raised_q", "stop_i", ["nothing_after_a_refusal"])],
           top="systole_accelerator", lemmas=["lemma_"], cut=AROUND_FENCES,
           inserted={"systole_accelerator.sv": "fences.sv"}),
    Family("link", ["stream_order.sv"], [LINK, LINK_SENDER, LINK_RECEIVER, FIFO],
           ["in_order", "no_beat_meets_a_full_queue", "a_beat_is_offered_once_it_has_flown",
            "what_is_offered_was_sent", "a_link_without_room_offers_a_beat",
            "a_beat_that_is_taken_makes_room"],
           [Mutant(LINK, r"beats_data_last_q\[0\] = sender_wire_data_last;",
                   "beats_data_last_q[0] = sender_wire_data_last & !beats_valid_q[1];", ["in_order"]),
            Mutant(LINK_SENDER, r"credits_q <= 5'd20", "credits_q <= 5'd21",
                   ["no_beat_meets_a_full_queue"]),
            Mutant(LINK, r"beats_valid_q\[0\] = sender_wire_valid;",
                   "beats_valid_q[0] = sender_wire_valid & !beats_valid_q[1];",
                   ["a_beat_is_offered_once_it_has_flown"]),
            Mutant(LINK, r"beats_valid_q\[0\] = sender_wire_valid;",
                   "beats_valid_q[0] = sender_wire_valid | beats_valid_q[1];",
                   ["what_is_offered_was_sent"]),
            Mutant(LINK_SENDER, r"may_send_q <= left != 5'd0;", "may_send_q <= left > 5'd19;",
                   ["a_link_without_room_offers_a_beat"]),
            Mutant(LINK_SENDER, r"assign beat_ready_o = may_send_q;",
                   "assign beat_ready_o = may_send_q & !wire_valid_q;",
                   ["a_beat_that_is_taken_makes_room"])],
           top="systole_link", lemmas=["lemma_"], method="induction",
           inserted={"systole_link.sv": "link.sv", "systole_fifo.sv": "link_queue.sv"}),
    Family("link patience of a reader", [], [LINK_READER, FIFO],
           ["a_wait_for_a_beat_ends", "no_stall_within_patience", "nothing_is_taken_after_a_fault"],
           [Mutant(LINK_READER, r"patience_waited_q == patience_i", "patience_waited_q > patience_i",
                   ["a_wait_for_a_beat_ends"]),
            Mutant(LINK_READER, r"patience_waited_q == patience_i", "patience_waited_q[0] == patience_i[0]",
                   ["no_stall_within_patience"]),
            Mutant(LINK_READER, r" & !fails\)\) & !stop_i;", ")) & !stop_i;",
                   ["nothing_is_taken_after_a_fault"])],
           top="systole_vector_link_reader", lemmas=["lemma_"], method="induction",
           inserted={"systole_vector_link_reader.sv": "link_reader.sv"}),
    Family("link patience of a writer", [], [LINK_WRITER, FIFO],
           ["a_wait_for_room_ends", "no_stall_within_patience"],
           [Mutant(LINK_WRITER, r"patience_waited_q == patience_i", "patience_waited_q > patience_i",
                   ["a_wait_for_room_ends"]),
            Mutant(LINK_WRITER, r"patience_waited_q == patience_i", "patience_waited_q[0] == patience_i[0]",
                   ["no_stall_within_patience"])],
           top="systole_vector_link_writer", lemmas=["lemma_"], method="induction",
           inserted={"systole_vector_link_writer.sv": "link_writer.sv"}),
    Family("vector responses", ["write_answers.sv", "vector_path.sv"], VECTOR_WRITES, ANSWERS,
           [Mutant(VECTOR_ENGINE, r"assign idle_o = ", "assign idle_o = write_ready_i | ",
                   ["an_idle_engine_offers_no_write", "idle_once_all_is_answered"]),
            Mutant(VECTOR_ENGINE, r"\.response_error_i\(response_error_i\)", ".response_error_i(1'b0)",
                   ["not_idle_before_its_fault"])],
           top="vector_path_properties", method="induction",
           lemmas=["lemma_outstanding", "lemma_room", "lemma_owed", "lemma_may_ask", "lemma_answers",
                   "lemma_quiet", "lemma_told", "lemma_failed"],
           inserted=BURSTS_LEMMAS, cut=VECTOR_CUTS, quick=False),
]
