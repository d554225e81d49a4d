"""The model of loads in flight, on programs of a few instructions."""

import unittest

from loads_in_flight import GPUS, cycles_of_turn, load_bytes, main_loop, mean_in_flight

LOAD = "LDG.E.128 R{}, desc[UR4][R2.64]"
LATENCY = 1000


def program(*texts):
    return [(16 * i, text) for i, text in enumerate(texts)]


def cycles(*texts):
    return cycles_of_turn(program(*texts), LATENCY)


class Loads(unittest.TestCase):
    def test_a_width_is_in_the_name(self):
        widths = {"LDG.E R4, desc[UR4][R2.64]": 4, "LDG.E.64 R4, desc[UR4][R2.64]": 8,
                  "@!P0 LDG.E.EF.128 R8, desc[UR4][R2.64]": 16, "LDG.E.U8 R4, [R2]": 1,
                  "LDS.128 R4, [R2]": 0, "STG.E.128 desc[UR4][R2.64], R4": 0}
        self.assertEqual([load_bytes(text) for text in widths], list(widths.values()))


class Cycles(unittest.TestCase):
    def test_loads_that_follow_one_another_share_a_latency(self):
        together = cycles(LOAD.format(4), LOAD.format(8), "DADD R20, R4, R20", "DADD R20, R8, R20")
        self.assertAlmostEqual(together, LATENCY, delta=20)

    def test_a_use_between_two_loads_costs_another(self):
        parted = cycles(LOAD.format(4), "DADD R20, R4, R20", LOAD.format(8), "DADD R20, R8, R20")
        self.assertAlmostEqual(parted, 2 * LATENCY, delta=20)

    def test_all_registers_of_a_wide_load_are_waited_for(self):
        self.assertGreater(cycles(LOAD.format(4), "FADD R20, R7, R20"), LATENCY)
        self.assertLess(cycles(LOAD.format(4), "FADD R20, R8, R20"), LATENCY + 5)

    def test_a_register_is_not_loaded_again_before_it_is_there(self):
        self.assertAlmostEqual(cycles(LOAD.format(4)), LATENCY, delta=1)

    def test_a_load_whose_address_was_loaded_waits(self):
        chain = cycles("LDG.E.64 R6, desc[UR4][R2.64]", "LDG.E R8, desc[UR4][R6.64]", "FADD R9, R8, R9")
        self.assertAlmostEqual(chain, 2 * LATENCY, delta=10)

    def test_stores_write_no_register(self):
        self.assertEqual(cycles("STG.E desc[UR4][R2.64], R4"), 1)


class MainLoop(unittest.TestCase):
    def test_the_loop_that_loads_most_counts_and_no_loop_around_another(self):
        body = program(LOAD.format(20), LOAD.format(24), "LDG.E R4, desc[UR4][R2.64]",
                       "@P0 BRA 0x20", "IADD3 R5, R5, 0x1, RZ", "@P1 BRA.U 0x40", "@P2 BRA 0x0", "EXIT")
        self.assertEqual(main_loop(body), body[2:4])

    def test_the_whole_kernel_counts_where_no_loop_loads(self):
        body = program(LOAD.format(4), "IADD3 R5, R5, 0x1, RZ", "@P1 BRA 0x10", "EXIT")
        self.assertEqual(main_loop(body), body)


class InFlight(unittest.TestCase):
    def test_a_thread_has_a_load_less_where_it_waits_for_each(self):
        together = program(LOAD.format(4), LOAD.format(8), "DADD R20, R4, R20", "DADD R20, R8, R20")
        parted = [together[0], together[2], together[1], together[3]]
        # Of 32 threads.
        self.assertAlmostEqual(mean_in_flight(together, LATENCY, 1), 32 * 0.032, delta=0.02)
        self.assertAlmostEqual(mean_in_flight(parted, LATENCY, 1), 32 * 0.016, delta=0.02)

    def test_more_warps_help_until_instructions_take_the_time(self):
        body = program(LOAD.format(4), *(["IADD3 R5, R6, 0x1, RZ"] * 399))
        few, more, many = (mean_in_flight(body, LATENCY, warps) for warps in (4, 8, 64))
        self.assertAlmostEqual(more, 2 * few, delta=0.01)
        self.assertAlmostEqual(many, LATENCY * 16 * 32 * 4 / 400 / 1000)

    def test_what_a_memory_needs_is_its_rate_times_its_latency(self):
        self.assertEqual([round(GPUS[architecture].needed) for architecture in (80, 90, 100)],
                         [11, 22, 41])


if __name__ == "__main__":
    unittest.main()
