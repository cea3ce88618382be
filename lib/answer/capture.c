// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* capture.c - the manifest of a capture, which is also the answer of `moorectl capture`, and the
 * reader that holds an archive against it.
 *
 * Hashes tell a damaged copy from a whole one.  They do not prove where a capture comes from. */
#include <string.h>

#include "answer/answer_impl.h"
#include "moore/capture.h"

/* One more whenever a member or a key is added, so that an older reader names the reason.  2 has
 * moore-hardware.dump and moore-counters.dump; all else is that of 1. */
#define VERSION 2

const char moore_schema_capture[] = OBJ("'moore_capture':" INT ",'moore':" STR ",'from':" STR
	",'at':" INT ",'names':" STR ",'key_id':" OR_NULL("string") ",'switches':" INT
	",'endpoints':" INT ",'cables':" INT ",'lids':" INT ",'members':"
	LIST_OF(OBJ("'name':" STR ",'bytes':" INT ",'hash':" OR_NULL("string"))));

static const char *const names[MOORE_N_CAPTURED] = {
	[MOORE_CAPTURED_SUBNET] = "opensm-subnet.lst", [MOORE_CAPTURED_LFTS] = "opensm-lfts.dump",
	[MOORE_CAPTURED_SL2VL] = "opensm-sl2vl.dump", [MOORE_CAPTURED_MCAST] = "opensm.mcfdbs",
	[MOORE_CAPTURED_PATH_SL] = "moore-path-sl.dump", [MOORE_CAPTURED_OP_VLS] = "moore-op-vls.dump",
	[MOORE_CAPTURED_HARDWARE] = "moore-hardware.dump",
	[MOORE_CAPTURED_COUNTERS] = "moore-counters.dump", [MOORE_CAPTURED_PLAN] = "plan.json",
};

const char *
moore_captured_name(enum moore_captured which)
{
	return names[which];
}

/* ---- writing ------------------------------------------------------------------------ */

static json_t *
json_members(const struct moore_capture *c)
{
	json_t *list = json_array();

	for (int i = 0; i < MOORE_N_CAPTURED; i++)
		if (c->member[i].name)
			list = moore_json_add(list, json_pack("{s:s, s:I, s:o}", "name", names[i],
				"bytes", (json_int_t)c->member[i].len, "hash",
				moore_json_guid(c->hash[i])));
	return list;
}

json_t *
moore_answer_capture(const struct moore_capture *c)
{
	return json_pack("{s:i, s:s, s:s, s:I, s:s, s:o, s:I, s:I, s:I, s:I, s:o}",
		"moore_capture", VERSION, "moore", MOORE_VERSION, "from", c->live ? "moored" : "dumps",
		"at", (json_int_t)c->at, "names", c->pseudonyms ? "pseudonyms" : "kept",
		"key_id", moore_json_guid(c->key_id), "switches", (json_int_t)c->switches,
		"endpoints", (json_int_t)c->endpoints, "cables", (json_int_t)c->cables,
		"lids", (json_int_t)c->lids, "members", json_members(c));
}

/* ---- reading ------------------------------------------------------------------------ */

static int
find_name(const char *name)
{
	int i = 0;

	while (i < MOORE_N_CAPTURED && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* What an archive has besides the members of this version. */
struct others {
	struct moore_member manifest, unknown;	/* unknown: the first one */
};

/* Takes every member up to the manifest, which is the last. */
static int
take_members(struct moore_capture *c, const char *data, size_t len, struct others *others,
	     struct moore_err *err)
{
	const char *at = data, *end = data + len;
	struct moore_member m;
	int rc, i;

	while ((rc = moore_tar_next(&at, end, &m, err)) > 0) {
		if (others->manifest.name)
			return moore_fail(err, MOORE_ESYNTAX, 0, "%s: stands after " MOORE_MANIFEST
					  ", which ends a capture", m.name);
		if (!strcmp(m.name, MOORE_MANIFEST)) {
			others->manifest = m;
			continue;
		}
		if ((i = find_name(m.name)) == MOORE_N_CAPTURED) {
			if (!others->unknown.name)
				others->unknown = m;
			continue;
		}
		if (c->member[i].name)
			return moore_fail(err, MOORE_ESYNTAX, 0, "%s: occurs twice", m.name);
		c->member[i] = m;
		c->hash[i] = moore_hash(MOORE_HASH_INIT, m.data, m.len);
	}
	if (rc == 0 && !others->manifest.name)
		return moore_fail(err, MOORE_ESYNTAX, 0, "it has no " MOORE_MANIFEST ", so it is no "
				  "capture, or it is cut off");
	return rc;
}

static const char *
text_at(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static uint64_t
hash_at(const json_t *o, const char *key)
{
	const char *s = text_at(o, key), *end = s + strlen(s);
	uint64_t v = 0;

	return moore_text_u64(&s, end, 0, UINT64_MAX, &v) && s == end ? v : 0;
}

static uint64_t
count_at(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 ? (uint64_t)n : 0;
}

/* Holds the members against the list, each of which must be in the other. */
static int
check_members(const struct moore_capture *c, const json_t *list, struct moore_err *err)
{
	bool listed[MOORE_N_CAPTURED + 1] = { false };
	const json_t *o;
	size_t k;

	json_array_foreach(list, k, o) {
		const char *name = text_at(o, "name");
		int i = find_name(name);

		if (i == MOORE_N_CAPTURED || !c->member[i].name)
			return moore_fail(err, MOORE_ESYNTAX, 0, MOORE_MANIFEST " lists %.99s, which is "
					  "not in it", name);
		if (count_at(o, "bytes") != c->member[i].len || hash_at(o, "hash") != c->hash[i])
			return moore_fail(err, MOORE_ESYNTAX, 0, "%s: is not what " MOORE_MANIFEST
					  " lists: it was damaged or edited: copy the capture again",
					  names[i]);
		listed[i] = true;
	}
	for (int i = 0; i < MOORE_N_CAPTURED; i++)
		if (c->member[i].name && !listed[i])
			return moore_fail(err, MOORE_ESYNTAX, 0, "%s: " MOORE_MANIFEST " does not list "
					  "it", names[i]);
	if (!c->member[MOORE_CAPTURED_SUBNET].name || !c->member[MOORE_CAPTURED_LFTS].name)
		return moore_fail(err, MOORE_ESYNTAX, 0, "it lacks %s or %s", names[MOORE_CAPTURED_SUBNET],
				  names[MOORE_CAPTURED_LFTS]);
	return 0;
}

static int
take_manifest(struct moore_capture *c, const json_t *o, const char *unknown, struct moore_err *err)
{
	uint64_t version = count_at(o, "moore_capture");

	if (version > VERSION)
		return moore_fail(err, MOORE_EINVAL, 0, "a later moore made this capture (format "
				  "%llu, this one reads up to %d): update moore",
				  (unsigned long long)version, VERSION);
	if (version == 0)
		return moore_fail(err, MOORE_ESYNTAX, 0, MOORE_MANIFEST ": is not that of a capture");
	if (unknown)
		return moore_fail(err, MOORE_ESYNTAX, 0, "%s: no member of a capture has this name",
				  unknown);
	c->at = count_at(o, "at");
	c->pseudonyms = !strcmp(text_at(o, "names"), "pseudonyms");
	c->live = !strcmp(text_at(o, "from"), "moored");
	c->key_id = hash_at(o, "key_id");
	c->switches = (uint32_t)count_at(o, "switches");
	c->endpoints = (uint32_t)count_at(o, "endpoints");
	c->cables = (uint32_t)count_at(o, "cables");
	c->lids = (uint32_t)count_at(o, "lids");
	return check_members(c, json_object_get(o, "members"), err);
}

int
moore_capture_open(struct moore_capture *out, const char *data, size_t len, struct moore_err *err)
{
	struct others others = { .manifest.name = NULL };
	json_error_t where;
	json_t *o;
	int rc;

	*out = (struct moore_capture){ .at = 0 };
	if ((rc = take_members(out, data, len, &others, err)) < 0)
		return rc;
	if (!(o = json_loadb(others.manifest.data, others.manifest.len, JSON_REJECT_DUPLICATES, &where)))
		return moore_fail(err, MOORE_ESYNTAX, 0, MOORE_MANIFEST ": line %d: %s", where.line,
				  where.text);
	rc = take_manifest(out, o, others.unknown.name, err);
	json_decref(o);
	return rc;
}
