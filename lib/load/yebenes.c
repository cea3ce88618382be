// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* yebenes.c - the adversarial pattern of Yebenes et al. (HOTI 2017), Algorithm 2, on a Slim
 * Fly.
 *
 * With the switches numbered 0 .. 2q^2 - 1, those of the first subgraph send to
 * (s + A) mod q^2 of the second, and those of the second to (s + B) mod q^2 of the first.  A
 * and B must put every sender two hops from its receiver.  The paper lists them for q = 7, 11,
 * 13, 17 and 19 without saying how they were found.  In that table A is the least that
 * serves, and B is q - A.  So A is sought upwards from 1, and B upwards from q - A, cyclically;
 * each candidate is tried on all q^2 senders, and when none of the q^2 serves, that half does
 * not send.  The paper's primitive element xi only names the switches. */
#include <stdlib.h>
#include <string.h>

#include "load_impl.h"
#include "moore/topo.h"

struct slimfly {
	const struct moore_fabric *f;
	uint32_t half;			/* q^2 */
	uint32_t q;
	uint8_t *linked;		/* [a * 2 * half + b], of the intact graph */
	moore_swid *image;		/* by switch: its number in the intact graph */
	moore_swid *at;			/* the reverse, or MOORE_NONE */
	struct moore_arena tmp;
};

static int
list_links(struct slimfly *y, struct moore_topo_link **out, size_t *n, struct moore_err *err)
{
	const struct moore_fabric *f = y->f;
	struct moore_topo_link *link = moore_arena_alloc(&y->tmp, (size_t)f->n_ports + 1,
							 sizeof(*link));

	if (!link)
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH && port->peer > s)
				link[(*n)++] = (struct moore_topo_link){ s, port->peer };
		}
	*out = link;
	return 0;
}

/* Takes over the intact graph; image NULL: every switch has its own number. */
static int
adopt(struct slimfly *y, const struct moore_topo *t, const moore_swid *image,
      struct moore_err *err)
{
	const size_t n = t->n_switches;

	y->q = (uint32_t)t->param[0];
	y->half = y->q * y->q;
	if (!(y->linked = moore_arena_alloc(&y->tmp, n * n, 1)) ||
	    !(y->image = moore_arena_alloc(&y->tmp, n, sizeof(*y->image))) ||
	    !(y->at = moore_arena_alloc(&y->tmp, n, sizeof(*y->at))))
		return moore_fail_nomem(err);
	for (size_t i = 0; i < t->n_links; i++) {
		y->linked[t->link[i].a * n + t->link[i].b] = 1;
		y->linked[t->link[i].b * n + t->link[i].a] = 1;
	}
	memset(y->at, 0xff, n * sizeof(*y->at));
	for (moore_swid s = 0; s < y->f->n_switches; s++) {
		y->image[s] = image ? image[s] : s;
		y->at[y->image[s]] = s;
	}
	return 0;
}

/* Tries whether the switches are in the order of the paper, as those of our plans are. */
static int
read_order(struct slimfly *y, const struct moore_topo_link *link, size_t n_links,
	   struct moore_err *err)
{
	const struct moore_topo_family *family = moore_topo_family_find("slimfly");
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 2, 0 };
	struct moore_topo *t = NULL;
	int rc;

	while (2 * param[0] * param[0] < y->f->n_switches)
		param[0]++;
	if (2 * param[0] * param[0] != y->f->n_switches)
		return 0;
	rc = moore_topo_build(&t, family, param, NULL);
	if (rc < 0)
		return rc == -MOORE_ENOMEM ? moore_fail_nomem(err) : 0;
	rc = adopt(y, t, NULL, err);
	for (size_t i = 0; rc == 0 && i < n_links && y->half; i++)
		if (!y->linked[(size_t)link[i].a * t->n_switches + link[i].b])
			y->half = 0;
	moore_topo_free(t);
	return rc;
}

static int
recognise(struct slimfly *y, const struct moore_topo_link *link, size_t n_links,
	  struct moore_err *err)
{
	struct moore_topo_part *part = NULL;
	int rc = moore_topo_recognise_part(&part, y->f->n_switches, link, n_links, err);

	if (rc == 0 && part && !strcmp(part->whole->family->name, "slimfly"))
		rc = adopt(y, part->whole, part->image, err);
	moore_topo_part_free(part);
	return rc;
}

static bool
all_at_two(const struct slimfly *y, uint32_t from, uint32_t to, uint32_t by)
{
	for (uint32_t i = 0; i < y->half; i++)
		if (y->linked[(size_t)(from + i) * 2 * y->half + to + (i + by) % y->half])
			return false;
	return true;
}

/* Sends from one half to the other; returns the number added, or MOORE_NONE when none
 * serves. */
static uint32_t
send_across(const struct slimfly *y, const struct moore_ends *e, uint32_t from, uint32_t least,
	    moore_swid *to)
{
	const uint32_t other = y->half - from;
	uint32_t by, tried = 0;

	for (by = least; tried < y->half && !all_at_two(y, from, other, by); tried++)
		by = (by + 1) % y->half;
	if (tried == y->half)
		return MOORE_NONE;
	for (uint32_t i = 0; i < y->half; i++) {
		const moore_swid s = y->at[from + i], d = y->at[other + (i + by) % y->half];

		if (s != MOORE_NONE && d != MOORE_NONE && e->at[s] != MOORE_NONE &&
		    e->at[d] != MOORE_NONE)
			to[s] = d;
	}
	return by;
}

int
moore_yebenes_peers(const struct moore_fabric *f, const struct moore_ends *e, uint32_t ab[2],
		    moore_swid *to, struct moore_err *err)
{
	struct slimfly y = { .f = f };
	struct moore_topo_link *link = NULL;
	size_t n_links = 0;
	int rc;

	ab[0] = ab[1] = MOORE_NONE;
	for (moore_swid s = 0; s < f->n_switches; s++)
		to[s] = MOORE_NONE;
	rc = list_links(&y, &link, &n_links, err);
	if (rc == 0)
		rc = read_order(&y, link, n_links, err);
	if (rc == 0 && !y.half)
		rc = recognise(&y, link, n_links, err);
	if (rc == 0 && y.half) {
		ab[0] = send_across(&y, e, 0, 1, to);
		ab[1] = send_across(&y, e, y.half, ab[0] == MOORE_NONE ? 1 :
				    (y.q + y.half - ab[0]) % y.half, to);
	}
	moore_arena_free(&y.tmp);
	return rc;
}
