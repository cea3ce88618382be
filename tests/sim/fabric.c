// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fabric.c - reads OpenSM's dumps without any code of the library, and finds the next hop
 * of a packet in them. */
#include "sim.h"

struct sw *sw;
struct ep *ep;
uint32_t n_sw, n_ep;
uint64_t circled;
static bool complete;	/* the fabric is read; what follows are rows alone */

/* The greatest numbers of switches and endpoints; the arrays never grow. */
#define MAX_SW 4096
#define MAX_EP N_LID

/* ---- the dumps ---------------------------------------------------------------- */

static uint32_t
find_sw(uint64_t guid)
{
	for (uint32_t s = 0; s < n_sw; s++)
		if (sw[s].node_guid == guid || sw[s].port_guid == guid)
			return s;
	return NONE;
}

static uint32_t
find_ep(uint64_t guid)
{
	for (uint32_t e = 0; e < n_ep; e++)
		if (ep[e].guid == guid)
			return e;
	return NONE;
}

static uint32_t
add_sw(uint64_t node_guid, uint64_t port_guid, unsigned n_ports, const char *name, int len)
{
	struct sw *s = &sw[n_sw];

	if (n_sw == MAX_SW)
		die(2, "creditsim: more than %d switches", MAX_SW);
	*s = (struct sw){ node_guid, port_guid, .n_ports = n_ports };
	snprintf(s->name, sizeof(s->name), "%.*s", len, name);
	s->port = room(n_ports + 1, sizeof(*s->port));
	for (unsigned p = 0; p <= n_ports; p++)
		s->port[p].sw = s->port[p].ep = NONE;
	s->lft = room(N_LID, 1);
	return n_sw++;
}

struct end {
	uint32_t sw, ep;
	unsigned port;
};

static uint64_t
number(const char **at, const char *key)
{
	const char *s = strstr(*at, key);

	if (!s)
		die(2, "creditsim: opensm-subnet.lst: no %s in: %.60s", key, *at);
	*at = s + strlen(key);
	return strtoull(*at, NULL, 16);
}

/* Reads "{ SW Ports:04 ... NodeGUID:X PortGUID:X ... {S0} LID:0004 PN:02 }". */
static struct end
read_end(const char **at)
{
	bool is_sw = !strncmp(*at, "{ SW", 4);
	unsigned n_ports = (unsigned)number(at, "Ports:");
	uint64_t node = number(at, "NodeGUID:"), guid = number(at, "PortGUID:");
	const char *name = strchr(*at, '{'), *stop = name ? strstr(name, "} LID:") : NULL;
	struct end e = { NONE, NONE, 0 };

	if (!stop)
		die(2, "creditsim: opensm-subnet.lst: no name in: %.60s", *at);
	*at = stop;
	e.port = (unsigned)number(at, "PN:");
	if (is_sw && (e.sw = find_sw(node)) == NONE)
		e.sw = add_sw(node, guid, n_ports, name + 1, (int)(stop - name - 1));
	if (is_sw && e.port > sw[e.sw].n_ports)
		die(2, "creditsim: opensm-subnet.lst: %s has no port %u", sw[e.sw].name, e.port);
	if (!is_sw && (e.ep = find_ep(guid)) == NONE && n_ep < MAX_EP)
		ep[e.ep = n_ep++] = (struct ep){ .guid = guid, .sw = NONE };
	return e;
}

static FILE *
open_dump(const char *dir, const char *name, bool needed)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f && needed)
		die(2, "creditsim: %s: cannot be read", path);
	return f;
}

static void
read_subnet(const char *dir)
{
	FILE *f = open_dump(dir, "opensm-subnet.lst", true);
	char line[1024];

	while (fgets(line, sizeof(line), f)) {
		const char *at = strchr(line, '{');
		struct end a, b;

		if (!at)
			continue;
		a = read_end(&at);
		at = strstr(at, "{ ");
		if (!at)
			die(2, "creditsim: opensm-subnet.lst: no second end in: %.60s", line);
		b = read_end(&at);
		if (a.sw == NONE)
			continue;	/* the line that begins with the switch has the same link */
		sw[a.sw].port[a.port].sw = b.sw;
		sw[a.sw].port[a.port].ep = b.ep;
		sw[a.sw].port[a.port].far = (uint8_t)b.port;
		if (b.ep != NONE) {
			ep[b.ep].sw = a.sw;
			ep[b.ep].port = (uint8_t)a.port;
		}
	}
	fclose(f);
}

/* Lines such as "0x0034 004 # Channel Adapter portguid 0x...: 'name'" follow the line of
 * their switch. */
/* Writes the row of each switch s to rows[s * N_LID]. */
static void
read_lfts(const char *dir, uint8_t *rows)
{
	FILE *f = open_dump(dir, "opensm-lfts.dump", true);
	uint32_t s = NONE;
	char line[1024];
	unsigned lid, port;

	while (fgets(line, sizeof(line), f)) {
		const char *guid = strstr(line, "guid 0x");
		uint32_t e;

		if (!strncmp(line, "Unicast", 7))
			s = guid ? find_sw(strtoull(guid + 5, NULL, 16)) : NONE;
		if (s == NONE || sscanf(line, "0x%x %u", &lid, &port) != 2 || lid >= N_LID || !guid)
			continue;
		rows[(size_t)s * N_LID + lid] = (uint8_t)port;
		e = strstr(line, "# Switch") ? NONE : find_ep(strtoull(guid + 5, NULL, 16));
		if (e != NONE && ep[e].sw == s && !complete) {
			ep[e].lid = ep[e].n_lids ? ep[e].lid : (uint16_t)lid;
			ep[e].n_lids++;
		}
	}
	fclose(f);
}

uint8_t *
read_rows(const char *dir)
{
	uint8_t *rows = room((size_t)n_sw * N_LID, 1);

	memset(rows, NO_PORT, (size_t)n_sw * N_LID);
	read_lfts(dir, rows);
	return rows;
}

static void
read_sl2vl(const char *dir)
{
	FILE *f = open_dump(dir, "opensm-sl2vl.dump", false);
	struct sw *of = NULL;
	char line[1024];
	unsigned in, out;
	int at;

	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] >= 'A' && line[0] <= 'Z') {
			const char *guid = strstr(line, " 0x");
			uint32_t s = guid && line[0] == 'S' ? find_sw(strtoull(guid, NULL, 16)) : NONE;

			of = s == NONE ? NULL : &sw[s];
			if (of && !of->sl2vl)
				of->sl2vl = room((of->n_ports + 1) * (of->n_ports + 1), N_SL);
		}
		if (!of || sscanf(line, "%u %u : %n", &in, &out, &at) != 2 ||
		    in > of->n_ports || out > of->n_ports)
			continue;
		for (char *t = line + at, *end, i = 0; i < N_SL; i++, t = end)
			of->sl2vl[(in * (of->n_ports + 1) + out) * N_SL + (unsigned)i] =
				(uint8_t)strtoul(t, &end, 10);
	}
	if (f)
		fclose(f);
}

/* Leaves out endpoints that have no LID or no cable. */
static void
drop_idle(void)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < n_ep; e++) {
		if (ep[e].sw == NONE || !ep[e].n_lids)
			continue;
		ep[n] = ep[e];
		ep[n].partner = NONE;
		sw[ep[n].sw].port[ep[n].port].ep = n;
		n++;
	}
	n_ep = n;
}

void
read_fabric(const char *dir)
{
	uint8_t *rows;

	sw = room(MAX_SW, sizeof(*sw));
	ep = room(MAX_EP, sizeof(*ep));
	read_subnet(dir);
	rows = read_rows(dir);
	for (uint32_t s = 0; s < n_sw; s++)
		memcpy(sw[s].lft, rows + (size_t)s * N_LID, N_LID);
	free(rows);
	read_sl2vl(dir);
	drop_idle();
	complete = true;
}

/* ---- routes -------------------------------------------------------------------- */

void
next_hop(uint32_t s, unsigned in, struct packet *p)
{
	const struct sw *w = &sw[s];

	p->out = w->lft[p->lid];
	p->vl = N_VL;
	if (p->out > w->n_ports || (w->port[p->out].sw == NONE && w->port[p->out].ep != p->to)) {
		if (!opt.n_steps)
			die(1, "dead end: LID %u at %s", p->lid, w->name);
		return;
	}
	if (p->hops <= HOPS_MAX && ++p->hops > HOPS_MAX) {
		if (!opt.n_steps)
			die(1, "a packet to LID %u runs in circles: it is at %s", p->lid, w->name);
		circled++;
	}
	p->vl = w->sl2vl ? w->sl2vl[(in * (w->n_ports + 1u) + p->out) * N_SL + p->sl] : 0;
}

bool
reaches(uint32_t from, uint32_t to)
{
	return from != to && sw[ep[from].sw].lft[ep[to].lid] <= sw[ep[from].sw].n_ports;
}
