// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_verify.c - `moorectl ethernet verify`: reads the emitted files back, and judges
 * what switches that load them would do. */
#include "ethernet/ether.h"

int
cmd_ether_verify(const struct cli_call *c)
{
	json_t *answer;
	int rc = cli_ether_judge(c->arg[0], &answer);

	return rc == CLI_OK ? cli_show(c, answer, cli_ether_put_judged, cli_not_ok) : rc;
}
