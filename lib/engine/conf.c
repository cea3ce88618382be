// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - the keys of moore.conf.  Elsewhere: the reader of such files (base/keys.c). */
#include <string.h>

#include "moore/conf.h"

#define PATH MOORE_KEY_TEXT, 0, MOORE_CONF_PATH_MAX, NULL

static const struct moore_key rows[] = {
	{ "plan", PATH, "(null)",
	  "The plan of the fabric (moorectl plan new). With it, routes are computed for the "
	  "intended fabric and repaired for what is missing, so that a failure changes "
	  "little; switches are matched by GUID, else by name (NodeDescription). Without "
	  "it, the last complete fabric that the plugin saw is the intended one; it is kept "
	  "beside OpenSM's own caches (osmmoore(8)).",
	  offsetof(struct moore_conf, plan), false },
	{ "seed", MOORE_KEY_U64, 0, UINT64_MAX, NULL, "0",
	  "Breaks ties between equally short, equally loaded routes. All subnet managers of a "
	  "fabric must use the same seed.",
	  offsetof(struct moore_conf, seed), false },
	{ "profile", MOORE_KEY_WORD, 0, 0, "any-sl|sl-hint|one-vl", "any-sl",
	  "any-sl: every SL is safe on every LID, so applications need not ask for one. "
	  "one-vl: so is it, on a single lane too and with any SL2VL tables, but about a quarter "
	  "of the routes of a Slim Fly are longer than necessary, and no LID has detours. "
	  "sl-hint: more pairs have long routes in each layer, but applications must use "
	  "the SL of a path record, except on base LIDs with SL 0 (or 4, 8, 12: classes); on "
	  "OFT and MLFM its routes are those of any-sl.",
	  offsetof(struct moore_conf, profile), false },
	{ "layers", MOORE_KEY_WORD, 0, 0, "valiant3|nta|valiant|inr", "valiant3",
	  "The detours that routes to offsets 1 and up take (docs/theory.md, section 4). "
	  "valiant3: a chosen last switch before the destination, one hop longer where "
	  "possible. valiant: the last two switches are chosen, two hops longer. nta: as "
	  "valiant, but a route that comes to a neighbour of the destination goes straight "
	  "on to the destination. inr: as valiant, but the first of the two is never a "
	  "middle or core switch. On OFT and MLFM valiant3, valiant and inr are the same, "
	  "on Slim Fly valiant and inr.",
	  offsetof(struct moore_conf, layers), false },
	{ "classes", MOORE_KEY_PER_SL, 0, MOORE_CLASS_MAX, NULL, "0",
	  "The class of service of each SL, 0 to 6, from SL 0 on, separated by commas; "
	  "the last one holds for the SLs that follow. Classes share links, routes and "
	  "bandwidth evenly, but no buffers: class c has the lanes 2c and 2c+1. "
	  "max_op_vls of opensm.conf must give twice as many lanes as there are classes "
	  "(3: 4 lanes, 4: 8, 5: 15); classes that do not fit share lanes, which is safe. "
	  "With profile sl-hint there are four classes, 0 to 3, and class c has the SLs 4c to "
	  "4c+3; this key then gives the class that a request for an SL means, in sl= of a "
	  "partition, in a QoS policy or in a path record. 0,0,0,0,1 makes two classes; a "
	  "request for SL 4 means the second.",
	  offsetof(struct moore_conf, lanes.sl_class), false },
	{ "links", PATH, "(null)",
	  "A file of links and switches that routes should use less, read again at each heavy "
	  "sweep. Lines are `NAME[:PORT] avoid` (used only where nothing else connects, to "
	  "drain it) or `NAME[:PORT] weight N` (1 to 100: of equally short routes, one over a "
	  "link of weight 2 is taken half as often); NAME is a switch's name or 0xGUID; "
	  "without :PORT the line holds for all its links; # starts a comment.",
	  offsetof(struct moore_conf, links), false },
	{ "moored", PATH, "/run/moored/moored.sock",
	  "The socket of moored(8) on this host, as in moored.conf. The plugin reports each "
	  "sweep to the socket beside it that has the same name with .sweep appended. It "
	  "never waits for moored, and routes the same when moored does not run. With (null) "
	  "it reports nothing.",
	  offsetof(struct moore_conf, moored), false },
	{ "motion", MOORE_KEY_WORD, 0, 0, "safe|fast", "safe",
	  "How new tables reach the switches. safe: in steps, each acknowledged before the next, "
	  "so that no mixture of old and new rows can deadlock or loop, and a pair that is "
	  "connected is not interrupted where that is possible. fast: all rows at once; while "
	  "they go out, traffic could deadlock.",
	  offsetof(struct moore_conf, motion), false },
	{ "motion_wait", MOORE_KEY_U32, 0, 60000, NULL, "0",
	  "Milliseconds between two steps, where packets that are still in a buffer from before "
	  "the first one must not meet the rows of the second. Most steps need no wait. 0: the "
	  "longest time that a packet can stay in the fabric: for each switch of the longest "
	  "route the greater of head_of_queue_lifetime (for the last one: "
	  "leaf_head_of_queue_lifetime) and packet_life_time of opensm.conf.",
	  offsetof(struct moore_conf, motion_wait), false },
	{ "flap_count", MOORE_KEY_U32, 0, MOORE_FLAP_MAX, NULL, "3",
	  "A link between switches that went down or came back this many times within "
	  "flap_seconds counts as missing, until it was quiet for flap_seconds. When changes of "
	  "the fabric have cut the steps of two sweeps in a row short, two changes of a link "
	  "suffice. 0: never.",
	  offsetof(struct moore_conf, flap_count), false },
	{ "flap_seconds", MOORE_KEY_U32, 1, 86400, NULL, "60",
	  "The time that flap_count looks at.",
	  offsetof(struct moore_conf, flap_seconds), false },
	{ "threads", MOORE_KEY_U32, 0, MOORE_THREADS_MAX, NULL, "0",
	  "The threads that compute and check routes; they exist only meanwhile. 0: one for each "
	  "processor that OpenSM may run on, at most 16. The tables are the same for any number.",
	  offsetof(struct moore_conf, threads), false },
};

static const struct moore_keys keys = {
	rows, ARRAY_LEN(rows),
	"# moore.conf - settings of the routing engine \"moore\" of OpenSM.\n"
	"# Lines are `key value`; # starts a comment.  Read again at each heavy\n"
	"# sweep (SIGHUP to opensm forces one).  These are the defaults.\n",
	"moorectl conf"
};

const struct moore_key *
moore_conf_key_at(size_t i)
{
	return i < ARRAY_LEN(rows) ? &rows[i] : NULL;
}

static int
check_classes(const struct moore_conf *c, unsigned line, struct moore_err *err)
{
	for (unsigned sl = 0; c->profile == MOORE_PROFILE_SL_HINT && sl < MOORE_N_SL; sl++)
		if (c->lanes.sl_class[sl] >= MOORE_HINT_CLASSES)
			return moore_fail(err, MOORE_ESYNTAX, line, "classes: SL %u has class %u, and "
					  "profile sl-hint has the classes 0 to %u", sl,
					  c->lanes.sl_class[sl], MOORE_HINT_CLASSES - 1);
	return 0;
}

/* Returns the line of the key classes, among the lines that moore_keys_parse() noted. */
static unsigned
classes_line(const unsigned *line)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == MOORE_KEY_PER_SL)
			return line[i];
	return 0;
}

void
moore_conf_defaults(struct moore_conf *c)
{
	memset(c, 0, sizeof(*c));
	moore_keys_defaults(&keys, c);
}

int
moore_conf_parse(struct moore_conf *out, const char *text, size_t len, struct moore_err *err)
{
	unsigned line[ARRAY_LEN(rows)];
	struct moore_conf c;
	int rc;

	moore_conf_defaults(&c);
	if ((rc = moore_keys_parse(&keys, &c, NULL, text, len, line, err)) < 0 ||
	    (rc = check_classes(&c, classes_line(line), err)) < 0)
		return rc;
	*out = c;
	return 0;
}

int
moore_conf_set(struct moore_conf *c, const char *key, const char *value, struct moore_err *err)
{
	struct moore_conf changed = *c;
	int rc = moore_keys_set(&keys, &changed, key, value, err);

	if (rc < 0 || (rc = check_classes(&changed, 0, err)) < 0)
		return rc;
	*c = changed;
	return 0;
}

void
moore_conf_template(struct moore_buf *out)
{
	moore_keys_template(&keys, out);
}
