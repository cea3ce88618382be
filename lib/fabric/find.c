// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* find.c - finds switches and endpoints: by LID for programs, by name, GUID or LID for
 * people.
 *
 * A name is preferred to a number that reads the same, a port GUID to a node GUID, and a GUID
 * to a LID: a word means the most specific thing that it can mean. */
#include <stdlib.h>
#include <string.h>

#include "moore/fabric.h"

int
moore_fabric_lids(const struct moore_fabric *f, struct moore_lid_owner **out,
		  struct moore_err *err)
{
	static const struct moore_lid_owner no_owner = { .sw = MOORE_NONE, .ep = MOORE_NONE };
	struct moore_lid_owner *own = malloc(((size_t)f->lid_top + 1) * sizeof(*own));

	*out = NULL;
	if (!own)
		return moore_fail_nomem(err);
	for (unsigned i = 0; i <= f->lid_top; i++)
		own[i] = no_owner;
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned i = 0; f->sw[s].lid && i < 1u << f->sw[s].lmc; i++)
			own[f->sw[s].lid + i] = (struct moore_lid_owner){
				s, 0, MOORE_NONE, (uint16_t)i };
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		for (unsigned i = 0; f->ep[e].lid && f->ep[e].sw != MOORE_NONE &&
		     i < 1u << f->ep[e].lmc; i++)
			own[f->ep[e].lid + i] = (struct moore_lid_owner){
				f->ep[e].sw, f->ep[e].port, e, (uint16_t)i };
	*out = own;
	return 0;
}

uint8_t
moore_fabric_lmc(const struct moore_fabric *f)
{
	uint8_t least = 7;

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].lid && f->ep[e].lmc < least)
			least = f->ep[e].lmc;
	return f->n_endpoints ? least : 0;
}

/* ---- by what a person types ---------------------------------------------- */

struct word {			/* what the user typed, in each way in which it can be read */
	const char *text;
	size_t name_len;	/* length of NAME in NAME:CA_PORT */
	uint64_t ca_port;	/* 0: none given */
	bool is_guid, is_lid;
	uint64_t guid, lid;
};

static struct word
read_word(const char *text)
{
	const char *end = text + strlen(text), *p = strrchr(text, ':');
	struct word w = { .text = text };

	if (p && p++ && moore_text_u64(&p, end, 10, 255, &w.ca_port) && p == end)
		w.name_len = (size_t)(strrchr(text, ':') - text);
	else
		w.ca_port = 0;
	p = text;
	w.is_guid = !strncmp(p, "0x", 2) && moore_text_u64(&p, end, 16, UINT64_MAX, &w.guid) &&
		    p == end && w.guid;
	p = !strncmp(text, "lid ", 4) ? text + 4 : text;
	w.is_lid = moore_text_u64(&p, end, 0, MOORE_LID_MAX, &w.lid) && p == end && w.lid;
	return w;
}

enum { BY_NAME, BY_PORT_GUID, BY_NODE_GUID, BY_LID, N_WAYS };

static bool
holds_lid(moore_lid base, uint8_t lmc, uint64_t lid)
{
	return base && lid >= base && lid - base < (uint64_t)1 << lmc;
}

static bool
switch_is(const struct moore_switch *s, const struct word *w, int way)
{
	switch (way) {
	case BY_NAME:
		return s->name && !strcmp(s->name, w->text);
	case BY_PORT_GUID:
		return w->is_guid && (s->port_guid == w->guid || s->guid == w->guid);
	case BY_LID:
		return w->is_lid && holds_lid(s->lid, s->lmc, w->lid);
	default:
		return false;
	}
}

static bool
endpoint_is(const struct moore_endpoint *e, const struct word *w, int way)
{
	switch (way) {
	case BY_NAME:
		return e->name && (!strcmp(e->name, w->text) ||
				   (w->ca_port == e->ca_port && strlen(e->name) == w->name_len &&
				    !strncmp(e->name, w->text, w->name_len)));
	case BY_PORT_GUID:
		return w->is_guid && e->guid == w->guid;
	case BY_NODE_GUID:
		return w->is_guid && e->node_guid == w->guid;
	default:
		return w->is_lid && holds_lid(e->lid, e->lmc, w->lid);
	}
}

bool
moore_switch_matches(const struct moore_switch *s, const char *what)
{
	const struct word w = read_word(what);

	for (int way = 0; way < N_WAYS; way++)
		if (switch_is(s, &w, way))
			return true;
	return false;
}

bool
moore_endpoint_matches(const struct moore_endpoint *e, const char *what)
{
	const struct word w = read_word(what);

	for (int way = 0; way < N_WAYS; way++)
		if (endpoint_is(e, &w, way))
			return true;
	return false;
}

int
moore_fabric_find(const struct moore_fabric *f, const char *what, moore_swid *sw,
		  moore_epid *ep, struct moore_err *err)
{
	struct word w = read_word(what);
	uint32_t found = 0;

	*sw = *ep = MOORE_NONE;
	for (int way = 0; way < N_WAYS && !found; way++) {
		for (uint32_t s = 0; s < f->n_switches; s++)
			if (switch_is(&f->sw[s], &w, way) && !found++)
				*sw = s;
		for (uint32_t e = 0; e < f->n_endpoints; e++)
			if (endpoint_is(&f->ep[e], &w, way) && !found++)
				*ep = e;
	}
	if (found == 1)
		return 0;
	*sw = *ep = MOORE_NONE;
	if (found)
		return moore_fail(err, MOORE_EINVAL, 0, "%.100s: %u ports have that name; say "
				  "NAME:PORT, a port GUID (0x...) or a LID", what, found);
	return moore_fail(err, MOORE_EINVAL, 0, "%.100s: nothing in the fabric has that name, "
			  "GUID or LID", what);
}
