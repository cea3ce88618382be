// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_lldp.c - any bytes as the documents of up to eight switches.  Three lines are the chassis,
 * the neighbours and the links of a switch; one that the reader refuses makes it silent.  Whatever
 * was read joins to a valid fabric whose names are good, and its findings can be told. */
#include "driver.h"
#include "moore/answer.h"

#define SWITCHES 8

static const char fuzz_name[] = "documents of LLDP";

#define CHASSIS(n) "{\"local-chassis\":[{\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":\"02:00:00:00:00:0" \
	n "\"}],\"name\":[{\"value\":\"s" n "\"}]}]}]}\n"
#define NEIGHBOUR(at, n, kind, port) "{\"name\":\"" at "\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":" \
	"\"02:00:00:00:00:0" n "\"}],\"name\":[{\"value\":\"s" n "\"}],\"capability\":[{\"type\":\"" kind \
	"\",\"enabled\":true}]}],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"" port "\"}],\"mfs\":[{" \
	"\"value\":\"9018\"}],\"auto-negotiation\":[{\"enabled\":true,\"current\":[{\"value\":\"100GbaseCR4\"}]}]}]}"
#define LINKS "[{\"ifname\":\"swp1\",\"mtu\":9000,\"operstate\":\"UP\",\"stats64\":{\"rx\":{\"bytes\":1," \
	"\"dropped\":0}}},{\"ifname\":\"swp2\",\"mtu\":1500}]\n"

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		CHASSIS("1") "{\"lldp\":[{\"interface\":[" NEIGHBOUR("swp1", "2", "Router", "swp1") ","
			NEIGHBOUR("swp2", "3", "Station", "eth0") "]}]}\n" LINKS
		CHASSIS("2") "{\"lldp\":[{\"interface\":[" NEIGHBOUR("swp1", "1", "Router", "swp1") ","
			NEIGHBOUR("swp1", "4", "Bridge", "swp1") "," NEIGHBOUR("swp2", "3", "Station", "ens3")
			"]}]}\n" LINKS,
		CHASSIS("1") "{\"lldp\":[{\"interface\":[" NEIGHBOUR("Ethernet0", "2", "Bridge", "Ethernet4") ","
			NEIGHBOUR("swp1", "2", "Bridge", "Ethernet8") "," NEIGHBOUR("eth0", "5", "Bridge", "e1")
			"]}]}\n[]\n"
		CHASSIS("2") "{\"lldp\":[{\"interface\":[" NEIGHBOUR("Ethernet4", "1", "Bridge", "swp1") ","
			NEIGHBOUR("Ethernet8", "1", "Bridge", "swp1") "]}]}\n[]\n",
		NULL
	};

	return seeds;
}

static struct moore_plan *
intended(void)
{
	static const char text[] = "{\"moore_plan\":1,\"switches\":[{\"name\":\"s1\",\"ports\":4},{\"name\":\"s2\","
		"\"ports\":4}],\"endpoints\":[{\"name\":\"s3\",\"switch\":\"s1\",\"port\":2}],\"cables\":[{\"a\":{"
		"\"switch\":\"s1\",\"port\":1},\"b\":{\"switch\":\"s2\",\"port\":1}}]}";
	struct moore_plan *p;

	if (moore_plan_parse(&p, text, sizeof(text) - 1, NULL) < 0)
		abort();
	return p;
}

static void
join(struct moore_lldp_switch *const *sw, uint32_t n, const struct moore_plan *plan)
{
	struct moore_lldp_fabric *f;
	struct moore_err err;
	json_t *answer;

	if (moore_lldp_join(&f, sw, n, plan, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	if (moore_plan_check(f->plan, NULL, &err) < 0 || f->n_notes > f->n_findings)
		abort();
	for (uint32_t i = 0; i < f->plan->n_switches; i++)
		if (!moore_lldp_good_name(f->plan->sw[i].name))
			abort();
	for (uint32_t i = 0; i < f->plan->n_endpoints; i++)
		if (!moore_lldp_good_name(f->plan->ep[i].name))
			abort();
	if (!(answer = moore_answer_discovery(f, n)))
		abort();
	json_decref(answer);
	moore_lldp_fabric_free(f);
}

static struct moore_lldp_switch *
new_switch(unsigned i)
{
	const char name[] = { 's', (char)('1' + i), 0 };
	struct moore_lldp_switch *s;

	if (moore_lldp_new(&s, name, NULL) < 0)
		abort();
	return s;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_lldp_switch *sw[SWITCHES];
	const char *s = (const char *)data, *end = s + len;
	struct moore_plan *plan = intended();
	uint32_t n = 0;

	while (s < end && n < SWITCHES) {
		sw[n] = new_switch(n);
		for (enum moore_lldp_doc d = 0; d < MOORE_LLDP_DOCS && s < end; d++) {
			const char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : end;

			if (!sw[n]->silent && moore_lldp_read(sw[n], d, s, (size_t)(stop - s), NULL) < 0) {
				moore_lldp_free(sw[n]);
				sw[n] = new_switch(n);
				sw[n]->silent = moore_strndup("refused", 7);
			}
			s = nl ? nl + 1 : end;
		}
		n++;
	}
	if (n) {		/* a fabric has a switch */
		join(sw, n, NULL);
		join(sw, n, plan);
	}
	for (uint32_t i = 0; i < n; i++)
		moore_lldp_free(sw[i]);
	moore_plan_free(plan);
}
