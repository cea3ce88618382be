// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* listing.c - makes a plan from nodes and port lines.
 *
 * A link has a line at each end, and the two must agree.  Links are sorted by (node, port)
 * and each is taken from its first end, so the plan keeps the listing's order of nodes.
 * For an observed fabric (listing.seen), a link that only one end reports gets its other
 * line, and a cable from a switch to itself goes to seen instead of the plan.
 * Elsewhere: the readers (fmt_ibnetdiscover.c, dump_subnet.c). */
#include <stdlib.h>
#include <string.h>

#include "listing.h"

/* ---- adding ---------------------------------------------------------------------- */

struct moore_listed_node *
moore_listing_node(struct moore_listing *d)
{
	struct moore_listed_node *n = moore_grow(d->node, d->n_nodes, &d->node_cap, sizeof(*n));

	if (!n) {
		moore_fail_nomem(d->err);
		return NULL;
	}
	d->node = n;
	return memset(n + d->n_nodes, 0, sizeof(*n));
}

struct moore_listed_link *
moore_listing_link(struct moore_listing *d)
{
	struct moore_listed_link *k = moore_grow(d->link, d->n_links, &d->link_cap, sizeof(*k));

	if (!k) {
		moore_fail_nomem(d->err);
		return NULL;
	}
	d->link = k;
	return memset(k + d->n_links, 0, sizeof(*k));
}

/* ---- links -------------------------------------------------------------- */

#define ID "\"%c-%016llx\""
#define ID_OF(n) (n)->kind, (unsigned long long)(n)->guid

static int
index_nodes(struct moore_listing *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_nodes + 1) * sizeof(*r));

	if (!(d->by_guid = r))
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; i < d->n_nodes; i++)
		r[i] = (struct moore_plan_ref){ "", d->node[i].guid, i, d->node[i].kind };
	moore_plan_refs_sort(r, d->n_nodes);
	for (uint32_t i = 1; i < d->n_nodes; i++) {
		const struct moore_listed_node *n = &d->node[r[i].index];

		if (r[i].key == r[i - 1].key && r[i].kind == r[i - 1].kind)
			return moore_fail(d->err, MOORE_EPLAN, n->line, ID " is listed on line %u already: "
					  "list each node once (ibnetdiscover without -g)", ID_OF(n),
					  d->node[r[i - 1].index].line);
	}
	return 0;
}

static int
index_links(struct moore_listing *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_links + 1) * sizeof(*r));

	free(d->by_port);
	if (!(d->by_port = r))
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; i < d->n_links; i++) {
		struct moore_listed_link *k = &d->link[i];

		k->peer = moore_plan_refs_find(d->by_guid, d->n_nodes, "", k->peer_guid, k->peer_kind);
		if (k->peer == MOORE_NONE)
			return moore_fail(d->err, MOORE_EPLAN, k->line, "\"%c-%016llx\" has no record in "
					  "this file: is the listing complete?", k->peer_kind,
					  (unsigned long long)k->peer_guid);
		r[i] = (struct moore_plan_ref){ "", moore_plan_plug_key(k->node, k->port), i, 0 };
	}
	moore_plan_refs_sort(r, d->n_links);
	for (uint32_t i = 1; i < d->n_links; i++)
		if (r[i].key == r[i - 1].key)
			return moore_fail(d->err, MOORE_EPLAN, d->link[r[i].index].line, "port %u is on "
					  "line %u already", d->link[r[i].index].port,
					  d->link[r[i - 1].index].line);
	return 0;
}

/* Checks that link k has a line at its other end, which leads back. */
static int
check_back(const struct moore_listing *d, const struct moore_listed_link *k)
{
	const struct moore_listed_node *peer = &d->node[k->peer];
	uint32_t i = moore_plan_refs_find(d->by_port, d->n_links, "",
					  moore_plan_plug_key(k->peer, k->peer_port), 0);
	const struct moore_listed_link *back = i == MOORE_NONE ? NULL : &d->link[i];

	if (!back)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "the record of " ID " (line %u) has no "
				  "line for its port %u: a link must be listed at both ends; take the "
				  "listing again", ID_OF(peer), peer->line, k->peer_port);
	if (back->peer != k->node || back->peer_port != k->port)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "this leads to " ID "[%u], but line %u "
				  "says that port leads to " ID "[%u]: take the listing again",
				  ID_OF(peer), k->peer_port, back->line, ID_OF(&d->node[back->peer]),
				  back->peer_port);
	return 0;
}

static int
check_link(const struct moore_listing *d, const struct moore_listed_link *k)
{
	const struct moore_listed_node *n = &d->node[k->node], *peer = &d->node[k->peer];
	int rc = check_back(d, k);

	if (rc < 0)
		return rc;
	if (n->kind != 'S' && peer->kind != 'S')
		return moore_fail(d->err, MOORE_EPLAN, k->line, ID " is cabled to " ID ": one end of a "
				  "link must be a switch", ID_OF(n), ID_OF(peer));
	if (k->peer == k->node)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "switch " ID " is cabled to itself: "
				  "unplug it, or take both lines out", ID_OF(n));
	return 0;
}

/* ---- loops and links reported by one end -------------------------------------------- */

/* The switch port of link k that has no line.  Its sw is the index of a node for now. */
static struct moore_seen_port
unlisted_port(const struct moore_listing *d, const struct moore_listed_link *k)
{
	if (d->node[k->peer].kind == 'S')
		return (struct moore_seen_port){ k->peer, k->peer_port };
	return (struct moore_seen_port){ k->node, k->port };
}

static int
complete_link(struct moore_listing *d, uint32_t i)
{
	struct moore_listed_link *k, *back = moore_listing_link(d);
	const struct moore_listed_node *n;

	if (!back)
		return -MOORE_ENOMEM;
	k = &d->link[i];
	n = &d->node[k->node];
	if (k->peer_port > d->node[k->peer].ports)
		return moore_fail(d->err, MOORE_EPLAN, k->line, "this leads to " ID "[%u], which has %u "
				  "ports: take the listing again", ID_OF(&d->node[k->peer]),
				  k->peer_port, d->node[k->peer].ports);
	*back = (struct moore_listed_link){ .node = k->peer, .peer = k->node, .peer_guid = n->guid,
		.peer_kind = n->kind, .port = k->peer_port, .peer_port = k->port, .line = k->line,
		.rate = k->rate, .port_guid = d->node[k->peer].kind == 'S' ? 0 :
			d->node[k->peer].guid + k->peer_port };
	d->seen->one_sided[d->seen->n_one_sided++] = unlisted_port(d, k);
	d->n_links++;
	return 0;
}

/* False for a link between two endpoints, and for a loop, which goes to seen. */
static bool
keeps(struct moore_listing *d, const struct moore_listed_link *k)
{
	if (k->peer == k->node && d->node[k->node].kind == 'S' && k->port != k->peer_port) {
		if (k->port < k->peer_port)
			d->seen->loop[d->seen->n_loops++] = (struct moore_seen_loop){
				k->node, { k->port, k->peer_port } };
		return false;
	}
	return d->node[k->node].kind == 'S' || d->node[k->peer].kind == 'S';
}

static int
settle(struct moore_listing *d)
{
	uint32_t told = d->n_links, kept = 0;
	int rc = 0;

	d->seen->loop = calloc((size_t)told + 1, sizeof(*d->seen->loop));
	d->seen->one_sided = calloc((size_t)told + 1, sizeof(*d->seen->one_sided));
	if (!d->seen->loop || !d->seen->one_sided)
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; !rc && i < told; i++)
		if (moore_plan_refs_find(d->by_port, told, "", moore_plan_plug_key(d->link[i].peer,
		    d->link[i].peer_port), 0) == MOORE_NONE)
			rc = complete_link(d, i);
	if (rc < 0 || (rc = index_links(d)) < 0)
		return rc;
	for (uint32_t i = 0; !rc && i < d->n_links; i++)	/* loops leave the list here */
		rc = d->link[i].peer == d->link[i].node ? check_back(d, &d->link[i]) : 0;
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < d->n_links; i++)
		if (keeps(d, &d->link[i]))
			d->link[kept++] = d->link[i];
	d->n_links = kept;
	return index_links(d);
}

/* Replaces the node indexes in seen by those of the plan's switches. */
static void
number_seen(struct moore_listing *d)
{
	for (uint32_t i = 0; i < d->seen->n_loops; i++)
		d->seen->loop[i].sw = d->node[d->seen->loop[i].sw].index;
	for (uint32_t i = 0; i < d->seen->n_one_sided; i++)
		d->seen->one_sided[i].sw = d->node[d->seen->one_sided[i].sw].index;
}

/* ---- names ----------------------------------------------------------------- */

/* Makes a name of a description: trims blanks, writes _ for characters that a name cannot
 * hold and cuts it to max bytes.  A node with an empty description is named by its id. */
static char *
make_name(const struct moore_listed_node *n, size_t max)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const char *s = n->desc, *end = s + n->desc_len;
	size_t len;

	while (s < end && *s == ' ')
		s++;
	while (s < end && end[-1] == ' ')
		end--;
	for (; s < end; s += len ? len : 1) {
		len = moore_utf8_len(s, (size_t)(end - s));
		if (b.len + (len ? len : 1) > max)
			break;
		if (!len || (unsigned char)*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\')
			moore_buf_fmt(&b, "_");
		else
			moore_buf_add(&b, s, len);
	}
	if (!b.len)
		moore_buf_fmt(&b, "%c-%016llx", n->kind, (unsigned long long)n->guid);
	if (b.oom)
		moore_buf_free(&b);
	return b.data;
}

/* Appends the GUID to every name that several nodes have. */
static bool
make_unique(struct moore_listing *d, struct moore_plan_ref *r, size_t n)
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool ok = true;

	for (size_t from = 0, to; ok && from < n; from = to) {
		for (to = from + 1; to < n && !strcmp(r[to].name, r[from].name); to++)
			;
		for (size_t i = from; ok && to - from > 1 && i < to; i++) {
			struct moore_listed_node *node = &d->node[r[i].index];
			char *base = make_name(node, MOORE_NAME_MAX - 17);

			b.len = 0;
			moore_buf_fmt(&b, "%s-%016llx", base, (unsigned long long)node->guid);
			free(base);
			base = base && !b.oom ? moore_strndup(b.data, b.len) : NULL;
			ok = base != NULL;
			if (ok) {
				free(node->name);
				node->name = base;
			}
		}
	}
	moore_buf_free(&b);
	return ok;
}

int
moore_listing_names(struct moore_listing *d)
{
	struct moore_plan_ref *r = malloc(((size_t)d->n_nodes + 1) * sizeof(*r));
	size_t n = 0;
	bool ok = r != NULL;

	for (uint32_t i = 0; ok && i < d->n_nodes; i++) {
		struct moore_listed_node *node = &d->node[i];

		ok = (node->name = make_name(node, MOORE_NAME_MAX)) != NULL;
		r[n++] = (struct moore_plan_ref){ node->name, 0, i, 0 };
	}
	if (ok) {
		moore_plan_refs_sort(r, n);
		ok = make_unique(d, r, n);
	}
	free(r);
	return ok ? 0 : moore_fail_nomem(d->err);
}

/* ---- the plan ----------------------------------------------------------------- */

/* Is k the first of the two lines of a link between switches? */
static bool
is_cable(const struct moore_listing *d, const struct moore_listed_link *k)
{
	return d->node[k->node].kind == 'S' && d->node[k->peer].kind == 'S' &&
	       moore_plan_plug_key(k->node, k->port) < moore_plan_plug_key(k->peer, k->peer_port);
}

static struct moore_plan *
new_plan(struct moore_listing *d)
{
	uint32_t n_switches = 0, n_endpoints = 0, n_cables = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		if (d->node[i].kind == 'S')
			d->node[i].index = n_switches++;
	for (uint32_t i = 0; i < d->n_links; i++) {
		n_endpoints += d->node[d->link[i].node].kind != 'S';
		n_cables += is_cable(d, &d->link[i]);
	}
	return moore_plan_new(n_switches, n_endpoints, n_cables);
}

void
moore_listing_share_rate(struct moore_plan *p, const struct moore_rate *all)
{
	p->rate = *all;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].rate = (struct moore_rate){ 0 };
	for (uint32_t i = 0; i < p->n_cables; i++)
		p->cable[i].rate = (struct moore_rate){ 0 };
}

static bool
same_rates(const struct moore_listing *d)
{
	for (uint32_t i = 1; i < d->n_links; i++)
		if (d->link[i].rate.width != d->link[0].rate.width ||
		    d->link[i].rate.speed != d->link[0].rate.speed)
			return false;
	return d->n_links > 0;
}

static int
fill_plan(const struct moore_listing *d, struct moore_plan *p)
{
	struct moore_plan_endpoint *e = p->ep;
	struct moore_plan_cable *c = p->cable;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		struct moore_listed_node *n = &d->node[i];

		if (n->kind != 'S')
			continue;
		p->sw[n->index] = (struct moore_plan_switch){ .name = n->name, .guid = n->guid,
							      .ports = n->ports };
		n->name = NULL;		/* now the plan's */
	}
	for (uint32_t i = 0; i < d->n_links; i++) {
		const struct moore_listed_link *k = &d->link[d->by_port[i].index];
		const struct moore_listed_node *n = &d->node[k->node], *peer = &d->node[k->peer];

		if (n->kind != 'S') {
			*e = (struct moore_plan_endpoint){ .name = moore_strndup(n->name, strlen(n->name)),
				.guid = k->port_guid, .ca_port = k->port, .sw = peer->index,
				.port = k->peer_port, .rate = k->rate };
			if (!e++->name)
				return moore_fail_nomem(d->err);
		} else if (is_cable(d, k)) {
			*c++ = (struct moore_plan_cable){ .sw = { n->index, peer->index },
							  .port = { k->port, k->peer_port },
							  .rate = k->rate };
		}
	}
	if (same_rates(d))
		moore_listing_share_rate(p, &d->link[0].rate);
	return moore_plan_check(p, NULL, d->err);
}

static int
resolve(struct moore_listing *d)
{
	int rc;

	if ((rc = index_nodes(d)) < 0 || (rc = index_links(d)) < 0 ||
	    (d->seen && (rc = settle(d)) < 0))
		return rc;
	for (uint32_t i = 0; !rc && i < d->n_links; i++)
		rc = check_link(d, &d->link[i]);
	return rc < 0 ? rc : moore_listing_names(d);
}

void
moore_listing_fini(struct moore_listing *d)
{
	for (uint32_t i = 0; i < d->n_nodes; i++)
		free(d->node[i].name);
	free(d->node);
	free(d->link);
	free(d->by_guid);
	free(d->by_port);
}

int
moore_listing_plan(struct moore_listing *d, struct moore_plan **out)
{
	struct moore_plan *p = NULL;
	int rc;

	*out = NULL;
	if ((rc = resolve(d)) < 0)
		return rc;
	if (!(p = new_plan(d)))
		return moore_fail_nomem(d->err);
	if ((rc = fill_plan(d, p)) < 0) {
		moore_plan_free(p);
		return rc;
	}
	if (d->seen)
		number_seen(d);
	*out = p;
	return 0;
}
