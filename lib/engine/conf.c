// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - moore.conf from one table of keys: parser, defaults, template. */
#include <string.h>

#include "moore/conf.h"

static const struct moore_conf_key keys[] = {
	{ "plan", MOORE_CONF_PATH, 0, 0, NULL, "(null)",
	  "The plan of the fabric (moorectl plan new). With it, routes are computed for the "
	  "fabric as intended and repaired for what is missing, so that a failure changes "
	  "little; switches are matched by GUID, else by name (NodeDescription). Without "
	  "it, the fabric as seen is taken as intended.",
	  offsetof(struct moore_conf, plan) },
	{ "seed", MOORE_CONF_U64, 0, UINT64_MAX, NULL, "0",
	  "Breaks ties between equally short, equally loaded routes. Two subnet managers "
	  "must use the same one.",
	  offsetof(struct moore_conf, seed) },
	{ "profile", MOORE_CONF_WORD, 0, 0, "any-sl|sl-hint", "any-sl",
	  "any-sl: every SL is safe on every LID, so applications need not ask for one. "
	  "sl-hint: more pairs have long routes in each layer, but applications must use "
	  "the SL of a path record, except on base LIDs with SL 0 (or 4, 8, 12: classes).",
	  offsetof(struct moore_conf, profile) },
	{ "layers", MOORE_CONF_WORD, 0, 0, "valiant3|nta|valiant|inr", "valiant3",
	  "What the routes to offsets 1 and up go round (docs/theory.md, section 3): valiant3: "
	  "a neighbour of the destination, one hop more where that can be; valiant: two "
	  "switches before it, two hops more; nta: the same, but who comes past a neighbour "
	  "of the destination goes straight to it; inr: valiant by way of switches with "
	  "endpoints. On OFT and MLFM valiant3, valiant and inr are the same, on Slim Fly "
	  "valiant and inr; with profile sl-hint all four are the same on OFT and MLFM.",
	  offsetof(struct moore_conf, layers) },
	{ "classes", MOORE_CONF_PER_SL, 0, MOORE_CLASS_MAX, NULL, "0",
	  "The class of service of each SL, 0 to 6, from SL 0 on, separated by commas; "
	  "the last one holds for the SLs that follow. Classes share links, routes and "
	  "bandwidth evenly, but no buffers: class c has the lanes 2c and 2c+1. "
	  "max_op_vls of opensm.conf must give twice as many lanes as there are classes "
	  "(3: 4 lanes, 4: 8, 5: 15); classes that do not fit share lanes, which is safe. "
	  "With profile sl-hint there are four classes, 0 to 3; class c has the SLs 4c to "
	  "4c+3, and what is meant here is the class of who asks for an SL: in sl= of a "
	  "partition, a QoS policy or a path record. 0,0,0,0,1 makes two classes, of which "
	  "the second is asked for by SL 4.",
	  offsetof(struct moore_conf, lanes.sl_class) },
	{ "links", MOORE_CONF_PATH, 0, 0, NULL, "(null)",
	  "A file of links and switches to spare, read again at each heavy sweep. Lines are "
	  "`NAME[:PORT] avoid` (used only where nothing else connects: to drain it) or "
	  "`NAME[:PORT] weight N` (1 to 100: of equally short routes, one over a link of "
	  "weight 2 is taken half as often); NAME is a switch's name or 0xGUID, without "
	  ":PORT all its links are meant; # starts a comment.",
	  offsetof(struct moore_conf, links) },
	{ "moored", MOORE_CONF_PATH, 0, 0, NULL, "/run/moored/moored.sock",
	  "The socket of moored(8) on this host, as moored.conf names it. Beside it, under "
	  "the same name with .sweep, the plugin tells it of each sweep; it never waits "
	  "for it, and routes the same when nobody is there. (null) tells nobody.",
	  offsetof(struct moore_conf, moored) },
};

const struct moore_conf_key *
moore_conf_key_at(size_t i)
{
	return i < ARRAY_LEN(keys) ? &keys[i] : NULL;
}

static const struct moore_conf_key *
find_key(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strlen(keys[i].key) == len && !memcmp(keys[i].key, s, len))
			return &keys[i];
	return NULL;
}

static int
set_word(char *field, const struct moore_conf_key *k, const char *s, size_t len, unsigned line,
	 struct moore_err *err)
{
	uint32_t at = 0;

	for (const char *w = k->words;; w++, at++) {
		size_t n = strcspn(w, "|");

		if (n == len && !memcmp(w, s, n)) {
			memcpy(field, &at, sizeof(at));
			return 0;
		}
		w += n;
		if (!*w)
			break;
	}
	return moore_fail(err, MOORE_ESYNTAX, line, "%s: \"%.*s\" is none of %s", k->key,
			  (int)(len < 80 ? len : 80), s, k->words);
}

/* "0,0,1": one number for each SL, the last for all that follow. */
static int
set_per_sl(uint8_t *field, const struct moore_conf_key *k, const char *s, const char *end,
	   unsigned line, struct moore_err *err)
{
	uint8_t of[MOORE_N_SL];
	const char *p = s;
	uint64_t v = 0;
	unsigned n = 0;

	do {
		if (n == MOORE_N_SL || !moore_text_u64(&p, end, 10, k->max, &v) || v < k->min)
			break;
		of[n++] = (uint8_t)v;
	} while (p < end && *p == ',' && ++p);
	if (p != end || p[-1] == ',')
		return moore_fail(err, MOORE_ESYNTAX, line,
				  "%s: \"%.*s\" is not 1 to %u numbers from %llu to %llu with commas "
				  "between", k->key, (int)(end - s < 80 ? end - s : 80), s, MOORE_N_SL,
				  (unsigned long long)k->min, (unsigned long long)k->max);
	while (n < MOORE_N_SL)
		of[n++] = (uint8_t)v;
	memcpy(field, of, sizeof(of));
	return 0;
}

static int
set_value(struct moore_conf *c, const struct moore_conf_key *k, const char *s, const char *end,
	  unsigned line, struct moore_err *err)
{
	char *field = (char *)c + k->offset;
	const char *p = s;
	size_t len = (size_t)(end - s);
	uint64_t v;

	switch (k->type) {
	case MOORE_CONF_U64:
		if (!moore_text_u64(&p, end, 0, k->max, &v) || p != end || v < k->min)
			return moore_fail(err, MOORE_ESYNTAX, line,
					  "%s: \"%.*s\" is not a number from %llu to %llu", k->key,
					  (int)(len < 80 ? len : 80), s, (unsigned long long)k->min,
					  (unsigned long long)k->max);
		memcpy(field, &v, sizeof(v));
		return 0;
	case MOORE_CONF_WORD:
		return set_word(field, k, s, len, line, err);
	case MOORE_CONF_PER_SL:
		return set_per_sl((uint8_t *)field, k, s, end, line, err);
	case MOORE_CONF_PATH:
		if (len == 6 && !memcmp(s, "(null)", 6))
			len = 0;
		if (len >= MOORE_CONF_PATH_MAX || memchr(s, '\0', len))
			return moore_fail(err, MOORE_ESYNTAX, line,
					  "%s: the path is longer than %u bytes or holds a NUL",
					  k->key, MOORE_CONF_PATH_MAX - 1);
		memcpy(field, s, len);
		field[len] = '\0';
		return 0;
	}
	return 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* One line: blank, a comment, or `key value`. */
static int
parse_line(struct moore_conf *c, const char *s, const char *end, unsigned line,
	   unsigned *seen, struct moore_err *err)
{
	const struct moore_conf_key *k;
	const char *word;

	while (s < end && is_blank(*s))
		s++;
	if (s == end || *s == '#')
		return 0;
	for (word = s; s < end && !is_blank(*s); s++)
		;
	k = find_key(word, (size_t)(s - word));
	if (!k)
		return moore_fail(err, MOORE_ESYNTAX, line,
				  "%.*s: unknown key: `moorectl conf` lists the keys",
				  (int)(s - word < 80 ? s - word : 80), word);
	if (seen[k - keys])
		return moore_fail(err, MOORE_ESYNTAX, line, "%s: set twice: remove one", k->key);
	seen[k - keys] = line;
	while (s < end && is_blank(*s))
		s++;
	for (const char *p = s; p < end; p++)	/* a comment after the value */
		if (*p == '#' && p > s && is_blank(p[-1]))
			end = p;
	while (end > s && is_blank(end[-1]))
		end--;
	if (s == end)
		return moore_fail(err, MOORE_ESYNTAX, line, "%s: has no value: write `%s %s`",
				  k->key, k->key, k->dflt);
	return set_value(c, k, s, end, line, err);
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

void
moore_conf_defaults(struct moore_conf *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		set_value(c, &keys[i], keys[i].dflt, keys[i].dflt + strlen(keys[i].dflt), 0, NULL);
}

int
moore_conf_parse(struct moore_conf *out, const char *text, size_t len, struct moore_err *err)
{
	unsigned seen[ARRAY_LEN(keys)] = { 0 };	/* line of each key */
	const char *end = text + len;
	struct moore_conf c;
	unsigned line = 0;
	int rc;

	moore_conf_defaults(&c);
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		if ((rc = parse_line(&c, text, stop, ++line, seen, err)) < 0)
			return rc;
		text = nl ? nl + 1 : end;
	}
	if ((rc = check_classes(&c, seen[find_key("classes", 7) - keys], err)) < 0)
		return rc;
	*out = c;
	return 0;
}

int
moore_conf_set(struct moore_conf *c, const char *key, const char *value, struct moore_err *err)
{
	struct moore_conf new = *c;
	int rc = set_value(&new, find_key(key, strlen(key)), value, value + strlen(value), 0, err);

	if (rc < 0 || (rc = check_classes(&new, 0, err)) < 0)
		return rc;
	*c = new;
	return 0;
}

void
moore_conf_template(struct moore_buf *out)
{
	moore_buf_fmt(out, "# moore.conf - settings of the routing engine \"moore\" of OpenSM.\n"
		      "# Lines are `key value`; # starts a comment.  Read again at each heavy\n"
		      "# sweep (SIGHUP to opensm forces one).  These are the defaults.\n");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		moore_buf_add(out, "\n", 1);
		moore_buf_comment(out, keys[i].help);
		moore_buf_fmt(out, "%s %s\n", keys[i].key, keys[i].dflt);
	}
}
