// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_links.c - any bytes as a links file and as moore.conf.  Accepted rules are within
 * their bounds; if they have names, they can be written and read back unchanged. */
#include "driver.h"
#include "moore/conf.h"
#include "moore/links.h"

static const char fuzz_name[] = "links and moore.conf";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"# drain\nsw1:12 avoid\nMF0;sw 1:SX6036/U1 weight 3 # old cable\n0x8f1:3 weight 100\n",
		"plan /a/b.json\nseed 7\nprofile any-sl\nclasses 0,1,2,3,4,5,6,0,1\nlinks /a/links\n",
		NULL
	};

	return seeds;
}

static void
write_rule(struct moore_buf *b, const struct moore_link_rule *r)
{
	if (r->name)
		moore_buf_fmt(b, "%s", r->name);
	else
		moore_buf_fmt(b, "0x%llx", (unsigned long long)r->guid);
	if (r->port)
		moore_buf_fmt(b, ":%u", r->port);
	if (r->weight == MOORE_LINK_AVOID)
		moore_buf_fmt(b, " avoid\n");
	else
		moore_buf_fmt(b, " weight %u\n", r->weight);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_links *l = NULL, *m = NULL;
	struct moore_conf conf;
	struct moore_err err;

	if (moore_conf_parse(&conf, (const char *)data, len, &err) == 0)
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
			if (conf.lanes.sl_class[sl] > MOORE_CLASS_MAX)
				abort();
	if (moore_links_parse(&l, (const char *)data, len, &err) < 0)
		return;
	for (size_t i = 0; i < l->n; i++) {
		const struct moore_link_rule *r = &l->rule[i];

		if (r->port > MOORE_PORT_MAX || !r->weight ||
		    (r->weight > MOORE_LINK_WEIGHT_MAX && r->weight != MOORE_LINK_AVOID))
			abort();
		write_rule(&b, r);
	}
	if (moore_links_parse(&m, b.data ? b.data : "", b.len, &err) < 0 ||
	    moore_links_hash(MOORE_HASH_INIT, l) != moore_links_hash(MOORE_HASH_INIT, m))
		abort();
	moore_buf_free(&b);
	moore_links_free(l);
	moore_links_free(m);
}
