// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp.c - what discovery by LLDP found. */
#include "answer/answer_impl.h"

const char moore_schema_discovery[] = OBJ("'ok':" BOOL ",'asked':" INT ",'answered':" INT
	",'switches':" INT ",'hosts':" INT ",'cables':" INT ",'findings':" LIST_OF(OBJ("'kind':" STR
		",'note':" BOOL ",'text':" STR ",'switch':" STR ",'port':" OR_NULL("string")
		",'neighbour':" OR_NULL("string") ",'neighbour_port':" OR_NULL("string"))));

const char moore_schema_ports[] = OBJ("'ok':" BOOL ",'pass':" INT ",'fail':" INT ",'not_planned':" INT
	",'ports':" LIST_OF(OBJ("'switch':" STR ",'port':" STR ",'status':" STR ",'expected':"
		OR_NULL("string") ",'actual':" LIST_OF(STR))));

/* ---- findings ----------------------------------------------------------------------- */

/* The sentence of each kind.  A letter behind % stands for: a the switch and its port, p the
 * neighbour and its port, n the neighbour's name, o what the neighbour reports, w the reason, 0
 * and 1 the values. */
static const char *const sentence[] = {
	[MOORE_LLDP_SILENT] = "%a did not answer: %w",
	[MOORE_LLDP_NOT_ASKED] = "%n was not asked: its links are those that %a and others report",
	[MOORE_LLDP_UNNAMED] = "%a gives no name that can be used: it has the name that it was asked by",
	[MOORE_LLDP_OTHER_NAME] = "%a answered where %n was asked",
	[MOORE_LLDP_SAME_NAME] = "%a gives the name %n, as another switch does: it has the name that it "
		"was asked by",
	[MOORE_LLDP_LEFT_OUT] = "%a has the name of the switch that was asked as %n: left out",
	[MOORE_LLDP_SAME_MAC] = "%a has the MAC of %n",
	[MOORE_LLDP_LEFT_ALONE] = "%a is no port of the fabric: its neighbour %p is left alone",
	[MOORE_LLDP_BAD_NAME] = "%a has a neighbour without a name that can be used (%n)",
	[MOORE_LLDP_NO_NUMBER] = "%a has the neighbour %p, whose port has no number",
	[MOORE_LLDP_OLD_NAME] = "%a has the neighbour %p, whose MAC is that of another switch: taken "
		"for that one",
	[MOORE_LLDP_OTHER_MAC] = "%a has the neighbour %p, but the switch of that name has another MAC",
	[MOORE_LLDP_ITSELF] = "%a has its own switch as neighbour, at %p",
	[MOORE_LLDP_CHOSEN] = "%a has several neighbours: the planned one counts, %p",
	[MOORE_LLDP_SEVERAL] = "%a has several neighbours, such as %p: none counts",
	[MOORE_LLDP_STALE] = "%a still lists %p, which is no longer there",
	[MOORE_LLDP_ONE_SIDED] = "%a reports %p, which reports nothing there",
	[MOORE_LLDP_DISAGREES] = "%a reports %p, which reports %o there",
	[MOORE_LLDP_TWICE] = "%a reports %p, which another port already has",
	[MOORE_LLDP_MTU] = "%a takes frames of %0 bytes, %p of %1",
	[MOORE_LLDP_ODD_MTU] = "%a to %p has an MTU of %0; most links have %1",
	[MOORE_LLDP_ODD_FRAME] = "%p, at %a, takes frames of %0 bytes; most hosts %1",
	[MOORE_LLDP_LARGE_FRAME] = "%p may send frames of %0 bytes, more than %a takes with its MTU of %1",
	[MOORE_LLDP_AUTONEG] = "%a and %p: only one of them negotiates the speed",
	[MOORE_LLDP_SPEED] = "%a runs at %0 Mbit/s, %p at %1",
};

static void
put_place(struct moore_buf *b, const char *name, const char *port)
{
	moore_buf_fmt(b, "%s", name ? name : "nothing");
	if (port)
		moore_buf_fmt(b, "[%s]", port);
}

static void
put_word(struct moore_buf *b, const struct moore_lldp_finding *f, char word)
{
	switch (word) {
	case 'a':
		put_place(b, f->sw, f->port);
		break;
	case 'p':
		put_place(b, f->peer, f->peer_port);
		break;
	case 'n':
		put_place(b, f->peer, NULL);
		break;
	case 'o':
		put_place(b, f->other, f->other_port);
		break;
	case 'w':
		moore_buf_fmt(b, "%s", f->why ? f->why : "");
		break;
	default:
		moore_buf_fmt(b, "%u", f->value[word - '0']);
	}
}

static json_t *
json_text(const struct moore_lldp_finding *f)
{
	struct moore_buf b = MOORE_BUF_INIT;

	for (const char *s = sentence[f->kind]; *s; s++)
		if (*s == '%')
			put_word(&b, f, *++s);
		else
			moore_buf_add(&b, s, 1);
	return moore_json_text(&b);
}

static json_t *
json_or_null(const char *s)
{
	return s ? moore_json_name(s) : json_null();
}

json_t *
moore_answer_discovery(const struct moore_lldp_fabric *f, uint32_t n_asked)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->n_findings; i++) {
		const struct moore_lldp_finding *x = &f->finding[i];
		const struct moore_lldp_text *text = moore_lldp_text(x->kind);

		list = moore_json_add(list, json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "kind",
			text->name, "note", text->is_note, "text", json_text(x), "switch",
			moore_json_name(x->sw), "port", json_or_null(x->port), "neighbour",
			json_or_null(x->peer), "neighbour_port", json_or_null(x->peer_port)));
	}
	return json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:o}", "ok", f->n_findings == f->n_notes,
			 "asked", (int)n_asked, "answered", (int)f->n_answered, "switches",
			 (int)f->plan->n_switches, "hosts", (int)f->plan->n_endpoints, "cables",
			 (int)f->plan->n_cables, "findings", list);
}

/* ---- ports -------------------------------------------------------------------------- */

static json_t *
json_expected(const struct moore_lldp_cable *c)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (!c->want)
		return json_null();
	moore_buf_fmt(&b, "%s:%s%u", c->want, c->want_host ? "eth" : "swp",
		      c->want_port - (c->want_host ? 1u : 0u));
	return moore_json_text(&b);
}

static json_t *
json_actual(const struct moore_lldp_port *port)
{
	json_t *list = json_array();

	for (uint32_t i = 0; port && i < port->n_neighbours; i++) {
		const struct moore_lldp_neighbour *nb = &port->neighbour[i];
		struct moore_buf b = MOORE_BUF_INIT;

		moore_buf_fmt(&b, "%s:%s", nb->name ? nb->name : "", nb->port ? nb->port : "");
		list = moore_json_add(list, moore_json_text(&b));
	}
	return list;
}

static json_t *
json_port(const struct moore_lldp_cable *c)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (c->has)
		return moore_json_name(c->has->name);
	moore_buf_fmt(&b, "swp%u", c->number);
	return moore_json_text(&b);
}

json_t *
moore_answer_ports(const struct moore_lldp_cables *c)
{
	static const char *const status[] = { "pass", "fail", "N/A" };
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->n; i++) {
		const struct moore_lldp_cable *x = &c->cable[i];

		list = moore_json_add(list, json_pack("{s:o, s:o, s:s, s:o, s:o}", "switch",
			moore_json_name(x->sw->name), "port", json_port(x), "status", status[x->status],
			"expected", json_expected(x), "actual", json_actual(x->has)));
	}
	return json_pack("{s:b, s:i, s:i, s:i, s:o}", "ok", !c->n_of[MOORE_LLDP_FAIL], "pass",
			 (int)c->n_of[MOORE_LLDP_PASS], "fail", (int)c->n_of[MOORE_LLDP_FAIL],
			 "not_planned", (int)c->n_of[MOORE_LLDP_NOT_PLANNED], "ports", list);
}
