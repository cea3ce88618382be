// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* catalogue.c - the lengths in which cables are sold.  The longest copper cable in stock is
 * also the greatest length for which copper is used. */
#include <stdlib.h>
#include <string.h>

#include "moore/place.h"
#include "plan/plan_parts.h"

#define STOCK_MAX 1000

static int
stock_cmp(const void *x, const void *y)
{
	const struct moore_stock *a = x, *b = y;

	if (a->length < b->length || a->length > b->length)
		return a->length < b->length ? -1 : 1;
	return (int)a->optical - (int)b->optical;
}

static struct moore_catalogue *
catalogue_new(const struct moore_stock *stock, uint32_t n)
{
	struct moore_catalogue *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct moore_catalogue){ malloc((n + 1u) * sizeof(*stock)), n };
	if (!c->stock) {
		free(c);
		return NULL;
	}
	memcpy(c->stock, stock, n * sizeof(*stock));
	qsort(c->stock, n, sizeof(*stock), stock_cmp);
	return c;
}

void
moore_catalogue_free(struct moore_catalogue *c)
{
	if (!c)
		return;
	free(c->stock);
	free(c);
}

/* Parses one line such as "3,copper,45.50". */
static int
read_stock(struct moore_stock *out, const char *s, size_t len, unsigned line, struct moore_err *err)
{
	const char *end = s + len, *kind = memchr(s, ',', len);
	const char *price = kind ? memchr(kind + 1, ',', (size_t)(end - kind - 1)) : NULL;
	const size_t n_kind = kind ? (size_t)((price ? price : end) - kind - 1) : 0;

	*out = (struct moore_stock){ 0 };
	if (!kind || !moore_plan_read_metres(s, (size_t)(kind - s), &out->length) ||
	    !(out->length > 0))
		return moore_fail(err, MOORE_ESYNTAX, line, "want a length in metres, copper or optical, "
				  "and a price if it is known, as in \"3,copper,45.50\"");
	out->optical = n_kind == 7 && !memcmp(kind + 1, "optical", 7);
	if (!out->optical && (n_kind != 6 || memcmp(kind + 1, "copper", 6)))
		return moore_fail(err, MOORE_ESYNTAX, line, "\"%.*s\": the kind is copper or optical",
				  (int)(n_kind < 40 ? n_kind : 40), kind + 1);
	if (price && price + 1 < end &&
	    !moore_plan_read_metres(price + 1, (size_t)(end - price - 1), &out->price))
		return moore_fail(err, MOORE_ESYNTAX, line, "\"%.*s\": the price is a number from 0 to "
				  "%d", (int)(end - price - 1 < 40 ? end - price - 1 : 40), price + 1,
				  MOORE_PLAN_METRES_MAX);
	return 0;
}

int
moore_catalogue_parse(struct moore_catalogue **out, const char *text, size_t len,
		      struct moore_err *err)
{
	struct moore_stock *stock = malloc(STOCK_MAX * sizeof(*stock));
	const char *end = text + len;
	unsigned line = 0;
	uint32_t n = 0;
	int rc = stock ? 0 : moore_fail_nomem(err);

	*out = NULL;
	while (!rc && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *stop = nl ? nl : end;
		const char *hash = memchr(text, '#', (size_t)(stop - text));

		line++;
		stop = hash ? hash : stop;
		while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
			stop--;
		if (stop > text && n == STOCK_MAX)
			rc = moore_fail(err, MOORE_ESYNTAX, line, "more than %d cables", STOCK_MAX);
		else if (stop > text)
			rc = read_stock(&stock[n++], text, (size_t)(stop - text), line, err);
		text = nl ? nl + 1 : end;
	}
	if (!rc && !n)
		rc = moore_fail(err, MOORE_ESYNTAX, 0, "no cable in the catalogue: give lines like "
				"\"3,copper,45.50\"");
	if (!rc && !(*out = catalogue_new(stock, n)))
		rc = moore_fail_nomem(err);
	free(stock);
	return rc;
}

int
moore_catalogue_example(struct moore_catalogue **out, struct moore_err *err)
{
	static const struct moore_stock stock[] = {
		{ 1, false, 0 }, { 2, false, 0 }, { 3, false, 0 }, { 5, false, 0 }, { 5, true, 0 },
		{ 10, true, 0 }, { 15, true, 0 }, { 20, true, 0 }, { 30, true, 0 }, { 50, true, 0 },
		{ 100, true, 0 },
	};

	*out = catalogue_new(stock, ARRAY_LEN(stock));
	return *out ? 0 : moore_fail_nomem(err);
}

uint32_t
moore_catalogue_pick(const struct moore_catalogue *c, double metres)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->stock[i].length >= metres)
			return i;
	return MOORE_NONE;
}
