// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan_json.c - reads and writes a plan as JSON; the one file of libmoore that uses jansson.
 *
 * A table gives the type and range of each key, so every object refuses unknown keys and
 * wrong values in the same words.  Then moore_plan_check() checks the plan as a whole.  A
 * tree of jansson takes up to fifty times the memory of its text, so the long lists are cut
 * from the text (json_cut.c) and one element is built at a time: reading takes the text, the
 * plan and little else.
 *
 * The writer puts one switch, endpoint or cable on a line, with keys in table order: the same
 * plan gives the same bytes, and a changed cable is one changed line. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "json_cut.h"
#include "plan_parts.h"

#define HASH_SEED 1			/* else jansson makes one from the clock */
#define EXACT ((uint64_t)1 << 53)	/* other JSON readers round greater integers */

enum type { T_STRING, T_INTEGER, T_METRES, T_GUID, T_SEED, T_RATE, T_OBJECT, T_ARRAY };

static const char *const wanted[] = {
	[T_STRING] = "a string", [T_INTEGER] = "an integer",
	[T_METRES] = "a number of metres", [T_GUID] = "a GUID such as \"0x0002c90300a1b2c0\"",
	[T_SEED] = "an integer from 0 or a string \"0x...\"", [T_OBJECT] = "an object",
	[T_RATE] = "a rate such as \"4xEDR\"", [T_ARRAY] = "an array",
};

static const char *const found[] = {
	[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
	[JSON_INTEGER] = "an integer", [JSON_REAL] = "a real number", [JSON_TRUE] = "true",
	[JSON_FALSE] = "false", [JSON_NULL] = "null",
};

struct field {
	const char *key;
	enum type type;
	bool required;
	int64_t min, max;	/* of an integer */
};

enum { R_VERSION, R_TOPOLOGY, R_SEED, R_RATE, R_FLOOR, R_SWITCHES, R_ENDPOINTS, R_CABLES, N_ROOT };
static const struct field root_fields[N_ROOT] = {
	[R_VERSION] = { "moore_plan", T_INTEGER, true, MOORE_PLAN_VERSION, MOORE_PLAN_VERSION },
	[R_TOPOLOGY] = { "topology", T_OBJECT, false, 0, 0 },
	[R_SEED] = { "permutation_seed", T_SEED, false, 0, 0 },
	[R_RATE] = { "rate", T_RATE, false, 0, 0 },
	[R_FLOOR] = { "floor", T_OBJECT, false, 0, 0 },
	[R_SWITCHES] = { "switches", T_ARRAY, true, 0, 0 },
	[R_ENDPOINTS] = { "endpoints", T_ARRAY, true, 0, 0 },
	[R_CABLES] = { "cables", T_ARRAY, true, 0, 0 },
};

enum { F_COLUMN_PITCH, F_ROW_PITCH, F_CABINETS, N_FLOOR };
static const struct field floor_fields[N_FLOOR] = {
	[F_COLUMN_PITCH] = { "column_pitch", T_METRES, true, 0, 0 },
	[F_ROW_PITCH] = { "row_pitch", T_METRES, true, 0, 0 },
	[F_CABINETS] = { "cabinets", T_ARRAY, true, 0, 0 },
};

enum { B_NAME, B_ROW, B_COLUMN, N_CABINET };
static const struct field cabinet_fields[N_CABINET] = {
	[B_NAME] = { "name", T_STRING, true, 0, 0 },
	[B_ROW] = { "row", T_INTEGER, true, 0, MOORE_PLAN_GRID_MAX },
	[B_COLUMN] = { "column", T_INTEGER, true, 0, MOORE_PLAN_GRID_MAX },
};

enum { S_NAME, S_PORTS, S_GUID, S_CABINET, S_UNIT, N_SWITCH };
static const struct field switch_fields[N_SWITCH] = {
	[S_NAME] = { "name", T_STRING, true, 0, 0 },
	[S_PORTS] = { "ports", T_INTEGER, true, 1, MOORE_PORT_MAX },
	[S_GUID] = { "guid", T_GUID, false, 0, 0 },
	[S_CABINET] = { "cabinet", T_STRING, false, 0, 0 },
	[S_UNIT] = { "unit", T_INTEGER, false, 1, MOORE_PLAN_UNIT_MAX },
};

/* Any integer passes the table as a port: its range depends on the switch. */
enum { E_NAME, E_SWITCH, E_PORT, E_CA_PORT, E_GUID, E_RATE, N_ENDPOINT };
static const struct field endpoint_fields[N_ENDPOINT] = {
	[E_NAME] = { "name", T_STRING, true, 0, 0 },
	[E_SWITCH] = { "switch", T_STRING, true, 0, 0 },
	[E_PORT] = { "port", T_INTEGER, true, INT64_MIN, INT64_MAX },
	[E_CA_PORT] = { "ca_port", T_INTEGER, false, 1, MOORE_PORT_MAX },
	[E_GUID] = { "guid", T_GUID, false, 0, 0 },
	[E_RATE] = { "rate", T_RATE, false, 0, 0 },
};

enum { C_A, C_B, C_LENGTH, C_RATE, C_LABEL, N_CABLE };
static const struct field cable_fields[N_CABLE] = {
	[C_A] = { "a", T_OBJECT, true, 0, 0 },
	[C_B] = { "b", T_OBJECT, true, 0, 0 },
	[C_LENGTH] = { "length", T_METRES, false, 0, 0 },
	[C_RATE] = { "rate", T_RATE, false, 0, 0 },
	[C_LABEL] = { "label", T_STRING, false, 0, 0 },
};

enum { P_SWITCH, P_PORT, N_END };
static const struct field end_fields[N_END] = {
	[P_SWITCH] = { "switch", T_STRING, true, 0, 0 },
	[P_PORT] = { "port", T_INTEGER, true, INT64_MIN, INT64_MAX },
};

/* ---- reading: errors with their place --------------------------------------- */

#define NO_INDEX SIZE_MAX

struct place {			/* where in the file: list[index].part, each of them optional */
	struct moore_err *err;
	const char *list;
	size_t index;
	const char *part;
};

/* Replaces control characters, which an error may quote from the file. */
static void
tidy(struct moore_err *err)
{
	for (char *c = err ? err->text : NULL; c && *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
}

static int MOORE_PRINTF(4, 5)
fail_at(const struct place *at, int code, const char *key, const char *fmt, ...)
{
	struct moore_buf b = MOORE_BUF_INIT;
	va_list ap;

	if (at->list)
		moore_buf_fmt(&b, "%s", at->list);
	if (at->list && at->index != NO_INDEX)
		moore_buf_fmt(&b, "[%zu]", at->index);
	if (at->part)
		moore_buf_fmt(&b, ".%s", at->part);
	if (key)
		moore_buf_fmt(&b, "%s%.40s", b.len ? "." : "", key);
	if (b.len)
		moore_buf_fmt(&b, ": ");
	va_start(ap, fmt);
	moore_buf_vfmt(&b, fmt, ap);
	va_end(ap);
	moore_fail(at->err, code, 0, "%s", b.oom ? fmt : b.data);
	tidy(at->err);
	moore_buf_free(&b);
	return -code;
}

static int
fail_type(const struct place *at, const struct field *f, const json_t *v)
{
	if (f->type == T_INTEGER && f->min != INT64_MIN)
		return fail_at(at, MOORE_ESYNTAX, f->key, "found %s, want an integer %lld..%lld",
			       found[json_typeof(v)], (long long)f->min, (long long)f->max);
	return fail_at(at, MOORE_ESYNTAX, f->key, "found %s, want %s", found[json_typeof(v)],
		       wanted[f->type]);
}

static int
fail_unknown(const struct place *at, const char *key, const struct field *f, size_t n)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	for (size_t i = 0; i < n; i++)
		moore_buf_fmt(&b, "%s%s", i ? ", " : "", f[i].key);
	rc = fail_at(at, MOORE_ESYNTAX, key, "unknown key: the known ones are %s",
		     b.oom ? "in the schema" : b.data);
	moore_buf_free(&b);
	return rc;
}

/* ---- reading: values --------------------------------------------------------- */

static bool
read_hex(const json_t *v, uint64_t *out)
{
	const char *s = json_string_value(v);

	return s && s[0] == '0' && s[1] == 'x' &&
	       moore_text_u64(&s, s + strlen(s), 16, UINT64_MAX, out) && !*s;
}

static int
check_guid(const struct place *at, const struct field *f, const json_t *v)
{
	uint64_t guid;

	if (json_is_string(v) && (!read_hex(v, &guid) || !guid))
		return fail_at(at, MOORE_ESYNTAX, f->key, "\"%.40s\" is not %s",
			       json_string_value(v), wanted[T_GUID]);
	return json_is_string(v) ? 0 : fail_type(at, f, v);
}

static bool
read_rate(const json_t *v, struct moore_rate *out)
{
	const char *s = json_string_value(v);

	return s && moore_rate_read(&s, s + strlen(s), out) && !*s;
}

static int
check_rate(const struct place *at, const struct field *f, const json_t *v)
{
	struct moore_rate rate;

	if (json_is_string(v) && !read_rate(v, &rate))
		return fail_at(at, MOORE_ESYNTAX, f->key, "\"%.40s\" is not %s: 1, 2, 4, 8 or 12 "
			       "lanes of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR",
			       json_string_value(v), wanted[T_RATE]);
	return json_is_string(v) ? 0 : fail_type(at, f, v);
}

static int
check_number(const struct place *at, const struct field *f, const json_t *v)
{
	json_int_t i = json_integer_value(v);
	double d = json_number_value(v);

	if (f->type == T_METRES) {
		if (!json_is_number(v))
			return fail_type(at, f, v);
		return d > 0 && d <= MOORE_PLAN_METRES_MAX ? 0 :
		       fail_at(at, MOORE_ESYNTAX, f->key, "out of range: metres, above 0 and at most "
			       "%d; leave it out when unknown", MOORE_PLAN_METRES_MAX);
	}
	if (!json_is_integer(v))
		return fail_type(at, f, v);
	return i >= f->min && i <= f->max ? 0 :
	       fail_at(at, MOORE_ESYNTAX, f->key, "%lld is out of range: %lld..%lld", (long long)i,
		       (long long)f->min, (long long)f->max);
}

static int
check_field(const struct place *at, const struct field *f, const json_t *v)
{
	uint64_t seed;

	switch (f->type) {
	case T_INTEGER:
	case T_METRES:
		return check_number(at, f, v);
	case T_GUID:
		return check_guid(at, f, v);
	case T_RATE:
		return check_rate(at, f, v);
	case T_SEED:
		return read_hex(v, &seed) || (json_is_integer(v) && json_integer_value(v) >= 0) ? 0 :
		       fail_type(at, f, v);
	case T_STRING:
		return json_is_string(v) ? 0 : fail_type(at, f, v);
	case T_OBJECT:
		return json_is_object(v) ? 0 : fail_type(at, f, v);
	default:
		return json_is_array(v) ? 0 : fail_type(at, f, v);
	}
}

/* Reads an object.  v[i] becomes the value of field f[i], checked, or NULL when it is absent. */
static int
read_object(const struct place *at, json_t *obj, const struct field *f, size_t n, json_t **v)
{
	const char *key;
	json_t *val;
	size_t i;
	int rc;

	memset(v, 0, n * sizeof(*v));
	if (!json_is_object(obj))
		return fail_at(at, MOORE_ESYNTAX, NULL, "found %s, want an object",
			       found[json_typeof(obj)]);
	json_object_foreach(obj, key, val) {
		for (i = 0; i < n && strcmp(key, f[i].key); i++)
			;
		if (i == n)
			return fail_unknown(at, key, f, n);
		if ((rc = check_field(at, &f[i], val)) < 0)
			return rc;
		v[i] = val;
	}
	for (i = 0; i < n; i++)
		if (f[i].required && !v[i])
			return fail_at(at, MOORE_ESYNTAX, f[i].key, "missing: want %s",
				       wanted[f[i].type]);
	return 0;
}

static int
copy_string(char **out, const json_t *v, struct moore_err *err)
{
	if (v && !(*out = moore_strndup(json_string_value(v), json_string_length(v))))
		return moore_fail_nomem(err);
	return 0;
}

enum { L_CABINETS, L_SWITCHES, L_ENDPOINTS, L_CABLES, N_LISTS };

struct list {			/* an array that stays text until its elements are read */
	const char *at;		/* its first byte */
	uint32_t n;
};

struct reader {
	struct moore_plan *p;
	struct moore_plan_ref *names;	/* names of the switches, sorted */
	struct moore_cut text;
	struct list list[N_LISTS];
	struct moore_err *err;
};

static int
read_plug(const struct reader *r, const struct place *at, const json_t *sw, const json_t *port,
	  moore_swid *out_sw, moore_portnum *out_port)
{
	const char *name = json_string_value(sw);
	json_int_t n = json_integer_value(port);
	uint32_t i = moore_plan_refs_find(r->names, r->p->n_switches, name, 0, MOORE_PLAN_SWITCH);

	if (i == MOORE_NONE)
		return fail_at(at, MOORE_EPLAN, "switch", "there is no switch \"%.63s\" in switches",
			       name);
	if (n < 1 || n > r->p->sw[i].ports)
		return fail_at(at, MOORE_EPLAN, "port", "%lld is out of range: ports are 1..%u of "
			       "switch \"%.63s\"", (long long)n, r->p->sw[i].ports, name);
	*out_sw = i;
	*out_port = (moore_portnum)n;
	return 0;
}

static int
read_switch(const struct reader *r, size_t i, json_t *obj)
{
	struct place at = { r->err, "switches", i, NULL };
	struct moore_plan_switch *s = &r->p->sw[i];
	json_t *v[N_SWITCH];
	int rc;

	if ((rc = read_object(&at, obj, switch_fields, N_SWITCH, v)) < 0 ||
	    (rc = copy_string(&s->name, v[S_NAME], r->err)) < 0 ||
	    (rc = copy_string(&s->cabinet, v[S_CABINET], r->err)) < 0)
		return rc;
	s->ports = (moore_portnum)json_integer_value(v[S_PORTS]);
	s->unit = (unsigned)json_integer_value(v[S_UNIT]);
	read_hex(v[S_GUID], &s->guid);
	return 0;
}

static int
read_endpoint(const struct reader *r, size_t i, json_t *obj)
{
	struct place at = { r->err, "endpoints", i, NULL };
	struct moore_plan_endpoint *e = &r->p->ep[i];
	json_t *v[N_ENDPOINT];
	int rc;

	if ((rc = read_object(&at, obj, endpoint_fields, N_ENDPOINT, v)) < 0 ||
	    (rc = copy_string(&e->name, v[E_NAME], r->err)) < 0)
		return rc;
	e->ca_port = v[E_CA_PORT] ? (uint8_t)json_integer_value(v[E_CA_PORT]) : 1;
	read_hex(v[E_GUID], &e->guid);
	read_rate(v[E_RATE], &e->rate);
	return read_plug(r, &at, v[E_SWITCH], v[E_PORT], &e->sw, &e->port);
}

static int
read_cable(const struct reader *r, size_t i, json_t *obj)
{
	struct place at = { r->err, "cables", i, NULL };
	struct moore_plan_cable *c = &r->p->cable[i];
	json_t *v[N_CABLE], *end[N_END];
	int rc;

	if ((rc = read_object(&at, obj, cable_fields, N_CABLE, v)) < 0)
		return rc;
	for (int k = 0; k < 2; k++) {
		at.part = cable_fields[C_A + k].key;
		if ((rc = read_object(&at, v[C_A + k], end_fields, N_END, end)) < 0 ||
		    (rc = read_plug(r, &at, end[P_SWITCH], end[P_PORT], &c->sw[k],
				    &c->port[k])) < 0)
			return rc;
	}
	c->length = json_number_value(v[C_LENGTH]);
	read_rate(v[C_RATE], &c->rate);
	return copy_string(&c->label, v[C_LABEL], r->err);
}

/* Builds the next value of c.  NULL with *err filled. */
static json_t *
build_value(struct moore_cut *c, struct moore_err *err)
{
	const char *slice;
	json_error_t e;
	json_t *j;

	if (moore_cut_value(c, &slice, err) < 0)
		return NULL;
	j = json_loadb(slice, (size_t)(c->at - slice), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	if (!j && json_error_code(&e) == json_error_out_of_memory) {
		moore_fail_nomem(err);
	} else if (!j) {
		moore_cut_fail(c, slice + e.position, e.text, err);
		tidy(err);
	}
	return j;
}

/* Builds, reads and frees the elements of a list one by one.  Its commas and brackets were
 * checked when the elements were counted. */
static int
read_list(const struct reader *r, const struct list *list,
	  int (*read)(const struct reader *r, size_t i, json_t *obj))
{
	struct moore_cut c = { r->text.text, list->at, r->text.end };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < list->n; i++) {
		json_t *obj;

		c.at++;			/* the bracket or the comma */
		if (!(obj = build_value(&c, r->err)))
			return -r->err->code;
		rc = read(r, i, obj);
		json_decref(obj);
		moore_cut_peek(&c);
	}
	return rc;
}

static int
read_cabinet(const struct reader *r, size_t i, json_t *obj)
{
	struct place at = { r->err, "floor.cabinets", i, NULL };
	struct moore_plan_cabinet *c = &r->p->cabinet[i];
	json_t *v[N_CABINET];
	int rc;

	if ((rc = read_object(&at, obj, cabinet_fields, N_CABINET, v)) < 0)
		return rc;
	c->row = (unsigned)json_integer_value(v[B_ROW]);
	c->column = (unsigned)json_integer_value(v[B_COLUMN]);
	return copy_string(&c->name, v[B_NAME], r->err);
}

static int
read_floor(const struct reader *r, json_t *obj)
{
	struct place at = { r->err, "floor", NO_INDEX, NULL };
	json_t *v[N_FLOOR];
	const uint32_t n = r->list[L_CABINETS].n;
	int rc;

	if ((rc = read_object(&at, obj, floor_fields, N_FLOOR, v)) < 0)
		return rc;
	if (!(r->p->cabinet = calloc(n + 1u, sizeof(*r->p->cabinet))))
		return moore_fail_nomem(r->err);
	r->p->n_cabinets = n;
	r->p->column_pitch = json_number_value(v[F_COLUMN_PITCH]);
	r->p->row_pitch = json_number_value(v[F_ROW_PITCH]);
	return read_list(r, &r->list[L_CABINETS], read_cabinet);
}

static int
read_family(struct moore_plan *p, json_t *obj, struct moore_err *err)
{
	struct place at = { err, "topology", NO_INDEX, NULL };
	size_t n = json_object_size(obj);
	const char *key;
	json_t *val;

	if (!json_is_string(json_object_get(obj, "family")))
		return fail_at(&at, MOORE_ESYNTAX, "family", "missing or no string: want the name of "
			       "a topology family");
	if (n > MOORE_PLAN_PARAMS_MAX)
		return fail_at(&at, MOORE_ESYNTAX, NULL, "%zu keys: at most %d", n,
			       MOORE_PLAN_PARAMS_MAX);
	p->key = calloc(n, sizeof(*p->key));
	p->value = calloc(n, sizeof(*p->value));
	if (!p->key || !p->value ||
	    copy_string(&p->family, json_object_get(obj, "family"), err) < 0)
		return moore_fail_nomem(err);
	json_object_foreach(obj, key, val) {
		if (!strcmp(key, "family"))
			continue;
		if (strlen(key) >= sizeof(*p->key))
			return fail_at(&at, MOORE_ESYNTAX, key, "a parameter's name has at most %zu "
				       "characters", sizeof(*p->key) - 1);
		if (!json_is_integer(val))
			return fail_at(&at, MOORE_ESYNTAX, key, "found %s, want an integer",
				       found[json_typeof(val)]);
		memcpy(p->key[p->n_params], key, strlen(key));
		p->value[p->n_params++] = json_integer_value(val);
	}
	return 0;
}

static int
index_names(struct reader *r)
{
	uint32_t n = r->p->n_switches;

	if (!(r->names = malloc(((size_t)n + 1) * sizeof(*r->names))))
		return moore_fail_nomem(r->err);
	for (uint32_t i = 0; i < n; i++)
		r->names[i] = (struct moore_plan_ref){ r->p->sw[i].name, 0, i, MOORE_PLAN_SWITCH };
	moore_plan_refs_sort(r->names, n);
	return moore_plan_refs_unique(r->names, n, "name", r->err);
}

static int
read_version(json_t *root, struct moore_err *err)
{
	const struct place at = { err, NULL, NO_INDEX, NULL };
	const json_t *v = json_object_get(root, "moore_plan");

	if (json_is_object(root) && !v)
		return fail_at(&at, MOORE_ESYNTAX, "moore_plan", "missing: a plan says "
			       "\"moore_plan\": %d", MOORE_PLAN_VERSION);
	if (json_is_integer(v) && json_integer_value(v) != MOORE_PLAN_VERSION)
		return fail_at(&at, MOORE_ESYNTAX, "moore_plan", "this is version %lld; this program "
			       "reads version %d", (long long)json_integer_value(v),
			       MOORE_PLAN_VERSION);
	return 0;
}

static int
read_plan(struct reader *r, json_t *root)
{
	const struct place at = { r->err, NULL, NO_INDEX, NULL };
	json_t *v[N_ROOT];
	int rc;

	if ((rc = read_version(root, r->err)) < 0 ||
	    (rc = read_object(&at, root, root_fields, N_ROOT, v)) < 0)
		return rc;
	if (!(r->p = moore_plan_new(r->list[L_SWITCHES].n, r->list[L_ENDPOINTS].n,
				    r->list[L_CABLES].n)))
		return moore_fail_nomem(r->err);
	if (v[R_SEED] && !read_hex(v[R_SEED], &r->p->permutation_seed))
		r->p->permutation_seed = (uint64_t)json_integer_value(v[R_SEED]);
	r->p->permuted = v[R_SEED] != NULL;
	read_rate(v[R_RATE], &r->p->rate);
	if ((v[R_FLOOR] && (rc = read_floor(r, v[R_FLOOR])) < 0) ||
	    (v[R_TOPOLOGY] && (rc = read_family(r->p, v[R_TOPOLOGY], r->err)) < 0) ||
	    (rc = read_list(r, &r->list[L_SWITCHES], read_switch)) < 0 ||
	    (rc = index_names(r)) < 0 ||
	    (rc = read_list(r, &r->list[L_ENDPOINTS], read_endpoint)) < 0 ||
	    (rc = read_list(r, &r->list[L_CABLES], read_cable)) < 0)
		return rc;
	return moore_plan_check(r->p, NULL, r->err);
}

/* ---- reading: the text --------------------------------------------------------- */

static int take_object(struct reader *r, struct moore_cut *c, const char *in, json_t **out);

/* The long arrays: their key, and the object that holds them (NULL: the root). */
static const struct {
	const char *in, *key;
} lists[N_LISTS] = {
	[L_CABINETS] = { "floor", "cabinets" }, [L_SWITCHES] = { NULL, "switches" },
	[L_ENDPOINTS] = { NULL, "endpoints" }, [L_CABLES] = { NULL, "cables" },
};

static struct list *
list_of(struct reader *r, const char *in, const char *key)
{
	for (size_t i = 0; i < N_LISTS; i++)
		if (!strcmp(lists[i].key, key) && (lists[i].in ? in && !strcmp(lists[i].in, in) : !in))
			return &r->list[i];
	return NULL;
}

static int
take_list(struct reader *r, struct moore_cut *c, const char *in, const char *key, struct list *list)
{
	const struct place at = { r->err, in, NO_INDEX, NULL };
	int rc;

	list->at = c->at;
	rc = moore_cut_array(c, MOORE_PLAN_COUNT_MAX, &list->n, r->err);
	return rc <= 0 ? rc : fail_at(&at, MOORE_EPLAN, key, "more than %d of them: a plan holds no "
				      "more", MOORE_PLAN_COUNT_MAX);
}

/* Reads the value of key in the object named in (NULL: the root).  A long list stays text:
 * *out is then an empty array. */
static int
take_value(struct reader *r, struct moore_cut *c, const char *in, const char *key, json_t **out)
{
	struct list *list = list_of(r, in, key);
	const int first = moore_cut_peek(c);
	int rc;

	*out = NULL;
	if (!in && !strcmp(key, "floor") && first == '{')
		return take_object(r, c, key, out);
	if (!list || first != '[')
		return (*out = build_value(c, r->err)) ? 0 : -r->err->code;
	if ((rc = take_list(r, c, in, key, list)) < 0)
		return rc;
	return (*out = json_array()) ? 0 : moore_fail_nomem(r->err);
}

static int
take_pair(struct reader *r, struct moore_cut *c, const char *in, json_t *obj)
{
	json_t *key = NULL, *value = NULL;
	const char *start;
	int rc = 0;

	if (moore_cut_peek(c) != '"')
		return moore_cut_fail(c, c->at, "string or '}' expected", r->err);
	start = c->at;
	if (!(key = build_value(c, r->err)))
		return -r->err->code;
	if (json_object_get(obj, json_string_value(key)))
		rc = moore_cut_fail(c, start, "duplicate object key", r->err);
	else if (!moore_cut_char(c, ':'))
		rc = moore_cut_fail(c, c->at, "':' expected", r->err);
	else if ((rc = take_value(r, c, in, json_string_value(key), &value)) == 0 &&
		 json_object_set(obj, json_string_value(key), value) < 0)
		rc = moore_fail_nomem(r->err);
	json_decref(value);
	json_decref(key);
	return rc;
}

/* Reads the object at c, with empty arrays for its long lists. */
static int
take_object(struct reader *r, struct moore_cut *c, const char *in, json_t **out)
{
	json_t *obj = json_object();
	int rc = 0;

	*out = NULL;
	if (!obj)
		return moore_fail_nomem(r->err);
	c->at++;
	if (!moore_cut_char(c, '}')) {
		do
			rc = take_pair(r, c, in, obj);
		while (rc == 0 && moore_cut_char(c, ','));
		if (rc == 0 && !moore_cut_char(c, '}'))
			rc = moore_cut_fail(c, c->at, "'}' expected", r->err);
	}
	if (rc == 0)
		*out = obj;
	else
		json_decref(obj);
	return rc;
}

static int
take_root(struct reader *r, struct moore_cut *c, json_t **out)
{
	const struct place at = { r->err, NULL, NO_INDEX, NULL };
	int first = moore_cut_peek(c), rc;

	*out = NULL;
	if (first < 0)
		return moore_fail(r->err, MOORE_ESYNTAX, 0, "the file is empty: a plan is a JSON object");
	if (first == '[')
		return fail_at(&at, MOORE_ESYNTAX, NULL, "found an array, want an object");
	if (first != '{')
		return moore_cut_fail(c, c->at, "'{' expected: a plan is a JSON object", r->err);
	if ((rc = take_object(r, c, NULL, out)) == 0 && moore_cut_peek(c) >= 0)
		rc = moore_cut_fail(c, c->at, "end of file expected", r->err);
	return rc;
}

int
moore_plan_parse(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .text = { text, text, text + len }, .err = err ? err : &own };
	struct moore_cut c = r.text;
	json_t *root = NULL;
	int rc;

	*out = NULL;
	json_object_seed(HASH_SEED);
	if ((rc = take_root(&r, &c, &root)) < 0 || (rc = read_plan(&r, root)) < 0)
		goto out;
	*out = r.p;
	r.p = NULL;			/* now the caller's */
out:
	moore_plan_free(r.p);
	free(r.names);
	json_decref(root);
	return rc;
}

/* ---- writing ------------------------------------------------------------------ */

void
moore_plan_put_metres(struct moore_buf *b, double v)
{
	char text[40] = "";
	size_t n = 0;

	if (v == (double)(unsigned)v) {
		moore_buf_fmt(b, "%u", (unsigned)v);
		return;
	}
	for (size_t digits = 15; digits <= 17; digits++) {	/* 17 always suffice */
		json_t *j = json_real(v), *back;
		bool same;

		n = json_dumpb(j, text, sizeof(text), JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
		back = json_loadb(text, n, JSON_DECODE_ANY, NULL);
		same = back && json_number_value(back) == v;
		json_decref(j);
		json_decref(back);
		if (same) {
			moore_buf_add(b, text, n);
			return;
		}
	}
	b->oom = true;			/* nothing else can have failed */
}

bool
moore_plan_read_metres(const char *s, size_t len, double *out)
{
	json_t *j = len && s[0] >= '0' && s[0] <= '9' ? json_loadb(s, len, JSON_DECODE_ANY, NULL) : NULL;
	double v = j ? json_number_value(j) : -1;

	json_decref(j);
	if (!(v >= 0 && v <= MOORE_PLAN_METRES_MAX))
		return false;
	*out = v;
	return true;
}

/* Escapes quotes and backslashes; checked text holds no control characters. */
static void
put_string(struct moore_buf *b, const char *s)
{
	moore_buf_fmt(b, "\"");
	while (*s) {
		size_t plain = strcspn(s, "\"\\");

		moore_buf_add(b, s, plain);
		s += plain;
		if (*s)
			moore_buf_fmt(b, "\\%c", *s++);
	}
	moore_buf_fmt(b, "\"");
}

static void
put_text(struct moore_buf *b, const char *key, const char *s)
{
	if (!s)
		return;
	moore_buf_fmt(b, ", \"%s\": ", key);
	put_string(b, s);
}

static void
put_rate(struct moore_buf *b, const char *before, struct moore_rate rate)
{
	if (!rate.width)
		return;
	moore_buf_fmt(b, "%s\"rate\": \"", before);
	moore_rate_put(b, rate);
	moore_buf_fmt(b, "\"");
}

static void
put_guid(struct moore_buf *b, uint64_t guid)
{
	if (guid)
		moore_buf_fmt(b, ", \"guid\": \"0x%016llx\"", (unsigned long long)guid);
}

static void
put_switch(struct moore_buf *b, const struct moore_plan *p, uint32_t i)
{
	const struct moore_plan_switch *s = &p->sw[i];

	moore_buf_fmt(b, "{\"name\": ");
	put_string(b, s->name);
	moore_buf_fmt(b, ", \"ports\": %u", s->ports);
	put_guid(b, s->guid);
	put_text(b, "cabinet", s->cabinet);
	if (s->unit)
		moore_buf_fmt(b, ", \"unit\": %u", s->unit);
	moore_buf_fmt(b, "}");
}

static void
put_endpoint(struct moore_buf *b, const struct moore_plan *p, uint32_t i)
{
	const struct moore_plan_endpoint *e = &p->ep[i];

	moore_buf_fmt(b, "{\"name\": ");
	put_string(b, e->name);
	put_text(b, "switch", p->sw[e->sw].name);
	moore_buf_fmt(b, ", \"port\": %u", e->port);
	if (e->ca_port != 1)
		moore_buf_fmt(b, ", \"ca_port\": %u", e->ca_port);
	put_guid(b, e->guid);
	put_rate(b, ", ", e->rate);
	moore_buf_fmt(b, "}");
}

static void
put_cable(struct moore_buf *b, const struct moore_plan *p, uint32_t i)
{
	const struct moore_plan_cable *c = &p->cable[i];

	for (int k = 0; k < 2; k++) {
		moore_buf_fmt(b, "%s: {\"switch\": ", k ? ", \"b\"" : "{\"a\"");
		put_string(b, p->sw[c->sw[k]].name);
		moore_buf_fmt(b, ", \"port\": %u}", c->port[k]);
	}
	if (c->length > 0) {
		moore_buf_fmt(b, ", \"length\": ");
		moore_plan_put_metres(b, c->length);
	}
	put_rate(b, ", ", c->rate);
	put_text(b, "label", c->label);
	moore_buf_fmt(b, "}");
}

static void
put_list(struct moore_buf *b, const struct moore_plan *p, const char *key, uint32_t n,
	 void (*put)(struct moore_buf *b, const struct moore_plan *p, uint32_t i))
{
	moore_buf_fmt(b, ",\n\"%s\": [", key);
	for (uint32_t i = 0; i < n; i++) {
		moore_buf_fmt(b, "%s\n  ", i ? "," : "");
		put(b, p, i);
	}
	moore_buf_fmt(b, "%s]", n ? "\n" : "");
}

static void
put_cabinet(struct moore_buf *b, const struct moore_plan *p, uint32_t i)
{
	const struct moore_plan_cabinet *c = &p->cabinet[i];

	moore_buf_fmt(b, "{\"name\": ");
	put_string(b, c->name);
	moore_buf_fmt(b, ", \"row\": %u, \"column\": %u}", c->row, c->column);
}

static void
put_floor(struct moore_buf *b, const struct moore_plan *p)
{
	if (!p->n_cabinets)
		return;
	moore_buf_fmt(b, ",\n\"floor\": {\"column_pitch\": ");
	moore_plan_put_metres(b, p->column_pitch);
	moore_buf_fmt(b, ", \"row_pitch\": ");
	moore_plan_put_metres(b, p->row_pitch);
	put_list(b, p, "cabinets", p->n_cabinets, put_cabinet);
	moore_buf_fmt(b, "}");
}

int
moore_plan_write(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	moore_buf_fmt(out, "{\n\"moore_plan\": %d", MOORE_PLAN_VERSION);
	if (p->family) {
		moore_buf_fmt(out, ",\n\"topology\": {\"family\": \"%s\"", p->family);
		for (size_t i = 0; i < p->n_params; i++)
			moore_buf_fmt(out, ", \"%s\": %lld", p->key[i], (long long)p->value[i]);
		moore_buf_fmt(out, "}");
	}
	if (p->permuted)
		moore_buf_fmt(out, p->permutation_seed <= EXACT ? ",\n\"permutation_seed\": %llu" :
			      ",\n\"permutation_seed\": \"0x%llx\"",
			      (unsigned long long)p->permutation_seed);
	put_rate(out, ",\n", p->rate);
	put_floor(out, p);
	put_list(out, p, "switches", p->n_switches, put_switch);
	put_list(out, p, "endpoints", p->n_endpoints, put_endpoint);
	put_list(out, p, "cables", p->n_cables, put_cable);
	moore_buf_fmt(out, "\n}\n");
	return moore_plan_written(out, err);
}
