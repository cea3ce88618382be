// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_text.c - the table of findings. */
#include "lldp_impl.h"

const struct moore_lldp_text *
moore_lldp_text(enum moore_lldp_kind kind)
{
	static const struct moore_lldp_text text[] = {
		[MOORE_LLDP_SILENT] = { "silent", false },
		[MOORE_LLDP_NOT_ASKED] = { "not-asked", false },
		[MOORE_LLDP_UNNAMED] = { "unnamed", true },
		[MOORE_LLDP_OTHER_NAME] = { "other-name", false },
		[MOORE_LLDP_SAME_NAME] = { "same-name", false },
		[MOORE_LLDP_LEFT_OUT] = { "left-out", false },
		[MOORE_LLDP_SAME_MAC] = { "same-mac", false },
		[MOORE_LLDP_LEFT_ALONE] = { "left-alone", true },
		[MOORE_LLDP_BAD_NAME] = { "bad-name", false },
		[MOORE_LLDP_NO_NUMBER] = { "no-number", false },
		[MOORE_LLDP_OLD_NAME] = { "old-name", false },
		[MOORE_LLDP_OTHER_MAC] = { "other-mac", false },
		[MOORE_LLDP_ITSELF] = { "itself", false },
		[MOORE_LLDP_CHOSEN] = { "chosen", true },
		[MOORE_LLDP_SEVERAL] = { "several", false },
		[MOORE_LLDP_STALE] = { "stale", false },
		[MOORE_LLDP_ONE_SIDED] = { "one-sided", false },
		[MOORE_LLDP_DISAGREES] = { "disagrees", false },
		[MOORE_LLDP_TWICE] = { "twice", false },
		[MOORE_LLDP_MTU] = { "mtu", false },
		[MOORE_LLDP_ODD_MTU] = { "odd-mtu", false },
		[MOORE_LLDP_ODD_FRAME] = { "odd-frame", false },
		[MOORE_LLDP_LARGE_FRAME] = { "large-frame", false },
		[MOORE_LLDP_AUTONEG] = { "autoneg", false },
		[MOORE_LLDP_SPEED] = { "speed", false },
	};

	return &text[kind];
}
