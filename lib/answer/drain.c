// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain.c - which links are drained, which may be, and what that costs. */
#include "answer/answer_impl.h"

#define LINES LIST_OF(OBJ("'guid':" STR ",'port':" INT ",'at_ms':" INT ",'by':" STR ",'why':" STR))

const char moore_schema_drain[] = OBJ("'ok':" BOOL ",'file':" STR ",'most':" INT ",'load_before':" NUM
	",'load_after':" NUM ",'drained':" LINES ",'undone?':" LINES
	",'links':" LIST_OF(OBJ("'switch':" STR ",'guid':" STR ",'port':" INT ",'peer':" STR ",'peer_guid':"
		OR_NULL("string") ",'peer_port':" INT ",'finding':" OR_NULL("string") ",'verdict':" STR
		",'text':" STR ",'optics?':" OPTIC ",'peer_optics?':" OPTIC)) ",'written?':" INT);

static json_t *
json_lines(const struct moore_drain_line *line, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		list = moore_json_add(list, json_pack("{s:o, s:i, s:I, s:s, s:o}", "guid",
			moore_json_guid(line[i].guid), "port", (int)line[i].port, "at_ms",
			(json_int_t)(line[i].at_s * 1000), "by", line[i].by, "why",
			moore_json_name(line[i].why)));
	return list;
}

static json_t *
json_link(const struct moore_drain_link *l)
{
	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:i, s:s?, s:s, s:s}", "switch",
		moore_json_name(l->at.from), "guid", moore_json_guid(l->guid), "port", (int)l->at.port,
		"peer", moore_json_name(l->at.to), "peer_guid",
		l->peer_guid ? moore_json_guid(l->peer_guid) : json_null(), "peer_port",
		(int)l->at.to_port, "finding", l->finding, "verdict", moore_drain_name(l->verdict),
		"text", moore_drain_help(l->verdict));
}

json_t *
moore_answer_drain(const char *file, uint32_t most, const struct moore_drain_cost *cost,
		   const struct moore_drain_line *line, size_t n_lines,
		   const struct moore_drain_link *link, size_t n)
{
	json_t *list = json_array();
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		ok &= link[i].verdict == MOORE_DRAIN_ALREADY ||
			(!link[i].finding && link[i].verdict == MOORE_DRAIN_FINE);
		list = moore_json_add(list, json_link(&link[i]));
	}
	return json_pack("{s:b, s:s, s:I, s:f, s:f, s:o, s:o}", "ok", (int)ok, "file", file, "most",
			 (json_int_t)most, "load_before", cost->before, "load_after", cost->after,
			 "drained", json_lines(line, n_lines), "links", list);
}
