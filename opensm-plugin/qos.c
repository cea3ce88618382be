// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* qos.c - SL2VL tables and VL arbitration.
 *
 * Under any-sl the VL depends on the role of the in-port and the class of the SL; under
 * sl-hint also on the order of the last accepted routes (moore/lane.h).  What takes an entry turn of these
 * routes counts as coming from an endpoint.  Unicast and multicast share these tables.  VL arbitration gives
 * every lane in use equal weight.
 *
 * The plugin sets only the external ports of switches: how a CA or a router injects, and
 * what leaves through port 0, do not matter to the proof (docs/theory.md). */
#include "plugin.h"

/* The unit is 64 bytes: one packet of the largest MTU, 4096 bytes, goes before the next
 * lane's. */
#define VLARB_WEIGHT 64

void
mplug_pack_row(ib_slvl_table_t *t, const struct moore_sl_row *row)
{
	for (unsigned i = 0; i < sizeof(t->raw_vl_by_sl); i++)
		t->raw_vl_by_sl[i] = (uint8_t)(row->vl[2 * i] << 4 | row->vl[2 * i + 1]);
}

uint8_t
mplug_entry(const struct mplug_sm *sm, moore_swid s, uint8_t port)
{
	return sm->result ? mplug_lastgood_entry(sm->newest, s, port, sm->good,
						 moore_route_entries(sm->result->route)) : 0;
}

/* Under sl-hint: the row that the last accepted routes were checked with.  Returns false
 * if their fabric does not have these ports in use. */
static bool
hinted_row(const struct mplug_sm *sm, uint64_t guid, uint8_t in, uint8_t out,
	   struct moore_sl_row *row)
{
	moore_swid s = mplug_switch_by_guid(sm->good, guid);

	if (s == MOORE_NONE || in > sm->good->sw[s].n_ports || out > sm->good->sw[s].n_ports ||
	    !moore_fabric_port(sm->good, s, in)->role || !moore_fabric_port(sm->good, s, out)->role)
		return false;
	*row = moore_lane_hint_row(sm->good, &sm->settings.conf.lanes,
				   moore_route_order(sm->result->route),
				   moore_route_entries(sm->result->route), s, in, out);
	return true;
}

/* The row that (in, out) should hold.  If the in-port is down or its peer is unknown, that
 * is the row that OpenSM believes the switch holds, so that a flapping link costs no MADs. */
static void
wanted(const struct mplug_sm *sm, const osm_physp_t *physp, moore_swid s, uint8_t in,
       uint8_t out, ib_slvl_table_t *t)
{
	enum moore_role role = MOORE_ROLE_NONE;
	bool hinted = sm->result && sm->result->sl_set;
	struct moore_sl_row row;

	if (s != MOORE_NONE && in <= sm->newest->sw[s].n_ports)
		role = moore_fabric_port(sm->newest, s, in)->role;
	if (role == MOORE_ROLE_SWITCH && out <= sm->newest->sw[s].n_ports &&
	    moore_lane_enters(mplug_entry(sm, s, in), mplug_entry(sm, s, out)))
		role = MOORE_ROLE_ENDPOINT;
	if (role == MOORE_ROLE_NONE ||
	    (hinted && !hinted_row(sm, sm->newest->sw[s].guid, in, out, &row)))
		*t = *osm_physp_get_slvl_tbl(physp, in);
	else if (hinted)
		mplug_pack_row(t, &row);
	else
		*t = sm->rows.of_role[role];
}

void
mplug_rows_prepare(struct mplug_sm *sm)
{
	sm->rows.sw = MOORE_NONE;
	for (unsigned role = 0; role < ARRAY_LEN(sm->rows.of_role); role++) {
		struct moore_sl_row row = { { 0 } };

		for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
			if (sm->settings.conf.profile != MOORE_PROFILE_ONE_VL)
				row.vl[sl] = moore_lane_any_sl(&sm->settings.conf.lanes,
							       (enum moore_role)role, sl);
		mplug_pack_row(&sm->rows.of_role[role], &row);
	}
}

void
mplug_update_sl2vl(void *context, osm_physp_t *physp, uint8_t in, uint8_t out,
		   ib_slvl_table_t *t)
{
	struct mplug_sm *sm = context;
	struct mplug_rows *rows = &sm->rows;
	uint64_t guid;

	if (!physp->p_node->sw || out == 0 || !sm->newest)
		return;
	guid = cl_ntoh64(osm_node_get_node_guid(physp->p_node));
	if (rows->sw == MOORE_NONE || rows->guid != guid)
		rows->sw = mplug_switch_by_guid(sm->newest, rows->guid = guid);
	wanted(sm, physp, rows->sw, in, out, t);
}

/* Blocks 0 and 1 are the low-priority table, 2 and 3 the high-priority one.  Entries with
 * weight 0 are skipped, so with an empty high table the low one serves all lanes in
 * rotation and starves none (IBTA 7.6.9.2).  If the low table has fewer entries than
 * lanes are in use (which the specification excludes for more than one data VL), it
 * takes the lanes of injection, and the high table takes the lanes of transit;
 * VLHighLimit then still lets the low table send. */
void
mplug_update_vlarb(void *context, osm_physp_t *physp, uint8_t port, ib_vl_arb_table_t *block,
		   unsigned length, unsigned number)
{
	const struct mplug_sm *sm = context;
	uint16_t vls = moore_lane_vls(&sm->settings.conf.lanes, moore_lanes_of_code(
		ib_port_info_get_op_vls(&physp->port_info)));
	bool tight = physp->port_info.vl_arb_low_cap < __builtin_popcount(vls);
	uint16_t low = tight ? vls & 0x5555 : vls, high = tight ? vls & 0xaaaa : 0;
	unsigned n = 0;

	if (!physp->p_node->sw || port == 0)
		return;
	memset(block, 0, sizeof(*block));
	for (uint16_t left = number == 0 ? low : number == 2 ? high : 0; left && n < length;
	     left = (uint16_t)(left & (left - 1)))
		block->vl_entry[n++] = (ib_vl_arb_element_t){ (uint8_t)__builtin_ctz(left), VLARB_WEIGHT };
}

/* OpenSM marks all CAs and routers at a switch that reports a change, and would send each all
 * its tables.  A port that is active, and that the last sweep knew, has not been reset since then
 * (see mplug_held_distrust()).  So only tables that differ from OpenSM's copy are sent; the copy
 * is zero where the last answer was lost. */
void
mplug_endpoints_trust(const struct mplug_sm *sm)
{
	cl_qmap_t *tbl = &sm->osm->subn.port_guid_tbl;

	for (cl_map_item_t *m = cl_qmap_head(tbl); sm->newest && m != cl_qmap_end(tbl);
	     m = cl_qmap_next(m)) {
		const osm_port_t *port = (osm_port_t *)m;
		osm_physp_t *p = port->p_physp;

		if (p->need_update && !port->p_node->sw &&
		    ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE &&
		    mplug_endpoint_by_guid(sm->newest, cl_ntoh64(port->guid)) != MOORE_NONE)
			p->need_update = 0;
	}
}

/* Masks two VLs of a row by the operational VLs, as OpenSM does; VL 15 stays. */
static uint8_t
masked(uint8_t pair, uint8_t op_vls)
{
	unsigned mask = op_vls == 0 || op_vls > 5 ? 15u : (1u << (op_vls - 1)) - 1;
	unsigned high = pair >> 4, low = pair & 15u;

	high = high == 15 ? high : high & mask;
	low = low == 15 ? low : low & mask;
	return (uint8_t)(high << 4 | low);
}

static size_t
port_rows(const struct mplug_sm *sm, const osm_physp_t *p, moore_swid s, uint8_t out)
{
	ib_slvl_table_t last = { { 0 } }, last_masked = { { 0 } };	/* most rows are like others */
	uint8_t op_vls = ib_port_info_get_op_vls(&p->port_info);
	unsigned n_in = sm->newest->sw[s].n_ports + 1u;
	size_t n = 0;

	if (p->need_update || sm->osm->subn.need_update)
		return n_in;	/* OpenSM sends all of them, changed or not */
	for (unsigned in = 0; in < n_in; in++) {
		ib_slvl_table_t t;

		wanted(sm, p, s, (uint8_t)in, out, &t);
		if (memcmp(&t, &last, sizeof(t)) != 0) {
			last = t;
			for (size_t i = 0; i < sizeof(t.raw_vl_by_sl); i++)
				last_masked.raw_vl_by_sl[i] = masked(t.raw_vl_by_sl[i], op_vls);
		}
		n += memcmp(&last_masked, osm_physp_get_slvl_tbl(p, (uint8_t)in), sizeof(t)) != 0;
	}
	return n;
}

/* The number of SL2VL rows that OpenSM will send in this sweep, after the routes. */
size_t
mplug_sl2vl_rows_to_set(struct mplug_sm *sm, const struct mplug_view *v)
{
	size_t n = 0;

	for (moore_swid s = 0; s < v->f->n_switches; s++) {
		osm_node_t *node = v->sw[s]->p_node;

		if (!v->f->sw[s].maps_sl)
			continue;
		for (unsigned out = 1; out <= v->f->sw[s].n_ports; out++) {
			osm_physp_t *p = osm_node_get_physp_ptr(node, out);

			if (p && ib_port_info_get_port_state(&p->port_info) != IB_LINK_DOWN)
				n += port_rows(sm, p, s, (uint8_t)out);
		}
	}
	return n;
}
