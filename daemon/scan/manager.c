// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* manager.c - where are subnet managers, which is master, and which answer?
 *
 * PortInfo of our own port names the LID of the master (IBTA 14.2.5.6); SMInfo from that
 * LID (14.2.5.13) tells its GUID, priority and state.  A manager that died stays in
 * PortInfo until another writes there, so only the second question can tell.
 *
 * Other managers are at the ports whose PortInfo.CapabilityMask has IsSM.  A manager sets
 * that bit when it starts, which changes no link, so only asking every port finds it. */
#include <stdio.h>
#include <string.h>

#include "scan/attr.h"

#define CAP_IS_SM (1u << 1)	/* PortInfo.CapabilityMask */
#define OF_MASTER (1u << 16)	/* of a tag, whose other bits are the LID */

static void
put_text(struct manager_state *m, const char *state)
{
	if (m->guid)
		snprintf(m->text, sizeof(m->text), "0x%016llx prio %u %s", (unsigned long long)m->guid,
			 m->prio, state);
	else
		snprintf(m->text, sizeof(m->text), "LID %u %s", m->lid, state);
}

static void
add_heard(struct manager_state *m, const uint8_t *sm_info, moore_lid lid)
{
	struct manager_heard h = { .guid = attr_field64(sm_info, IB_SMINFO_GUID_F), .lid = lid,
		.prio = (uint8_t)attr_field(sm_info, IB_SMINFO_PRIO_F),
		.state = (uint8_t)(attr_field(sm_info, IB_SMINFO_STATE_F) & 3) };

	for (unsigned i = 0; i < m->n_sm; i++)
		if (m->sm[i].guid == h.guid)
			return;
	if (h.guid && m->n_sm < MANAGERS_MAX)
		m->sm[m->n_sm++] = h;
}

static void
ask_at(struct mad_batch *b, moore_lid lid, uint32_t flag)
{
	mad_add(b, (struct mad_ask){ .to = mad_add_to(b, lid, NULL, 0), .tag = flag | lid,
				     .attr = IB_ATTR_SMINFO, .class = MAD_SMP_LID });
}

static void
on_master(struct manager_state *m, const uint8_t *sm_info)
{
	unsigned is = attr_field(sm_info, IB_SMINFO_STATE_F) & 3;

	m->answered = true;
	m->guid = attr_field64(sm_info, IB_SMINFO_GUID_F);
	m->prio = (uint8_t)attr_field(sm_info, IB_SMINFO_PRIO_F);
	put_text(m, manager_state_name(is));
	if (is == SM_MASTER)
		m->found = MANAGER_ANSWERS;
}

static void
on_manager(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct manager_state *m = b->arg;

	(void)status;
	if (!data)
		return;
	if (q->attr == IB_ATTR_PORT_INFO) {
		m->round++;
		m->lid = (moore_lid)attr_field(data, IB_PORT_SMLID_F);
		m->found = m->lid ? MANAGER_SILENT : MANAGER_NONE;
		if (m->lid)
			ask_at(b, m->lid, OF_MASTER);
		return;
	}
	add_heard(m, data, (moore_lid)(q->tag & ~OF_MASTER));
	if (q->tag & OF_MASTER)
		on_master(m, data);
}

enum mad_end
ask_manager(const struct seen *s, const struct ask_with *w, const struct manager_ports *at,
	    struct manager_state *m)
{
	struct mad_batch b = { .answer = on_manager, .arg = m, .late_max = MAD_PATIENT };
	uint8_t path[64] = { 0 };
	enum mad_end end;

	m->found = MANAGER_UNKNOWN;
	m->answered = false;
	m->n_sm = 0;
	mad_add(&b, (struct mad_ask){ .to = mad_add_to(&b, 0, path, 0), .mod = s->self_path1,
				      .attr = IB_ATTR_PORT_INFO, .class = MAD_SMP_DIRECT });
	for (unsigned i = 0; at && i < at->n; i++)
		ask_at(&b, at->lid[i], 0);
	end = mad_run(w->mad, &b, w->beat, w->stop);
	mad_batch_fini(&b);
	return end;
}

/* ---- where managers are ------------------------------------------------------------- */

static void
on_port(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct manager_ports *out = b->arg;
	moore_lid lid = data ? (moore_lid)attr_field(data, IB_PORT_LID_F) : 0;

	(void)q, (void)status;
	if (lid && attr_field(data, IB_PORT_CAPMASK_F) & CAP_IS_SM && out->n < MANAGERS_MAX)
		out->lid[out->n++] = lid;
}

/* The directed route to an endpoint is that to its switch and one port more. */
static void
ask_endpoint(struct mad_batch *b, const struct seen *s, const struct seen_endpoint *e)
{
	uint8_t path[64];
	unsigned hops;

	if (e->sw == MOORE_NONE || s->sw[e->sw].hops >= sizeof(path) - 1)
		return;
	hops = s->sw[e->sw].hops + 1u;
	memcpy(path, s->sw[e->sw].path, sizeof(path));
	path[hops] = e->port;
	mad_add_smp(b, mad_add_to(b, 0, path, (uint8_t)hops), IB_ATTR_PORT_INFO, e->ca_port, 0);
}

enum mad_end
find_managers(const struct seen *s, const struct ask_with *w, struct manager_ports *out)
{
	struct mad_batch b = { .answer = on_port, .arg = out, .late_max = MAD_PATIENT };
	enum mad_end end;

	out->n = 0;
	for (uint32_t i = 0; i < s->n_switches; i++)
		mad_add_smp(&b, mad_add_to(&b, 0, s->sw[i].path, s->sw[i].hops), IB_ATTR_PORT_INFO,
			    0, 0);
	for (uint32_t i = 0; i < s->n_endpoints; i++)
		ask_endpoint(&b, s, &s->ep[i]);
	end = b.oom ? MAD_NOMEM : ask_beside_looks(&b, w);
	mad_batch_fini(&b);
	return end;
}

void
manager_silent(struct manager_state *m)
{
	m->found = MANAGER_SILENT;
	if (!m->answered)	/* else the text says that it answered and is no master */
		put_text(m, "does not answer");
}
