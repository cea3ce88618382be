// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* observe.c - copies OpenSM's switches, ports, links and LIDs into a moore_fabric.
 *
 * Switches and endpoints are sorted by GUID, so that routes do not depend on the order
 * of discovery.  An endpoint is a port of a CA or router that is linked to a switch;
 * CAs linked to each other are ignored.  A link counts if both ends name each other,
 * neither end is down, OpenSM considers it healthy, and it does not flap (flap.c). */
#include "plugin.h"

struct port_list {
	osm_port_t **port;
	uint32_t n;
};

static int
by_switch_guid(const void *a, const void *b)
{
	uint64_t x = cl_ntoh64(osm_node_get_node_guid((*(osm_switch_t *const *)a)->p_node));
	uint64_t y = cl_ntoh64(osm_node_get_node_guid((*(osm_switch_t *const *)b)->p_node));

	return (x > y) - (x < y);
}

static int
by_port_guid(const void *a, const void *b)
{
	uint64_t x = cl_ntoh64((*(osm_port_t *const *)a)->guid);
	uint64_t y = cl_ntoh64((*(osm_port_t *const *)b)->guid);

	return (x > y) - (x < y);
}

osm_physp_t *
mplug_live_peer(const osm_physp_t *p)
{
	osm_physp_t *q = p ? p->p_remote_physp : NULL;

	if (!q || q->p_remote_physp != p || !osm_link_is_healthy(p) ||
	    ib_port_info_get_port_state(&p->port_info) == IB_LINK_DOWN ||
	    ib_port_info_get_port_state(&q->port_info) == IB_LINK_DOWN)
		return NULL;
	return q;
}

bool
mplug_is_active(const osm_physp_t *p)
{
	return p && p->p_remote_physp &&
		ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE &&
		ib_port_info_get_port_state(&p->p_remote_physp->port_info) == IB_LINK_ACTIVE;
}

static uint8_t
least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* The number of lanes that the link at p runs once OpenSM has configured it. */
static uint8_t
lanes_to_be(const struct mplug_sm *sm, const osm_physp_t *p)
{
	return moore_lanes_of_code(osm_physp_calc_link_op_vls(&sm->osm->log, &sm->osm->subn, p,
		ib_port_info_get_op_vls(&p->port_info)));
}

/* The number of lanes to route this link with.  OpenSM masks the SL2VL rows of this sweep
 * by the operational VLs of now, and changes the operational VLs only afterwards.  So a
 * link that runs one lane now is routed with one, even if it is about to gain more; any
 * other link is routed with the lanes that it will run after this sweep.
 * *pending is set when the number of lanes that routes rely on is about to change:
 * then one more sweep has to set SL2VL again. */
static uint8_t
link_lanes(struct mplug_sm *sm, const osm_physp_t *p, const osm_physp_t *q, bool *pending)
{
	uint8_t needed = moore_conf_lanes(&sm->settings.conf);
	uint8_t now = ib_port_info_get_op_vls(&p->port_info);
	uint8_t there = ib_port_info_get_op_vls(&q->port_info);
	uint8_t lanes = lanes_to_be(sm, p);
	uint8_t want = least(lanes, needed);

	*pending |= (now && least(moore_lanes_of_code(now), needed) != want) ||
		(there && least(moore_lanes_of_code(there), needed) != want);
	return now == 1 || there == 1 ? 1 : lanes;
}

/* Adds the link of port p of switch s, if it was left out because it flaps. */
static void
add_flapping(struct moore_fabric *f, moore_swid s, unsigned p, const osm_physp_t *physp)
{
	const osm_physp_t *q = mplug_live_peer(physp);
	moore_swid t;

	if (!q || !q->p_node->sw || !q->port_num ||
	    moore_fabric_port(f, s, (moore_portnum)p)->role != MOORE_ROLE_NONE)
		return;
	t = mplug_switch_by_guid(f, cl_ntoh64(osm_node_get_node_guid(q->p_node)));
	if (t != MOORE_NONE && t != s)
		moore_fabric_link(f, s, (moore_portnum)p, t, q->port_num, 0);
}

void
mplug_observe_op_vls(const struct mplug_sm *sm, struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++) {
		const osm_switch_t *sw = osm_get_switch_by_guid(&sm->osm->subn,
								cl_hton64(f->sw[s].guid));

		for (unsigned p = 1; sw && p <= f->sw[s].n_ports; p++) {
			struct moore_port *port = &f->port[f->sw[s].port0 + p];
			const osm_physp_t *physp = osm_node_get_physp_ptr(sw->p_node, p);

			add_flapping(f, s, p, physp);
			if (port->role && physp)
				port->lanes = lanes_to_be(sm, physp);
		}
	}
}

static int
list_switches(struct mplug_sm *sm, osm_switch_t ***out, uint32_t *n, uint32_t *n_ports)
{
	cl_qmap_t *tbl = &sm->osm->subn.sw_guid_tbl;
	uint32_t i = 0;

	*n_ports = 0;
	*n = (uint32_t)cl_qmap_count(tbl);
	*out = calloc((size_t)*n + 1, sizeof(**out));
	if (!*out)
		return -1;
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m)) {
		(*out)[i] = (osm_switch_t *)m;
		*n_ports += (*out)[i++]->num_ports;
	}
	qsort(*out, *n, sizeof(**out), by_switch_guid);
	return 0;
}

static bool
is_endpoint(const osm_port_t *port)
{
	const osm_physp_t *peer = port->p_node->sw ? NULL : mplug_live_peer(port->p_physp);

	return peer && peer->p_node->sw && peer->port_num;
}

static int
list_endpoints(struct mplug_sm *sm, struct port_list *l)
{
	cl_qmap_t *tbl = &sm->osm->subn.port_guid_tbl;

	l->n = 0;
	l->port = calloc(cl_qmap_count(tbl) + 1, sizeof(*l->port));
	if (!l->port)
		return -1;
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m))
		if (is_endpoint((osm_port_t *)m))
			l->port[l->n++] = (osm_port_t *)m;
	qsort(l->port, l->n, sizeof(*l->port), by_port_guid);
	return 0;
}

/* A port whose LIDs OpenSM has not settled yet counts as having none, so that no two
 * ports claim one LID.  OpenSM reports such a port itself and sweeps again. */
static void
port_lids(struct mplug_sm *sm, const osm_port_t *port, moore_lid *lid, uint8_t *lmc)
{
	uint16_t low, high;

	osm_port_get_lid_range_ho(port, &low, &high);
	*lmc = osm_port_get_lmc(port);
	*lid = 0;
	if (low == 0 || high > MOORE_LID_MAX || low > high || low & ((1u << *lmc) - 1))
		return;
	for (uint32_t l = low; l <= high; l++)
		if (osm_get_port_by_lid_ho(&sm->osm->subn, (uint16_t)l) != port)
			return;
	*lid = low;
}

static int
fill_switch(struct mplug_sm *sm, struct moore_switch *d, osm_switch_t *sw)
{
	osm_physp_t *p0 = osm_node_get_physp_ptr(sw->p_node, 0);
	osm_port_t *port;

	d->guid = cl_ntoh64(osm_node_get_node_guid(sw->p_node));
	d->n_ports = (moore_portnum)(sw->num_ports - 1);
	d->name = moore_strndup(sw->p_node->print_desc, strlen(sw->p_node->print_desc));
	if (!d->name)
		return -1;
	if (!p0)
		return 0;
	d->port_guid = cl_ntoh64(p0->port_guid);
	d->maps_sl = p0->port_info.capability_mask & IB_PORT_CAP_HAS_SL_MAP;
	port = osm_get_port_by_guid(&sm->osm->subn, p0->port_guid);
	if (port)
		port_lids(sm, port, &d->lid, &d->lmc);
	return 0;
}

static int
fill_endpoint(struct mplug_sm *sm, struct moore_fabric *f, moore_epid e, const osm_port_t *port)
{
	struct moore_endpoint *d = &f->ep[e];
	const osm_physp_t *p = port->p_physp, *peer = mplug_live_peer(p);
	const osm_node_t *node = port->p_node;
	bool ignored = false;

	d->guid = cl_ntoh64(port->guid);
	d->node_guid = cl_ntoh64(osm_node_get_node_guid(node));
	d->ca_port = p->port_num;
	d->router = osm_node_get_type(node) == IB_NODE_TYPE_ROUTER;
	port_lids(sm, port, &d->lid, &d->lmc);
	d->name = moore_strndup(node->print_desc, strlen(node->print_desc));
	if (!d->name)
		return -1;
	moore_fabric_attach(f, e, mplug_switch_by_guid(f, cl_ntoh64(
		osm_node_get_node_guid(peer->p_node))), peer->port_num,
		link_lanes(sm, peer, p, &ignored));
	return 0;
}

/* Adds each link between switches once.  A cable from a switch to itself carries no
 * traffic and is left out. */
static void
fill_links(struct mplug_sm *sm, struct mplug_view *v, moore_swid s)
{
	struct moore_fabric *f = v->f;

	for (unsigned n = 1; n <= f->sw[s].n_ports; n++) {
		const osm_physp_t *p = osm_node_get_physp_ptr(v->sw[s]->p_node, n);
		const osm_physp_t *q = mplug_live_peer(p);
		moore_swid t;

		if (!q || !q->p_node->sw || !q->port_num ||
		    mplug_flaps(sm, f->sw[s].guid, (uint8_t)n))
			continue;
		t = mplug_switch_by_guid(f, cl_ntoh64(osm_node_get_node_guid(q->p_node)));
		if (t == MOORE_NONE || t <= s)	/* links are added from the lower index */
			continue;
		moore_fabric_link(f, s, (moore_portnum)n, t, q->port_num,
				  link_lanes(sm, p, q, &v->lanes_pending));
	}
}

static int
fill(struct mplug_sm *sm, struct mplug_view *v, const struct port_list *eps,
     struct moore_err *err)
{
	for (moore_swid s = 0; s < v->f->n_switches; s++)
		if (fill_switch(sm, &v->f->sw[s], v->sw[s]) < 0)
			return moore_fail_nomem(err);
	moore_fabric_layout(v->f);
	for (moore_epid e = 0; e < eps->n; e++)
		if (fill_endpoint(sm, v->f, e, eps->port[e]) < 0)
			return moore_fail_nomem(err);
	for (moore_swid s = 0; s < v->f->n_switches; s++)
		fill_links(sm, v, s);
	return 0;
}

int
mplug_observe(struct mplug_sm *sm, struct mplug_view *out, struct moore_err *err)
{
	struct port_list eps = { NULL, 0 };
	uint32_t n_sw, n_ports;
	int rc;

	*out = (struct mplug_view){ .f = NULL };
	if (list_switches(sm, &out->sw, &n_sw, &n_ports) < 0 || list_endpoints(sm, &eps) < 0) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = moore_fabric_new(&out->f, n_sw, eps.n, n_ports, err)) < 0 ||
	    (rc = mplug_flap_note(sm, out, err)) < 0 || (rc = fill(sm, out, &eps, err)) < 0)
		goto out;
	rc = moore_fabric_seal(out->f, err);
out:
	if (rc < 0) {
		moore_fabric_free(out->f);
		out->f = NULL;
		mplug_view_free(out);
	}
	free(eps.port);
	return rc;
}

void
mplug_view_free(struct mplug_view *v)
{
	free(v->sw);
	v->sw = NULL;
}
