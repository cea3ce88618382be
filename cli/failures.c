// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* failures.c - makes the fabric that OpenSM would find after --fail NAME[:PORT].
 *
 * A failed link is missing at both ends. A failed switch, and an endpoint without a link,
 * do not answer, and OpenSM drops them, so the fabric is built again without them. All
 * others keep their LIDs.  With --stage all is missing that another plan does not have. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct failure {
	moore_swid sw;
	moore_portnum port;	/* 0: the whole switch failed */
};

int
cli_find_port(const struct cli_call *c, const char *opt, const struct moore_fabric *f, const char *what,
	      moore_swid *sw, moore_portnum *out)
{
	const char *colon = strrchr(what, ':'), *p = colon ? colon + 1 : NULL;
	uint64_t port;
	moore_epid e;
	char *name;
	int rc;

	if (!p || !moore_text_u64(&p, what + strlen(what), 10, UINT16_MAX, &port) || *p)
		return cli_find(f, what, sw, &e);	/* prints the reason */
	if (!(name = strndup(what, (size_t)(colon - what))))
		return cli_error("out of memory");
	rc = cli_find_switch(f, name, sw);
	free(name);
	if (rc != CLI_OK)
		return rc;
	if (!port || port > f->sw[*sw].n_ports)
		return cli_misuse(c, "--%s %s: %s has ports 1 to %u", opt, what, f->sw[*sw].name,
				  f->sw[*sw].n_ports);
	*out = (moore_portnum)port;
	if (moore_fabric_port(f, *sw, *out)->role == MOORE_ROLE_NONE)
		return cli_misuse(c, "--%s %s: nothing is plugged in there", opt, what);
	return CLI_OK;
}

static int
find_failure(const struct cli_call *c, const struct moore_fabric *f, const char *what,
	     struct failure *out)
{
	struct moore_err err;
	moore_epid e;

	out->port = 0;
	if (moore_fabric_find(f, what, &out->sw, &e, &err) < 0)
		return cli_find_port(c, "fail", f, what, &out->sw, &out->port);
	if (e != MOORE_NONE) {
		out->sw = f->ep[e].sw;
		out->port = f->ep[e].port;
	}
	return CLI_OK;
}

static void
cut(struct moore_fabric *f, const struct failure *x, bool *dead)
{
	if (x->port) {
		moore_fabric_cut(f, x->sw, x->port);
		return;
	}
	dead[x->sw] = true;
	for (unsigned p = 1; p <= f->sw[x->sw].n_ports; p++)
		moore_fabric_cut(f, x->sw, (moore_portnum)p);
}

/* ---- the fabric without them ------------------------------------------------------ */

static void
copy_switches(struct moore_fabric *to, struct moore_fabric *from, const moore_swid *new_id)
{
	for (uint32_t s = 0; s < from->n_switches; s++)
		if (new_id[s] != MOORE_NONE) {
			to->sw[new_id[s]] = from->sw[s];
			from->sw[s].name = NULL;	/* `to` owns it now */
		}
	moore_fabric_layout(to);
}

static void
copy_links(struct moore_fabric *to, struct moore_fabric *from, const moore_swid *new_id)
{
	uint32_t n_ep = 0;

	for (uint32_t s = 0; s < from->n_switches; s++)
		for (unsigned p = 1; new_id[s] != MOORE_NONE && p <= from->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(from, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH)
				moore_fabric_link(to, new_id[s], (moore_portnum)p,
						  new_id[port->peer], port->peer_port, port->lanes);
		}
	for (uint32_t e = 0; e < from->n_endpoints; e++) {
		const struct moore_endpoint *ep = &from->ep[e];

		if (ep->sw == MOORE_NONE)
			continue;
		to->ep[n_ep] = *ep;
		moore_fabric_attach(to, n_ep++, new_id[ep->sw], ep->port,
				    moore_fabric_port(from, ep->sw, ep->port)->lanes);
		from->ep[e].name = NULL;		/* `to` owns it now */
	}
}

static int
without_dead(struct moore_fabric **f, const bool *dead)
{
	struct moore_fabric *from = *f, *to = NULL;
	moore_swid *new_id = calloc((size_t)from->n_switches + 1, sizeof(*new_id));
	uint32_t n_sw = 0, n_ep = 0, n_ports = 0;
	struct moore_err err;
	int rc = CLI_OK;

	for (uint32_t s = 0; new_id && s < from->n_switches; s++) {
		new_id[s] = dead[s] ? MOORE_NONE : n_sw++;
		n_ports += dead[s] ? 0 : from->sw[s].n_ports + 1u;
	}
	for (uint32_t e = 0; e < from->n_endpoints; e++)
		n_ep += from->ep[e].sw != MOORE_NONE;
	if (!new_id) {
		rc = cli_error("out of memory");
	} else if (moore_fabric_new(&to, n_sw, n_ep, n_ports, &err) < 0) {
		rc = cli_error("%s", err.text);
	} else {
		copy_switches(to, from, new_id);
		copy_links(to, from, new_id);
		moore_fabric_free(from);
		*f = to;
		if (moore_fabric_seal(to, &err) < 0)
			rc = cli_error("%s", err.text);
	}
	free(new_id);
	return rc;
}

/* All parts are found in the intact fabric before any is removed, so their order does not
 * matter. */
int
cli_fail_parts(const struct cli_call *c, struct moore_fabric **f)
{
	struct failure *x = calloc(c->n_given + 1, sizeof(*x));
	bool *dead = calloc((size_t)(*f)->n_switches + 1, sizeof(*dead));
	size_t n = 0;
	int rc = x && dead ? CLI_OK : cli_error("out of memory");

	for (size_t i = 0; i < c->n_given && rc == CLI_OK; i++)
		if (!strcmp(c->given[i].opt->name, "fail"))
			rc = find_failure(c, *f, c->given[i].value, &x[n++]);
	if (rc == CLI_OK && n) {
		for (size_t i = 0; i < n; i++)
			cut(*f, &x[i], dead);
		rc = without_dead(f, dead);
	}
	free(x);
	free(dead);
	return rc;
}

/* ---- the part that is built ---------------------------------------------------------- */

/* Marks the switch ports that stage uses: by index in f->port. */
static int
mark_plugs(const struct moore_fabric *f, const struct moore_plan *stage, bool *used, moore_swid *id)
{
	int rc = CLI_OK;

	for (uint32_t i = 0; i < stage->n_switches && rc == CLI_OK; i++)
		rc = cli_find_switch(f, stage->sw[i].name, &id[i]);
	for (uint32_t i = 0; i < stage->n_endpoints && rc == CLI_OK; i++)
		used[f->sw[id[stage->ep[i].sw]].port0 + stage->ep[i].port] = true;
	for (uint32_t i = 0; i < stage->n_cables && rc == CLI_OK; i++)
		for (int e = 0; e < 2; e++)
			used[f->sw[id[stage->cable[i].sw[e]]].port0 + stage->cable[i].port[e]] = true;
	return rc;
}

static int
cut_unbuilt(struct moore_fabric **f, const struct moore_plan *stage, bool *used, bool *dead,
	    moore_swid *id)
{
	int rc = mark_plugs(*f, stage, used, id);

	for (uint32_t s = 0; s < (*f)->n_switches; s++)
		dead[s] = true;
	for (uint32_t i = 0; rc == CLI_OK && i < stage->n_switches; i++)
		dead[id[i]] = false;
	for (uint32_t s = 0; rc == CLI_OK && s < (*f)->n_switches; s++)
		for (unsigned p = 1; p <= (*f)->sw[s].n_ports; p++)
			if ((dead[s] || !used[(*f)->sw[s].port0 + p]) &&
			    moore_fabric_port(*f, s, (moore_portnum)p)->role != MOORE_ROLE_NONE)
				moore_fabric_cut(*f, s, (moore_portnum)p);
	return rc == CLI_OK ? without_dead(f, dead) : rc;
}

int
cli_keep_stage(const struct cli_call *c, const struct moore_plan *whole, struct moore_fabric **f)
{
	const char *path = cli_opt(c, "stage");
	struct moore_plan *stage = NULL, *part = NULL;
	struct moore_err err;
	bool *used, *dead;
	moore_swid *id;
	int rc;

	if (!path || (rc = cli_load_plan(path, &stage)) != CLI_OK)
		return path ? rc : CLI_OK;
	used = calloc((size_t)(*f)->n_ports + 1, sizeof(*used));
	dead = calloc((size_t)(*f)->n_switches + 1, sizeof(*dead));
	id = calloc((size_t)stage->n_switches + 1, sizeof(*id));
	if (!used || !dead || !id)
		rc = cli_error("out of memory");
	else if (moore_plan_grow(&part, whole, stage, stage->n_switches, 0, NULL, NULL, &err) < 0)
		rc = cli_error_at(path, &err);		/* it is no part of whole */
	else
		rc = cut_unbuilt(f, stage, used, dead, id);
	moore_plan_free(part);
	moore_plan_free(stage);
	free(used);
	free(dead);
	free(id);
	return rc;
}
