// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics_ports.c - counters and neighbours of the ports of switches and of hosts; one table row
 * for each counter. */
#include "metrics/metrics_impl.h"

/* ---- ports ------------------------------------------------------------------------- */

/* What the series are for: enum metrics_ports says which ports have them. */
enum purpose { OF_LOAD, OF_MORE, OF_ERRORS };

static const struct {
	const char *name, *help;
	enum moore_counter counter;
	unsigned times;
	enum purpose of;
} counters[] = {
	{ "transmit_data_bytes", "PortXmitData, in bytes", MOORE_XMIT_DATA, 4, OF_LOAD },
	{ "receive_data_bytes", "PortRcvData, in bytes", MOORE_RCV_DATA, 4, OF_MORE },
	{ "transmit_packets", "PortXmitPkts", MOORE_XMIT_PKTS, 1, OF_MORE },
	{ "receive_packets", "PortRcvPkts", MOORE_RCV_PKTS, 1, OF_MORE },
	{ "transmit_wait", "PortXmitWait, in ticks", MOORE_XMIT_WAIT, 1, OF_LOAD },
	{ "symbol_error", "SymbolErrorCounter", MOORE_SYMBOL_ERROR, 1, OF_ERRORS },
	{ "link_error_recovery", "LinkErrorRecoveryCounter", MOORE_LINK_RECOVERED, 1, OF_ERRORS },
	{ "link_downed", "LinkDownedCounter", MOORE_LINK_DOWNED, 1, OF_ERRORS },
	{ "receive_errors", "PortRcvErrors", MOORE_RCV_ERROR, 1, OF_ERRORS },
	{ "receive_remote_physical_errors", "PortRcvRemotePhysicalErrors", MOORE_RCV_REMOTE_PHYSICAL, 1,
	  OF_ERRORS },
	{ "transmit_discards", "PortXmitDiscards", MOORE_XMIT_DISCARD, 1, OF_ERRORS },
	{ "local_link_integrity_errors", "LocalLinkIntegrityErrors", MOORE_LOCAL_INTEGRITY, 1,
	  OF_ERRORS },
	{ "excessive_buffer_overrun_errors", "ExcessiveBufferOverrunErrors", MOORE_BUFFER_OVERRUN, 1,
	  OF_ERRORS },
	{ "vl15_dropped", "VL15Dropped", MOORE_VL15_DROPPED, 1, OF_ERRORS },
};

static bool
linked(const struct moore_port *p)
{
	return p->role == MOORE_ROLE_SWITCH || p->role == MOORE_ROLE_ENDPOINT;
}

/* Uplinks are those of the last scan, as the verdicts are; counters those of the last poll. */
static const struct moore_fabric *
scanned(const struct metrics_plane *p)
{
	return p->view ? p->view->snap->fabric : NULL;
}

static const struct moore_fabric *
polled(const struct metrics_plane *p)
{
	return p->snap ? p->snap->fabric : NULL;
}

/* Calls fn() for each external port of the fabric that of() names. */
static void
each_port(const struct metrics *m, struct moore_buf *b, unsigned which,
	  const struct moore_fabric *(*of)(const struct metrics_plane *p),
	  void (*fn)(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
		     const struct moore_switch *s, unsigned port))
{
	for (unsigned i = 0; i < m->n_planes; i++) {
		const struct moore_fabric *f = of(&m->plane[i]);

		for (uint32_t s = 0; f && s < f->n_switches; s++)
			for (unsigned n = 1; n <= f->sw[s].n_ports; n++)
				fn(&m->plane[i], b, which, &f->sw[s], n);
	}
}

/* An error counter that is not 0 is served of any port. */
static bool
is_served(enum metrics_ports ports, enum purpose of, bool link, uint64_t value)
{
	return ports == METRICS_ALL || (link && (ports == METRICS_LINKS || of == OF_LOAD)) ||
		(of == OF_ERRORS && value);
}

static uint64_t
errors_of(const struct moore_reading *r)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < ARRAY_LEN(counters); k++)
		if (r->at_us && counters[k].of == OF_ERRORS && r->has >> counters[k].counter & 1)
			n += r->v[counters[k].counter];
	return n;
}

static void
put_counter(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	    const struct moore_switch *s, unsigned port)
{
	const struct moore_reading *r = &p->last[s->port0 + port];
	bool link = p->snap->fabric->port[s->port0 + port].role == MOORE_ROLE_SWITCH;

	if (r->at_us && r->has >> counters[which].counter & 1 &&
	    is_served(p->ports, counters[which].of, link, r->v[counters[which].counter]))
		moore_buf_fmt(b, "infiniband_switch_port_%s_total{guid=\"0x%016llx\",port=\"%u\"} %llu\n",
			      counters[which].name, (unsigned long long)s->guid, port,
			      (unsigned long long)r->v[counters[which].counter] * counters[which].times);
}

static void
put_uplink(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	   const struct moore_switch *s, unsigned port)
{
	const struct moore_fabric *f = p->view->snap->fabric;
	const struct moore_port *q = &f->port[s->port0 + port];
	bool sw = q->role == MOORE_ROLE_SWITCH;
	bool counts = p->snap == p->view->snap && errors_of(&p->last[s->port0 + port]);

	(void)which;
	if (!linked(q) || !is_served(p->ports, OF_ERRORS, sw, sw || counts))
		return;
	moore_buf_fmt(b, "infiniband_switch_uplink_info{guid=\"0x%016llx\",port=\"%u\",",
		      (unsigned long long)s->guid, port);
	metrics_label(b, "switch", s->name ? s->name : "");
	moore_buf_fmt(b, ",");
	metrics_label(b, "uplink", (sw ? f->sw[q->peer].name : f->ep[q->peer].name) ?: "");
	moore_buf_fmt(b, ",uplink_guid=\"0x%016llx\",uplink_type=\"%s\",uplink_port=\"%u\","
		      "uplink_lid=\"%u\"} 1\n", (unsigned long long)(sw ? f->sw[q->peer].guid :
		      f->ep[q->peer].node_guid), sw ? "SW" : f->ep[q->peer].router ? "RT" : "CA",
		      sw ? q->peer_port : f->ep[q->peer].ca_port,
		      sw ? f->sw[q->peer].lid : f->ep[q->peer].lid);
}

static void
put_share(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	  const struct moore_switch *s, unsigned port)
{
	float x = (which ? p->wait : p->load)[s->port0 + port];

	const struct moore_port *q = &p->snap->fabric->port[s->port0 + port];

	if (x < 0 || !linked(q) || !is_served(p->ports, OF_MORE, q->role == MOORE_ROLE_SWITCH, 0))
		return;
	moore_buf_fmt(b, "moore_link_%s_ratio{guid=\"0x%016llx\",port=\"%u\"} ", which ? "wait" : "load",
		      (unsigned long long)s->guid, port);
	metrics_real(b, (double)x);
}

/* Tells of the first errors at a port, which a counter that appears with them does not. */
static void
put_sums(const struct metrics *m, struct moore_buf *b)
{
	metrics_head(b, "moore_switch_errors_total", "counter", "Sum of all error counters of the switch's ports.");
	for (unsigned i = 0; i < m->n_planes; i++) {
		const struct metrics_plane *p = &m->plane[i];
		const struct moore_fabric *f = polled(p);

		for (uint32_t s = 0; f && s < f->n_switches; s++) {
			uint64_t n = 0;

			for (unsigned k = 1; k <= f->sw[s].n_ports; k++)
				n += errors_of(&p->last[f->sw[s].port0 + k]);
			moore_buf_fmt(b, "moore_switch_errors_total{guid=\"0x%016llx\"} %llu\n",
				      (unsigned long long)f->sw[s].guid, (unsigned long long)n);
		}
	}
}

void
metrics_put_ports(const struct metrics *m, struct moore_buf *b)
{
	char name[80];

	for (unsigned k = 0; k < ARRAY_LEN(counters); k++) {
		snprintf(name, sizeof(name), "infiniband_switch_port_%s_total", counters[k].name);
		moore_buf_fmt(b, "# HELP %s InfiniBand switch port %s.\n# TYPE %s counter\n", name,
			      counters[k].help, name);
		each_port(m, b, k, polled, put_counter);
	}
	put_sums(m, b);
	metrics_head(b, "infiniband_switch_uplink_info", "gauge", "The device at the other end of a switch port.");
	each_port(m, b, 0, scanned, put_uplink);
	metrics_head(b, "moore_link_load_ratio", "gauge", "Share of the capacity of the "
		     "port's outgoing link that was in use at the last poll.");
	each_port(m, b, 0, polled, put_share);
	metrics_head(b, "moore_link_wait_ratio", "gauge", "Share of time for which packets waited for the port's "
		     "outgoing link.");
	each_port(m, b, 1, polled, put_share);
}

/* ---- ports of endpoints -------------------------------------------------------------- */

static void
put_host(const struct metrics_plane *p, struct moore_buf *b, unsigned which, moore_epid e)
{
	const struct moore_endpoint *x = &p->snap->fabric->ep[e];
	const struct moore_reading *r = &p->host[e];

	if (r->at_us && r->has >> counters[which].counter & 1 &&
	    is_served(p->ports, counters[which].of, false, r->v[counters[which].counter]))
		moore_buf_fmt(b, "infiniband_hca_port_%s_total{guid=\"0x%016llx\",port=\"%u\"} %llu\n",
			      counters[which].name, (unsigned long long)x->node_guid, x->ca_port,
			      (unsigned long long)r->v[counters[which].counter] * counters[which].times);
}

/* Names those whose errors are served, or all; none while the last scan is newer than the poll. */
static void
put_host_uplink(const struct metrics_plane *p, struct moore_buf *b, unsigned which, moore_epid e)
{
	const struct moore_fabric *f = p->snap->fabric;
	const struct moore_endpoint *x = &f->ep[e];

	(void)which;
	if (!p->view || p->view->snap != p->snap || x->sw == MOORE_NONE || !p->host[e].at_us ||
	    !is_served(p->ports, OF_ERRORS, false, errors_of(&p->host[e])))
		return;
	moore_buf_fmt(b, "infiniband_hca_uplink_info{guid=\"0x%016llx\",", (unsigned long long)x->node_guid);
	metrics_label(b, "hca", x->name ? x->name : "");
	moore_buf_fmt(b, ",port=\"%u\",", x->ca_port);
	metrics_label(b, "uplink", f->sw[x->sw].name ? f->sw[x->sw].name : "");
	moore_buf_fmt(b, ",uplink_guid=\"0x%016llx\",uplink_type=\"SW\",uplink_port=\"%u\","
		      "uplink_lid=\"%u\"} 1\n", (unsigned long long)f->sw[x->sw].guid, x->port,
		      f->sw[x->sw].lid);
}

void
metrics_put_hosts(const struct metrics *m, struct moore_buf *b)
{
	char name[80];

	for (unsigned k = 0; k <= ARRAY_LEN(counters); k++) {
		bool last = k == ARRAY_LEN(counters);

		snprintf(name, sizeof(name), "infiniband_hca_port_%s_total", last ? "" : counters[k].name);
		if (last)
			metrics_head(b, "infiniband_hca_uplink_info", "gauge", "The switch port at the other end of "
				     "an HCA port.");
		else
			moore_buf_fmt(b, "# HELP %s InfiniBand HCA port %s.\n# TYPE %s counter\n", name,
				      counters[k].help, name);
		for (unsigned i = 0; i < m->n_planes; i++)
			for (moore_epid e = 0; m->plane[i].snap && e < m->plane[i].snap->fabric->n_endpoints; e++)
				(last ? put_host_uplink : put_host)(&m->plane[i], b, k, e);
	}
}
