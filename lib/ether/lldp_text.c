// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_text.c - the table of findings. */
#include "lldp_impl.h"

const struct moore_lldp_text *
moore_lldp_text(enum moore_lldp_kind kind)
{
	static const struct moore_lldp_text text[] = {
		[MOORE_LLDP_SILENT] = { "silent", "a switch did not answer", false },
		[MOORE_LLDP_NOT_ASKED] = { "not-asked", "a switch is a neighbour and was not asked", false },
		[MOORE_LLDP_UNNAMED] = { "unnamed", "a switch gives no good name: it has the name that it "
			"was asked by", true },
		[MOORE_LLDP_OTHER_NAME] = { "other-name", "a switch gives another name than it was asked "
			"by", false },
		[MOORE_LLDP_SAME_NAME] = { "same-name", "a switch gives the name of another: it has the "
			"name that it was asked by", false },
		[MOORE_LLDP_LEFT_OUT] = { "left-out", "a switch has the name of one that was asked before",
			false },
		[MOORE_LLDP_SAME_MAC] = { "same-mac", "two switches have one MAC", false },
		[MOORE_LLDP_LEFT_ALONE] = { "left-alone", "an interface with a neighbour is no port of the "
			"fabric", true },
		[MOORE_LLDP_BAD_NAME] = { "bad-name", "a neighbour has no name that can be used", false },
		[MOORE_LLDP_NO_NUMBER] = { "no-number", "the port of a neighbour has no number", false },
		[MOORE_LLDP_OLD_NAME] = { "old-name", "a neighbour has the MAC of a switch of another name",
			false },
		[MOORE_LLDP_OTHER_MAC] = { "other-mac", "a neighbour has another MAC than the switch of that "
			"name", false },
		[MOORE_LLDP_ITSELF] = { "itself", "the neighbour is the switch itself", false },
		[MOORE_LLDP_CHOSEN] = { "chosen", "of several neighbours the planned one counts", true },
		[MOORE_LLDP_SEVERAL] = { "several", "a port has several neighbours, and none counts", false },
		[MOORE_LLDP_STALE] = { "stale", "a neighbour that is no longer there", false },
		[MOORE_LLDP_ONE_SIDED] = { "one-sided", "only one end of a link reports it", false },
		[MOORE_LLDP_DISAGREES] = { "disagrees", "the two ends report different neighbours", false },
		[MOORE_LLDP_TWICE] = { "twice", "two ports report the same port as neighbour", false },
		[MOORE_LLDP_MTU] = { "mtu", "the two ends of a link differ in MTU or greatest frame", false },
		[MOORE_LLDP_ODD_MTU] = { "odd-mtu", "the MTU of a link is not that of most links", false },
		[MOORE_LLDP_ODD_FRAME] = { "odd-frame", "the greatest frame of a host is not that of most "
			"hosts", false },
		[MOORE_LLDP_SPEED] = { "speed", "the two ends of a link report different speeds", false },
	};

	return &text[kind];
}
