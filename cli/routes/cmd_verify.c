// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_verify.c - `moorectl verify`: can traffic on these tables deadlock?
 *
 * The answer is a numbering of the channels along which every dependency rises
 * (--certificate: a program of twenty lines can check it), or the shortest
 * cycle of packets that wait for one another. */
#include <string.h>
#include <time.h>

#include "online.h"
#include "threads.h"

/* ---- the verdict in words, which `route` prints as well -------------------------- */

void
cli_put_op_vls(struct moore_buf *b, const json_t *answer)
{
	static const struct {
		const char *from, *text;
	} by[] = {
		{ "portinfo", " (PortInfo)" }, { "file", " (moore-op-vls.dump)" }, { "option", " (--op-vls)" },
		{ "assumed", ": assumed, since neither moore-op-vls.dump nor --op-vls gives it; "
		  "with fewer VLs the verdict can differ" },
	};
	const json_t *o = json_object_get(answer, "op_vls");
	long long least = cli_int(o, "least"), greatest = cli_int(o, "greatest");
	bool assumed = !strcmp(cli_str(o, "from"), "assumed");

	if (!greatest || !strcmp(cli_str(o, "from"), "classes"))
		return;
	cli_putf(b, "%soperational    %lld", assumed ? CLI_YELLOW : "", least);
	if (least != greatest)
		cli_putf(b, " to %lld", greatest);
	cli_putf(b, " VL%s on links between switches", MOORE_S(greatest));
	for (size_t i = 0; i < ARRAY_LEN(by); i++)
		if (!strcmp(cli_str(o, "from"), by[i].from))
			cli_putf(b, "%s", by[i].text);
	cli_putf(b, "%s\n", assumed ? CLI_PLAIN : "");
}

void
cli_put_verdict(struct moore_buf *b, const json_t *verdict)
{
	const json_t *hottest = json_object_get(verdict, "hottest"), *n;
	const char *hops, *sep = "";
	json_t *by_hops = json_object_get(verdict, "hops"), *vls = json_object_get(verdict, "vls");
	size_t i;

	cli_putf(b, "hops           ");
	json_object_foreach(by_hops, hops, n) {
		cli_putf(b, "%s%s: %lld", sep, hops, json_integer_value(n));
		sep = ", ";
	}
	cli_putf(b, "%s\nVLs           ", *sep ? " (switch, LID) pairs" : "none: no pair has a route");
	json_array_foreach(vls, i, n)
		cli_putf(b, " %lld", json_integer_value(n));
	cli_putf(b, "%s on links between switches\n", json_array_size(vls) ? "" : " none");
	if (json_is_object(hottest)) {
		cli_putf(b, "load           greatest %.2f times the mean, on ",
			 cli_num(verdict, "max_over_mean_load"));
		cli_put_link(b, hottest);
		cli_putf(b, "\n");
	}
}

void
cli_put_sound(struct moore_buf *b, const json_t *verdict)
{
	cli_putf(b, "%s: no cycle of waiting packets exists: %lld channels in use, %lld "
		 "dependencies, all in one order\n", cli_yes(verdict, "sound") ?
		 CLI_GREEN "sound" CLI_PLAIN : "acyclic", cli_int(verdict, "channels"),
		 cli_int(verdict, "dependencies"));
}

/* ---- the question ---------------------------------------------------------------- */

/* --sl hint: the SLs that moore-path-sl.dump lists. */
static bool
asks_hint(const struct cli_call *c)
{
	const char *s = cli_opt(c, "sl");

	return s && !strcmp(s, "hint");
}

/* Reads "0,2-5" into a mask. */
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

/* Reads an option that is one of two words; the default is the broad one. */
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

/* ---- the answer in words --------------------------------------------------------- */

/* From moored, which names the sweep, rather than from files. */
static bool
is_live(const json_t *answer)
{
	return json_object_get(answer, "sweep");
}

static void
put_scope(struct moore_buf *b, const json_t *answer)
{
	const json_t *asked = json_object_get(answer, "asked"), *sl;
	const json_t *sls = json_object_get(asked, "sls");
	size_t i;

	cli_putf(b, "fabric         %lld switches, %lld endpoints\n", cli_int(answer, "switches"),
		 cli_int(answer, "endpoints"));
	cli_putf(b, "asked          %s", cli_yes(asked, "hint") ? "the SLs of moore-path-sl.dump" :
		 json_array_size(sls) ? "SL" : "all SLs");
	json_array_foreach(sls, i, sl)
		cli_putf(b, " %lld", json_integer_value(sl));
	cli_putf(b, ", %s LIDs, %s", cli_yes(asked, "base_lids") ? "base" : "all",
		 cli_yes(asked, "endpoints_only") ? "between endpoints" :
		 "from and to endpoints and switches");
	cli_putf(b, ", %lld multicast groups\n", cli_int(answer, "multicast_groups"));
	if (json_is_false(json_object_get(answer, "lanes_dumped")))
		cli_putf(b, CLI_YELLOW "lanes          no opensm-sl2vl.dump: as without QoS, a "
			 "packet stays on one VL" CLI_PLAIN "\n");
}

/* Ends the line that says which traffic it is. */
static void
put_cycle(struct moore_buf *b, const json_t *cycle)
{
	size_t i, n = json_array_size(cycle);
	const json_t *d, *from, *e;

	cli_putf(b, "packets on these %zu links can wait for one another for ever:\n", n);
	json_array_foreach(cycle, i, d) {
		from = json_object_get(d, "from");
		e = json_object_get(d, "example");
		cli_putf(b, "  %zu. ", i + 1);
		cli_put_link(b, from);
		cli_putf(b, " on VL %lld, held by a packet from %s", cli_int(from, "vl"),
			 cli_str(e, "source"));
		if (!cli_int(e, "lid"))
			cli_putf(b, " to a multicast group");
		else if (cli_int(e, "lid") > MOORE_LID_MAX)
			cli_putf(b, " to multicast LID 0x%llx", cli_int(e, "lid"));
		else
			cli_putf(b, " to LID %lld%s%s%s", cli_int(e, "lid"),
				 *cli_str(e, "destination") ? " (" : "", cli_str(e, "destination"),
				 *cli_str(e, "destination") ? ")" : "");
		cli_putf(b, " on SL %lld, which waits for %s\n", cli_int(e, "sl"),
			 i + 1 < n ? "the next" : "the first");
	}
}

/* Either the routes are stale, or opensm-subnet.lst is cut off or older than they are. */
static void
put_dangling(struct moore_buf *b, const json_t *answer)
{
	const json_t *e = json_object_get(answer, "dangling_example");

	if (!cli_int(answer, "dangling"))
		return;
	cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %lld routes lead to a port that has no link "
		 "in %s:\n  for example %s sends LID %lld to port %lld: %sthe routes are stale\n",
		 cli_int(answer, "dangling"), is_live(answer) ? "the fabric" : "opensm-subnet.lst",
		 cli_str(e, "switch"), cli_int(e, "lid"), cli_int(e, "port"),
		 is_live(answer) ? "" : "that file is cut off or older, or ");
}

static void
put_unlisted(struct moore_buf *b, const json_t *answer)
{
	const json_t *e = json_object_get(answer, "unlisted_example");

	if (!cli_int(answer, "unlisted"))
		return;
	cli_putf(b, CLI_RED "NOT proven" CLI_PLAIN ": moore-path-sl.dump has no line for %lld "
		 "(switch, LID) pairs, so their SLs are unknown:\n  for example from switch %s to ",
		 cli_int(answer, "unlisted"), cli_str(e, "switch"));
	if (cli_int(e, "lid"))
		cli_putf(b, "LID %lld (%s)", cli_int(e, "lid"), cli_str(e, "destination"));
	else
		cli_putf(b, "multicast groups");
	cli_putf(b, "; let OpenSM write all dumps again in one sweep, or leave out --sl hint\n");
}

static void
put_unreachable(struct moore_buf *b, const json_t *answer)
{
	const json_t *e = json_object_get(answer, "example");

	if (!cli_int(answer, "unreachable"))
		return;
	cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %lld of %lld pairs are connected but have no "
		 "route, %lld of them because of a forwarding loop\n  for example from switch %s to LID %lld "
		 "(%s)\n", cli_int(answer, "unreachable"), cli_int(answer, "pairs"),
		 cli_int(answer, "loops"), cli_str(e, "switch"), cli_int(e, "lid"),
		 cli_str(e, "destination"));
}

/* Compares with the hash that OpenSM's plugin reported, which needs no plan or moore.conf. */
static void
put_held(struct moore_buf *b, const json_t *told)
{
	const json_t *routes = json_object_get(told, "routes_held");
	const json_t *lanes = json_object_get(told, "lanes_held");

	if (json_is_false(routes) || json_is_false(lanes))
		cli_putf(b, "OpenSM         " CLI_YELLOW "%s differ" CLI_PLAIN " from what its plugin "
			 "reported for sweep %lld\n", json_is_true(routes) ? "lanes" : json_is_true(lanes) ? "routes" :
			 "routes and lanes", cli_int(told, "number"));
	else if (json_is_true(routes))
		cli_putf(b, "OpenSM         its plugin wrote these routes%s, in its sweep %lld\n",
			 json_is_true(lanes) ? " and lanes" : "", cli_int(told, "number"));
}

static void
put_sa(struct moore_buf *b, const json_t *sa)
{
	const json_t *sl;
	size_t i;

	cli_putf(b, "path records   the SA answered %lld of %lld requests, with SL",
		 cli_int(sa, "answered"), cli_int(sa, "asked"));
	json_array_foreach(json_object_get(sa, "sls"), i, sl)
		cli_putf(b, " %lld", (long long)json_integer_value(sl));
	cli_putf(b, json_is_true(json_object_get(sa, "sound")) ? ": sound on these SLs" :
		 ": NOT proven sound if every pair may use each of these SLs");
	if (cli_int(sa, "heard_ms")) {
		cli_putf(b, "; last read ");
		cli_put_time(b, (long long)time(NULL) * 1000 - cli_int(sa, "heard_ms"));
		cli_putf(b, " ago");
	}
	cli_putf(b, "\n");
}

/* Which engine wrote these tables?  Only moored can tell. */
static void
put_expected(struct moore_buf *b, const json_t *answer)
{
	const json_t *x = json_object_get(answer, "expected"), *e = json_object_get(x, "example");
	const json_t *sa = json_object_get(answer, "sa");
	long long routes = cli_int(x, "routes_differ"), lanes = cli_int(x, "lanes_differ");

	if (*cli_str(answer, "expected_why"))
		cli_putf(b, "written by     not known: %s\n", cli_str(answer, "expected_why"));
	put_held(b, json_object_get(answer, "told"));
	if (!json_is_object(x))
		return;
	cli_putf(b, "written by     ");
	if (!routes && !lanes) {
		cli_putf(b, "engine moore: all routes and lanes are those that it computes\n");
	} else {
		cli_putf(b, CLI_YELLOW "another engine or manager, or other settings" CLI_PLAIN ": %lld of "
			 "%lld routes and %lld lane rows are not what engine moore computes from plan "
			 "and moore.conf\n", routes, cli_int(x, "routes"), lanes);
		if (json_is_object(e))
			cli_putf(b, "               for example %s sends LID %lld to port %lld, not %lld\n",
				 cli_str(e, "switch"), cli_int(e, "lid"), cli_int(e, "port"),
				 cli_int(e, "expected"));
	}
	if (json_is_object(sa))
		put_sa(b, sa);
	if (json_is_null(json_object_get(answer, "adaptive_routing")))
		cli_putf(b, "adaptive       unknown, since no standard attribute reports adaptive routing: "
			 "this verdict does not hold for an SL that a switch routes "
			 "adaptively\n");
}

/* The trees that are not safe, then a cycle of the first of them. */
static void
put_stock(struct moore_buf *b, const json_t *answer, const json_t *stock)
{
	const char *kind = cli_int(answer, "multicast_groups") ? "groups" : "roots";
	bool together = cli_yes(stock, "together");
	const json_t *tree;
	size_t i;

	cli_putf(b, "stock trees    by %s: %lld of %lld %s safe with unicast, %s%s" CLI_PLAIN "\n",
		 !strcmp(cli_str(stock, "hops"), "file") ? "opensm-lid-matrix.dump" : "shortest paths",
		 cli_int(stock, "safe"), cli_int(stock, "trees"), kind, together ? CLI_GREEN : CLI_RED,
		 together ? "all together safe" : "all together NOT safe");
	if (*cli_str(stock, "everyone"))
		cli_putf(b, "               a group of all endpoints has its root at %s\n",
			 cli_str(stock, "everyone"));
	json_array_foreach(json_object_get(stock, "list"), i, tree)
		if (!cli_yes(tree, "safe") && cli_int(tree, "mlid"))
			cli_putf(b, "  not safe     group 0x%llx, root %s\n", cli_int(tree, "mlid"),
				 cli_str(tree, "root"));
		else if (!cli_yes(tree, "safe"))
			cli_putf(b, "  not safe     root %s\n", cli_str(tree, "root"));
	if (!cli_yes(answer, "acyclic") || !json_object_get(stock, "cycle"))
		return;
	cli_putf(b, "With the first of these trees, ");
	put_cycle(b, json_object_get(stock, "cycle"));
}

static void
put_answer(struct moore_buf *b, const json_t *answer)
{
	put_scope(b, answer);
	cli_put_verdict(b, answer);
	cli_put_op_vls(b, answer);
	if (cli_int(answer, "dropped"))
		cli_putf(b, "dropped        %lld (switch, in port, out port, SL) in use map to VL 15\n",
			 cli_int(answer, "dropped"));
	if (cli_int(answer, "partitioned"))
		cli_putf(b, "partitioned    %lld pairs that no links connect (not a fault of the "
			 "tables)\n", cli_int(answer, "partitioned"));
	put_unreachable(b, answer);
	put_dangling(b, answer);
	put_unlisted(b, answer);
	if (!cli_yes(answer, "acyclic")) {
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": ");
		put_cycle(b, json_object_get(answer, "cycle"));
	} else {
		cli_put_sound(b, answer);
	}
	if (json_object_get(answer, "stock"))
		put_stock(b, answer, json_object_get(answer, "stock"));
	put_expected(b, answer);
}

/* ---- the verb -------------------------------------------------------------------- */

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

static json_t *
params_of(const struct moore_check_opts *o)
{
	json_t *params = json_pack("{s:b, s:b}", "base_lids", o->base_lids_only, "endpoints_only",
				   o->endpoints_only), *sls = json_array();

	for (int sl = 0; sl < MOORE_N_SL; sl++)
		if (o->sl_mask >> sl & 1)
			sls = moore_json_add(sls, json_integer(sl));
	if (o->sl_mask)
		return moore_json_set(params, "sls", sls);
	json_decref(sls);
	return params;
}

static int
verify_live(const struct cli_call *c, const struct moore_check_opts *o)
{
	static const struct cli_online how = { "routes.verify", put_answer, cli_not_ok,
		"moorectl verify DIR" };

	if (asks_hint(c) || cli_opt(c, "certificate") || cli_opt(c, "op-vls") || cli_opt(c, "mcast"))
		return cli_misuse(c, "--sl hint, --certificate, --op-vls and --mcast need a DIR of dumps");
	return cli_online(c, &how, params_of(o));
}

int
cli_judge_tables(const char *dir, const struct cli_tables *t, uint16_t sl_mask, bool base_lids_only)
{
	const struct moore_jobs jobs = threads_lend(0);
	const struct moore_check_opts o = { .sl_mask = sl_mask, .base_lids_only = base_lids_only,
					    .endpoints_only = true, .jobs = &jobs };
	struct moore_verdict *v = NULL;
	struct moore_err err;
	int rc = CLI_OK;

	if (moore_check(&v, t->f, t->lft, t->sl2vl, NULL, &o, &err) < 0)
		rc = cli_error_at(dir, &err);
	else if (!v->acyclic || v->dropped)
		rc = CLI_FOUND;
	moore_verdict_free(v);
	return rc;
}

/* Adds the verdict on stock OpenSM's trees to *answer; on failure *answer is NULL. */
static int
add_stock(const char *dir, struct cli_tables *t, const struct moore_answer_tables *view,
	  const struct moore_check_opts *o, json_t **answer)
{
	struct moore_stock_verdict *v = NULL;
	int rc = cli_load_hops(dir, t);
	struct moore_err err;
	bool read = t->hops;

	if (rc == CLI_OK && ((!read && moore_stock_hops(&t->hops, t->f, &err) < 0) ||
			     moore_check_stock(&v, t->f, t->lft, t->sl2vl, t->hops, t->mft, o, &err) < 0))
		rc = cli_error_at(dir, &err);
	if (rc == CLI_OK) {
		*answer = moore_answer_add_stock(*answer, view, v, read);
	} else {
		json_decref(*answer);
		*answer = NULL;
	}
	moore_stock_verdict_free(v);
	return rc;
}

/* Loads what the options name. */
static int
load_files(const struct cli_call *c, const char *dir, struct cli_tables *t,
	   struct moore_check_opts *o)
{
	int rc = cli_load_tables(dir, t);

	if (rc == CLI_OK)
		rc = cli_set_op_vls(c, t);
	if (rc == CLI_OK && asks_hint(c) && !(o->sl_set = t->sl_set))
		rc = cli_error("%s/moore-path-sl.dump: no such file: moorectl route writes it "
			       "under profile sl-hint", dir);
	return rc;
}

static int
verify_files(const struct cli_call *c, const char *dir, struct moore_check_opts *o)
{
	const char *certificate = cli_opt(c, "certificate");
	bool stock = cli_opt(c, "mcast");
	const struct moore_jobs jobs = threads_lend(0);
	struct moore_verdict *v = NULL;
	struct cli_tables t = { NULL };
	struct moore_answer_tables view;
	struct moore_dangling d;
	struct moore_err err;
	json_t *answer = NULL;
	int rc;

	cli_busy("checking");
	if ((rc = load_files(c, dir, &t, o)) != CLI_OK) {
		cli_tables_free(&t);
		return rc;
	}
	view = cli_answer_tables(&t);
	moore_lft_dangling(t.f, t.lft, &d);
	o->jobs = &jobs;
	if (moore_check(&v, t.f, t.lft, t.sl2vl, stock ? NULL : t.mft, o, &err) < 0)
		rc = cli_error_at(dir, &err);
	else
		answer = moore_answer_verdict(&view, o, v, &d);
	if (rc == CLI_OK && stock)
		rc = add_stock(dir, &t, &view, o, &answer);
	if (rc == CLI_OK)
		rc = cli_show(c, answer, put_answer, cli_not_ok);
	if (v && certificate && write_certificate(certificate, &t, v) != CLI_OK)
		rc = v->acyclic ? CLI_FAIL : CLI_FOUND;
	moore_verdict_free(v);
	cli_tables_free(&t);
	return rc;
}

int
cmd_verify(const struct cli_call *c)
{
	struct moore_check_opts o = { 0 };
	int rc;

	if ((rc = read_sls(c, &o.sl_mask)) != CLI_OK ||
	    (rc = read_choice(c, "lids", "all", "base", &o.base_lids_only)) != CLI_OK ||
	    (rc = read_choice(c, "sources", "all", "endpoints", &o.endpoints_only)) != CLI_OK)
		return rc;
	if (cli_opt(c, "mcast") && strcmp(cli_opt(c, "mcast"), "stock") != 0)
		return cli_misuse(c, "--mcast %s: it is stock", cli_opt(c, "mcast"));
	return c->n_args ? verify_files(c, c->arg[0], &o) : verify_live(c, &o);
}
