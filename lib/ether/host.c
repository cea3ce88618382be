// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* host.c - the files of a host: its addresses, one for each layer, the way out, and the
 * settings by which applications choose layers.
 *
 * A host that sends to the address of layer l of another takes that layer there; the answer
 * takes the layer of the address that the host sends from.  RoCE names addresses by index in
 * the port's GID table, so the pair of GID indices chooses the layers of both directions. */
#include "ether_impl.h"

static const char *const gateway_of[MOORE_N_IP] = { [MOORE_IP4] = "0.0.0.0/0", [MOORE_IP6] = "::/0" };

/* The kernel gives these to routes without a metric.  A further port of a host has a greater one, or its
 * route would replace that of the first. */
static const unsigned kernel_metric[MOORE_N_IP] = { [MOORE_IP4] = 0, [MOORE_IP6] = 1024 };

int
moore_ether_write_host_setup(const struct moore_ether *x, moore_epid e, struct moore_buf *b,
			     struct moore_err *err)
{
	const struct moore_plan_endpoint *ep = &x->plan->ep[e];
	struct moore_addr local = moore_ether_local(ep->sw, ep->port);
	unsigned dev = ep->ca_port - 1u;
	char mac[MOORE_MAC_TEXT], of_switch[MOORE_MAC_TEXT];

	(void)err;
	moore_ether_host_mac(mac, e);
	moore_ether_mac(of_switch, ep->sw, ep->port);
	moore_buf_fmt(b, "link set dev eth%u address %s mtu %u up\n", dev, mac, x->opts.mtu);
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++) {
		const struct moore_addr *gateway = ip == MOORE_IP6 ? &local :
			&x->self[ip][(size_t)ep->sw * x->opts.n_layers];

		if (!x->opts.range[ip].is_set)
			continue;
		for (uint32_t l = 0; l < x->opts.n_layers; l++) {
			moore_buf_fmt(b, "addr replace ");
			moore_addr_put(b, &x->host[ip][(size_t)e * x->opts.n_layers + l]);
			moore_buf_fmt(b, "%s dev eth%u%s\n", ip == MOORE_IP4 ? "/32" : "/128", dev,
				      ip == MOORE_IP6 ? " nodad" : "");
		}
		moore_buf_fmt(b, "neigh replace ");
		moore_addr_put(b, gateway);
		moore_buf_fmt(b, " lladdr %s dev eth%u nud permanent\nroute replace %s via ",
			      of_switch, dev, gateway_of[ip]);
		moore_addr_put(b, gateway);
		moore_buf_fmt(b, " dev eth%u onlink proto %u", dev, x->opts.protocol);
		if (dev)
			moore_buf_fmt(b, " metric %u", kernel_metric[ip] + dev);
		moore_buf_fmt(b, "\n");
	}
	return 0;
}

/* The GID table has two entries, RoCE v1 and v2, for the link-local address and for each
 * further one in the order in which they were added. */
static unsigned
gid_index(const struct moore_ether *x, unsigned ip, uint32_t layer)
{
	uint32_t before = ip == MOORE_IP6 && x->opts.range[MOORE_IP4].is_set ? x->opts.n_layers : 0;

	return 2 * (1 + before + layer) + 1;
}

int
moore_ether_write_host_env(const struct moore_ether *x, moore_epid e, struct moore_buf *b,
			   struct moore_err *err)
{
	unsigned first = gid_index(x, x->opts.range[MOORE_IP4].is_set ? MOORE_IP4 : MOORE_IP6, 0);
	unsigned tos = x->opts.dscp[0] * 4u;

	(void)err;
	moore_buf_comment(b, "Each layer, its address and the index of that address in the GID table "
			  "(RoCE v2), if the addresses were added by setup.ipbatch to a port without "
			  "others.  Compare with show_gids.");
	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		for (uint32_t l = 0; l < x->opts.n_layers; l++) {
			const struct moore_addr *a = &x->host[ip][(size_t)e * x->opts.n_layers + l];

			if (!a->is_set)
				continue;
			moore_buf_fmt(b, "# layer %u  GID %u  ", l, gid_index(x, ip, l));
			moore_addr_put(b, a);
			moore_buf_fmt(b, "\n");
		}
	moore_buf_comment(b, "Layer 0 for all traffic, in the lossless class.");
	moore_buf_fmt(b, "export UCX_IB_GID_INDEX=%u\nexport UCX_IB_TRAFFIC_CLASS=%u\n", first, tos);
	moore_buf_fmt(b, "export NCCL_IB_GID_INDEX=%u\nexport NCCL_IB_TC=%u\n", first, tos);
	return 0;
}
