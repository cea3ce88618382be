// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* counters.c - one reading of the counters of all switch ports (IBTA 16.1.3.5 and
 * 16.1.4.11), by LID, never reset; and of some endpoints' ports, in turn.
 *
 * Two Gets for each port: PortCountersExtended for data, PortCounters for errors and
 * waits.  The first alone where it has the errors too (CapabilityMask2 bit 1).  ClassPortInfo,
 * read once for each switch, tells what it has.  Short counters stop at their greatest value,
 * so a counter that stands there is reported as one that the port does not have.
 *
 * Endpoints take turns, so that all are read in HOSTS_US.  Hosts hang, and their ports stay up:
 * one that does not answer is asked in each second turn, then in each fourth, and so on, and a
 * reading ends after SILENT_MAX of them, so that switches are not read late. */
#include <endian.h>
#include <infiniband/mad.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "scan/seen.h"

enum { CAP_EXT = 1 << 9, CAP_EXT_NO_IETF = 1 << 10, CAP_XMIT_WAIT = 1 << 12,
       CAP2_EXT_ERRORS = 1 << 1 };

#define HOSTS_US 10000000u
enum { SILENT_MAX = 16, SILENT_DOUBLINGS = 6 };

struct reading {
	struct seen *s;
	struct poll *p;
	bool hosts;		/* tags are endpoints; else switches */
	unsigned silent;	/* endpoints without an answer */
};

static struct seen_perf *
perf_of(const struct reading *r, uint32_t tag)
{
	return r->hosts ? &r->s->ep[tag].perf : &r->s->sw[tag].perf;
}

/* The table lists fields of PortCounters and their widths in bits (IBTA 16.1.3.5). */
static const struct {
	uint8_t counter;
	enum MAD_FIELDS f;
	uint8_t bits;
} narrow[] = {
	{ MOORE_SYMBOL_ERROR, IB_PC_ERR_SYM_F, 16 }, { MOORE_LINK_RECOVERED, IB_PC_LINK_RECOVERS_F, 8 },
	{ MOORE_LINK_DOWNED, IB_PC_LINK_DOWNED_F, 8 }, { MOORE_RCV_ERROR, IB_PC_ERR_RCV_F, 16 },
	{ MOORE_RCV_REMOTE_PHYSICAL, IB_PC_ERR_PHYSRCV_F, 16 },
	{ MOORE_XMIT_DISCARD, IB_PC_XMT_DISCARDS_F, 16 },
	{ MOORE_LOCAL_INTEGRITY, IB_PC_ERR_LOCALINTEG_F, 4 },
	{ MOORE_BUFFER_OVERRUN, IB_PC_ERR_EXCESS_OVR_F, 4 },
	{ MOORE_VL15_DROPPED, IB_PC_VL15_DROPPED_F, 16 },
	{ MOORE_XMIT_WAIT, IB_PC_XMT_WAIT_F, 32 },
	/* Only where there is no PortCountersExtended: */
	{ MOORE_XMIT_DATA, IB_PC_XMT_BYTES_F, 32 }, { MOORE_RCV_DATA, IB_PC_RCV_BYTES_F, 32 },
	{ MOORE_XMIT_PKTS, IB_PC_XMT_PKTS_F, 32 }, { MOORE_RCV_PKTS, IB_PC_RCV_PKTS_F, 32 },
};

static const struct {
	uint8_t counter;
	enum MAD_FIELDS f;
	bool error;		/* needs CAP2_EXT_ERRORS */
} wide[] = {
	{ MOORE_XMIT_DATA, IB_PC_EXT_XMT_BYTES_F, false },
	{ MOORE_RCV_DATA, IB_PC_EXT_RCV_BYTES_F, false },
	{ MOORE_XMIT_PKTS, IB_PC_EXT_XMT_PKTS_F, false }, { MOORE_RCV_PKTS, IB_PC_EXT_RCV_PKTS_F, false },
	{ MOORE_XMIT_WAIT, IB_PC_EXT_XMT_WAIT_F, true }, { MOORE_SYMBOL_ERROR, IB_PC_EXT_ERR_SYM_F, true },
	{ MOORE_LINK_RECOVERED, IB_PC_EXT_LINK_RECOVERS_F, true },
	{ MOORE_LINK_DOWNED, IB_PC_EXT_LINK_DOWNED_F, true },
	{ MOORE_RCV_ERROR, IB_PC_EXT_ERR_RCV_F, true },
	{ MOORE_RCV_REMOTE_PHYSICAL, IB_PC_EXT_ERR_PHYSRCV_F, true },
	{ MOORE_XMIT_DISCARD, IB_PC_EXT_XMT_DISCARDS_F, true },
	{ MOORE_LOCAL_INTEGRITY, IB_PC_EXT_ERR_LOCALINTEG_F, true },
	{ MOORE_BUFFER_OVERRUN, IB_PC_EXT_ERR_EXCESS_OVR_F, true },
	{ MOORE_VL15_DROPPED, IB_PC_EXT_VL15_DROPPED_F, true },
};

static void
take(struct moore_reading *c, uint8_t counter, uint64_t v, uint64_t greatest)
{
	uint32_t bit = 1u << counter;

	if (c->has & bit || v == greatest)
		return;
	c->has |= bit;
	c->v[counter] = v;
}

static bool
has_wide(const struct seen_perf *s)
{
	return s->cap & (CAP_EXT | CAP_EXT_NO_IETF) && !s->ext_refused;
}

static void
take_narrow(const struct seen_perf *s, struct moore_reading *c, uint8_t *data)
{
	for (size_t i = 0; i < ARRAY_LEN(narrow); i++)
		if (narrow[i].counter == MOORE_XMIT_WAIT ? s->cap & CAP_XMIT_WAIT :
		    narrow[i].counter > MOORE_XMIT_WAIT || !has_wide(s))
			take(c, narrow[i].counter, mad_get_field(data, 0, narrow[i].f),
			     UINT64_MAX >> (64 - narrow[i].bits));
}

static void
take_wide(const struct seen_perf *s, struct moore_reading *c, uint8_t *data)
{
	for (size_t i = 0; i < ARRAY_LEN(wide); i++)
		if (!wide[i].error || s->cap2 & CAP2_EXT_ERRORS)
			take(c, wide[i].counter, mad_get_field64(data, 0, wide[i].f), UINT64_MAX);
}

static void
ask(struct mad_batch *b, uint32_t to, uint16_t attr, uint32_t port, uint32_t tag)
{
	mad_add(b, (struct mad_ask){ .to = to, .mod = port, .tag = tag, .attr = attr,
				     .class = MAD_PERF });
}

static void
ask_port(struct mad_batch *b, const struct seen_perf *s, uint32_t to, uint32_t port, uint32_t tag)
{
	if (has_wide(s))
		ask(b, to, IB_GSI_PORT_COUNTERS_EXT, port, tag);
	if (!has_wide(s) || !(s->cap2 & CAP2_EXT_ERRORS))
		ask(b, to, IB_GSI_PORT_COUNTERS, port, tag);
}

static void
ask_ports(struct mad_batch *b, const struct reading *r, uint32_t to, uint32_t tag)
{
	const struct seen_switch *s = &r->s->sw[tag];

	if (r->hosts) {
		ask_port(b, perf_of(r, tag), to, r->s->ep[tag].ca_port, tag);
		return;
	}
	for (uint32_t k = 1; k <= s->n_ports; k++) {
		if (!s->port[k].role)
			continue;
		r->p->n_asked++;
		ask_port(b, &s->perf, to, k, tag);
	}
}

static void
class_info(struct mad_batch *b, const struct mad_ask *q, const struct reading *r,
	   const uint8_t *data, unsigned status)
{
	struct seen_perf *s = perf_of(r, q->tag);
	uint16_t cap;
	uint32_t cap2;

	/* A device that does not answer this is not asked for its ports. */
	if (!data && !status)
		return;
	if (data) {
		memcpy(&cap, data + 2, sizeof(cap));
		memcpy(&cap2, data + 4, sizeof(cap2));
		s->cap = be16toh(cap);
		s->cap2 = be32toh(cap2) >> 5;	/* the rest is RespTimeValue */
		s->known = true;
	}
	ask_ports(b, r, q->to, q->tag);
}

/* Counts endpoints without an answer; the reading ends after SILENT_MAX of them. */
static void
note_host(struct mad_batch *b, struct reading *r, uint32_t tag, bool answered)
{
	struct seen_endpoint *e = &r->s->ep[tag];

	if (answered) {
		e->silent = 0;
		return;
	}
	if (e->silent < SILENT_DOUBLINGS)
		e->silent++;
	b->enough |= ++r->silent >= SILENT_MAX;
}

static void
on_counters(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct reading *r = b->arg;
	struct seen_perf *s = perf_of(r, q->tag);
	struct moore_reading *c;
	/* libibmad takes a pointer without const, and does not write there. */
	uint8_t *at = (uint8_t *)(uintptr_t)data;

	if (r->hosts)
		note_host(b, r, q->tag, data || status);
	if (q->attr == CLASS_PORT_INFO) {
		class_info(b, q, r, data, status);
		return;
	}
	c = r->hosts ? &r->p->host[q->tag - r->p->host_first] :
		&r->p->port[r->p->snap->fabric->sw[q->tag].port0 + q->mod];
	if (!data) {
		s->known &= status != 0;
		s->ext_refused |= status && q->attr == IB_GSI_PORT_COUNTERS_EXT;
		return;
	}
	c->at_us = mono_us();
	if (q->attr == IB_GSI_PORT_COUNTERS_EXT)
		take_wide(s, c, at);
	else
		take_narrow(s, c, at);
}

/* Asks the device at this LID for its counters, or first for what it has. */
static void
ask_device(struct mad_batch *b, const struct reading *r, moore_lid lid, uint32_t tag)
{
	uint32_t to;

	if (!lid)
		return;
	to = mad_add_to(b, lid, NULL, 0);
	if (perf_of(r, tag)->known)
		ask_ports(b, r, to, tag);
	else
		ask(b, to, CLASS_PORT_INFO, 0, tag);
}

enum mad_end
read_counters(struct seen *s, const struct ask_with *w, struct poll *p)
{
	struct reading r = { .s = s, .p = p };
	struct mad_batch b = { .answer = on_counters, .arg = &r };
	const struct moore_fabric *f = p->snap->fabric;
	uint64_t from = mono_us();
	enum mad_end end;

	for (uint32_t i = 0; i < s->n_switches; i++)
		ask_device(&b, &r, s->sw[i].lid, i);
	end = ask_beside_looks(&b, w);
	mad_batch_fini(&b);
	for (uint32_t i = 0; i < s->n_switches; i++)
		for (uint32_t k = 1; k <= s->sw[i].n_ports; k++)
			p->n_failed += s->sw[i].port[k].role && !p->port[f->sw[i].port0 + k].at_us;
	p->took_us = (uint32_t)(mono_us() - from);
	return end;
}

void
read_hosts(struct seen *s, const struct ask_with *w, struct poll *p, struct host_turn *turn,
	   uint64_t poll_us)
{
	struct reading r = { .s = s, .p = p, .hosts = true };
	struct mad_batch b = { .answer = on_counters, .arg = &r };
	uint64_t n = (s->n_endpoints * poll_us + HOSTS_US - 1) / HOSTS_US;

	if (turn->at >= s->n_endpoints) {
		turn->at = 0;
		turn->round++;
	}
	if (n > s->n_endpoints - turn->at)
		n = s->n_endpoints - turn->at;
	if (!n || !(p->host = calloc(n, sizeof(*p->host))))
		return;
	p->host_first = turn->at;
	p->n_hosts = (uint32_t)n;
	for (uint32_t i = turn->at; i < turn->at + p->n_hosts; i++)
		if (turn->round % (1u << s->ep[i].silent) == 0)
			ask_device(&b, &r, s->ep[i].lid, i);
	turn->at += p->n_hosts;
	ask_beside_looks(&b, w);
	mad_batch_fini(&b);
}
