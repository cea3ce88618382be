// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* intended.c - chooses the fabric that routes are computed for, when there is no plan.
 *
 *   1. The kept graph, as long as all that is seen is part of it.
 *   2. The graph of a family of which the fabric, or its core (core.c), is a part.
 *   3. The fabric as it is seen.
 *
 * The fabric that is seen replaces the kept graph if it is a family's graph.  If it is not even
 * part of one, it replaces the kept graph only when nothing of that is missing, or when that is
 * no family's graph either.  So a wrong cable for an hour does not cost a family's graph. */
#include <stdlib.h>
#include <string.h>

#include "engine/intended.h"

static bool
has_guids(const struct moore_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_switches; i++)
		if (!plan->sw[i].guid)
			return false;
	return true;
}

int
moore_intended_of_plan(struct moore_fabric **out, const struct moore_plan *plan,
		       struct moore_err *err)
{
	struct moore_fabric *f = NULL;
	int rc = moore_fabric_from_plan(&f, plan, 0, err);

	*out = NULL;
	for (uint32_t i = 0; rc == 0 && i < plan->n_switches; i++)
		f->sw[i].guid = plan->sw[i].guid;
	if (rc == 0 && has_guids(plan)) {
		rc = moore_intended_by_guid(out, f, err);
	} else {
		*out = f;
		f = NULL;
	}
	moore_fabric_free(f);
	return rc;
}

void
moore_intended_name(const struct moore_plan *plan, const char *prefix, char *text, size_t size)
{
	struct moore_buf b = MOORE_BUF_INIT;
	size_t n;

	moore_buf_fmt(&b, "%s%s", prefix, plan->family ? plan->family : "graph");
	for (size_t i = 0; i < plan->n_params; i++)
		moore_buf_fmt(&b, " %s=%lld", plan->key[i], (long long)plan->value[i]);
	n = b.len < size ? b.len : size - 1;
	if (n)
		memcpy(text, b.data, n);
	text[n] = '\0';
	moore_buf_free(&b);
}

/* Lists the links between switches of f, each once. */
static int
switch_links(const struct moore_fabric *f, struct moore_topo_link **out, size_t *n_out,
	     struct moore_err *err)
{
	struct moore_topo_link *link = calloc(f->n_ports / 2 + 1, sizeof(*link));
	size_t n = 0;

	if (!link)
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				link[n++] = (struct moore_topo_link){ s, q->peer };
		}
	*out = link;
	*n_out = n;
	return 0;
}

/* The switches are sorted by GUID first, since a part may lie in its family's graph in several
 * ways. */
static int
recognise_part(struct moore_intended *out, const struct moore_fabric *seen, struct moore_err *err)
{
	struct moore_topo_part *part = NULL;
	struct moore_topo_link *link = NULL;
	struct moore_fabric *sorted = NULL;
	size_t n = 0;
	int rc;

	if ((rc = moore_intended_by_guid(&sorted, seen, err)) < 0 ||
	    (rc = switch_links(sorted, &link, &n, err)) < 0 ||
	    (rc = moore_topo_recognise_part(&part, sorted->n_switches, link, n, err)) < 0 || !part)
		goto out;
	if ((rc = moore_complete(&out->fabric, sorted, part, err)) == 0) {
		out->is = MOORE_INTENT_FAMILY;
		out->n_unknown = part->whole->n_switches - seen->n_switches;
		memcpy(out->topology, part->text, sizeof(part->text));
	}
	moore_topo_part_free(part);
out:
	free(link);
	moore_fabric_free(sorted);
	return rc;
}

/* Recognises the fabric as a family's graph or, if parts are wanted, as a part of one. */
static int
recognise(struct moore_intended *out, const struct moore_fabric *seen, bool parts,
	  struct moore_err *err)
{
	struct moore_topo_link *link = NULL;
	size_t n = 0;
	int rc;

	if ((rc = switch_links(seen, &link, &n, err)) < 0)
		return rc;
	rc = moore_topo_recognise(seen->n_switches, link, n, out->topology, err);
	free(link);
	if (rc == 0 && !*out->topology && parts)
		rc = recognise_part(out, seen, err);
	return rc;
}

/* Does the same with the core, which becomes the intended fabric if it is a family's graph; what hangs from
 * it is extra then. */
static int
recognise_core(struct moore_intended *out, const struct moore_fabric *seen, struct moore_err *err)
{
	struct moore_fabric *core = NULL;
	int rc = moore_intended_core(&core, seen, err);

	if (rc == 0 && core && (rc = recognise(out, core, true, err)) == 0 && *out->topology && !out->fabric) {
		rc = moore_intended_by_guid(&out->fabric, core, err);
		out->is = MOORE_INTENT_FAMILY;
	}
	moore_fabric_free(core);
	return rc;
}

int
moore_intended_take_core(struct moore_fabric **f, struct moore_err *err)
{
	struct moore_intended whole = { .is = MOORE_INTENT_SEEN };
	struct moore_fabric *core = NULL;
	int rc = moore_intended_core(&core, *f, err);

	if (rc == 0 && core && (rc = recognise(&whole, core, false, err)) == 0 && *whole.topology) {
		moore_fabric_free(*f);
		*f = core;
		core = NULL;
	}
	moore_fabric_free(core);
	return rc;
}

int
moore_intended_looks_whole(bool *whole, const struct moore_fabric *seen, struct moore_err *err)
{
	struct moore_topo_link *link = NULL;
	char text[64];
	size_t n = 0;
	int rc = switch_links(seen, &link, &n, err);

	free(link);
	if (rc < 0)
		return rc;
	rc = moore_topo_guess(seen->n_switches, n, text, err);
	*whole = rc == 0 && *text;
	return rc;
}

/* The kept graph serves; it is the fabric itself if nothing is missing. */
static int
use_kept(struct moore_intended *out, const struct moore_plan *kept,
	 const struct moore_kept_diff *d, struct moore_err *err)
{
	out->is = MOORE_INTENT_KEPT;
	if (kept->family)
		moore_intended_name(kept, "", out->topology, sizeof(out->topology));
	return d->missing || d->hosts ? moore_intended_of_plan(&out->fabric, kept, err) : 0;
}

/* True if a subnet has LIDs for all nodes of the graph. */
static bool
fits_subnet(const struct moore_plan *p)
{
	return (uint64_t)p->n_switches + p->n_endpoints <= MOORE_LID_MAX;
}

int
moore_intended_choose(struct moore_intended *out, const struct moore_fabric *seen,
		      const struct moore_plan *kept, struct moore_err *err)
{
	struct moore_kept_diff d = { 0 };
	bool part = false;
	int rc;

	*out = (struct moore_intended){ .is = MOORE_INTENT_SEEN };
	if (kept && !fits_subnet(kept))
		kept = NULL;	/* the file was damaged: no fabric that was seen is so large */
	if (kept) {
		if ((rc = moore_kept_compare(&d, kept, seen, err)) < 0)
			return rc;
		part = !d.extra && (d.missing || !d.moved);
	}
	if (part && (kept->family || !d.missing))
		return use_kept(out, kept, &d, err);
	if ((rc = recognise(out, seen, !part, err)) < 0 ||
	    (!part && !*out->topology && (rc = recognise_core(out, seen, err)) < 0))
		return rc;
	if (part && !*out->topology)
		return use_kept(out, kept, &d, err);
	out->keep = out->is == MOORE_INTENT_SEEN && seen->n_switches &&
		(!kept || *out->topology || !d.missing || !kept->family);
	out->kept_differs = kept && !out->keep;
	return 0;
}

/* ---- the graph to keep ----------------------------------------------------------- */

/* Gives the plan the family and the parameters that text names: "slimfly q=5". */
static int
set_family(struct moore_plan *p, const char *text, struct moore_err *err)
{
	const char *at = text + strcspn(text, " "), *end = text + strlen(text);

	if (!*text)
		return 0;
	p->family = moore_strndup(text, (size_t)(at - text));
	p->key = calloc(MOORE_TOPO_MAX_PARAMS, sizeof(*p->key));
	p->value = calloc(MOORE_TOPO_MAX_PARAMS, sizeof(*p->value));
	if (!p->family || !p->key || !p->value)
		return moore_fail_nomem(err);
	while (*at == ' ' && p->n_params < MOORE_TOPO_MAX_PARAMS) {
		const size_t len = strcspn(++at, "=");
		uint64_t v = 0;

		memcpy(p->key[p->n_params], at, len < 15 ? len : 15);
		at += len + (at[len] == '=');
		moore_text_u64(&at, end, 10, INT64_MAX, &v);
		p->value[p->n_params++] = (int64_t)v;
	}
	return 0;
}

int
moore_engine_keep(struct moore_plan **out, const struct moore_fabric *seen, const char *topology,
		  struct moore_err *err)
{
	int rc = moore_plan_from_fabric(out, seen, err);

	if (rc == 0 && (rc = set_family(*out, topology, err)) < 0) {
		moore_plan_free(*out);
		*out = NULL;
	}
	return rc;
}
