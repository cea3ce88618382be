/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* fake_opensm.h - a thin fake of OpenSM, for unit tests of the plugin's own files.
 *
 * The structures and complib are OpenSM's own (libopensm-dev).  Only the functions that
 * the opensm program exports to plugins, and that are in no library, are faked.
 * fake_build() fills an osm_opensm_t with the switches, ports, links and LIDs of a plan, as
 * if a subnet manager had discovered them.  What the real OpenSM does with the plugin is
 * tested on ibsim (tests/fabric).  A test program includes this file once. */
#ifndef MOORE_FAKE_OPENSM_H
#define MOORE_FAKE_OPENSM_H

#include <opensm/osm_config.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_mcast_mgr.h>

#include <stdlib.h>
#include <unistd.h>

#include "moore/moore.h"

enum { FAKE_VLS = 4, FAKE_MFT = 64 };	/* OpenSM's code for 8 lanes; multicast groups of a switch */

struct fake {
	osm_opensm_t *osm;
	struct moore_fabric *f;		/* the fabric that OpenSM has "discovered" */
	osm_node_t **sw, **ca;		/* nodes in the order of f */
	osm_port_t *port;		/* ports of the endpoints, then of the switches */
	uint8_t **truth;		/* the rows that each switch of f holds */
	ib_slvl_table_t **lanes;	/* its SL2VL rows: [in * 256 + out] */
	bool *deaf, *mute;		/* switches that get no MAD; that get it and do not answer */
	unsigned reads;			/* blocks that were asked for */
	unsigned sends, activations;	/* how often tables were sent, and links activated */
	unsigned signals;		/* sweeps that were asked for with a signal */
	uint16_t rerouted;		/* the group that was asked for last */
	void (*sent)(void);		/* called after each send */
	char log[16384];		/* every line that was logged */
};

static struct fake fake;
/* Answers a Get of an SL2VL row: fills *t, or returns false where no answer comes.  NULL: the
 * answer is the row in fake.lanes.  OpenSM sets rows there and then this to NULL. */
static bool (*fake_slvl)(const osm_node_t *node, uint8_t in, uint8_t out, ib_slvl_table_t *t);
static unsigned fake_slvl_gets;	/* requests for SL2VL rows so far */
static const external_routing_engine_module_t *fake_engine;
static void *fake_context;
static bool fake_refuses;		/* to register an engine */
static osm_log_level_t fake_level;	/* all levels at which lines were logged */

/* ---- the plugin's files ------------------------------------------------------------ */

static char fake_cache[] = "/tmp/moore-cache-XXXXXX";	/* OpenSM's own would be /var/cache/opensm */

static char fake_conf[64], fake_plan[64];	/* a moore.conf, and a plan that it may name */

static inline const char *
fake_kept(const char *suffix)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/moore-kept.json%s", fake_cache, suffix);
	return path;
}

static void
fake_forget_kept(void)
{
	unlink(fake_kept(""));
	rmdir(fake_kept(""));
}

static void
fake_drop_cache(void)
{
	fake_forget_kept();
	unlink(fake_conf);
	unlink(fake_plan);
	rmdir(fake_cache);
}

__attribute__((constructor)) static void
fake_make_cache(void)
{
	if (!mkdtemp(fake_cache) || setenv("OSM_CACHE_DIR", fake_cache, 1) < 0 ||
	    atexit(fake_drop_cache) != 0)
		abort();
	snprintf(fake_conf, sizeof(fake_conf), "%s/moore.conf", fake_cache);
	snprintf(fake_plan, sizeof(fake_plan), "%s/plan.json", fake_cache);
}

static inline void
fake_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* ---- the functions of the opensm program ----------------------------------------- */

void
osm_log(osm_log_t *log, osm_log_level_t level, const char *fmt, ...)
{
	size_t used = strlen(fake.log);
	va_list ap;

	(void)log;
	fake_level |= level;
	va_start(ap, fmt);
	vsnprintf(fake.log + used, sizeof(fake.log) - used, fmt, ap);
	va_end(ap);
}

osm_switch_t *
osm_get_switch_by_guid(const osm_subn_t *subn, ib_net64_t guid)
{
	cl_map_item_t *m = cl_qmap_get(&subn->sw_guid_tbl, guid);

	return m == cl_qmap_end(&subn->sw_guid_tbl) ? NULL : (osm_switch_t *)m;
}

osm_port_t *
osm_get_port_by_guid(const osm_subn_t *subn, ib_net64_t guid)
{
	cl_map_item_t *m = cl_qmap_get(&subn->port_guid_tbl, guid);

	return m == cl_qmap_end(&subn->port_guid_tbl) ? NULL : (osm_port_t *)m;
}

void
osm_port_get_lid_range_ho(const osm_port_t *port, uint16_t *low, uint16_t *high)
{
	*low = cl_ntoh16(port->p_physp->port_info.base_lid);
	*high = (uint16_t)(*low + (1u << osm_port_get_lmc(port)) - 1);
}

osm_port_t *
osm_get_port_by_lid_ho(const osm_subn_t *subn, uint16_t lid)
{
	for (cl_map_item_t *m = cl_qmap_head(&subn->port_guid_tbl);
	     m != cl_qmap_end(&subn->port_guid_tbl); m = cl_qmap_next(m)) {
		uint16_t low, high;

		osm_port_get_lid_range_ho((osm_port_t *)m, &low, &high);
		if (low && low <= lid && lid <= high)
			return (osm_port_t *)m;
	}
	return NULL;
}

boolean_t
osm_link_is_healthy(const osm_physp_t *p)
{
	return p->healthy && (!p->p_remote_physp || p->p_remote_physp->healthy);
}

uint8_t
osm_physp_calc_link_op_vls(osm_log_t *log, const osm_subn_t *subn, const osm_physp_t *p,
			   uint8_t current)
{
	uint8_t a = ib_port_info_get_vl_cap(&p->port_info);
	uint8_t b = p->p_remote_physp ? ib_port_info_get_vl_cap(&p->p_remote_physp->port_info) : a;
	uint8_t n = a < b ? a : b;

	(void)log;
	(void)current;
	return n < subn->opt.max_op_vls ? n : subn->opt.max_op_vls;
}

/* The structure that is laid out in another way than the plugin was compiled for. */
static enum fake_layout { FAKE_SAME, FAKE_OTHER_NODE, FAKE_OTHER_PHYSP, FAKE_OTHER_PORT,
	FAKE_OTHER_SWITCH, FAKE_OTHER_TABLE, FAKE_OTHER_BOX, FAKE_OTHER_GROUP,
	FAKE_OTHER_MEMBER } fake_layout;

int
osm_mcast_make_port_list_and_map(cl_qlist_t *list, cl_qmap_t *map, osm_mgrp_box_t *box)
{
	cl_qmap_init(map);
	cl_qlist_init(list);
	for (cl_list_item_t *i = cl_qlist_head(&box->mgrp_list); i != cl_qlist_end(&box->mgrp_list);
	     i = cl_qlist_next(i)) {
		osm_mgrp_t *g = (osm_mgrp_t *)((char *)i - offsetof(osm_mgrp_t, list_item));

		for (cl_map_item_t *m = cl_qmap_head(&g->mcm_port_tbl);
		     m != cl_qmap_end(&g->mcm_port_tbl); m = cl_qmap_next(m)) {
			osm_mcast_work_obj_t *w = calloc(1, sizeof(*w));

			if (!w)
				return -1;
			w->p_port = fake_layout == FAKE_OTHER_MEMBER ? NULL : ((osm_mcm_port_t *)m)->port;
			cl_qlist_insert_tail(list, &w->list_item);
		}
	}
	return 0;
}

void
osm_mcast_drop_port_list(cl_qlist_t *list)
{
	while (cl_qlist_count(list))
		free(cl_qlist_remove_head(list));
}

void
osm_mcast_tbl_set(osm_mcast_tbl_t *t, uint16_t mlid, uint8_t port)
{
	(*t->p_mask_tbl)[mlid - 0xc000][port / 16] |= (uint16_t)(1u << port % 16);
}

boolean_t
osm_mcast_tbl_is_port(const osm_mcast_tbl_t *t, uint16_t mlid, uint8_t port)
{
	return (*t->p_mask_tbl)[mlid - 0xc000][port / 16] >> port % 16 & 1;
}

static size_t
fake_bytes(void)
{
	return (size_t)fake.f->lid_top / 64 * 64 + 64;
}

static moore_swid
fake_index(const osm_node_t *n)
{
	moore_swid s = 0;

	while (fake.sw[s] != n)
		s++;
	return s;
}

int
osm_switch_prepare_path_rebuild(osm_switch_t *sw, uint16_t top)
{
	assert_true(top < fake_bytes());
	sw->lft = realloc(sw->lft, fake_bytes());
	sw->new_lft = realloc(sw->new_lft, fake_bytes());
	sw->lft_size = (uint16_t)fake_bytes();
	sw->max_lid_ho = top;
	memset(sw->lft, OSM_NO_PATH, fake_bytes());
	memset(sw->new_lft, OSM_NO_PATH, fake_bytes());
	return 0;
}

/* A switch has a hop table only where a test makes one. */
cl_status_t
osm_switch_set_hops(osm_switch_t *sw, uint16_t lid, uint8_t port, uint8_t hops)
{
	if (!sw->hops)
		return CL_ERROR;
	sw->hops[lid][port] = hops;
	if (hops < sw->hops[lid][0])
		sw->hops[lid][0] = hops;
	return CL_SUCCESS;
}

static void
fake_slvl_get(osm_node_t *node, uint32_t mod)
{
	uint8_t in = (uint8_t)(mod >> 8), out = (uint8_t)mod;
	ib_slvl_table_t t = fake.lanes[fake_index(node)][in * 256 + out];

	fake_slvl_gets++;
	if (!fake_slvl || fake_slvl(node, in, out, &t))
		*osm_physp_get_slvl_tbl(osm_node_get_physp_ptr(node, out), in) = t;
}

/* Answers at once. */
ib_api_status_t
osm_req_get(osm_sm_t *sm, const osm_dr_path_t *path, ib_net16_t attr, ib_net32_t mod,
	    boolean_t find_mkey, ib_net64_t mkey, uint32_t timeout, cl_disp_msgid_t err_msg,
	    const osm_madw_context_t *context)
{
	osm_switch_t *sw = osm_get_switch_by_guid(&fake.osm->subn, context->lft_context.node_guid);
	moore_swid s = fake_index(sw->p_node);
	size_t at = (size_t)cl_ntoh32(mod) * 64;

	(void)sm, (void)path, (void)find_mkey, (void)mkey, (void)err_msg;
	assert_int_equal(timeout, 0);		/* OpenSM's own */
	if (attr == IB_MAD_ATTR_SLVL_TABLE) {
		fake_slvl_get(sw->p_node, cl_ntoh32(mod));
		return IB_SUCCESS;
	}
	assert_int_equal(attr, IB_MAD_ATTR_LIN_FWD_TBL);
	fake.reads++;
	if (!fake.deaf[s] && !fake.mute[s])
		memcpy(sw->lft + at, fake.truth[s] + at, 64);
	return IB_SUCCESS;
}

void osm_sm_reroute_mlid(osm_sm_t *sm, ib_net16_t mlid);

void
osm_sm_reroute_mlid(osm_sm_t *sm, ib_net16_t mlid)
{
	(void)sm;
	fake.rerouted = cl_ntoh16(mlid);
}

void
osm_sm_signal(osm_sm_t *sm, osm_signal_t signal)
{
	(void)sm, (void)signal;
	fake.signals++;
}

int wait_for_pending_transactions(osm_stats_t *stats);

int
wait_for_pending_transactions(osm_stats_t *stats)
{
	(void)stats;
	return 0;
}

volatile unsigned int osm_exit_flag;

int osm_mcast_mgr_process(osm_sm_t *sm, boolean_t all);

int
osm_mcast_mgr_process(osm_sm_t *sm, boolean_t all)
{
	(void)sm, (void)all;
	return 0;
}

int osm_link_mgr_process(osm_sm_t *sm, const uint8_t state);

static void fake_activate(void);

int
osm_link_mgr_process(osm_sm_t *sm, const uint8_t state)
{
	(void)sm;
	fake.activations += state == IB_LINK_ACTIVE;
	if (state == IB_LINK_ACTIVE)
		fake_activate();
	return 0;
}

/* Sends the blocks that differ. */
void
osm_ucast_mgr_set_fwd_tables(osm_ucast_mgr_t *mgr)
{
	(void)mgr;
	fake.sends++;
	for (moore_swid s = 0; s < fake.f->n_switches; s++) {
		osm_switch_t *sw = fake.sw[s]->sw;

		for (size_t at = 0; at < fake_bytes(); at += 64) {
			if (!sw->need_update && !memcmp(sw->lft + at, sw->new_lft + at, 64))
				continue;
			memset(sw->lft + at, 0, 64);
			if (!fake.deaf[s])
				memcpy(fake.truth[s] + at, sw->new_lft + at, 64);
			if (!fake.deaf[s] && !fake.mute[s])
				memcpy(sw->lft + at, sw->new_lft + at, 64);
		}
	}
	if (fake.sent)
		fake.sent();
}

cl_status_t
osm_register_external_routing_engine(osm_opensm_t *osm, const external_routing_engine_module_t *m,
				     void *context)
{
	(void)osm;
	fake_engine = m;
	fake_context = context;
	return fake_refuses ? CL_ERROR : CL_SUCCESS;
}

/* ---- building a discovered fabric --------------------------------------------------- */

static osm_node_t *
fake_node(uint64_t guid, const char *name, unsigned n_ports, uint8_t type)
{
	osm_node_t *n = calloc(1, sizeof(*n) + n_ports * sizeof(osm_physp_t));

	n->node_info.node_guid = cl_hton64(guid);
	n->node_info.node_type = type;
	n->physp_tbl_size = n_ports + 1;
	n->print_desc = strdup(name);
	return n;
}

static void
fake_physp(osm_node_t *n, unsigned port, uint64_t guid)
{
	osm_physp_t *p = &n->physp_table[port];

	p->port_guid = cl_hton64(guid);
	p->port_num = (uint8_t)port;
	p->p_node = n;
	p->healthy = TRUE;
	p->port_info.vl_cap = FAKE_VLS << 4;
	p->port_info.vl_arb_low_cap = p->port_info.vl_arb_high_cap = 8;
	ib_port_info_set_op_vls(&p->port_info, FAKE_VLS);
	ib_port_info_set_port_state(&p->port_info, IB_LINK_DOWN);
	cl_ptr_vector_construct(&p->slvl_by_port);
	cl_ptr_vector_init(&p->slvl_by_port, n->physp_tbl_size, 1);
	for (unsigned in = 0; in < n->physp_tbl_size; in++)
		cl_ptr_vector_set(&p->slvl_by_port, in, calloc(1, sizeof(ib_slvl_table_t)));
}

/* ---- the objects that the plugin has made, to see whether they are laid out as its own ---- */

static void fake_node_free(osm_node_t *n);

osm_node_t *
osm_node_new(const osm_madw_t *madw)
{
	const ib_node_info_t *info = ib_smp_get_payload_ptr((ib_smp_t *)(uintptr_t)madw->p_mad);
	osm_node_t *n = fake_node(0, "", info->num_ports, info->node_type);

	n->node_info = *info;
	for (unsigned i = 0; i < n->physp_tbl_size; i++)
		fake_physp(n, i, cl_ntoh64(info->port_guid));
	if (fake_layout == FAKE_OTHER_NODE)
		n->node_info.num_ports++;
	if (fake_layout == FAKE_OTHER_PHYSP)
		n->physp_table[2].port_num++;
	return n;
}

void
osm_node_delete(osm_node_t **n)
{
	fake_node_free(*n);
	*n = NULL;
}

osm_port_t *
osm_port_new(const ib_node_info_t *info, osm_node_t *n)
{
	osm_port_t *p = calloc(1, sizeof(*p));

	p->p_node = n;
	p->p_physp = n->physp_table + (fake_layout == FAKE_OTHER_PORT);
	p->guid = info->port_guid;
	cl_qlist_init(&p->mcm_list);
	return p;
}

void
osm_port_delete(osm_port_t **p)
{
	free(*p);
	*p = NULL;
}

osm_switch_t *
osm_switch_new(osm_node_t *n, const osm_madw_t *madw)
{
	osm_switch_t *sw = calloc(1, sizeof(*sw));

	memcpy(&sw->switch_info, ib_smp_get_payload_ptr((ib_smp_t *)(uintptr_t)madw->p_mad),
	       sizeof(sw->switch_info));
	sw->p_node = n;
	sw->num_ports = (uint8_t)n->physp_tbl_size;
	sw->need_update = fake_layout == FAKE_OTHER_SWITCH ? 0 : 2;
	sw->mcast_tbl.num_ports = sw->num_ports;
	sw->mcast_tbl.num_entries = fake_layout == FAKE_OTHER_TABLE ? 0 :
		cl_ntoh16(sw->switch_info.mcast_cap);
	return sw;
}

void
osm_switch_delete(osm_switch_t **sw)
{
	free((*sw)->lft);
	free((*sw)->new_lft);
	free(*sw);
	*sw = NULL;
}

osm_mgrp_t *
osm_mgrp_new(osm_subn_t *subn, ib_net16_t mlid, ib_member_rec_t *rec)
{
	osm_mgrp_box_t *box = calloc(1, sizeof(*box));
	osm_mgrp_t *m = calloc(1, sizeof(*m));

	box->mlid = (uint16_t)(cl_ntoh16(mlid) - (fake_layout == FAKE_OTHER_BOX));
	cl_qlist_init(&box->mgrp_list);
	cl_qlist_insert_tail(&box->mgrp_list, &m->list_item);
	cl_qmap_init(&m->mcm_port_tbl);
	m->mlid = mlid;
	if (fake_layout != FAKE_OTHER_GROUP)
		m->mcmember_rec = *rec;
	subn->mboxes[cl_ntoh16(mlid) - IB_LID_MCAST_START_HO] = box;
	return m;
}

osm_mcm_port_t *
osm_mcm_port_new(osm_port_t *port, struct osm_mgrp *m)
{
	osm_mcm_port_t *member = calloc(1, sizeof(*member));

	member->port = port;
	member->mgrp = m;
	return member;
}

void
osm_mgrp_cleanup(osm_subn_t *subn, osm_mgrp_t *m)
{
	void **box = &subn->mboxes[cl_ntoh16(m->mlid) - IB_LID_MCAST_START_HO];

	while (cl_qmap_count(&m->mcm_port_tbl)) {
		cl_map_item_t *member = cl_qmap_head(&m->mcm_port_tbl);

		cl_qmap_remove_item(&m->mcm_port_tbl, member);
		free(member);
	}
	free(m);
	free(*box);
	*box = NULL;
}

static void
fake_link(osm_physp_t *a, osm_physp_t *b)
{
	a->p_remote_physp = b;
	b->p_remote_physp = a;
	ib_port_info_set_port_state(&a->port_info, IB_LINK_INIT);
	ib_port_info_set_port_state(&b->port_info, IB_LINK_INIT);
}

static void
fake_port(osm_port_t *p, osm_node_t *n, osm_physp_t *at, moore_lid lid, uint8_t lmc)
{
	p->p_node = n;
	p->p_physp = at;
	p->guid = at->port_guid;
	at->port_info.base_lid = cl_hton16((uint16_t)lid);
	at->port_info.mkey_lmc = lmc;
	cl_qmap_insert(&fake.osm->subn.port_guid_tbl, p->guid, &p->map_item);
}

static void
fake_switch(moore_swid s)
{
	const struct moore_switch *d = &fake.f->sw[s];
	osm_node_t *n = fake_node(d->guid, d->name, d->n_ports, IB_NODE_TYPE_SWITCH);
	osm_switch_t *sw = calloc(1, sizeof(*sw));
	size_t bytes = fake_bytes();

	for (unsigned p = 0; p <= d->n_ports; p++)
		fake_physp(n, p, d->guid);
	n->physp_table[0].port_info.capability_mask = IB_PORT_CAP_HAS_SL_MAP;
	ib_port_info_set_port_state(&n->physp_table[0].port_info, IB_LINK_ACTIVE);
	n->sw = sw;
	sw->p_node = n;
	sw->num_ports = (uint8_t)(d->n_ports + 1);
	sw->max_lid_ho = (uint16_t)fake.f->lid_top;
	sw->switch_info.mcast_cap = cl_hton16(FAKE_MFT);
	sw->lft = malloc(bytes);
	sw->new_lft = malloc(bytes);
	sw->lft_size = (uint16_t)bytes;
	sw->switch_info.lin_top = cl_hton16((uint16_t)fake.f->lid_top);
	memset(sw->lft, OSM_NO_PATH, bytes);
	memset(sw->new_lft, OSM_NO_PATH, bytes);
	fake.lanes[s] = calloc((d->n_ports + 1u) * 256u, sizeof(**fake.lanes));
	fake.truth[s] = malloc(bytes);
	memset(fake.truth[s], OSM_NO_PATH, bytes);
	sw->mcast_tbl.max_mlid_ho = 0xc000 + FAKE_MFT - 1;
	sw->mcast_tbl.p_mask_tbl = calloc(FAKE_MFT, sizeof(uint16_t) * (IB_MCAST_POSITION_MAX + 1));
	fake.sw[s] = n;
	cl_qmap_insert(&fake.osm->subn.sw_guid_tbl, n->node_info.node_guid, &sw->map_item);
}

static void
fake_links(void)
{
	const struct moore_fabric *f = fake.f;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *at = moore_fabric_port(f, s, (moore_portnum)p);

			if (at->role == MOORE_ROLE_SWITCH)
				fake_link(&fake.sw[s]->physp_table[p],
					  &fake.sw[at->peer]->physp_table[at->peer_port]);
		}
}

/* Takes ownership of f, which must have GUIDs and LIDs. */
static void
fake_build(struct moore_fabric *f)
{
	uint32_t n = f->n_switches + f->n_endpoints;

	fake_forget_kept();
	fake = (struct fake){ .f = f, .osm = calloc(1, sizeof(osm_opensm_t)),
		.sw = calloc(f->n_switches, sizeof(*fake.sw)),
		.ca = calloc(f->n_endpoints + 1, sizeof(*fake.ca)),
		.port = calloc(n, sizeof(*fake.port)),
		.truth = calloc(f->n_switches, sizeof(*fake.truth)),
		.lanes = calloc(f->n_switches, sizeof(*fake.lanes)),
		.deaf = calloc(f->n_switches, sizeof(*fake.deaf)),
		.mute = calloc(f->n_switches, sizeof(*fake.mute)) };
	cl_plock_construct(&fake.osm->lock);
	cl_plock_init(&fake.osm->lock);
	cl_qmap_init(&fake.osm->subn.sw_guid_tbl);
	cl_qmap_init(&fake.osm->subn.port_guid_tbl);
	cl_fmap_init(&fake.osm->subn.mgrp_mgid_tbl, NULL);
	fake.osm->subn.p_osm = fake.osm;
	fake.osm->sm.p_subn = fake.osm->sm.ucast_mgr.p_subn = &fake.osm->subn;
	fake.osm->sm.p_log = &fake.osm->log;
	fake.osm->sm.p_lock = &fake.osm->lock;
	fake.osm->sm.mad_ctrl.p_stats = &fake.osm->stats;
	fake.osm->sm.ucast_mgr.sm = &fake.osm->sm;
	fake.osm->subn.opt.qos = TRUE;
	fake.osm->subn.opt.max_op_vls = FAKE_VLS;
	fake.osm->subn.sm_port_guid = cl_hton64(f->ep[0].guid);
	fake.osm->no_fallback_routing_engine = TRUE;
	for (moore_swid s = 0; s < f->n_switches; s++)
		fake_switch(s);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *d = &f->ep[e];
		osm_node_t *ca = fake.ca[e] = fake_node(d->node_guid, d->name, 1, IB_NODE_TYPE_CA);

		fake_physp(ca, 1, d->guid);
		fake_link(&ca->physp_table[1], &fake.sw[d->sw]->physp_table[d->port]);
		fake_port(&fake.port[e], ca, &ca->physp_table[1], d->lid, d->lmc);
	}
	for (moore_swid s = 0; s < f->n_switches; s++)
		fake_port(&fake.port[f->n_endpoints + s], fake.sw[s], &fake.sw[s]->physp_table[0],
			  f->sw[s].lid, f->sw[s].lmc);
	fake_links();
}

static void
fake_node_free(osm_node_t *n)
{
	for (unsigned p = 0; p < n->physp_tbl_size; p++) {
		cl_ptr_vector_t *v = &n->physp_table[p].slvl_by_port;

		for (unsigned in = 0; n->physp_table[p].port_guid && in < n->physp_tbl_size; in++)
			free(cl_ptr_vector_get(v, in));
		if (n->physp_table[p].port_guid)
			cl_ptr_vector_destroy(v);
	}
	if (n->sw) {
		free(n->sw->lft);
		free(n->sw->new_lft);
		free(n->sw->mcast_tbl.p_mask_tbl);
		free(n->sw);
	}
	free(n->print_desc);
	free(n);
}

static void
fake_free(void)
{
	cl_plock_destroy(&fake.osm->lock);
	for (moore_swid s = 0; s < fake.f->n_switches; s++) {
		fake_node_free(fake.sw[s]);
		free(fake.lanes[s]);
		free(fake.truth[s]);
	}
	free(fake.lanes);
	free(fake.truth);
	free(fake.deaf);
	free(fake.mute);
	for (moore_epid e = 0; e < fake.f->n_endpoints; e++)
		fake_node_free(fake.ca[e]);
	moore_fabric_free(fake.f);
	free(fake.sw);
	free(fake.ca);
	free(fake.port);
	free(fake.osm);
}

/* The engine's callbacks; set by the test. */
static struct osm_routing_engine re;

extern osm_event_plugin_t osm_event_plugin;

struct mplug_sm;
void mplug_early_end(struct mplug_sm *sm);	/* opensm-plugin/plugin.h */

/* Loads the plugin with fake_conf, as OpenSM does when it starts.  Returns its context. */
static inline void *
fake_load(void)
{
	static char options[128];
	void *sm;

	snprintf(options, sizeof(options), "moore_conf=%s", fake_conf);
	fake.osm->subn.opt.event_plugin_options = options;
	sm = osm_event_plugin.create(fake.osm);
	mplug_early_end(sm);	/* the thread ends here, so each run is the same */
	assert_non_null(sm);
	assert_int_equal(fake_engine->setup(&re, fake.osm), 0);
	return sm;
}

/* Ends it in the order in which OpenSM does: engines first. */
static inline void
fake_unload(void *sm)
{
	re.destroy(fake_context);
	osm_event_plugin.delete(sm);
}

/* Does what OpenSM does after the routes: sets the rows that differ from its copy.  Returns
 * their number. */
static inline size_t
fake_set_lanes(void)
{
	static const uint8_t mask[] = { 15, 0, 1, 3, 7, 15, 15, 15 };
	size_t n = 0;

	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned out = 1, in; out <= fake.f->sw[s].n_ports; out++) {
			osm_physp_t *p = &fake.sw[s]->physp_table[out];
			uint8_t m = mask[ib_port_info_get_op_vls(&p->port_info) % 8];

			if (!fake.sw[s]->physp_table[0].port_info.capability_mask ||
			    ib_port_info_get_port_state(&p->port_info) == IB_LINK_DOWN)
				continue;
			for (in = 0; in <= fake.f->sw[s].n_ports; in++) {
				ib_slvl_table_t *old = osm_physp_get_slvl_tbl(p, (uint8_t)in), t = *old;

				re.update_sl2vl(fake_context, p, (uint8_t)in, (uint8_t)out, &t);
				for (unsigned i = 0; i < 8; i++) {
					unsigned a = t.raw_vl_by_sl[i] >> 4, b = t.raw_vl_by_sl[i] & 15u;

					t.raw_vl_by_sl[i] = (uint8_t)((a == 15 ? a : a & m) << 4 |
								      (b == 15 ? b : b & m));
				}
				n += p->need_update || fake.osm->subn.need_update ||
					memcmp(old, &t, sizeof(t));
				*old = fake.lanes[s][in * 256 + out] = t;
			}
		}
	fake_slvl = NULL;
	return n;
}

/* Sets the operational VLs and activates the links. */
static void
fake_activate(void)
{
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned n = 1; n < fake.sw[s]->physp_tbl_size; n++) {
			osm_physp_t *p = &fake.sw[s]->physp_table[n], *q = p->p_remote_physp;

			if (!q || ib_port_info_get_port_state(&p->port_info) == IB_LINK_DOWN ||
			    ib_port_info_get_port_state(&q->port_info) == IB_LINK_DOWN)
				continue;
			ib_port_info_set_op_vls(&p->port_info, osm_physp_calc_link_op_vls(NULL,
						&fake.osm->subn, p, 0));
			ib_port_info_set_port_state(&p->port_info, IB_LINK_ACTIVE);
			ib_port_info_set_port_state(&q->port_info, IB_LINK_ACTIVE);
		}
}

/* Does what OpenSM does after a routing. */
static inline void
fake_configure_ports(void)
{
	if (fake.osm->subn.opt.qos)
		fake_set_lanes();
	fake_activate();
}

static inline void
fake_relink(moore_swid s, unsigned port, moore_swid t, unsigned there)
{
	osm_physp_t *p = &fake.sw[s]->physp_table[port], *q = &fake.sw[t]->physp_table[there];

	fake_link(p, q);
	ib_port_info_set_port_state(&p->port_info, IB_LINK_INIT);
	ib_port_info_set_port_state(&q->port_info, IB_LINK_INIT);
}

/* Does what OpenSM does between two routings: sends the rows and empties new_lft. */
static inline void
fake_next_sweep(void)
{
	osm_ucast_mgr_set_fwd_tables(NULL);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memset(fake.sw[s]->sw->new_lft, OSM_NO_PATH, fake_bytes());
	fake.osm->subn.force_heavy_sweep = FALSE;
	fake.log[0] = '\0';
}

static inline void
fake_cut(moore_swid s, unsigned port)
{
	osm_physp_t *p = &fake.sw[s]->physp_table[port], *q = p->p_remote_physp;

	ib_port_info_set_port_state(&p->port_info, IB_LINK_DOWN);
	ib_port_info_set_port_state(&q->port_info, IB_LINK_DOWN);
	p->p_remote_physp = q->p_remote_physp = NULL;
}

#endif
