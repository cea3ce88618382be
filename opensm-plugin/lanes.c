// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lanes.c - routes rely only on lanes that the switches really have.
 *
 * OpenSM sends forwarding tables before SL2VL tables, and no SL2VL tables with `qos FALSE`.
 * Its copy of an SL2VL row is zeroed when the row is sent and filled by the answer, so
 * between sweeps the copy is what the switch acknowledged.  A row is met by packets if the
 * port that they leave by is ACTIVE, and the port that sends them to this switch is, too.
 * With `qos TRUE` OpenSM sets all other rows before it activates the ports.
 *
 * Invariant: routes are published if no deadlock is possible while each row that packets
 * meet is either the one that the switch holds or the one that OpenSM is about to set.  If
 * that fails for new routes, links whose rows differ count as having one lane (or two, where
 * the rows differ only in the class): whatever their rows are, the dependencies map onto
 * those of one lane.  Once OpenSM has set the rows, another sweep uses all lanes. */
#include "plugin.h"

/* Of the opensm program; in none of its headers. */
extern int wait_for_pending_transactions(osm_stats_t *stats);

/* Bytes of a row that was asked for and not answered: every SL is dropped. */
#define POISON 0xff

struct rows {			/* the rows of all switches, and those that routes need */
	struct mplug_sm *sm;
	struct moore_fabric *f;		/* sm->newest */
	const struct moore_sl2vl *want;
	ib_slvl_table_t *packed;	/* want->rows, as OpenSM keeps rows */
	osm_switch_t **sw;		/* OpenSM's, in the order of f */
	bool all;			/* also rows that no packet meets yet */
};

static void
rows_fini(struct rows *r)
{
	free(r->packed);
	free(r->sw);
}

static int
rows_init(struct rows *r, struct mplug_sm *sm, const struct moore_sl2vl *want, bool all)
{
	*r = (struct rows){ .sm = sm, .f = sm->newest, .want = want, .all = all };
	r->packed = calloc((size_t)want->n_rows + 1, sizeof(*r->packed));
	r->sw = calloc((size_t)r->f->n_switches + 1, sizeof(*r->sw));
	if (!r->packed || !r->sw) {
		rows_fini(r);
		return -1;
	}
	for (uint32_t i = 0; i < want->n_rows; i++)
		mplug_pack_row(&r->packed[i], &want->rows[i]);
	for (moore_swid s = 0; s < r->f->n_switches; s++)
		r->sw[s] = osm_get_switch_by_guid(&sm->osm->subn, cl_hton64(r->f->sw[s].guid));
	return 0;
}

static const osm_physp_t *
physp_of(const struct rows *r, moore_swid s, unsigned port)
{
	return r->sw[s] ? osm_node_get_physp_ptr(r->sw[s]->p_node, port) : NULL;
}

static bool
is_active(const osm_physp_t *p)
{
	return p && ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE;
}

/* True if packets can enter by port in and leave by port out before OpenSM sets the row. */
static bool
is_met(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	const osm_physp_t *from = physp_of(r, s, in);

	if (r->all || !r->sm->osm->subn.opt.qos)
		return true;
	return is_active(physp_of(r, s, out)) && (!in || (from && is_active(from->p_remote_physp)));
}

static const ib_slvl_table_t *
held_row(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	return osm_physp_get_slvl_tbl(physp_of(r, s, out), (uint8_t)in);
}

static struct moore_sl_row
unpack(const ib_slvl_table_t *t)
{
	struct moore_sl_row row;

	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		row.vl[sl] = sl & 1 ? t->raw_vl_by_sl[sl / 2] & 15 : t->raw_vl_by_sl[sl / 2] >> 4;
	return row;
}

/* The most lanes with which both rows do the same: 1, 2 or `lanes`. */
static uint8_t
lanes_alike(const struct moore_sl_row *a, const struct moore_sl_row *b, uint8_t lanes)
{
	uint8_t mask = moore_lane_mask(lanes);

	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		uint8_t differ = a->vl[sl] ^ b->vl[sl];

		if ((a->vl[sl] == 15) != (b->vl[sl] == 15) || differ & 1)
			return 1;
		if (differ & mask)
			lanes = 2;
	}
	return lanes;
}

/* The lanes with which packets from in to out go as the routes need. */
static uint8_t
lanes_of_row(const struct rows *r, moore_swid s, unsigned in, unsigned out, uint8_t lanes)
{
	const struct moore_sl2vl *w = r->want;
	uint16_t id = w->id[w->base[s] + in * w->width[s] + out];
	struct moore_sl_row held;

	if (in == out || !moore_fabric_port(r->f, s, (moore_portnum)in)->role ||
	    !memcmp(held_row(r, s, in, out), &r->packed[id], sizeof(*r->packed)) ||
	    !is_met(r, s, in, out))
		return lanes;
	held = unpack(held_row(r, s, in, out));
	return lanes_alike(&held, &w->rows[id], lanes);
}

/* The lanes that routes may rely on where packets leave switch s by port out. */
static uint8_t
lanes_out(const struct rows *r, moore_swid s, unsigned out)
{
	uint8_t lanes = moore_fabric_port(r->f, s, (moore_portnum)out)->lanes;

	if (!physp_of(r, s, out) || !r->f->sw[s].maps_sl)
		return lanes;
	for (unsigned in = 0; in <= r->f->sw[s].n_ports && lanes > 1; in++)
		lanes = lanes_of_row(r, s, in, out, lanes);
	return lanes;
}

/* The number of directed links between switches on which routes may rely on fewer lanes than
 * they have, and on fewer than `enough`. */
static size_t
count_fewer(const struct rows *r, uint8_t enough)
{
	size_t n = 0;

	for (moore_swid s = 0; s < r->f->n_switches; s++)
		for (unsigned p = 1; p <= r->f->sw[s].n_ports; p++) {
			const struct moore_port *a = moore_fabric_port(r->f, s, (moore_portnum)p);

			n += a->role == MOORE_ROLE_SWITCH &&
			     lanes_out(r, s, p) < (a->lanes < enough ? a->lanes : enough);
		}
	return n;
}

/* ---- routes that are about to be published ------------------------------------------- */

/* Sets *out to the wanted rows with those held in place of them where packets meet these.
 * -MOORE_EUNSAFE if such a row is unknown. */
static int
make_held(const struct rows *r, struct moore_sl2vl **out, struct moore_err *err)
{
	static const ib_slvl_table_t unknown = { { POISON, POISON, POISON, POISON, POISON, POISON,
		POISON, POISON } };
	struct moore_sl2vl *t;
	int rc = moore_sl2vl_new(&t, r->f, err);

	for (moore_swid s = 0; rc == 0 && s < r->f->n_switches; s++)
		for (unsigned at = 0; rc == 0 && at < r->want->width[s] * (unsigned)r->want->width[s]; at++) {
			moore_portnum in = (moore_portnum)(at / r->want->width[s]);
			moore_portnum to = (moore_portnum)(at % r->want->width[s]);
			struct moore_sl_row row = *moore_sl2vl_get(r->want, s, in, to);

			if (lanes_of_row(r, s, in, to, 15) < 15 && r->f->sw[s].maps_sl && to) {
				row = unpack(held_row(r, s, in, to));
				if (!memcmp(held_row(r, s, in, to), &unknown, sizeof(unknown)))
					rc = moore_fail(err, MOORE_EUNSAFE, 0, "unknown SL2VL rows");
			}
			if (rc == 0)
				rc = moore_sl2vl_set(t, s, in, to, &row, err);
		}
	if (rc < 0) {
		moore_sl2vl_free(t);
		t = NULL;
	}
	*out = t;
	return rc;
}

static int
fail_cycle(const struct moore_fabric *f, const struct moore_channel *c, uint32_t len,
	   struct moore_err *err)
{
	return moore_fail(err, MOORE_EUNSAFE, 0, "packets on %u links can wait for one another, the "
			  "first is at \"%s\" port %u", len, f->sw[c->sw].name, c->port);
}

/* Whether routes can deadlock while each row is the held or the wanted one. */
static int
judge_any(const struct rows *r, const struct moore_lft *lft, const struct moore_sl2vl *held,
	  struct moore_err *err)
{
	const struct moore_mix_tables was = { lft, held }, now = { lft, r->want };
	struct moore_mix *m;
	int rc = moore_mix_judge(&m, r->f, &was, &now, err);

	if (rc == 0 && !m->acyclic)
		rc = fail_cycle(r->f, m->cycle, m->cycle_len, err);
	moore_mix_free(m);
	return rc;
}

/* The same under sl-hint, where sources use only the SLs in sls: with all rows held, and
 * with all as wanted. */
static int
judge_hint(const struct rows *r, const struct moore_lft *lft, const struct moore_sl2vl *held,
	   const struct moore_sl_set *sls, struct moore_err *err)
{
	const struct moore_sl2vl *const t[] = { held, r->want };
	const struct moore_check_opts opts = { .sl_set = sls };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(t); i++) {
		struct moore_verdict *v = NULL;

		rc = moore_check(&v, r->f, lft, t[i], NULL, &opts, err);
		if (rc == 0 && !v->acyclic)
			rc = fail_cycle(r->f, &v->cycle[0].from, v->cycle_len, err);
		moore_verdict_free(v);
	}
	return rc;
}

static int
judge(const struct rows *r, const struct moore_lft *lft, const struct moore_sl_set *sls,
      struct moore_err *err)
{
	struct moore_sl2vl *held;
	int rc;

	/* Mixtures of the rows of two tables can only be judged if every source uses any SL. */
	if (sls && r->sm->osm->subn.opt.qos && count_fewer(r, 15))
		return moore_fail(err, MOORE_EUNSAFE, 0, "SL2VL rows are about to change");
	if ((rc = make_held(r, &held, err)) == 0)
		rc = sls ? judge_hint(r, lft, held, sls, err) : judge_any(r, lft, held, err);
	moore_sl2vl_free(held);
	return rc;
}

/* Lowers the lanes of the link at port p of s to those that routes may rely on at both ends. */
static bool
lower_link(struct rows *r, moore_swid s, unsigned p)
{
	struct moore_port *a = &r->f->port[r->f->sw[s].port0 + p], *b;
	uint8_t here, there;

	if (a->role != MOORE_ROLE_SWITCH || a->peer < s)
		return false;
	b = &r->f->port[r->f->sw[a->peer].port0 + a->peer_port];
	here = lanes_out(r, s, p);
	there = lanes_out(r, a->peer, a->peer_port);
	here = there < here ? there : here;
	if (here >= a->lanes)
		return false;
	a->lanes = b->lanes = here;
	return true;
}

int
mplug_lanes_lower(struct mplug_sm *sm, struct mplug_view *v, const struct moore_engine_result *r,
		  struct moore_err *err)
{
	struct rows rows;
	int n = 0;

	if (rows_init(&rows, sm, r->sl2vl, false) < 0)
		return moore_fail_nomem(err);
	if (count_fewer(&rows, 15) && judge(&rows, r->lft, r->sl_set, err) < 0)
		for (moore_swid s = 0; s < v->f->n_switches; s++)
			for (unsigned p = 1; p <= v->f->sw[s].n_ports; p++)
				n += lower_link(&rows, s, p);
	rows_fini(&rows);
	v->lanes_lowered += (unsigned)n;
	v->lanes_pending |= n && sm->osm->subn.opt.qos;
	return n;
}

/* ---- tables that were made for an earlier fabric ------------------------------------- */

/* Makes the SL2VL rows that the last accepted routes need, for the newest fabric. */
static int
rows_for_good(const struct mplug_sm *sm, struct moore_sl2vl **out, struct moore_err *err)
{
	const struct moore_fabric *f = sm->newest;
	const uint32_t *was = moore_route_order(sm->result->route);
	uint32_t *pos;
	int rc;

	*out = NULL;
	if (!sm->result->sl_set)
		return moore_lane_effective(out, f, &sm->settings.conf.lanes, err);
	if (!(pos = calloc((size_t)f->n_switches + 1, sizeof(*pos))))
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_swid o = mplug_switch_by_guid(sm->good, f->sw[s].guid);

		pos[s] = o == MOORE_NONE ? sm->good->n_switches + s : was[o];
	}
	rc = moore_lane_hint_effective(out, f, &sm->settings.conf.lanes, pos, err);
	free(pos);
	return rc;
}

int
mplug_lanes_bear(struct mplug_sm *sm, const struct moore_lft *lft, struct moore_err *err)
{
	struct moore_sl_set *sls = NULL;
	struct moore_sl2vl *want = NULL;
	struct rows rows;
	int rc;

	if ((rc = rows_for_good(sm, &want, err)) < 0 ||
	    (sm->result->sl_set && (rc = mplug_lastgood_sls(&sls, sm->newest, sm->good,
							    sm->result->sl_set, err)) < 0))
		goto out;
	if (rows_init(&rows, sm, want, false) < 0) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	rc = judge(&rows, lft, sls, err);
	rows_fini(&rows);
out:
	moore_sl2vl_free(want);
	moore_sl_set_free(sls);
	return rc;
}

int
mplug_lanes_in_motion(struct mplug_sm *sm, struct moore_sl2vl **want, struct moore_sl2vl **held,
		      struct moore_sl_set **sls, struct moore_err *err)
{
	struct rows rows;
	int rc;

	*held = NULL;
	*sls = NULL;
	if ((rc = rows_for_good(sm, want, err)) < 0 ||
	    (sm->result->sl_set && (rc = mplug_lastgood_sls(sls, sm->newest, sm->good,
							    sm->result->sl_set, err)) < 0))
		return rc;
	if (rows_init(&rows, sm, *want, false) < 0)
		return moore_fail_nomem(err);
	if (count_fewer(&rows, 15))
		rc = make_held(&rows, held, err);
	rows_fini(&rows);
	return rc;
}

/* ---- after OpenSM has sent the rows --------------------------------------------------- */

/* The number of ports whose rows are not those that the routes need. */
static size_t
count_unset(struct mplug_sm *sm)
{
	struct moore_sl2vl *made = NULL;
	struct moore_err err;
	struct rows rows;
	size_t n = 0;

	if (sm->good != sm->newest && rows_for_good(sm, &made, &err) < 0)
		return 0;
	if (rows_init(&rows, sm, made ? made : sm->result->sl2vl, true) == 0) {
		n = count_fewer(&rows, 2);	/* with two, classes share lanes, which is safe */
		rows_fini(&rows);
	}
	moore_sl2vl_free(made);
	return n;
}

void
mplug_lanes_confirm(struct mplug_sm *sm)
{
	size_t n;

	cl_plock_excl_acquire(&sm->osm->lock);
	n = sm->result && sm->osm->subn.opt.qos ? count_unset(sm) : 0;
	if (n) {
		mplug_log_err(sm, MPLUG_MR_IN_FORCE, "SL2VL rows of %zu ports were not acknowledged: "
			      "what is in force is not known to be safe: look for errors of OpenSM "
			      "above", n);
		mplug_ask_again(sm);
	}
	cl_plock_release(&sm->osm->lock);
}

/* ---- what another subnet manager left --------------------------------------------------- */

/* Asks for the rows at port p that packets can meet, and returns how many there are. */
static size_t
ask_rows(struct mplug_sm *sm, osm_node_t *node, const osm_physp_t *p)
{
	const osm_physp_t *p0 = osm_node_get_physp_ptr(node, 0);
	osm_madw_context_t context = { .slvl_context = { osm_node_get_node_guid(node),
		osm_physp_get_port_guid(p), FALSE } };
	size_t n = 0;

	for (uint8_t in = 0; in < osm_node_get_num_physp(node); in++) {
		const osm_physp_t *from = osm_node_get_physp_ptr(node, in);

		if (!from || in == p->port_num ||
		    (in && ib_port_info_get_port_state(&from->port_info) == IB_LINK_DOWN))
			continue;
		memset(osm_physp_get_slvl_tbl(p, in), POISON, sizeof(ib_slvl_table_t));
		if (osm_req_get(&sm->osm->sm, osm_physp_get_dr_path_ptr(p), IB_MAD_ATTR_SLVL_TABLE,
				cl_hton32((uint32_t)in << 8 | p->port_num), FALSE,
				ib_port_info_get_m_key(&p0->port_info), 0, CL_DISP_MSGID_NONE,
				&context) == IB_SUCCESS)
			n++;
	}
	return n;
}

static size_t
ask_switch(struct mplug_sm *sm, osm_node_t *node)
{
	const osm_physp_t *p0 = osm_node_get_physp_ptr(node, 0);
	size_t n = 0;

	if (!p0 || !(p0->port_info.capability_mask & IB_PORT_CAP_HAS_SL_MAP))
		return 0;
	for (unsigned out = 1; out < osm_node_get_num_physp(node); out++) {
		const osm_physp_t *p = osm_node_get_physp_ptr(node, out);

		if (p && p->p_remote_physp && p->p_remote_physp->p_node->sw &&
		    ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE)
			n += ask_rows(sm, node, p);
	}
	return n;
}

void
mplug_lanes_read(struct mplug_sm *sm)
{
	const cl_qmap_t *tbl = &sm->osm->subn.sw_guid_tbl;
	size_t n = 0;

	if (sm->newest && !sm->osm->subn.coming_out_of_standby)
		return;
	cl_plock_excl_acquire(&sm->osm->lock);
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m))
		n += ask_switch(sm, ((osm_switch_t *)m)->p_node);
	cl_plock_release(&sm->osm->lock);
	if (!n)
		return;
	wait_for_pending_transactions(&sm->osm->stats);
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: read %zu SL2VL rows of active ports\n", n);
}
