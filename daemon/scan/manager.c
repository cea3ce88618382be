// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* manager.c - which subnet manager is master, and does it answer?
 *
 * PortInfo of our own port names the LID of the master (IBTA 14.2.5.6); SMInfo from that
 * LID (14.2.5.13) tells its GUID, priority and state.  A manager that died stays in
 * PortInfo until another writes there, so only the second question can tell. */
#include <stdio.h>

#include "scan/attr.h"

enum { SM_MASTER = 3 };

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
on_manager(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	static const char *const state[] = { "not active", "discovering", "standby", "master" };
	struct manager_state *m = b->arg;
	unsigned is;

	(void)status;
	if (!data)
		return;
	if (q->attr == IB_ATTR_PORT_INFO) {
		m->lid = (moore_lid)attr_field(data, IB_PORT_SMLID_F);
		m->found = m->lid ? MANAGER_SILENT : MANAGER_NONE;
		if (m->lid)
			mad_add(b, (struct mad_ask){ .to = mad_add_to(b, m->lid, NULL, 0),
						     .attr = IB_ATTR_SMINFO, .class = MAD_SMP_LID });
		return;
	}
	is = attr_field(data, IB_SMINFO_STATE_F) & 3;
	m->answered = true;
	m->guid = attr_field64(data, IB_SMINFO_GUID_F);
	m->prio = (uint8_t)attr_field(data, IB_SMINFO_PRIO_F);
	put_text(m, state[is]);
	if (is == SM_MASTER)
		m->found = MANAGER_ANSWERS;
}

enum mad_end
ask_manager(const struct seen *s, const struct ask_with *w, struct manager_state *m)
{
	struct mad_batch b = { .answer = on_manager, .arg = m, .late_max = MAD_PATIENT };
	uint8_t path[64] = { 0 };
	enum mad_end end;

	m->found = MANAGER_UNKNOWN;
	m->answered = false;
	mad_add(&b, (struct mad_ask){ .to = mad_add_to(&b, 0, path, 0), .mod = s->self_path1,
				      .attr = IB_ATTR_PORT_INFO, .class = MAD_SMP_DIRECT });
	end = mad_run(w->mad, &b, w->beat, w->stop);
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
