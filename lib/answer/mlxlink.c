// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mlxlink.c - reads what mlxlink prints of one port (moore/optics.h).
 *
 * As text, a section is a title, a line of hyphens, and lines `Key : Value`.  As JSON, sections are
 * objects in result.output, and their values are strings.  Both have the same names.  mlxlink
 * colours some values of the text for a terminal, and marks of colour may be in a file. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "moore/answer.h"
#include "moore/optics.h"

enum { LINE_MAX_LEN = 1024 };	/* of a line of text; the rest is not looked at */

static const char *const sections[] = { "Operational Info", "Physical Counters and BER Info",
	"Module Info" };
static const struct {
	uint8_t section;
	const char *key;
} values[MOORE_N_OPTIC_VALUES] = {
	[MOORE_OPTIC_FEC] = { 0, "FEC" },
	[MOORE_OPTIC_RAW_BER] = { 1, "Raw Physical BER" },
	[MOORE_OPTIC_EFFECTIVE_BER] = { 1, "Effective Physical BER" },
	[MOORE_OPTIC_SYMBOL_BER] = { 1, "Symbol BER" },
	[MOORE_OPTIC_TEMPERATURE] = { 2, "Temperature [C]" },
	[MOORE_OPTIC_VENDOR] = { 2, "Vendor Name" },
	[MOORE_OPTIC_PART] = { 2, "Vendor Part Number" },
	[MOORE_OPTIC_SERIAL] = { 2, "Vendor Serial Number" },
};

/* Which of the sections has this title; their number for another one. */
static size_t
section_of(const char *title)
{
	size_t i = 0;

	while (i < ARRAY_LEN(sections) && strcmp(sections[i], title) != 0)
		i++;
	return i;
}

static int
no_section(unsigned line, struct moore_err *err)
{
	return moore_fail(err, MOORE_ESYNTAX, line, "this is no output of mlxlink: it has none of the "
			  "sections \"%s\", \"%s\" and \"%s\"", sections[0], sections[1], sections[2]);
}

/* ---- text --------------------------------------------------------------------------- */

/* Copies the line at *at without marks of colour (ESC [ digits m) and without blanks around it. */
static void
take_line(const char **at, const char *end, char line[LINE_MAX_LEN])
{
	const char *s = *at, *stop = memchr(s, '\n', (size_t)(end - s));
	size_t n = 0;

	*at = stop ? stop + 1 : end;
	for (stop = stop ? stop : end; s < stop; s++) {
		if (*s == '\033' && s + 1 < stop && s[1] == '[') {
			while (s + 1 < stop && *s != 'm')
				s++;
			continue;
		}
		if (n + 1 < LINE_MAX_LEN && *s && (n || !strchr(" \t\r", *s)))
			line[n++] = *s;
	}
	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	line[n] = '\0';
}

static bool
is_rule(const char *line)
{
	return strlen(line) > 2 && strspn(line, "-") == strlen(line);
}

/* Sets the value of a line "Key   : Value" of a section. */
static void
take_pair(struct moore_optic *row, size_t section, char *line)
{
	char *colon = strstr(line, " :"), *end = colon;

	if (!colon)
		return;
	while (end > line && end[-1] == ' ')
		end--;
	*end = '\0';
	for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++)
		if (values[v].section == section && !strcmp(values[v].key, line))
			moore_optic_set(row, (enum moore_optic_value)v, colon + 2, strlen(colon + 2));
}

static int
read_text(struct moore_optic *row, const char *text, size_t len, struct moore_err *err)
{
	const char *at = text, *end = text + len;
	char line[2][LINE_MAX_LEN] = { "" };
	size_t section = ARRAY_LEN(sections);
	bool found = false;
	unsigned n = 0;

	for (; at < end; n++) {
		char *now = line[n % 2], *last = line[(n + 1) % 2];

		take_line(&at, end, now);
		if (is_rule(now)) {
			section = section_of(last);
			found |= section < ARRAY_LEN(sections);
		} else {
			/* A pair is cut at its key; a title, which has no colon, stays whole. */
			take_pair(row, section, now);
		}
	}
	return found ? 0 : no_section(n, err);
}

/* ---- JSON --------------------------------------------------------------------------- */

static void
take_json(struct moore_optic *row, enum moore_optic_value v, const json_t *value)
{
	char *number;

	if (json_is_string(value)) {
		moore_optic_set(row, v, json_string_value(value), json_string_length(value));
	} else if (json_is_number(value) && (number = json_dumps(value, JSON_ENCODE_ANY))) {
		moore_optic_set(row, v, number, strlen(number));
		free(number);
	}
}

static int
take_output(struct moore_optic *row, const json_t *root, struct moore_err *err)
{
	const json_t *status = json_object_get(root, "status");
	const json_t *output = json_object_get(json_object_get(root, "result"), "output");
	const char *why = json_string_value(json_object_get(status, "message"));
	bool found = false;

	if (json_integer_value(json_object_get(status, "code")))
		return moore_fail(err, MOORE_EINVAL, 0, "mlxlink failed, so nothing is known of this port: %.200s",
				  why ? why : "it does not say why");
	for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++) {
		const json_t *section = json_object_get(output, sections[values[v].section]);

		found |= json_is_object(section);
		take_json(row, (enum moore_optic_value)v, json_object_get(section, values[v].key));
	}
	return found ? 0 : no_section(0, err);
}

static int
read_json(struct moore_optic *row, const char *text, size_t len, struct moore_err *err)
{
	json_error_t where;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	int rc;

	if (!root && json_error_code(&where) == json_error_out_of_memory)
		return moore_fail_nomem(err);
	if (!root)
		return moore_fail(err, MOORE_ESYNTAX, (unsigned)where.line, "this is no JSON of mlxlink: %s",
				  where.text);
	rc = take_output(row, root, err);
	json_decref(root);
	return rc;
}

int
moore_optics_add_mlxlink(struct moore_optics *t, uint64_t guid, uint32_t port, const char *text,
			 size_t len, struct moore_err *err)
{
	struct moore_optic row = { .guid = guid, .port = port };
	size_t blanks = 0;
	int rc;

	while (blanks < len && strchr(" \t\r\n", text[blanks]))
		blanks++;
	rc = blanks < len && text[blanks] == '{' ? read_json(&row, text, len, err) :
		read_text(&row, text, len, err);
	return rc < 0 ? rc : moore_optics_put(t, &row, err);
}
