// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* accept.c - whether switches keep their tables, row by row, as JSON.
 *
 * Whether a switch obeys its tables when it forwards is a row of its own everywhere: no reading
 * of tables tells it. */
#include "answer/answer_impl.h"
#include "moore/accept.h"

#define UNKNOWN "cannot be told here"

const char moore_schema_accept[] = OBJ("'ok':" BOOL ",'switches':" LIST_OF(OBJ("'switch':" STR
	",'guid':" STR ",'ports':" INT ",'vendor':" OR_NULL("integer") ",'device':" OR_NULL("integer")
	",'revision':" OR_NULL("integer") ",'rows':" LIST_OF(OBJ("'row':" STR ",'what':" STR ",'tables':"
	STR ",'evidence':" STR ",'traffic':" STR)))));

static const struct {
	const char *key, *what;
} rows[MOORE_N_ACCEPT] = {
	[MOORE_ACCEPT_SL2VL] = { "sl2vl", "an SL to VL row for each (in, out) pair of ports" },
	[MOORE_ACCEPT_VLS] = { "vls", "operational VLs, to which rows are masked" },
	[MOORE_ACCEPT_ARB] = { "arbitration", "weights of VL arbitration" },
	[MOORE_ACCEPT_NO_PATH] = { "no-path", "forwarding rows, with no-path (255)" },
	[MOORE_ACCEPT_TOP] = { "top", "the top of the forwarding table" },
	[MOORE_ACCEPT_LMC] = { "lmc", "path bits, which tell the LIDs of one port apart" },
};
static const char *const verdicts[] = { [MOORE_ACCEPT_UNKNOWN] = UNKNOWN,
	[MOORE_ACCEPT_NO] = "does not obey", [MOORE_ACCEPT_YES] = "obeys" };

static json_t *
json_rows(const struct moore_accepted *a)
{
	json_t *list = json_array();

	for (int i = 0; i < MOORE_N_ACCEPT; i++)
		list = moore_json_add(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "row", rows[i].key,
			"what", rows[i].what, "tables", verdicts[a->row[i].verdict],
			"evidence", a->row[i].why.data ? a->row[i].why.data : "", "traffic", UNKNOWN));
	return list;
}

static json_t *
value(const struct moore_hardware *h, moore_swid s, enum moore_switch_value v)
{
	return h && h->sw[s][MOORE_SW_LFT_CAP] ? json_integer(h->sw[s][v]) : json_null();
}

json_t *
moore_answer_accept(const struct moore_accept_side *read, const struct moore_accepted *a, size_t n)
{
	json_t *list = json_array();
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		const struct moore_switch *sw = &read->f->sw[a[i].sw];

		for (int k = 0; k < MOORE_N_ACCEPT; k++)
			ok &= a[i].row[k].verdict == MOORE_ACCEPT_YES;
		list = moore_json_add(list, json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o}",
			"switch", moore_json_name(sw->name), "guid", moore_json_guid(sw->guid),
			"ports", sw->n_ports, "vendor", value(read->hardware, a[i].sw, MOORE_SW_VENDOR),
			"device", value(read->hardware, a[i].sw, MOORE_SW_DEVICE),
			"revision", value(read->hardware, a[i].sw, MOORE_SW_REVISION),
			"rows", json_rows(&a[i])));
	}
	return json_pack("{s:b, s:o}", "ok", ok, "switches", list);
}
