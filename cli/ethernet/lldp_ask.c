// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_ask.c - runs a command for each document of each switch.
 *
 * One document is asked of all switches at once; a switch that did not give it is not asked for
 * the next.  With --from, the neighbours of these switches are asked after them, and so on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ethernet/lldp.h"
#include "run.h"

#define AT_ONCE 16
#define SWITCHES_MAX 100000

struct asking {
	const struct cli_lldp_question *q;
	struct cli_lldp *x;
	char **name;		/* of the switches that are asked, sorted */
	uint32_t n_names, cap_names;
	/* Of the commands that run now: */
	enum moore_lldp_doc doc;
	struct child *child;
	uint32_t *sw;		/* of each child */
	int rc;
};

/* ---- which switches are asked ------------------------------------------------------- */

/* Finds a name, or where it would stand. */
static uint32_t
find_name(const struct asking *a, const char *name, bool *is_there)
{
	uint32_t lo = 0, hi = a->n_names;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(a->name[mid], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*is_there = lo < a->n_names && !strcmp(a->name[lo], name);
	return lo;
}

static int
add_name(struct asking *a, const char *name)
{
	bool is_there;
	uint32_t at = find_name(a, name, &is_there);
	char **list, *copy;
	int rc;

	if (is_there)
		return CLI_OK;
	if (a->n_names == SWITCHES_MAX)
		return cli_error("more than %d switches", SWITCHES_MAX);
	if ((rc = cli_lldp_add(a->x, name)) != CLI_OK)
		return rc;
	list = moore_grow(a->name, a->n_names, &a->cap_names, sizeof(*list));
	if (!list)
		return cli_error("out of memory");
	a->name = list;
	if (!(copy = strdup(name)))
		return cli_error("out of memory");
	memmove(list + at + 1, list + at, (a->n_names - at) * sizeof(*list));
	list[at] = copy;
	a->n_names++;
	return CLI_OK;
}

/* Adds the neighbours of a switch that look like switches. */
static int
follow(struct asking *a, uint32_t sw)
{
	const struct moore_lldp_switch *s = a->x->sw[sw];
	int rc = CLI_OK;

	for (uint32_t i = 0; i < s->n_ports && rc == CLI_OK; i++)
		for (uint32_t k = 0; k < s->port[i].n_neighbours && s->port[i].number && rc == CLI_OK; k++)
			if (moore_lldp_is_switch(&s->port[i].neighbour[k]) && s->port[i].neighbour[k].name &&
			    moore_lldp_good_name(s->port[i].neighbour[k].name))
				rc = add_name(a, s->port[i].neighbour[k].name);
	return rc;
}

/* ---- all runs ----------------------------------------------------------------------- */

static void
put_place(char *out, size_t size, enum moore_lldp_doc doc, const struct moore_err *err)
{
	if (err->line)
		snprintf(out, size, "%s.json:%u: %s", moore_lldp_doc_name(doc), err->line, err->text);
	else
		snprintf(out, size, "%s.json: %s", moore_lldp_doc_name(doc), err->text);
}

/* Takes the answer of a command that has ended. */
static void
on_ended(void *arg, size_t i)
{
	struct asking *a = arg;
	struct child *c = &a->child[i];
	struct moore_lldp_switch *s = a->x->sw[a->sw[i]];
	struct moore_err err;
	char text[sizeof(err.text) + 64] = "";

	if (*c->why && a->doc != MOORE_LLDP_LINKS)		/* links may be missing */
		snprintf(text, sizeof(text), "%s", c->why);
	else if (!*c->why && moore_lldp_read(s, a->doc, c->output.data ? c->output.data : "",
					     c->output.len, &err) < 0)
		put_place(text, sizeof(text), a->doc, &err);
	moore_buf_free(&c->output);
	if (*text && a->rc == CLI_OK)
		a->rc = cli_lldp_silence(a->x, a->sw[i], text);
}

/* Asks the switches from `first` on for a document. */
static int
ask_for(struct asking *a, uint32_t first)
{
	size_t n = 0;
	int rc = CLI_OK;

	for (uint32_t s = first; s < a->x->n && rc == CLI_OK; s++) {
		const struct child_place places[] = {
			{ "{switch}", a->x->sw[s]->asked }, { "{what}", moore_lldp_doc_name(a->doc) },
		};

		if (a->x->sw[s]->silent)
			continue;
		a->sw[n] = s;
		a->child[n].argv = child_words(a->q->command, places, ARRAY_LEN(places));
		if (!a->child[n++].argv)
			rc = cli_error("--command: is empty");
	}
	a->rc = CLI_OK;
	if (rc == CLI_OK)
		rc = cli_run(a->child, n, &(struct child_rules){ .width = AT_ONCE, .arg = a,
			.seconds = a->q->timeout_s, .output_max = MOORE_LLDP_BYTES_MAX, .ended = on_ended });
	children_free(a->child, n);
	return rc == CLI_OK ? a->rc : rc;
}

/* Asks the switches from `first` on for all documents, and finds their neighbours. */
static int
ask_round(struct asking *a, uint32_t first)
{
	uint32_t n = a->x->n;
	int rc = CLI_OK;

	a->child = calloc((size_t)n - first + 1, sizeof(*a->child));
	a->sw = calloc((size_t)n - first + 1, sizeof(*a->sw));
	if (!a->child || !a->sw)
		rc = cli_error("out of memory");
	for (a->doc = 0; a->doc < MOORE_LLDP_DOCS && rc == CLI_OK; a->doc++)
		rc = ask_for(a, first);
	free(a->child);
	free(a->sw);
	for (uint32_t s = first; a->q->from && s < n && rc == CLI_OK; s++)
		if (!a->x->sw[s]->silent)
			rc = follow(a, s);
	return rc;
}

int
cli_lldp_ask(const struct cli_lldp_question *q, struct cli_lldp *out)
{
	struct asking a = { .q = q, .x = out };
	uint32_t n;
	int rc = CLI_OK;

	*out = (struct cli_lldp){ NULL };
	cli_busy("asking the switches");
	if (q->from)
		rc = add_name(&a, q->from);
	for (moore_swid s = 0; !q->from && s < q->plan->n_switches && rc == CLI_OK; s++)
		rc = add_name(&a, q->plan->sw[s].name);
	for (uint32_t first = 0; rc == CLI_OK && first < out->n; first = n) {
		n = out->n;
		rc = ask_round(&a, first);
	}
	for (uint32_t i = 0; i < a.n_names; i++)
		free(a.name[i]);
	free(a.name);
	cli_idle();
	return rc;
}
