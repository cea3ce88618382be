// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_wire.c - any bytes as a fabric, in each format, against a plan of three switches.
 * What is accepted gets verdicts, moves that turn it into the plan, and, if it is an image
 * of the plan, a plan that it fulfils. */
#include "driver.h"
#include "miswire.h"

static const char fuzz_name[] = "wire";

#define SW(guid, name) "Switch\t5 \"S-" guid "\"\t\t# \"" name "\" base port 0 lid 0 lmc 0\n"
#define TO(port, guid, far) "[" port "]\t\"S-" guid "\"[" far "]\t\t# \"x\" lid 0 4xHDR\n"
#define HOST(port, guid, pguid) "[" port "]\t\"H-" guid "\"[1](" pguid ") \t\t# \"h\" lid 0 4xHDR\n"
#define CA(guid, name, pguid, sw, port) "Ca\t1 \"H-" guid "\"\t\t# \"" name "\"\n" \
	"[1](" pguid ") \t\"S-" sw "\"[" port "]\t\t# lid 0 lmc 0 \"x\" lid 0 4xHDR\n"
#define HOSTS CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4")

static const char planned[] =
	SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	SW("c", "c") TO("2", "b", "2") TO("3", "a", "3") HOSTS;

#define END(kind, ports, guid, name, pn) "{ " kind " Ports:" ports " SystemGUID:" guid " NodeGUID:" \
	guid " PortGUID:" guid " VenID:000000 DevID:0000 Rev:00000000 {" name "} LID:0001 PN:" pn " } "

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		planned,
		SW("a", "a") TO("1", "b", "1") TO("3", "c", "4") TO("2", "a", "5") TO("5", "a", "2")
		SW("b", "c") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "10", "11")
		SW("c", "b") TO("2", "b", "2") TO("4", "a", "3") HOST("1", "20", "21")
		CA("10", "ha", "11", "b", "4") CA("20", "hb", "21", "c", "1"),
		END("SW", "05", "000000000000000a", "a", "01") END("SW", "05", "000000000000000b", "b", "01")
		"PHY=4x LOG=ACT SPD=50\n"
		END("SW", "05", "000000000000000b", "b", "02") END("SW", "05", "000000000000000c", "c", "02")
		"PHY=1x LOG=ACT SPD=FDR10\n"
		END("CA", "01", "0000000000000010", "ha", "01") END("SW", "05", "000000000000000a", "a", "04")
		"PHY=4x LOG=INI SPD=???\n",
		"{\"moore_plan\": 1, \"switches\": [{\"name\": \"a\", \"ports\": 5}, {\"name\": \"b\", "
		"\"ports\": 5}], \"endpoints\": [{\"name\": \"ha\", \"switch\": \"b\", \"port\": 3}], "
		"\"cables\": [{\"a\": {\"switch\": \"a\", \"port\": 1}, \"b\": {\"switch\": \"b\", \"port\": 2}}]}",
		NULL
	};

	return seeds;
}

/* A plan without GUIDs, so that names are compared, too. */
static struct moore_plan *
the_plan(void)
{
	struct moore_plan *p;

	if (moore_plan_format_find("ibnetdiscover")->parse(&p, planned, strlen(planned), NULL) < 0)
		abort();
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = 0;
	return p;
}

static void
accepted(const struct moore_wire *w, const struct moore_seen *s)
{
	struct moore_plan *now;
	struct moore_wire *again;

	if (moore_wire_accept(&now, w, NULL) < 0)
		abort();
	if (moore_wire_check(&again, now, s, NULL) < 0)
		abort();
	for (uint32_t i = 0; i < again->n_deviations; i++)
		switch (again->deviation[i].verdict) {
		case MOORE_WIRE_SLOW:
		case MOORE_WIRE_NARROW:
		case MOORE_WIRE_ONE_SIDED:
			break;
		default:
			abort();
		}
	moore_wire_free(again);
	moore_plan_free(now);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_plan *p;
	struct moore_repair *fix;
	struct moore_seen *s;
	struct moore_wire *w;
	struct moore_err err;

	if (moore_seen_parse(&s, (const char *)data, len, &err) < 0)
		return;
	p = the_plan();
	if (moore_wire_check(&w, p, s, NULL) < 0 || moore_wire_repair(&fix, w, NULL) < 0)
		abort();
	if (miswire_apply(w, fix) || fix->lower_bound > fix->n_moves || (fix->n_moves && !w->n_deviations))
		abort();
	if (w->image)
		accepted(w, s);
	moore_repair_free(fix);
	moore_wire_free(w);
	moore_seen_free(s);
	moore_plan_free(p);
}
