// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* seen.c - reads the observed wiring in any of its forms, which the first bytes tell.
 * Elsewhere: each form (fmt_ibnetdiscover.c, dump_subnet.c, plan/plan_json.c) and what
 * the first two have in common (listing.c). */
#include <stdlib.h>
#include <string.h>

#include "listing.h"

enum form { LISTING, SUBNET, JSON };

/* JSON opens an object with a key or closes it at once; a line of opensm-subnet.lst begins
 * with "{ SW", "{ CA", "{ Rt" or "{ **". */
static enum form
form_of(const char *text, size_t len)
{
	static const char blank[] = " \t\r\n";
	const char *end = text + len;

	while (text < end && strchr(blank, *text) && *text)
		text++;
	if (text == end || *text++ != '{')
		return LISTING;
	while (text < end && strchr(blank, *text) && *text)
		text++;
	return text == end || *text == '"' || *text == '}' ? JSON : SUBNET;
}

static int
read_listing(struct moore_seen *s, enum form form, const char *text, size_t len,
	     struct moore_err *err)
{
	struct moore_listing d = { .seen = s, .err = err };
	int rc = form == SUBNET ? moore_listing_subnet(&d, text, len) :
		moore_listing_ibnetdiscover(&d, text, len);

	if (rc == 0)
		rc = moore_listing_plan(&d, &s->plan);
	moore_listing_fini(&d);
	return rc;
}

int
moore_seen_parse(struct moore_seen **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_seen *s = calloc(1, sizeof(*s));
	enum form form = form_of(text, len);
	int rc;

	*out = NULL;
	if (!s)
		return moore_fail_nomem(err);
	rc = form == JSON ? moore_plan_parse(&s->plan, text, len, err) :
		read_listing(s, form, text, len, err);
	if (rc < 0) {
		moore_seen_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
moore_seen_free(struct moore_seen *s)
{
	if (!s)
		return;
	moore_plan_free(s->plan);
	free(s->loop);
	free(s->one_sided);
	free(s);
}
