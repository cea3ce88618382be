// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_vlarb.c - the VL arbitration that OpenSM programs in switches, from its configuration: keys that begin
 * with qos_swe_, in their absence those that begin with qos_, and in theirs OpenSM's defaults (osm_base.h). */
#include <stdlib.h>
#include <string.h>

#include "load/simulate.h"

#define WEIGHT_BYTES 64		/* units of a weight and of the limit: IBTA 7.6.9.2 */
#define LIMIT_BYTES 4096
#define NO_LIMIT 255

static const char high_of_opensm[] = "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
static const char low_of_opensm[] = "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";

/* OpenSM writes (null) for a key that has no value. */
static void
find(const char *text, const char *key, const char *usual, struct cli_setting *out)
{
	static const char *const prefix[] = { "qos_swe_", "qos_" };

	for (size_t i = 0; i < ARRAY_LEN(prefix); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s%s", prefix[i], key);
		cli_find_setting(text, name, out);
		if (out->value[0] && strcmp(out->value, "(null)") != 0)
			return;
	}
	snprintf(out->value, sizeof(out->value), "%s", usual);
}

/* A VL may send while any of its weight is left, so the last packet may exceed it. */
static uint16_t
packets_of(const struct cli_simulation *s, unsigned long units, unsigned unit)
{
	const unsigned long bytes = units * unit, n = (bytes + s->how.packet - 1) / s->how.packet;

	return (uint16_t)(n < MOORE_SIM_NO_LIMIT ? n : MOORE_SIM_NO_LIMIT - 1);
}

static int
fault(const char *file, const struct cli_setting *k, const char *why)
{
	struct moore_err err = { .line = k->line };

	snprintf(err.text, sizeof(err.text), "%s: %s", k->key, why);
	return cli_error_at(file, &err);
}

/* Reads a list such as 0:4,1:64. */
static int
read_turns(const struct cli_simulation *s, const char *file, const struct cli_setting *k,
	   struct moore_sim_vl_turn *turn, uint8_t *n)
{
	for (const char *p = k->value; ; p++) {
		char *end;
		const unsigned long vl = strtoul(p, &end, 10), weight = *end == ':' ? strtoul(end + 1, &end, 10) : 256;

		if (*p < '0' || *p > '9' || vl > 14 || weight > 255 || (*end && *end != ','))
			return fault(file, k, "not a list of VLs from 0 to 14 with weights from 0 to 255: give one such as 0:4,1:64");
		if (*n == MOORE_SIM_TURNS_MAX)
			return fault(file, k, "over 64 entries, which no table holds");
		turn[(*n)++] = (struct moore_sim_vl_turn){ (uint8_t)vl, packets_of(s, weight, WEIGHT_BYTES) };
		p = end;
		if (!*p)
			return CLI_OK;
	}
}

static int
read_limit(const struct cli_simulation *s, const char *file, const struct cli_setting *k, uint16_t *out)
{
	char *end;
	const unsigned long v = strtoul(k->value, &end, 10);

	if (k->value[0] < '0' || k->value[0] > '9' || *end || v > NO_LIMIT)
		return fault(file, k, "not a number from 0 to 255");
	*out = v == NO_LIMIT ? MOORE_SIM_NO_LIMIT : packets_of(s, v, LIMIT_BYTES);
	*out = *out ? *out : 1;
	return CLI_OK;
}

int
cli_sim_vlarb(struct cli_simulation *s)
{
	const char *file = cli_opt(s->c, "opensm-conf");
	struct moore_sim_vlarb *a = &s->vlarb;
	struct cli_setting k;
	struct moore_buf text;
	int rc;

	if (!file)
		return CLI_OK;
	if ((rc = cli_read(file, &text)) != CLI_OK)
		return rc;
	cli_find_setting(text.data, "qos", &k);
	if (strcasecmp(k.value, "TRUE") != 0) {
		rc = fault(file, &k, "not TRUE, so OpenSM programs no VL arbitration, and switches keep what they had");
	} else {
		find(text.data, "vlarb_high", high_of_opensm, &k);
		if ((rc = read_turns(s, file, &k, a->high, &a->n_high)) == CLI_OK) {
			find(text.data, "vlarb_low", low_of_opensm, &k);
			rc = read_turns(s, file, &k, a->low, &a->n_low);
		}
		if (rc == CLI_OK) {
			find(text.data, "high_limit", "0", &k);
			rc = read_limit(s, file, &k, &a->high_limit);
		}
	}
	s->o.vlarb = a;
	moore_buf_free(&text);
	return rc;
}
