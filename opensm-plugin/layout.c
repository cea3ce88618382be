// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layout.c - compares OpenSM's structures with those that the plugin was compiled for.
 *
 * OpenSM refuses a plugin that was made for another version string, but builds with the same
 * string can differ: between its releases OpenSM keeps the string of the last one and already
 * has the structures of the next, and options of its configure script add members.  OpenSM
 * reports no sizes, so values that are known are compared at the offsets that the compiler
 * used here:
 *   - in osm_opensm_t, pointers from one of its parts to another;
 *   - in nodes, ports, switches, multicast groups and their members, what OpenSM's own functions
 *     write when they make them from a MAD or a record that this file fills in.
 * A member that was replaced by another of the same size is not noticed. */
#include "plugin.h"

#include <opensm/osm_mcast_mgr.h>
#include <opensm/osm_version.h>

#include <malloc.h>
#include <stdio.h>

/* ---- the parts of osm_opensm_t -------------------------------------------- */

/* The pointer at one offset holds the address of the other. */
#define ROW(pointer, part) { #pointer, offsetof(osm_opensm_t, pointer), offsetof(osm_opensm_t, part) }
static const struct {
	const char *name;
	size_t at, to;
} pointers[] = {
	ROW(subn.p_osm, osm_version),
	ROW(subn.sw_guid_tbl.nil.p_left, subn.sw_guid_tbl.nil),
	ROW(subn.port_guid_tbl.nil.p_left, subn.port_guid_tbl.nil),
	ROW(subn.mgrp_mgid_tbl.nil.p_left, subn.mgrp_mgid_tbl.nil),
	ROW(sm.p_subn, subn),
	ROW(sm.p_log, log),
	ROW(sm.p_lock, lock),
	ROW(sm.mad_ctrl.p_stats, stats),
	ROW(sm.ucast_mgr.sm, sm),
	ROW(sm.ucast_mgr.p_subn, subn),
};

static const char *
parts_differ(const osm_opensm_t *osm)
{
	for (size_t i = 0; i < ARRAY_LEN(pointers); i++) {
		const char *held;

		memcpy(&held, (const char *)osm + pointers[i].at, sizeof(held));
		if (held != (const char *)osm + pointers[i].to)
			return pointers[i].name;
	}
	return NULL;
}

/* ---- nodes ------------------------------------------------------------------- */

/* Of the switch that OpenSM makes; TOP is its greatest LID, MLIDS how many groups it forwards. */
enum { PORTS = 3, TOP = 63, MLIDS = 64 };

/* OpenSM reads nothing but the address of the MAD, wherever that lies. */
union request {
	osm_madw_t madw;
	const ib_smp_t *word[2 * sizeof(osm_madw_t) / sizeof(ib_smp_t *)];
};

static const osm_madw_t *
request(union request *r, const ib_smp_t *smp)
{
	for (size_t i = 0; i < ARRAY_LEN(r->word); i++)
		r->word[i] = smp;
	return &r->madw;
}

static const char *
node_differs(osm_node_t *n, const ib_node_info_t *info)
{
	if (malloc_usable_size(n) < sizeof(*n) + PORTS * sizeof(osm_physp_t) ||
	    n->physp_tbl_size != PORTS + 1 || memcmp(&n->node_info, info, sizeof(*info)) != 0)
		return "osm_node_t";
	for (uint8_t i = 0; i <= PORTS; i++) {
		const osm_physp_t *p = &n->physp_table[i];

		if (p->p_node != n || p->port_num != i || p->port_guid != info->port_guid ||
		    !p->healthy || cl_ptr_vector_get_size(&p->slvl_by_port) <= PORTS)
			return "osm_physp_t";
	}
	return NULL;
}

/* ---- multicast groups -------------------------------------------------------- */

enum { MLID = IB_LID_MCAST_END_HO };	/* of the group that OpenSM makes, which has one member */

static const char *
group_differs(const osm_mgrp_box_t *box, const osm_mgrp_t *m, const ib_member_rec_t *rec)
{
	if (!box || box->mlid != MLID || cl_qlist_count(&box->mgrp_list) != 1)
		return "osm_mgrp_box_t";
	return malloc_usable_size((void *)(uintptr_t)m) < sizeof(*m) ||
		cl_qlist_head(&box->mgrp_list) != &m->list_item ||
		memcmp(&m->mcmember_rec, rec, sizeof(*rec)) != 0 ||
		cl_qmap_count(&m->mcm_port_tbl) != 0 ? "osm_mgrp_t" : NULL;
}

/* osm_mgrp_cleanup() takes the member back. */
static const char *
member_differs(osm_mgrp_box_t *box, osm_mgrp_t *m, osm_port_t *port)
{
	osm_mcm_port_t *member = osm_mcm_port_new(port, m);
	cl_qlist_t list;
	cl_qmap_t map;
	bool same;

	if (!member || member->port != port || member->mgrp != m)
		return "osm_mcm_port_t";
	cl_qmap_insert(&m->mcm_port_tbl, port->guid, &member->map_item);
	cl_qlist_insert_tail(&port->mcm_list, &member->list_item);
	same = osm_mcast_make_port_list_and_map(&list, &map, box) == 0 && cl_qlist_count(&list) == 1 &&
		((osm_mcast_work_obj_t *)cl_qlist_head(&list))->p_port == port;
	osm_mcast_drop_port_list(&list);
	return same ? NULL : "osm_mcast_work_obj_t";
}

static const char *
groups_differ(osm_opensm_t *osm, osm_port_t *port)
{
	ib_member_rec_t rec = { .mgid.raw = { 0xff, 'm', 'o', 'o', 'r', 'e' },
		.mlid = cl_hton16(MLID), .sl_flow_hop = cl_hton32(7u << 28) };
	boolean_t dirty = osm->sa.dirty;
	osm_mgrp_t *m = osm_mgrp_new(&osm->subn, rec.mlid, &rec);
	osm_mgrp_box_t *box = osm->subn.mboxes[MLID - IB_LID_MCAST_START_HO];
	const char *where;

	if (!m)
		return "osm_mgrp_t";
	where = group_differs(box, m, &rec);
	if (!where)
		where = member_differs(box, m, port);
	osm_mgrp_cleanup(&osm->subn, m);
	osm->sa.dirty = dirty;	/* as if there had been no group */
	return where;
}

/* ---- ports and switches ------------------------------------------------------ */

static const char *
port_differs(osm_opensm_t *osm, osm_node_t *n, const ib_node_info_t *info)
{
	osm_port_t *p = osm_port_new(info, n);
	const char *where = NULL;

	if (!p || p->p_node != n || p->guid != info->port_guid || p->p_physp != n->physp_table)
		where = "osm_port_t";
	else
		where = groups_differ(osm, p);
	osm_port_delete(&p);
	return where;
}

static bool
table_fits(const osm_mcast_tbl_t *t)
{
	return t->num_ports == PORTS + 1 && t->num_entries == MLIDS && !t->p_mask_tbl;
}

static const char *
switch_differs(osm_node_t *n)
{
	ib_smp_t smp = { .attr_id = IB_MAD_ATTR_SWITCH_INFO };
	ib_switch_info_t *info = ib_smp_get_payload_ptr(&smp);
	union request r;
	osm_switch_t *s;
	bool same;

	info->lin_cap = cl_hton16(0xbfff);
	info->mcast_cap = cl_hton16(MLIDS);
	s = osm_switch_new(n, request(&r, &smp));
	if (!s)
		return "osm_switch_t";
	same = s->p_node == n && s->num_ports == PORTS + 1 &&
		!memcmp(&s->switch_info, info, sizeof(*info)) && s->need_update == 2 &&
		table_fits(&s->mcast_tbl) &&
		!osm_switch_prepare_path_rebuild(s, TOP) && s->max_lid_ho == TOP &&
		s->lft_size > TOP && s->lft[TOP] == OSM_NO_PATH && s->new_lft[TOP] == OSM_NO_PATH;
	osm_switch_delete(&s);
	return same ? NULL : "osm_switch_t";
}

static const char *
objects_differ(osm_opensm_t *osm)
{
	ib_smp_t smp = { .attr_id = IB_MAD_ATTR_NODE_INFO };
	ib_node_info_t *info = ib_smp_get_payload_ptr(&smp);
	const char *where;
	union request r;
	osm_node_t *n;

	info->node_type = IB_NODE_TYPE_SWITCH;
	info->num_ports = PORTS;
	info->node_guid = info->port_guid = cl_hton64(0x4d6f6f7265);
	n = osm_node_new(request(&r, &smp));
	if (!n)
		return "osm_node_t";
	where = node_differs(n, info);
	if (!where)
		where = port_differs(osm, n, info);
	if (!where)
		where = switch_differs(n);
	osm_node_delete(&n);
	return where;
}

/* ---- the verdict ------------------------------------------------------------ */

/* OpenSM's log, if its part sm holds the pointers that it should hold, but at other offsets;
 * else NULL. */
static osm_log_t *
moved_log(const osm_opensm_t *osm)
{
	enum { FAR = 8192 };
	const char *at = (const char *)osm + offsetof(osm_opensm_t, sm);
	const char *end = (const char *)(osm + 1) + FAR;

	for (ptrdiff_t moved = -FAR; moved <= FAR; moved += (ptrdiff_t)sizeof(void *)) {
		const char *subn, *log;

		memcpy(&subn, at + moved + offsetof(osm_sm_t, p_subn), sizeof(subn));
		memcpy(&log, at + moved + offsetof(osm_sm_t, p_log), sizeof(log));
		if (subn == (const char *)&osm->subn && log > at + moved && log < end)
			return (osm_log_t *)(uintptr_t)log;
	}
	return NULL;
}

bool
mplug_layout_fits(osm_opensm_t *osm)
{
	const char *where = parts_differ(osm);
	osm_log_t *log = where ? moved_log(osm) : &osm->log;
	char text[256];

	if (!where)
		where = objects_differ(osm);
	if (!where)
		return true;
	snprintf(text, sizeof(text), "moore: ERR MR%02d: the plugin was built for another %s than "
		 "this one: %s differs: build it with \"make OPENSM=PREFIX\", where PREFIX is the one "
		 "of this OpenSM\n", MPLUG_MR_LAYOUT, OSM_VERSION, where);
	if (log)
		osm_log(log, OSM_LOG_ERROR, "%s", text);
	else
		fputs(text, stderr);
	return false;
}
