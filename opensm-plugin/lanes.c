// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lanes.c - routes rely only on lanes that the switches really have.
 *
 * OpenSM sends forwarding tables before SL2VL tables, and no SL2VL tables with `qos FALSE`.
 * Its copy of an SL2VL row is zeroed when the row is sent and filled by the answer, so
 * between sweeps the copy is what the switch acknowledged.  A row is met by packets if the
 * port that they leave by is ACTIVE, and the port that sends them to this switch is, too.
 * With `qos TRUE` OpenSM sets all other rows before it activates the ports.
 *
 * A row must send packets that come from switches, but for entry turns, on other lanes than the others.  The
 * last bit of the VL tells them apart, whatever the class (docs/theory.md, "Classes of service").
 *
 * Invariant: routes rely on two lanes of a link only if all rows that packets meet at both of
 * its ends set that bit right.  Other links count as having one lane: whatever their rows are,
 * the dependencies map onto those of one lane.  Once OpenSM has set the rows, another sweep
 * uses all lanes. */
#include "plugin.h"

/* A row that was asked for and not answered yet: every SL is dropped. */
static const ib_slvl_table_t unknown = { { 255, 255, 255, 255, 255, 255, 255, 255 } };

struct rows {			/* the rows of all switches, and those that routes need */
	const struct mplug_sm *sm;
	struct moore_fabric *f;		/* sm->newest */
	const struct moore_sl2vl *want;
	osm_switch_t **sw;		/* OpenSM's, in the order of f */
	ib_slvl_table_t *packed;	/* want->rows, as OpenSM keeps rows */
	bool all;			/* also rows that no packet meets yet */
	bool carried;			/* only rows at ports that had links in sm->good, since
					 * the last good routes use no others */
};

static void
rows_fini(struct rows *r)
{
	free(r->packed);
	free(r->sw);
}

static int
rows_init(struct rows *r, const struct mplug_sm *sm, const struct moore_sl2vl *want,
	  struct moore_err *err)
{
	*r = (struct rows){ .sm = sm, .f = sm->newest, .want = want };
	r->packed = calloc((size_t)want->n_rows + 1, sizeof(*r->packed));
	r->sw = calloc((size_t)r->f->n_switches + 1, sizeof(*r->sw));
	if (!r->packed || !r->sw) {
		rows_fini(r);
		return moore_fail_nomem(err);
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

/* True if routes may use port p of s. */
static bool
is_used(const struct rows *r, moore_swid s, unsigned p)
{
	const struct moore_fabric *good = r->sm->good;
	moore_swid was;

	if (!moore_fabric_port(r->f, s, (moore_portnum)p)->role)
		return false;
	if (!r->carried)
		return true;
	was = mplug_switch_by_guid(good, r->f->sw[s].guid);
	return was != MOORE_NONE && p <= good->sw[was].n_ports &&
		moore_fabric_port(good, was, (moore_portnum)p)->role;
}

static uint8_t
vl_of(const ib_slvl_table_t *t, unsigned sl)
{
	return sl & 1 ? t->raw_vl_by_sl[sl / 2] & 15 : t->raw_vl_by_sl[sl / 2] >> 4;
}

/* True if both rows give each SL a VL with the same last bit.  SLs that a row drops do not
 * count. */
static bool
parts_alike(const ib_slvl_table_t *held, const ib_slvl_table_t *want)
{
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
		unsigned a = vl_of(held, sl), b = vl_of(want, sl);

		if (a != 15 && b != 15 && (a ^ b) & 1)
			return false;
	}
	return true;
}

static const ib_slvl_table_t *
wanted_row(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	const struct moore_sl2vl *w = r->want;

	return &r->packed[w->id[w->base[s] + in * w->width[s] + out]];
}

static const ib_slvl_table_t *
held_row(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	return osm_physp_get_slvl_tbl(physp_of(r, s, out), (uint8_t)in);
}

static bool
is_right(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	const ib_slvl_table_t *want = wanted_row(r, s, in, out), *held = held_row(r, s, in, out);

	return in == out || !memcmp(held, want, sizeof(*want)) || !is_used(r, s, in) ||
		!is_met(r, s, in, out) || parts_alike(held, want);
}

/* True if routes may rely on the lanes of a link where packets leave switch s by port out. */
static bool
has_lanes(const struct rows *r, moore_swid s, unsigned out)
{
	if (moore_fabric_port(r->f, s, (moore_portnum)out)->lanes < 2 || !r->f->sw[s].maps_sl ||
	    !physp_of(r, s, out))
		return true;
	for (unsigned in = 0; in <= r->f->sw[s].n_ports; in++)
		if (!is_right(r, s, in, out))
			return false;
	return true;
}

/* Calls `what` for each port whose link routes may not rely on; returns their number. */
static size_t
each_wrong(struct rows *r, void (*what)(struct moore_fabric *, moore_swid, unsigned))
{
	size_t n = 0;

	for (moore_swid s = 0; s < r->f->n_switches; s++)
		for (unsigned p = 1; p <= r->f->sw[s].n_ports; p++) {
			if (moore_fabric_port(r->f, s, (moore_portnum)p)->role != MOORE_ROLE_SWITCH ||
			    has_lanes(r, s, p) || !is_used(r, s, p))
				continue;
			n++;
			if (what)
				what(r->f, s, p);
		}
	return n;
}

static void
lower(struct moore_fabric *f, moore_swid s, unsigned p)
{
	struct moore_port *a = &f->port[f->sw[s].port0 + p];

	a->lanes = f->port[f->sw[a->peer].port0 + a->peer_port].lanes = 1;
}

static int
lower_all(struct mplug_sm *sm, struct mplug_view *v, const struct moore_sl2vl *want, bool carried,
	  struct moore_err *err)
{
	struct rows rows;
	size_t n;
	int rc = rows_init(&rows, sm, want, err);

	if (rc < 0)
		return rc;
	rows.carried = carried;
	n = each_wrong(&rows, lower);
	rows_fini(&rows);
	v->lanes_lowered += n;
	v->lanes_pending |= n && sm->osm->subn.opt.qos;
	return n > 0;
}

int
mplug_lanes_lower(struct mplug_sm *sm, struct mplug_view *v, const struct moore_sl2vl *want,
		  struct moore_err *err)
{
	return lower_all(sm, v, want, false, err);
}

/* ---- routes that were made for an earlier fabric -------------------------------------- */

/* Fills the place of each switch in the order of the last accepted routes, and the numbers of ports in
 * their entry turns, for the newest fabric. */
static void
carry_lanes(const struct mplug_sm *sm, uint32_t *pos, uint8_t *entry)
{
	const struct moore_fabric *f = sm->newest;
	const uint32_t *was = moore_route_order(sm->result->route);

	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_swid o = mplug_switch_by_guid(sm->good, f->sw[s].guid);

		pos[s] = o == MOORE_NONE ? sm->good->n_switches + s : was[o];
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++)
			entry[f->sw[s].port0 + p] = mplug_entry(sm, s, (uint8_t)p);
	}
}

/* Makes the SL2VL rows that the last accepted routes need, for the newest fabric. */
static int
rows_for_good(const struct mplug_sm *sm, struct moore_sl2vl **out, struct moore_err *err)
{
	const struct moore_fabric *f = sm->newest;
	uint32_t *pos = calloc((size_t)f->n_switches + 1, sizeof(*pos));
	uint8_t *entry = calloc((size_t)f->n_ports + 1, 1);
	int rc;

	*out = NULL;
	if (pos && entry) {
		carry_lanes(sm, pos, entry);
		rc = moore_lane_hint_effective(out, f, &sm->settings.conf.lanes,
					       sm->result->sl_set ? pos : NULL, entry, err);
	} else {
		rc = moore_fail_nomem(err);
	}
	free(pos);
	free(entry);
	return rc;
}

/* Fails if a link has one lane that had more when the last accepted routes were made: they
 * and the trees of multicast groups may rely on these. */
static int
check_one_lane(const struct mplug_sm *sm, struct moore_err *err)
{
	const struct moore_fabric *f = sm->newest, *good = sm->good;

	for (moore_swid s = 0; s < f->n_switches; s++) {
		moore_swid o = mplug_switch_by_guid(good, f->sw[s].guid);

		for (unsigned p = 1; o != MOORE_NONE && p <= f->sw[s].n_ports &&
		     p <= good->sw[o].n_ports; p++) {
			const struct moore_port *a = moore_fabric_port(f, s, (moore_portnum)p);
			const struct moore_port *was = moore_fabric_port(good, o, (moore_portnum)p);

			if (a->role == MOORE_ROLE_SWITCH && was->role == MOORE_ROLE_SWITCH &&
			    a->lanes < 2 && was->lanes >= 2)
				return moore_fail(err, MOORE_EUNSAFE, 0, "the link at \"%s\" port %u has one "
						  "lane", f->sw[s].name, p);
		}
	}
	return 0;
}

static int
judge(const struct mplug_sm *sm, const struct moore_lft *lft, const struct moore_sl2vl *rows,
      struct moore_err *err)
{
	struct moore_check_opts opts = { .jobs = sm->settings.conf.jobs };
	struct moore_sl_set *sls = NULL;
	struct moore_verdict *v = NULL;
	int rc = 0;

	if (sm->result->sl_set)
		rc = mplug_lastgood_sls(&sls, sm->newest, sm->good, sm->result->sl_set, err);
	opts.sl_set = sls;
	if (rc == 0 && (rc = moore_check(&v, sm->newest, lft, rows, NULL, &opts, err)) == 0 &&
	    !v->acyclic)
		rc = moore_fail(err, MOORE_EUNSAFE, 0, "packets on %u links can wait for one another, "
				"the first is at \"%s\" port %u", v->cycle_len,
				sm->newest->sw[v->cycle[0].from.sw].name, v->cycle[0].from.port);
	moore_verdict_free(v);
	moore_sl_set_free(sls);
	return rc;
}

int
mplug_lanes_bear(struct mplug_sm *sm, struct mplug_view *v, const struct moore_lft *lft,
		 struct moore_err *err)
{
	struct moore_sl2vl *want;
	int rc = rows_for_good(sm, &want, err);

	if (rc == 0 && (rc = lower_all(sm, v, want, true, err)) >= 0 &&
	    (rc = check_one_lane(sm, err)) == 0)
		rc = judge(sm, lft, want, err);
	moore_sl2vl_free(want);
	return rc;
}

/* Returns the row held if it differs from the wanted one and packets meet it, else NULL. */
static const ib_slvl_table_t *
other_row(const struct rows *r, moore_swid s, unsigned in, unsigned out)
{
	const ib_slvl_table_t *held = held_row(r, s, in, out);

	return memcmp(held, wanted_row(r, s, in, out), sizeof(*held)) != 0 && is_used(r, s, in) &&
		is_used(r, s, out) && is_met(r, s, in, out) ? held : NULL;
}

static bool
maps_out(const struct rows *r, moore_swid s, unsigned out)
{
	return r->f->sw[s].maps_sl && physp_of(r, s, out);
}

static bool
some_differ(const struct rows *r)
{
	for (moore_swid s = 0; s < r->f->n_switches; s++)
		for (unsigned out = 1; out <= r->f->sw[s].n_ports; out++)
			for (unsigned in = 0; maps_out(r, s, out) && in <= r->f->sw[s].n_ports; in++)
				if (other_row(r, s, in, out))
					return true;
	return false;
}

/* Sets the rows of t for packets that leave s by port out. */
static int
put_held(const struct rows *r, struct moore_sl2vl *t, moore_swid s, moore_portnum out,
	 struct moore_err *err)
{
	bool maps = maps_out(r, s, out);
	int rc = 0;

	for (unsigned in = 0; rc == 0 && in <= r->f->sw[s].n_ports; in++) {
		struct moore_sl_row row = *moore_sl2vl_get(r->want, s, (moore_portnum)in, out);
		const ib_slvl_table_t *held = maps ? other_row(r, s, in, out) : NULL;

		for (unsigned sl = 0; held && sl < MOORE_N_SL; sl++)
			row.vl[sl] = vl_of(held, sl);
		rc = moore_sl2vl_set(t, s, (moore_portnum)in, out, &row, err);
	}
	return rc;
}

/* Sets *out to the wanted rows with those held in place of them where packets meet these;
 * NULL if they are the same. */
static int
make_held(const struct rows *r, struct moore_sl2vl **out, struct moore_err *err)
{
	const struct moore_fabric *f = r->f;
	int rc;

	*out = NULL;
	if (!some_differ(r))
		return 0;
	if ((rc = moore_sl2vl_new(out, f, err)) < 0)
		return rc;
	for (moore_swid s = 0; rc == 0 && s < f->n_switches; s++)
		for (unsigned p = 1; rc == 0 && p <= f->sw[s].n_ports; p++)
			rc = put_held(r, *out, s, (moore_portnum)p, err);
	if (rc < 0) {
		moore_sl2vl_free(*out);
		*out = NULL;
	}
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
							    sm->result->sl_set, err)) < 0) ||
	    (rc = rows_init(&rows, sm, *want, err)) < 0)
		return rc;
	rc = make_held(&rows, held, err);
	rows_fini(&rows);
	return rc;
}

/* ---- reading rows ---------------------------------------------------------------------- */

/* Whether the rows of this port of a switch are read. */
typedef bool which_port(const struct mplug_sm *sm, const osm_physp_t *p);
/* What is done with the row for packets from port in to port p.  Returns how many count. */
typedef size_t with_row(struct mplug_sm *sm, const osm_physp_t *p, uint8_t in);

/* Asks for the row. */
static size_t
ask_row(struct mplug_sm *sm, const osm_physp_t *p, uint8_t in)
{
	const osm_physp_t *p0 = osm_node_get_physp_ptr(p->p_node, 0);
	osm_madw_context_t context = { .slvl_context = { osm_node_get_node_guid(p->p_node),
		osm_physp_get_port_guid(p), FALSE } };

	*osm_physp_get_slvl_tbl(p, in) = unknown;
	return osm_req_get(&sm->osm->sm, osm_physp_get_dr_path_ptr(p), IB_MAD_ATTR_SLVL_TABLE,
			   cl_hton32((uint32_t)in << 8 | p->port_num), FALSE,
			   ib_port_info_get_m_key(&p0->port_info), 0, CL_DISP_MSGID_NONE,
			   &context) == IB_SUCCESS;
}

/* If there was no answer, believes a row to be there that is wrong whatever routes want, so that none
 * relies on it and OpenSM sets it: SL 0 is on VL 1 and SL 1 on VL 0, and a row that has SL 0 on an odd
 * VL has all SLs on odd ones (moore/profile.h). */
static size_t
doubt_row(struct mplug_sm *sm, const osm_physp_t *p, uint8_t in)
{
	ib_slvl_table_t *t = osm_physp_get_slvl_tbl(p, in);

	(void)sm;
	if (memcmp(t, &unknown, sizeof(*t)) != 0)
		return 0;
	memset(t, 0x10, sizeof(*t));
	return 1;
}

static size_t
each_row(struct mplug_sm *sm, osm_node_t *node, which_port *which, with_row *what)
{
	const osm_physp_t *p0 = osm_node_get_physp_ptr(node, 0);
	size_t n = 0;

	if (!p0 || !(p0->port_info.capability_mask & IB_PORT_CAP_HAS_SL_MAP))
		return 0;
	for (unsigned out = 1; out < osm_node_get_num_physp(node); out++) {
		const osm_physp_t *p = osm_node_get_physp_ptr(node, out);

		if (!p || !which(sm, p))
			continue;
		for (unsigned in = 0; in < osm_node_get_num_physp(node); in++) {
			const osm_physp_t *from = osm_node_get_physp_ptr(node, in);

			if (from && in != out && (!in || ib_port_info_get_port_state(
						  &from->port_info) != IB_LINK_DOWN))
				n += what(sm, p, (uint8_t)in);
		}
	}
	return n;
}

static size_t
each_switch(struct mplug_sm *sm, which_port *which, with_row *what)
{
	const cl_qmap_t *tbl = &sm->osm->subn.sw_guid_tbl;
	size_t n = 0;

	cl_plock_excl_acquire(&sm->osm->lock);
	for (cl_map_item_t *m = cl_qmap_head(tbl); m != cl_qmap_end(tbl); m = cl_qmap_next(m))
		n += each_row(sm, ((osm_switch_t *)m)->p_node, which, what);
	cl_plock_release(&sm->osm->lock);
	return n;
}

static void
read_rows(struct mplug_sm *sm, which_port *which, const char *why)
{
	size_t n = each_switch(sm, which, ask_row), lost;

	if (!n)
		return;
	wait_for_pending_transactions(&sm->osm->stats);
	lost = each_switch(sm, which, doubt_row);
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: read %zu SL2VL rows of %s, %zu not answered\n",
		n, why, lost);
}

static bool
is_active_link(const struct mplug_sm *sm, const osm_physp_t *p)
{
	(void)sm;
	return p->p_remote_physp && p->p_remote_physp->p_node->sw && is_active(p);
}

void
mplug_lanes_read(struct mplug_sm *sm)
{
	if (!sm->newest || sm->osm->subn.coming_out_of_standby)
		read_rows(sm, is_active_link, "active ports");
}

/* ---- after OpenSM has sent the rows --------------------------------------------------- */

static bool
is_lowered(const struct mplug_sm *sm, const osm_physp_t *p)
{
	const struct moore_fabric *f = sm->newest;
	moore_swid s = mplug_switch_by_guid(f, cl_ntoh64(osm_node_get_node_guid(p->p_node)));
	const struct moore_port *port = s == MOORE_NONE || p->port_num > f->sw[s].n_ports ? NULL :
		moore_fabric_port(f, s, p->port_num);

	return port && port->role == MOORE_ROLE_SWITCH && port->lanes < 2;
}

/* The number of ports whose rows routes rely on and the switch does not hold. */
static size_t
count_unset(struct mplug_sm *sm)
{
	struct moore_sl2vl *made = NULL;
	struct moore_err err;
	struct rows rows;
	size_t n = 0;

	if (sm->good != sm->newest && rows_for_good(sm, &made, &err) < 0)
		return 0;
	if (rows_init(&rows, sm, made ? made : sm->result->sl2vl, &err) == 0) {
		rows.all = true;
		rows.carried = made;
		n = each_wrong(&rows, NULL);
		rows_fini(&rows);
	}
	moore_sl2vl_free(made);
	return n;
}

/* OpenSM's copy is zero after an answer that was lost, and after one with VL 0 in it: so the
 * rows on which the next sweep is to rely again are read. */
void
mplug_lanes_confirm(struct mplug_sm *sm)
{
	size_t n;

	if (sm->lanes_lowered && sm->osm->subn.opt.qos)
		read_rows(sm, is_lowered, "links with one lane");
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
