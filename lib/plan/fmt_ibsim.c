// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ibsim.c - a plan as the fabric description that ibsim loads.
 *
 * A record is a header, one line for each used port and a blank line.  A line
 * "switchguid=" or "caguid=" gives the GUID of the next record.  A port line
 * ends in the peer's LID and the link's rate, as ibnetdiscover prints it: LID 0
 * and 4xSDR are ibsim's own defaults, and without them it warns of every line. */
#include <string.h>

#include "plan_parts.h"

#define TAIL "\t# lid 0 4xSDR\n"

static int
check_name(const char *list, uint32_t i, const char *name, struct moore_err *err)
{
	if (name[strcspn(name, "#@")])
		return moore_fail(err, MOORE_EPLAN, 0, "%s[%u].name: \"%s\" holds # or @, which ibsim "
				  "reserves: rename it", list, i, name);
	return 0;
}

/* What the plan says and ibsim cannot: its port GUIDs follow the node's. */
static int
check_ibsim(const struct moore_plan_wiring *w, const struct moore_plan *p, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->n_switches; i++)
		rc = check_name("switches", i, p->sw[i].name, err);
	for (uint32_t i = 0; !rc && i < w->n_cas; i++) {
		const struct moore_plan_ca *ca = &w->ca[i];

		rc = check_name("endpoints", ca->first, ca->name, err);
		for (uint32_t j = ca->start; !rc && j < ca->start + ca->n; j++) {
			uint32_t e = w->ep[j];

			if (w->ep_guid[e] != ca->guid + p->ep[e].ca_port)
				rc = moore_fail(err, MOORE_EPLAN, 0, "endpoints[%u].guid: 0x%llx: ibsim "
						"numbers the ports of a CA in a row, so port %u of "
						"\"%s\" would be 0x%llx: change it or leave it out", e,
						(unsigned long long)w->ep_guid[e], p->ep[e].ca_port,
						ca->name,
						(unsigned long long)(ca->guid + p->ep[e].ca_port));
		}
	}
	return rc;
}

/* The command line that has room for it: ibsim's limits are fixed at start. */
static void
put_head(struct moore_buf *b, const struct moore_plan_wiring *w, const struct moore_plan *p)
{
	size_t ports = 0;

	for (uint32_t i = 0; i < p->n_switches; i++)
		ports += p->sw[i].ports + 1u;
	for (uint32_t i = 0; i < w->n_cas; i++)
		ports += w->ca[i].ports;
	moore_buf_fmt(b, "# ibsim -s -N %u -S %u -P %zu FILE\n", p->n_switches + w->n_cas,
		      p->n_switches, ports);
}

static void
put_peer(struct moore_buf *b, const struct moore_plan *p, const struct moore_plan_ref *plug)
{
	const struct moore_plan_cable *c = &p->cable[plug->index];
	int far = plug->kind == MOORE_PLAN_CABLE_A;

	moore_buf_fmt(b, "[%u]\t", (unsigned)(plug->key & 0xff));
	if (plug->kind == MOORE_PLAN_ENDPOINT)
		moore_buf_fmt(b, "\"%s\"[%u]" TAIL, p->ep[plug->index].name,
			      p->ep[plug->index].ca_port);
	else
		moore_buf_fmt(b, "\"%s\"[%u]" TAIL, p->sw[c->sw[far]].name, c->port[far]);
}

int
moore_plan_write_ibsim(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	size_t at = 0;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0 || (rc = check_ibsim(&w, p, err)) < 0)
		goto out;
	put_head(out, &w, p);
	for (uint32_t i = 0; i < p->n_switches; i++) {
		moore_buf_fmt(out, "\nswitchguid=0x%llx\nSwitch\t%u \"%s\"\n",
			      (unsigned long long)w.sw_guid[i], p->sw[i].ports, p->sw[i].name);
		for (; at < w.n_plugs && w.plug[at].key >> 8 == i; at++)
			put_peer(out, p, &w.plug[at]);
	}
	for (uint32_t i = 0; i < w.n_cas; i++) {
		const struct moore_plan_ca *ca = &w.ca[i];

		moore_buf_fmt(out, "\ncaguid=0x%llx\nHca\t%u \"%s\"\n", (unsigned long long)ca->guid,
			      ca->ports, ca->name);
		for (uint32_t j = ca->start; j < ca->start + ca->n; j++) {
			const struct moore_plan_endpoint *e = &p->ep[w.ep[j]];

			moore_buf_fmt(out, "[%u]\t\"%s\"[%u]" TAIL, e->ca_port, p->sw[e->sw].name,
				      e->port);
		}
	}
	rc = moore_plan_written(out, err);
out:
	moore_plan_wiring_fini(&w);
	return rc;
}
