// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* formats.c - the files of a switch: a new one is a function that writes it, one that reads
 * it if it holds routes or classes, and a row here. */
#include "ether_impl.h"

static const struct moore_ether_format formats[] = {
	{ "ipbatch", "interfaces.ipbatch", "addresses, MAC and MTU of each port",
	  moore_ether_put_interfaces, NULL },
	{ "ipbatch", "neighbours.ipbatch", "permanent neighbours", moore_ether_put_neighbours, NULL },
	{ "ipbatch", "routes.ipbatch", "routes", moore_ether_put_routes, moore_ether_read_routes },
	{ "ipbatch", "sysctl.conf", "settings of the kernel that the routes rest on",
	  moore_ether_put_sysctl, NULL },
	{ "frr", "frr.conf", "static routes of FRR", moore_ether_put_frr, moore_ether_read_frr },
	{ "sonic", "config_db.json", "what SONiC's database needs: addresses, routes, classes",
	  moore_ether_put_sonic, moore_ether_read_sonic },
	{ "running", "routes.json", "what `ip -json route show` prints", NULL, moore_ether_read_running },
	{ "running", "routes6.json", "what `ip -6 -json route show` prints", NULL,
	  moore_ether_read_running },
	{ "nft", "class.nft", "nftables map that marks packets with their class", moore_ether_put_nft,
	  moore_ether_read_nft },
};

const struct moore_ether_format *
moore_ether_format_at(size_t i)
{
	return i < ARRAY_LEN(formats) ? &formats[i] : NULL;
}
