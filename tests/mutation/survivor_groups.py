"""Why faults of generated RTL are not found by the lock-step stimuli: groups, and what is in them.

A fault is of the first group that has its statement and its fault; both are searched, so that names
with and without a lane's prefix match alike. `unproved` says what the reason is worth where no proof
stands behind it: "argued", that the fault cannot show at a port; "gap", that inputs exist which the
stimuli seldom or never make; "", that the reason counts with a proof only.
"""

import re
from collections import namedtuple

Group = namedtuple("Group", "name unproved why statement fault kernel", defaults=("",))

GROUPS = [
    Group("the sign and the bit below it", "",
          "both are copies of the sign for every value in range, or what differs is far either way",
          r"^(\w*total_partial|swap|distance|flip) = ", r"^\[(17|9|8|28)\] becomes"),
    Group("a bit that is always so", "",
          "the leading one of a significand; zeros above and below it while it is aligned",
          r"^(right\d+|kept|big_choice) = ", r"^(bit \d+ stuck at|4'd0 plus)"),
    Group("shifts beyond the significand", "",
          "a term that is moved by 28 places or more leaves its sticky bit alone",
          r"^fours_partial = ", r"^5'd31 "),
    Group("bits below an integer", "",
          "an integer rides along as a significand and is never rounded up",
          r"^(\w+_)?big(_q)?(\[lane\])? <?= ", r"^2'd0 plus"),
    Group("below what two fp32 reach", "",
          "their sum needs bit 0 for no rounding: with a carry nothing lies below it but zeros",
          r"left31|^sum_magnitude = ", r"^bit 0 stuck at 0"),
    Group("what an invalid tag says", "argued",
          "reset makes the tags invalid by their top bit; row, accumulate and type of an invalid "
          "tag are not looked at inside the matrix unit",
          r"^tag_(out_)?q", r"^(\d+'d0 plus one|bit \d+ stuck at 1)$", "matrix_unit"),
    Group("integers as large as a word", "argued",
          "a column adds at most 128 products of int8 to 0: below 2^22, so that bits 31 to 22 are "
          "the sign",
          r"^(sign|pe_mac_s1_big_exponent_q\[lane\]) = ", r"^\[(8|31:23)\] (becomes|moves)"),
    Group("only the sticky bit above a tie", "gap",
          "needs a carry out of the sum, exactly half a last place, and a rest beyond the guard bits",
          r"left31|^sum_magnitude = ", r"^bit 0 stuck at 0"),
    Group("rounding at the ends of the range", "gap",
          "needs a result at 2^-126 or 2^128 whose fraction is all ones or zeros before it is rounded",
          r"^(carries|is_huge|is_outside) = ", r""),
    Group("one bit of a rest", "gap",
          "needs a term of which nothing is left below the last place but the bits in question",
          r"^(lost|right|kept)\w* = ", r""),
    Group("exponents more than 255 apart", "gap",
          "needs a product near one end of the range and a sum near the other",
          r"^(distance|difference|is_far|swap) = ", r""),
]

NO_REASON = Group("proved, without a reason given here", "", "see the statement", r"", r"")


def group_of(kernel, statement, fault, is_proved):
    """The fault's group, or None where no group explains it."""
    for group in GROUPS:
        if ((is_proved or group.unproved) and group.kernel in ("", kernel) and
                re.search(group.statement, statement) and re.search(group.fault, fault)):
            if is_proved and group.unproved == "gap":
                continue  # what is proved is no gap
            return group
    return NO_REASON if is_proved else None
