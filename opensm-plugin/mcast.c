// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mcast.c - builds the tree of a multicast group, whose turns belong to the same acyclic
 * set as those of the unicast routes.
 *
 * OpenSM calls this under its lock, at sweeps and at joins between sweeps, after it has
 * cleared the group's entries.  The tree comes from the last accepted routes, and
 * OpenSM's switches are found by GUID.  No osm_mtree is built: OpenSM sends the
 * multicast tables and nothing else.
 * Elsewhere: what happens while a tree changes (trees.c). */
#include "plugin.h"

#include <opensm/osm_mcast_mgr.h>

struct group {
	struct mplug_sm *sm;
	uint16_t mlid;
	moore_swid *member;	/* switches of the members, with repeats */
	osm_physp_t **at;	/* the switch port of each member; port 0 for a switch */
	size_t n;
	uint8_t *parent;	/* for each switch, the port towards the root */
	uint64_t (*mask)[4];	/* for each switch, the ports of the tree */
};

static osm_switch_t *
switch_now(const struct group *g, moore_swid s)
{
	return osm_get_switch_by_guid(&g->sm->osm->subn, cl_hton64(g->sm->good->sw[s].guid));
}

/* The switch port that a member is linked to; port 0 if the member is a switch. */
static osm_physp_t *
seat(const osm_port_t *port)
{
	if (port->p_node->sw)
		return osm_node_get_physp_ptr(port->p_node, 0);
	return port->p_physp ? port->p_physp->p_remote_physp : NULL;
}

static void
add_member(struct group *g, const osm_port_t *port)
{
	osm_physp_t *at = seat(port);
	moore_swid s = MOORE_NONE;

	if (at && at->p_node->sw)
		s = mplug_switch_by_guid(g->sm->good, cl_ntoh64(osm_node_get_node_guid(at->p_node)));
	if (s == MOORE_NONE) {
		mplug_log_err(g->sm, MPLUG_MR_MCAST_SWITCH, "multicast group 0x%x: member 0x%016"
			      PRIx64 " is on no switch of the present routes: it is left out "
			      "until they are computed again", g->mlid, cl_ntoh64(port->guid));
		return;
	}
	if (!osm_switch_supports_mcast(at->p_node->sw)) {
		mplug_log_err(g->sm, MPLUG_MR_MCAST_SWITCH, "multicast group 0x%x: switch %s does "
			      "not support multicast: its members are left out", g->mlid,
			      g->sm->good->sw[s].name);
		return;
	}
	g->member[g->n] = s;
	g->at[g->n++] = at;
}

static void
set_port(const struct group *g, moore_swid s, unsigned port)
{
	g->mask[s][port / 64] |= UINT64_C(1) << port % 64;
}

/* Sets the two entries of the link from s to its parent.  Returns false if that port no
 * longer leads there, or if an end does not support multicast. */
static bool
set_link(const struct group *g, moore_swid s)
{
	const struct moore_port *p = moore_fabric_port(g->sm->good, s, g->parent[s]);
	osm_switch_t *a = switch_now(g, s), *b = switch_now(g, p->peer);
	osm_physp_t *here = a ? osm_node_get_physp_ptr(a->p_node, g->parent[s]) : NULL;

	if (!here || !b || !here->p_remote_physp || here->p_remote_physp->p_node->sw != b ||
	    !osm_switch_supports_mcast(a) || !osm_switch_supports_mcast(b))
		return false;
	set_port(g, s, g->parent[s]);
	set_port(g, p->peer, here->p_remote_physp->port_num);
	return true;
}

static void
set_tree(const struct group *g)
{
	const struct moore_fabric *f = g->sm->good;

	for (moore_swid s = 0; s < f->n_switches; s++)
		if (g->parent[s] != 0 && g->parent[s] != MOORE_NO_PATH && !set_link(g, s))
			mplug_log_err(g->sm, MPLUG_MR_MCAST_TREE, "multicast group 0x%x: its tree "
				      "needs port %u of %s, which is gone or leads to a switch "
				      "without multicast: members behind it are cut off", g->mlid,
				      g->parent[s], f->sw[s].name);
	for (size_t i = 0; i < g->n; i++)
		if (g->parent[g->member[i]] != MOORE_NO_PATH)
			set_port(g, g->member[i], g->at[i]->port_num);
}

/* Copies the masks into OpenSM's tables. */
static void
publish(const struct group *g)
{
	for (moore_swid s = 0; s < g->sm->good->n_switches; s++) {
		osm_switch_t *sw = switch_now(g, s);

		for (unsigned p = 0; sw && p < sw->num_ports; p++)
			if (g->mask[s][p / 64] >> p % 64 & 1)
				osm_mcast_tbl_set(osm_switch_get_mcast_tbl_ptr(sw), g->mlid, (uint8_t)p);
	}
}

static ib_api_status_t
build_group(struct group *g, cl_qlist_t *ports)
{
	const struct moore_engine_result *r = g->sm->result;
	size_t n_max = cl_qlist_count(ports);
	struct moore_err err;
	int rc;

	g->member = calloc(n_max, sizeof(*g->member));
	g->at = calloc(n_max, sizeof(*g->at));
	g->parent = calloc((size_t)g->sm->good->n_switches + 1, 1);
	if (!g->member || !g->at || !g->parent)
		return IB_INSUFFICIENT_MEMORY;
	for (cl_list_item_t *i = cl_qlist_head(ports); i != cl_qlist_end(ports);
	     i = cl_qlist_next(i))
		add_member(g, ((osm_mcast_work_obj_t *)i)->p_port);
	if (g->n < 2)
		return IB_SUCCESS;
	rc = moore_route_mcast(r->route, g->mlid, g->member, g->n, g->parent, &err);
	if (rc < 0)
		mplug_log_err(g->sm, rc == -MOORE_ENOMEM ? MPLUG_MR_NOMEM : MPLUG_MR_MCAST_TREE,
			      "multicast group 0x%x: %s", g->mlid, err.text);
	if (rc < 0 && rc != -MOORE_EUNREACH)
		return IB_ERROR;
	set_tree(g);
	return IB_SUCCESS;
}

/* True if the SL of every group of this MLID is safe.  Under sl-hint only the SLs of
 * table A are right for every tree. */
static bool
safe_sl(const struct group *g, const osm_mgrp_box_t *mbox)
{
	const struct mplug_sm *sm = g->sm;

	for (cl_list_item_t *i = cl_qlist_head(&mbox->mgrp_list);
	     sm->result->sl_set && i != cl_qlist_end(&mbox->mgrp_list); i = cl_qlist_next(i)) {
		const osm_mgrp_t *m = (const osm_mgrp_t *)(const void *)
			((const char *)i - offsetof(osm_mgrp_t, list_item));
		uint8_t sl;

		ib_member_get_sl_flow_hop(m->mcmember_rec.sl_flow_hop, &sl, NULL, NULL);
		if (moore_lane_hint_group(&sm->settings.conf.lanes, sl))
			continue;
		mplug_log_err(g->sm, MPLUG_MR_GROUP_SL, "multicast group 0x%x is on SL %u, which is "
			      "not safe for groups under profile sl-hint: it gets no tree: create it "
			      "on SL 0, or 4c of a class c in use (sl= in partitions.conf)", g->mlid, sl);
		return false;
	}
	return true;
}

static ib_api_status_t
find_tree(struct group *g, osm_mgrp_box_t *mbox)
{
	ib_api_status_t status = IB_SUCCESS;
	cl_qlist_t ports;
	cl_qmap_t map;

	if (osm_mcast_make_port_list_and_map(&ports, &map, mbox))
		status = IB_INSUFFICIENT_MEMORY;
	else if (cl_qlist_count(&ports) >= 2 && g->sm->result && safe_sl(g, mbox))
		status = build_group(g, &ports);
	osm_mcast_drop_port_list(&ports);
	free(g->member);
	free(g->at);
	free(g->parent);
	return status;
}

int
mplug_mcast_masks(struct mplug_sm *sm, osm_mgrp_box_t *mbox, uint64_t (*mask)[4])
{
	struct group g = { .sm = sm, .mlid = mbox->mlid, .mask = mask };

	return find_tree(&g, mbox) == IB_SUCCESS ? 0 : -1;
}

ib_api_status_t
mplug_mcast_build(void *context, osm_mgrp_box_t *mbox)
{
	struct group g = { .sm = context, .mlid = mbox->mlid };
	ib_api_status_t status;

	if (!g.sm->good)
		return IB_SUCCESS;
	g.mask = calloc((size_t)g.sm->good->n_switches + 1, sizeof(*g.mask));
	if (!g.mask)
		return IB_INSUFFICIENT_MEMORY;
	status = find_tree(&g, mbox);
	if (mplug_trees_soften(g.sm, g.mlid, g.mask) == 0)
		publish(&g);
	else
		status = IB_INSUFFICIENT_MEMORY;	/* the group stays empty */
	free(g.mask);
	return status;
}
