// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* formats.c - the text formats of other tools: one row and one fmt_*.c each. */
#include <string.h>

#include "plan_parts.h"

static const struct moore_plan_format formats[] = {
	{ "ibsim", "fabric description that ibsim loads", moore_plan_write_ibsim, NULL },
	{ "ibnetdiscover", "what ibnetdiscover prints of a fabric",
	  moore_plan_write_ibnetdiscover, moore_plan_parse_ibnetdiscover },
	{ "dot", "Graphviz graph", moore_plan_write_dot, NULL },
	{ "csv", "cable list, one cable or endpoint on a line", moore_plan_write_csv, NULL },
};

const struct moore_plan_format *
moore_plan_format_at(size_t i)
{
	return i < ARRAY_LEN(formats) ? &formats[i] : NULL;
}

const struct moore_plan_format *
moore_plan_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
