// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hardware.c - what switches report of themselves and of their ports, and the VL arbitration
 * tables (IBTA 14.2.5.3, .4, .6 and .9).
 *
 * It is read with the lanes (readback.c): a Get for the switch and for each port in use, and two
 * to four more for the tables of a port, beside a Get for each pair of ports.  A Get that fails
 * leaves what was known. */
#include <stdlib.h>
#include <string.h>

#include "scan/attr.h"

enum { ARB_BLOCK = 32 };

struct seen_hardware {
	uint32_t sw[MOORE_N_SW_VALUES];
	struct hardware_port {
		uint16_t value[MOORE_N_PT_VALUES];
		bool read[MOORE_N_ARB];
		struct moore_arb_entry arb[MOORE_N_ARB][MOORE_ARB_MAX];
	} port[];
};

bool
ask_hardware(struct mad_batch *b, struct seen_switch *s, uint32_t to, uint32_t tag, uint32_t port)
{
	if (!s->hardware &&
	    !(s->hardware = calloc(1, sizeof(*s->hardware) + (s->n_ports + (size_t)1) *
				   sizeof(*s->hardware->port)))) {
		b->oom = true;
		return false;
	}
	if (!port) {
		mad_add_smp(b, to, IB_ATTR_NODE_INFO, 0, tag);
		mad_add_smp(b, to, IB_ATTR_SWITCH_INFO, 0, tag);
	}
	mad_add_smp(b, to, IB_ATTR_PORT_INFO, port, tag);
	return true;
}

static void
take_node(uint32_t *v, const uint8_t *data)
{
	v[MOORE_SW_VENDOR] = attr_field(data, IB_NODE_VENDORID_F);
	v[MOORE_SW_DEVICE] = attr_field(data, IB_NODE_DEVID_F);
	v[MOORE_SW_REVISION] = attr_field(data, IB_NODE_REVISION_F);
}

static void
take_switch(uint32_t *v, const uint8_t *data)
{
	v[MOORE_SW_LFT_CAP] = attr_field(data, IB_SW_LINEAR_FDB_CAP_F);
	v[MOORE_SW_LFT_TOP] = attr_field(data, IB_SW_LINEAR_FDB_TOP_F);
	v[MOORE_SW_MFT_CAP] = attr_field(data, IB_SW_MCAST_FDB_CAP_F);
	v[MOORE_SW_MFT_TOP] = attr_field(data, IB_SW_MCAST_FDB_TOP_F);
	v[MOORE_SW_SL_MAPPING] = attr_field(data, IB_SW_OPT_SLTOVL_MAPPING_F);
}

/* A port without a table of a priority reports the length 0 for it. */
static void
ask_arb(struct mad_batch *b, const struct mad_ask *q, const uint16_t *v)
{
	static const uint8_t block[MOORE_N_ARB] = { [MOORE_ARB_LOW] = 1, [MOORE_ARB_HIGH] = 3 };

	for (unsigned i = 0; i < MOORE_N_ARB; i++) {
		unsigned n = v[i == MOORE_ARB_HIGH ? MOORE_PT_HIGH_CAP : MOORE_PT_LOW_CAP];

		for (unsigned k = 0; k * ARB_BLOCK < n && k < MOORE_ARB_MAX / ARB_BLOCK; k++)
			mad_add_smp(b, q->to, IB_ATTR_VL_ARBITRATION, (block[i] + k) << 16 | q->mod, q->tag);
	}
}

static void
take_port(struct mad_batch *b, const struct mad_ask *q, struct seen_switch *s, const uint8_t *data)
{
	uint16_t *v = s->hardware->port[q->mod].value;
	struct moore_rate rate = attr_rate(data);

	if (!q->mod)
		s->hardware->sw[MOORE_SW_MAPS_SL] = attr_field(data, IB_PORT_CAPMASK_F) & CAP_SL_MAP ? 1 : 0;
	v[MOORE_PT_STATE] = (uint16_t)attr_field(data, IB_PORT_STATE_F);
	v[MOORE_PT_WIDTH] = rate.width;
	v[MOORE_PT_SPEED] = rate.speed;
	v[MOORE_PT_MTU_CAP] = (uint16_t)attr_field(data, IB_PORT_MTU_CAP_F);
	v[MOORE_PT_MTU] = (uint16_t)attr_field(data, IB_PORT_NEIGHBOR_MTU_F);
	v[MOORE_PT_VL_CAP] = moore_lanes_of_code(attr_field(data, IB_PORT_VL_CAP_F));
	v[MOORE_PT_VLS] = moore_lanes_of_code(attr_field(data, IB_PORT_OPER_VLS_F));
	v[MOORE_PT_HIGH_LIMIT] = (uint16_t)attr_field(data, IB_PORT_VL_HIGH_LIMIT_F);
	v[MOORE_PT_HIGH_CAP] = (uint16_t)attr_field(data, IB_PORT_VL_ARBITRATION_HIGH_CAP_F);
	v[MOORE_PT_LOW_CAP] = (uint16_t)attr_field(data, IB_PORT_VL_ARBITRATION_LOW_CAP_F);
	for (unsigned i = MOORE_PT_HIGH_CAP; i <= MOORE_PT_LOW_CAP; i++)
		v[i] = v[i] < MOORE_ARB_MAX ? v[i] : MOORE_ARB_MAX;
	ask_arb(b, q, v);
}

static void
take_arb(struct hardware_port *p, unsigned block, const uint8_t *data)
{
	unsigned which = block > 2 ? MOORE_ARB_HIGH : MOORE_ARB_LOW, from = (block - 1) % 2 * ARB_BLOCK;

	for (unsigned i = 0; i < ARB_BLOCK; i++)
		p->arb[which][from + i] = (struct moore_arb_entry){ data[2 * i] & 15, data[2 * i + 1] };
	p->read[which] = true;
}

void
take_hardware(struct mad_batch *b, const struct mad_ask *q, struct seen_switch *s,
	      const uint8_t *data)
{
	switch (q->attr) {
	case IB_ATTR_NODE_INFO:
		take_node(s->hardware->sw, data);
		break;
	case IB_ATTR_SWITCH_INFO:
		take_switch(s->hardware->sw, data);
		break;
	case IB_ATTR_PORT_INFO:
		take_port(b, q, s, data);
		break;
	case IB_ATTR_VL_ARBITRATION:
		take_arb(&s->hardware->port[q->mod & 0xff], q->mod >> 16, data);
		break;
	}
}

uint64_t
hardware_hash(uint64_t h, const struct seen_switch *s)
{
	return s->hardware ? moore_hash(h, s->hardware, sizeof(*s->hardware) + (s->n_ports + (size_t)1) *
					sizeof(*s->hardware->port)) : h;
}

/* ---- to a snapshot ------------------------------------------------------------------ */

static int
arb_to(const struct hardware_port *p, uint32_t port, struct moore_hardware *to, struct moore_err *err)
{
	int rc = 0;

	for (int i = 0; i < MOORE_N_ARB && !rc; i++)
		if (p->read[i])
			rc = moore_hardware_set_arb(to, port, i, p->arb[i], p->value[i == MOORE_ARB_HIGH ?
						    MOORE_PT_HIGH_CAP : MOORE_PT_LOW_CAP], err);
	return rc;
}

int
hardware_to(const struct seen *s, struct snapshot *to, struct moore_err *err)
{
	int rc = moore_hardware_new(&to->hardware, to->fabric, err);

	for (uint32_t i = 0; i < s->n_switches && !rc; i++) {
		const struct seen_hardware *w = s->sw[i].hardware;

		if (!w)
			continue;
		memcpy(to->hardware->sw[i], w->sw, sizeof(w->sw));
		for (uint32_t k = 0; k <= s->sw[i].n_ports && !rc; k++) {
			const uint32_t port = to->fabric->sw[i].port0 + k;

			memcpy(to->hardware->port[port], w->port[k].value, sizeof(w->port[k].value));
			rc = arb_to(&w->port[k], port, to->hardware, err);
		}
	}
	return rc;
}
