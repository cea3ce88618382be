// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* schema.c - checks values against a schema; each keyword is a table row.
 *
 * Source: JSON Schema 2020-12, Validation; a keyword says nothing about values of
 * other types.  Depth is bounded by the schema, which is ours, not by the value. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "moore/base.h"
#include "rpc/schema.h"

struct place {
	const struct place *up;
	const char *key;	/* NULL: an index */
	size_t index;
};

struct check {
	char *why;
	size_t size;
};

static void
put_place(char *out, size_t size, const struct place *at)
{
	size_t n;

	if (!at) {
		snprintf(out, size, "params");
		return;
	}
	put_place(out, size, at->up);
	n = strlen(out);
	if (at->key)
		snprintf(out + n, size - n, ".%.60s", at->key);
	else
		snprintf(out + n, size - n, "[%zu]", at->index);
}

static bool MOORE_PRINTF(3, 4)
wrong(const struct check *c, const struct place *at, const char *fmt, ...)
{
	char place[160];
	va_list ap;
	int n;

	put_place(place, sizeof(place), at);
	n = snprintf(c->why, c->size, "%s: ", place);
	if (n > 0 && (size_t)n < c->size) {
		va_start(ap, fmt);
		vsnprintf(c->why + n, c->size - (size_t)n, fmt, ap);
		va_end(ap);
	}
	return false;
}

static bool check_at(const struct check *c, const json_t *schema, const json_t *v,
		     const struct place *at);

/* ---- keywords ---------------------------------------------------------------------- */

static const char *const types[] = { "object", "array", "string", "integer", "number",
	"boolean", "null" };

static bool
is_type(const json_t *v, const char *type)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return !strcmp(type, "object");
	case JSON_ARRAY:
		return !strcmp(type, "array");
	case JSON_STRING:
		return !strcmp(type, "string");
	case JSON_INTEGER:
		return !strcmp(type, "integer") || !strcmp(type, "number");
	case JSON_REAL:
		return !strcmp(type, "number");
	case JSON_NULL:
		return !strcmp(type, "null");
	default:
		return !strcmp(type, "boolean");
	}
}

/* A word, or a list of words of which one must fit. */
static bool
check_type(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	   const struct place *at)
{
	char list[80] = "";
	size_t i, n;
	json_t *t;

	(void)schema;
	if (json_is_string(k))
		return is_type(v, json_string_value(k)) ||
		       wrong(c, at, "want %s", json_string_value(k));
	json_array_foreach(k, i, t) {
		if (is_type(v, json_string_value(t)))
			return true;
		n = strlen(list);
		snprintf(list + n, sizeof(list) - n, "%s%s", i ? " or " : "", json_string_value(t));
	}
	return wrong(c, at, "want %s", list);
}

static bool
check_properties(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
		 const struct place *at)
{
	const char *key;
	json_t *sub, *field;

	(void)schema;
	json_object_foreach((json_t *)k, key, sub) {
		struct place here = { at, key, 0 };

		field = json_object_get(v, key);
		if (field && !check_at(c, sub, field, &here))
			return false;
	}
	return true;
}

static bool
check_required(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	       const struct place *at)
{
	json_t *key;
	size_t i;

	(void)schema;
	if (!json_is_object(v))
		return true;
	json_array_foreach(k, i, key)
		if (!json_object_get(v, json_string_value(key)))
			return wrong(c, at, "%s is missing", json_string_value(key));
	return true;
}

static bool
check_no_more(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	      const struct place *at)
{
	const json_t *known = json_object_get(schema, "properties");
	const char *key;
	json_t *field;

	(void)k;
	json_object_foreach((json_t *)v, key, field)
		if (!json_object_get(known, key))
			return wrong(c, at, "%.60s is not known here", key);
	return true;
}

static bool
check_enum(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	   const struct place *at)
{
	char list[200] = "";
	json_t *one;
	size_t i, n;

	(void)schema;
	json_array_foreach(k, i, one) {
		if (json_equal(one, v))
			return true;
		n = strlen(list);
		snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", json_string_value(one));
	}
	return wrong(c, at, "is none of %s", list);
}

static bool
check_minimum(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	      const struct place *at)
{
	(void)schema;
	return !json_is_number(v) || json_number_value(v) >= json_number_value(k) ||
	       wrong(c, at, "%g is below %g", json_number_value(v), json_number_value(k));
}

static bool
check_maximum(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	      const struct place *at)
{
	(void)schema;
	return !json_is_number(v) || json_number_value(v) <= json_number_value(k) ||
	       wrong(c, at, "%g is above %g", json_number_value(v), json_number_value(k));
}

static bool
check_min_length(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
		 const struct place *at)
{
	(void)schema;
	return !json_is_string(v) || (json_int_t)json_string_length(v) >= json_integer_value(k) ||
	       wrong(c, at, "is too short");
}

static bool
check_max_length(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
		 const struct place *at)
{
	(void)schema;
	return !json_is_string(v) || (json_int_t)json_string_length(v) <= json_integer_value(k) ||
	       wrong(c, at, "is longer than %lld bytes", (long long)json_integer_value(k));
}

static bool
check_items(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
	    const struct place *at)
{
	json_t *one;
	size_t i;

	(void)schema;
	json_array_foreach(v, i, one) {
		struct place here = { at, NULL, i };

		if (!check_at(c, k, one, &here))
			return false;
	}
	return true;
}

static bool
check_max_items(const struct check *c, const json_t *k, const json_t *schema, const json_t *v,
		const struct place *at)
{
	(void)schema;
	return (json_int_t)json_array_size(v) <= json_integer_value(k) ||
	       wrong(c, at, "has more than %lld items", (long long)json_integer_value(k));
}

/* ---- the table --------------------------------------------------------------------- */

enum shape { A_TYPE, A_SCHEMA, SCHEMAS, STRINGS, NOT_EMPTY, A_NUMBER, A_COUNT, ONLY_FALSE,
	A_TEXT };

static const struct keyword {
	const char *name;
	enum shape shape;
	bool (*check)(const struct check *c, const json_t *k, const json_t *schema,
		      const json_t *v, const struct place *at);	/* NULL: says nothing */
} keywords[] = {		/* in this order: the type is the first thing to complain of */
	{ "type", A_TYPE, check_type },
	{ "required", STRINGS, check_required },
	{ "properties", SCHEMAS, check_properties },
	{ "additionalProperties", ONLY_FALSE, check_no_more },
	{ "enum", NOT_EMPTY, check_enum },
	{ "minimum", A_NUMBER, check_minimum },
	{ "maximum", A_NUMBER, check_maximum },
	{ "minLength", A_COUNT, check_min_length },
	{ "maxLength", A_COUNT, check_max_length },
	{ "items", A_SCHEMA, check_items },
	{ "maxItems", A_COUNT, check_max_items },
	{ "description", A_TEXT, NULL },
};

static bool
check_at(const struct check *c, const json_t *schema, const json_t *v, const struct place *at)
{
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		const json_t *k = json_object_get(schema, keywords[i].name);

		if (k && keywords[i].check && !keywords[i].check(c, k, schema, v, at))
			return false;
	}
	return true;
}

bool
schema_check(const json_t *schema, const json_t *value, char *why, size_t size)
{
	struct check c = { why, size };

	return check_at(&c, schema, value, NULL);
}

/* ---- the schema itself ------------------------------------------------------------- */

static bool valid_at(const struct check *c, const json_t *schema, const struct place *at);

static bool
type_known(const json_t *t)
{
	for (size_t i = 0; json_is_string(t) && i < ARRAY_LEN(types); i++)
		if (!strcmp(types[i], json_string_value(t)))
			return true;
	return false;
}

static bool
all(const json_t *list, bool (*good)(const json_t *))
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!good(one))
			return false;
	return json_array_size(list) > 0;
}

static bool
is_string(const json_t *v)
{
	return json_is_string(v);
}

static bool
shape_fits(const struct check *c, enum shape shape, const json_t *v, const struct place *at)
{
	const char *key;
	json_t *sub;

	switch (shape) {
	case A_TYPE:
		return type_known(v) || all(v, type_known);
	case A_SCHEMA:
		return valid_at(c, v, at);
	case SCHEMAS:
		json_object_foreach((json_t *)v, key, sub) {
			struct place here = { at, key, 0 };

			if (!valid_at(c, sub, &here))
				return false;
		}
		return json_is_object(v);
	case STRINGS:
	case NOT_EMPTY:
		return all(v, is_string);
	case A_NUMBER:
		return json_is_number(v);
	case A_COUNT:
		return json_is_integer(v) && json_integer_value(v) >= 0;
	case ONLY_FALSE:
		return json_is_false(v);
	default:
		return json_is_string(v);
	}
}

static bool
valid_at(const struct check *c, const json_t *schema, const struct place *at)
{
	const char *key;
	json_t *v;
	size_t i;

	if (!json_is_object(schema))
		return wrong(c, at, "is no schema");
	json_object_foreach((json_t *)schema, key, v) {
		struct place here = { at, key, 0 };

		for (i = 0; i < ARRAY_LEN(keywords) && strcmp(keywords[i].name, key) != 0; i++)
			;
		if (i == ARRAY_LEN(keywords))
			return wrong(c, &here, "no keyword that is checked");
		c->why[0] = '\0';
		if (!shape_fits(c, keywords[i].shape, v, &here))
			return c->why[0] ? false : wrong(c, &here, "has the wrong form");
	}
	return true;
}

bool
schema_valid(const json_t *schema, char *why, size_t size)
{
	struct check c = { why, size };

	return valid_at(&c, schema, NULL);
}
