// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_verify.c - `moorectl verify`: can traffic on these tables deadlock?
 *
 * The answer is a numbering of the channels along which every dependency rises
 * (--certificate: a program of twenty lines can check it), or the shortest
 * cycle of packets that wait for one another. */
#include <string.h>

#include "cli.h"

/* ---- what route shows too ---------------------------------------------------------- */

static double
over_mean(const struct moore_verdict *v)
{
	return v->mean_load > 0 ? v->max_load / v->mean_load : 0;
}

static void
put_channel(struct moore_buf *b, const struct moore_fabric *f, const struct moore_channel *ch)
{
	cli_putf(b, "%s[%u] -> ", f->sw[ch->sw].name, ch->port);
	cli_put_peer(b, f, ch->sw, ch->port);
}

void
cli_put_verdict(struct moore_buf *b, const struct moore_fabric *f, const struct moore_verdict *v)
{
	const char *sep = "";

	cli_putf(b, "hops           ");
	for (int h = 0; h <= MOORE_CHECK_MAX_HOPS; h++)
		if (v->hops[h]) {
			cli_putf(b, "%s%d: %llu", sep, h, (unsigned long long)v->hops[h]);
			sep = ", ";
		}
	cli_putf(b, "%s\nVLs           ", *sep ? " (switch, LID) pairs" : "none: no pair is joined");
	for (int vl = 0; vl < 16; vl++)
		if (v->vls >> vl & 1)
			cli_putf(b, " %d", vl);
	cli_putf(b, "%s on links between switches\n", v->vls ? "" : " none");
	if (v->mean_load > 0) {
		cli_putf(b, "load           greatest %.2f times the mean, on ", over_mean(v));
		put_channel(b, f, &v->hottest);
		cli_putf(b, "\n");
	}
}

static json_t *
json_channel(const struct moore_fabric *f, const struct moore_channel *ch)
{
	return json_pack("{s:o, s:o, s:i, s:i}", "switch", cli_json_name(f->sw[ch->sw].name),
			 "guid", cli_json_guid(f->sw[ch->sw].guid), "port", ch->port,
			 "vl", ch->vl);
}

static json_t *
json_hottest(const struct moore_fabric *f, const struct moore_verdict *v)
{
	const struct moore_channel *ch = &v->hottest;

	if (!(v->mean_load > 0))
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:o}", "switch", cli_json_name(f->sw[ch->sw].name),
			 "guid", cli_json_guid(f->sw[ch->sw].guid), "port", ch->port,
			 "peer", cli_json_peer(f, ch->sw, ch->port));
}

int
cli_json_verdict(json_t *o, const struct moore_fabric *f, const struct moore_verdict *v)
{
	json_t *hops = json_object(), *vls = json_array(), *more;
	char key[8];
	int rc;

	for (int h = 0; h <= MOORE_CHECK_MAX_HOPS; h++)
		if (v->hops[h]) {
			snprintf(key, sizeof(key), "%d", h);
			json_object_set_new(hops, key, json_integer((json_int_t)v->hops[h]));
		}
	for (int vl = 0; vl < 16; vl++)
		if (v->vls >> vl & 1)
			json_array_append_new(vls, json_integer(vl));
	more = json_pack("{s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:f, s:f, s:f, s:o}",
			 "sound", v->sound, "acyclic", v->acyclic,
			 "pairs", (json_int_t)v->pairs, "unreachable", (json_int_t)v->unreachable,
			 "loops", (json_int_t)v->loops, "partitioned", (json_int_t)v->partitioned,
			 "dropped", (json_int_t)v->dropped, "hops", hops, "vls", vls,
			 "channels", (json_int_t)v->n_channels,
			 "dependencies", (json_int_t)v->n_dependencies,
			 "max_load", v->max_load, "mean_load", v->mean_load,
			 "max_over_mean_load", over_mean(v), "hottest", json_hottest(f, v));
	rc = more ? json_object_update(o, more) : -1;
	json_decref(more);
	return rc;
}

/* ---- the cycle ------------------------------------------------------------------------ */

static void
put_source(struct moore_buf *b, const struct moore_fabric *f, const struct moore_dependency *d)
{
	if (d->src_port)
		cli_put_peer(b, f, d->src_sw, d->src_port);
	else
		cli_putf(b, "%s", f->sw[d->src_sw].name);
}

static void
put_cycle(struct moore_buf *b, const struct cli_tables *t, const struct moore_verdict *v)
{
	cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": packets on these %u links can wait for one "
		 "another for ever:\n", v->cycle_len);
	for (uint32_t i = 0; i < v->cycle_len; i++) {
		const struct moore_dependency *d = &v->cycle[i];
		const char *to = cli_lid_name(t, d->dlid);

		cli_putf(b, "  %u. ", i + 1);
		put_channel(b, t->f, &d->from);
		cli_putf(b, " on VL %u, held by a packet from ", d->from.vl);
		put_source(b, t->f, d);
		if (d->dlid > MOORE_LID_MAX)
			cli_putf(b, " to multicast LID 0x%x", d->dlid);
		else
			cli_putf(b, " to LID %u%s%s%s", d->dlid, *to ? " (" : "", to,
				 *to ? ")" : "");
		cli_putf(b, " on SL %u, which waits for %s\n", d->sl,
			 i + 1 < v->cycle_len ? "the next" : "the first");
	}
}

static json_t *
json_source(const struct moore_fabric *f, const struct moore_dependency *d)
{
	const struct moore_port *p = moore_fabric_port(f, d->src_sw, d->src_port);
	bool ep = d->src_port && p->role == MOORE_ROLE_ENDPOINT;

	return cli_json_name(ep ? f->ep[p->peer].name : f->sw[d->src_sw].name);
}

static json_t *
json_cycle(const struct cli_tables *t, const struct moore_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->cycle_len; i++) {
		const struct moore_dependency *d = &v->cycle[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:{s:o, s:i, s:o, s:i}}",
			"from", json_channel(t->f, &d->from),
			"to", json_channel(t->f, &v->cycle[(i + 1) % v->cycle_len].from),
			"example", "source", json_source(t->f, d), "lid", d->dlid,
			"destination", cli_json_name(cli_lid_name(t, d->dlid)), "sl", d->sl));
	}
	return list;
}

/* ---- routes to nowhere ------------------------------------------------------------------ */

/* opensm-subnet.lst is cut off or of another time (what it does not show cannot be
 * judged), or the route is stale. */
static void
put_dangling(struct moore_buf *b, const struct cli_tables *t, const struct moore_dangling *d)
{
	if (d->n)
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %llu routes lead to a port at which "
			 "opensm-subnet.lst has nothing:\n  for example %s sends LID %u to port %u: "
			 "that file is cut off or older, or the routes are stale\n",
			 (unsigned long long)d->n, t->f->sw[d->sw].name, d->lid, d->port);
}

static int
json_dangling(json_t *o, const struct cli_tables *t, const struct moore_dangling *d)
{
	if (d->n && (json_object_set_new(o, "sound", json_false()) != 0 ||
		     json_object_set_new(o, "dangling_example", json_pack("{s:o, s:i, s:i}",
			"switch", cli_json_name(t->f->sw[d->sw].name), "lid", (int)d->lid,
			"port", d->port)) != 0))
		return -1;
	return json_object_set_new(o, "dangling", json_integer((json_int_t)d->n));
}

/* ---- the verb --------------------------------------------------------------------------- */

/* --sl hint: what moore-path-sl.dump lists. */
static bool
asks_hint(const struct cli_call *c)
{
	const char *s = cli_opt(c, "sl");

	return s && !strcmp(s, "hint");
}

/* "0,2-5" to a mask. */
static int
read_sls(const struct cli_call *c, uint16_t *mask)
{
	const char *s = cli_opt(c, "sl"), *end = s ? s + strlen(s) : NULL, *p = s;
	uint64_t a, b;

	while (p && p < end && !asks_hint(c)) {
		if (!moore_text_u64(&p, end, 10, MOORE_N_SL - 1, &a))
			break;
		b = a;
		if (*p == '-' && (p++, !moore_text_u64(&p, end, 10, MOORE_N_SL - 1, &b)))
			break;
		if (b < a || (*p && *p != ','))
			break;
		for (; a <= b; a++)
			*mask = (uint16_t)(*mask | 1u << a);
		if (!*p)
			return CLI_OK;
		p++;
	}
	if (!s || asks_hint(c))
		return CLI_OK;
	return cli_misuse(c, "--sl %s: not a list of SLs like 0 or 0,2-5, nor hint", s);
}

/* One of two words, the first unless the second is given. */
static int
read_choice(const struct cli_call *c, const char *opt, const char *broad, const char *narrow,
	    bool *is_narrow)
{
	const char *s = cli_opt(c, opt);

	*is_narrow = s && !strcmp(s, narrow);
	if (s && !*is_narrow && strcmp(s, broad) != 0)
		return cli_misuse(c, "--%s %s: it is %s or %s", opt, s, broad, narrow);
	return CLI_OK;
}

static void
put_scope(struct moore_buf *b, const struct cli_tables *t, const struct moore_check_opts *o)
{
	cli_putf(b, "fabric         %u switches, %u endpoints\n", t->f->n_switches,
		 t->f->n_endpoints);
	cli_putf(b, "asked          %s", o->sl_set ? "the SLs of moore-path-sl.dump" :
		 o->sl_mask ? "SL" : "all SLs");
	for (int sl = 0; sl < MOORE_N_SL; sl++)
		if (o->sl_mask >> sl & 1)
			cli_putf(b, " %d", sl);
	cli_putf(b, ", %s LIDs, %s, %u multicast groups\n", o->base_lids_only ? "base" : "all",
		 o->endpoints_only ? "between endpoints" : "from and to endpoints and switches",
		 t->mft ? t->mft->n_groups : 0);
	if (t->no_lanes)
		cli_putf(b, CLI_YELLOW "lanes          no opensm-sl2vl.dump: as without QoS, a "
			 "packet stays on one VL" CLI_PLAIN "\n");
}

static void
put_verdict(struct moore_buf *b, const struct cli_tables *t, const struct moore_verdict *v,
	    const struct moore_dangling *d)
{
	cli_put_verdict(b, t->f, v);
	if (v->dropped)
		cli_putf(b, "dropped        %llu (switch, in, out, SL) in use map to VL 15\n",
			 (unsigned long long)v->dropped);
	if (v->partitioned)
		cli_putf(b, "partitioned    %llu pairs that no link joins (no fault of the "
			 "tables)\n", (unsigned long long)v->partitioned);
	if (v->unreachable) {
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %llu of %llu pairs are connected but "
			 "have no route, %llu of them run in circles\n",
			 (unsigned long long)v->unreachable, (unsigned long long)v->pairs,
			 (unsigned long long)v->loops);
		cli_putf(b, "  for example from switch %s to LID %u (%s)\n",
			 t->f->sw[v->bad_sw].name, v->bad_lid, cli_lid_name(t, v->bad_lid));
	}
	put_dangling(b, t, d);
	if (!v->acyclic)
		put_cycle(b, t, v);
	else
		cli_putf(b, "%s: no cycle of waiting packets exists: %u channels in use, %llu "
			 "dependencies, all in one order\n",
			 v->sound && !d->n ? CLI_GREEN "sound" CLI_PLAIN : "acyclic", v->n_channels,
			 (unsigned long long)v->n_dependencies);
}

static int
answer(const struct cli_call *c, const struct cli_tables *t, const struct moore_check_opts *o,
       const struct moore_verdict *v, const struct moore_dangling *d)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *j;

	if (!c->json) {
		put_scope(&b, t, o);
		put_verdict(&b, t, v, d);
		return cli_print_text(&b);
	}
	j = json_pack("{s:i, s:i, s:b}", "switches", (int)t->f->n_switches, "endpoints",
		      (int)t->f->n_endpoints, "lanes_dumped", !t->no_lanes);
	if (j && (cli_json_verdict(j, t->f, v) != 0 || json_dangling(j, t, d) != 0 ||
		  (!v->acyclic && json_object_set_new(j, "cycle", json_cycle(t, v)) != 0) ||
		  (v->unreachable &&
		   json_object_set_new(j, "example", json_pack("{s:o, s:i, s:o}",
			"switch", cli_json_name(t->f->sw[v->bad_sw].name), "lid", v->bad_lid,
			"destination", cli_json_name(cli_lid_name(t, v->bad_lid)))) != 0))) {
		json_decref(j);
		j = NULL;
	}
	return cli_print_json(j);
}

static int
write_certificate(const char *path, const struct cli_tables *t, const struct moore_verdict *v)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	if (!v->acyclic)
		return cli_error("%s: not written: the tables have a cycle, so no certificate "
				 "exists", path);
	cli_putf(&b, "# moore certificate: %u channels in an order along which every dependency "
		 "goes forward\n# switch GUID, out port, VL\n", v->n_channels);
	for (uint32_t i = 0; i < v->n_channels; i++)
		cli_putf(&b, "0x%016llx %u %u\n",
			 (unsigned long long)t->f->sw[v->order[i].sw].guid, v->order[i].port,
			 v->order[i].vl);
	rc = cli_write(path, &b);
	moore_buf_free(&b);
	return rc;
}

int
cmd_verify(const struct cli_call *c)
{
	const char *certificate = cli_opt(c, "certificate");
	struct moore_check_opts o = { 0 };
	struct moore_verdict *v = NULL;
	struct cli_tables t = { NULL };
	struct moore_dangling d;
	struct moore_err err;
	int rc;

	if ((rc = read_sls(c, &o.sl_mask)) != CLI_OK ||
	    (rc = read_choice(c, "lids", "all", "base", &o.base_lids_only)) != CLI_OK ||
	    (rc = read_choice(c, "sources", "all", "endpoints", &o.endpoints_only)) != CLI_OK)
		return rc;
	cli_busy("checking");
	if ((rc = cli_load_tables(c->arg[0], &t)) != CLI_OK)
		return rc;
	if (asks_hint(c) && !(o.sl_set = t.sl_set)) {
		cli_tables_free(&t);
		return cli_error("%s/moore-path-sl.dump: no such file: moorectl route writes it "
				 "under profile sl-hint", c->arg[0]);
	}
	moore_lft_dangling(t.f, t.lft, &d);
	if (moore_check(&v, t.f, t.lft, t.sl2vl, t.mft, &o, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else
		rc = answer(c, &t, &o, v, &d);
	if (rc == CLI_OK && certificate && write_certificate(certificate, &t, v) != CLI_OK)
		rc = v->acyclic ? CLI_FAIL : CLI_FOUND;
	if (rc == CLI_OK && (!v->sound || d.n))
		rc = CLI_FOUND;
	moore_verdict_free(v);
	cli_tables_free(&t);
	return rc;
}
