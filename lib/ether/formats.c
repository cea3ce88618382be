// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* formats.c - the files of a switch: a new one is a function that writes it, one that reads
 * it if it holds routes or classes, and a row here. */
#include "ether_impl.h"

#define IP4 (1u << MOORE_IP4)
#define IP6 (1u << MOORE_IP6)

static const struct moore_ether_format formats[] = {
	{ "ipbatch", "interfaces.ipbatch", "addresses, MAC and MTU of each port", IP4 | IP6,
	  moore_ether_put_interfaces, NULL },
	{ "ipbatch", "neighbours.ipbatch", "permanent neighbours", IP4 | IP6,
	  moore_ether_put_neighbours, NULL },
	{ "ipbatch", "routes.ipbatch", "routes", IP4 | IP6, moore_ether_put_routes,
	  moore_ether_read_routes },
	{ "ipbatch", "sysctl.conf", "settings of the kernel that the routes rest on", IP4 | IP6,
	  moore_ether_put_sysctl, NULL },
	{ "frr", "frr.conf", "static routes of FRR", IP4 | IP6, moore_ether_put_frr,
	  moore_ether_read_frr },
	{ "sonic", "config_db.json", "what SONiC's database needs: addresses, routes, classes",
	  IP4 | IP6, moore_ether_put_sonic, moore_ether_read_sonic },
	{ "running", "routes.json", "what `ip -N -json route show` prints", IP4, NULL,
	  moore_ether_read_running },
	{ "running", "routes6.json", "what `ip -6 -N -json route show` prints", IP6, NULL,
	  moore_ether_read_running },
	{ "running-sonic", "config_db.json", "what a SONiC switch runs, of which the routes are read",
	  IP4 | IP6, NULL, moore_ether_read_sonic_routes },
	{ "nft", "class.nft", "nftables map that marks packets with their class", IP4 | IP6,
	  moore_ether_put_nft, moore_ether_read_nft },
	{ "nft-list", "classes.nft", "what `nft -n list table inet moore` prints", IP4 | IP6, NULL,
	  moore_ether_read_nft_list },
};

const struct moore_ether_format *
moore_ether_format_at(size_t i)
{
	return i < ARRAY_LEN(formats) ? &formats[i] : NULL;
}
