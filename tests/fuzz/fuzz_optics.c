// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_optics.c - any bytes as files of ibdiagnet or as what mlxlink printed, two of them separated
 * by a line of %%.  Whatever was read is found again, in its order, and no value holds a character
 * that is not displayed. */
#include "driver.h"
#include "moore/optics.h"

static const char fuzz_name[] = "files of ibdiagnet and mlxlink";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"Ty : # : #IB : GUID : FEC mode : Raw BER : Effective BER : Symbol BER : Node Desc\n"
			"SW : 1 : 1 : 0x1 : RS : 1e-9 : 1e-12 : 0 : \"a:b\"\nSW : 2 : 2 : 0x1 : NO-FEC : N/A : 1 : 2 : c\n"
			"%%\nSTART_CABLE_INFO\nNodeGuid,PortNum,Vendor,PN,SN,Temperature\n0x1,1,\"A, B\",P,S,42C\n"
			"0x2,1,,,\nEND_CABLE_INFO\n",
		"START_NODES\nx\nEND_NODES\nSTART_CABLE_INFO\nPortNum,NodeGuid,SN\n1,0x1,\"\"\n2,0x1,\"q\n"
			"END_CABLE_INFO\nSTART_CABLE_INFO\nNodeGuid,PortNum\n0x1,3\nEND_CABLE_INFO\n",
		"\nOperational Info\n----------------\nState   : Active\nFEC     : \033[32mRS-FEC - RS(528,514)\033[0m\n"
			"\nPhysical Counters and BER Info\n------------------------------\nRaw Physical BER : 5E-9\n"
			"Symbol BER : 15E-255\n%%\n{\"status\": {\"code\": 0}, \"result\": {\"output\": {\"Module Info\": "
			"{\"Temperature [C]\": \"54 [-5..75]\", \"Vendor Serial Number\": \"MT1\", \"Vendor Name\": 5}}}}",
		NULL
	};

	return seeds;
}

static void
look(const struct moore_optics *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct moore_optic *o = &t->port[i];

		if (moore_optics_find(t, o->guid, o->port) != o)
			abort();
		for (int v = 0; v < MOORE_N_OPTIC_VALUES; v++) {
			if (!memchr(o->value[v], '\0', sizeof(o->value[v])))
				abort();
			for (const char *c = o->value[v]; *c; c++)
				if (moore_text_hidden(c, strlen(c)))
					abort();
		}
	}
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	const uint8_t *cut = memmem(data, len, "%%\n", 3);
	const size_t first = cut ? (size_t)(cut - data) : len, rest = cut ? len - first - 3 : 0;
	struct moore_optics t = MOORE_OPTICS_INIT;
	struct moore_err err;
	char *a = malloc(first ? first : 1), *b = malloc(rest ? rest : 1);

	if (!a || !b)
		abort();
	memcpy(a, data, first);
	if (rest)
		memcpy(b, cut + 3, rest);
	moore_optics_add(&t, a, first, &err);
	look(&t);
	moore_optics_add(&t, b, rest, &err);
	look(&t);
	moore_optics_add_mlxlink(&t, 1, 2, a, first, &err);
	look(&t);
	moore_optics_add_mlxlink(&t, 1, 1, b, rest, &err);
	look(&t);
	moore_optics_free(&t);
	free(a);
	free(b);
}
