// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* creditsim.c - do packets stand still?  Traffic against OpenSM's dumps, packet
 * by packet, under credit flow control.  Reads the dumps itself and shares no
 * line with the library, so it judges routes, lanes, dumps and checker at once.
 *
 * Model: each switch has a FIFO of --buffers packets for each (input port, VL);
 * a packet moves one hop in one cycle, whole, when its out port is free and the
 * next FIFO had room at the start of the cycle (a credit).  Each out port serves
 * its waiting inputs and VLs round robin.  Each endpoint always has a packet to
 * send, on its own port, and takes what reaches it, one packet a cycle.
 *
 * A FIFO has one head and the head waits for one FIFO.  So a set of packets that
 * can never move again is exactly a circle of full FIFOs, each waiting for the
 * next: that is looked for often, and the circle is printed (exit status 1).
 * After --cycles the sources stop and everything must drain. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SL 16
#define N_VL 15
#define N_LID 0xc000
#define NO_PORT 0xff
#define NONE UINT32_MAX
#define HOPS_MAX 64
#define LOOK_EVERY 64		/* cycles between looks for a circle */

struct packet {
	uint32_t to;		/* endpoint */
	uint16_t lid;
	uint8_t sl, hops, out, vl;	/* out, vl: of its next hop */
};

struct fifo {
	struct packet *slot;
	uint32_t head, n;
};

struct port {
	uint32_t sw, ep;	/* what is plugged in: one of them, or NONE both */
	uint8_t far;		/* port of sw */
	struct fifo in[N_VL];
	uint32_t turn;		/* out: (in * N_VL + vl) served last */
	uint64_t sent;
};

struct sw {
	uint64_t node_guid, port_guid;
	char name[68];
	unsigned n_ports;
	struct port *port;	/* 0..n_ports */
	uint8_t *lft;		/* N_LID */
	uint8_t *sl2vl;		/* [in][out][sl]; NULL: packets keep VL 0 */
};

struct ep {
	uint64_t guid;
	uint32_t sw;
	uint8_t port;
	uint16_t lid, n_lids;
	uint32_t partner;	/* of a fixed pattern */
	bool ready;
	struct packet next;	/* at the source, waiting to be sent */
};

static struct sw *sw;
static struct ep *ep;
static uint32_t n_sw, n_ep;
static uint64_t rng, injected, delivered, dropped;

static struct {
	const char *dir, *pattern;
	int sl;			/* -1: any */
	bool all_lids;
	uint32_t cycles, buffers;
	uint64_t seed;
} opt = { NULL, "random", -1, false, 5000, 1, 20261121 };

/* Endpoints and switches stay below this; the arrays never move. */
#define MAX_SW 4096
#define MAX_EP N_LID

static _Noreturn void
die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(status);
}

static void *
room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die(2, "creditsim: out of memory");
	return p;
}

static uint32_t
below(uint32_t n)		/* splitmix64; n is far below 2^32, so it is even enough */
{
	uint64_t z = rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) % n);
}

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
	memset(s->lft, NO_PORT, N_LID);
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

/* "{ SW Ports:04 ... NodeGUID:X PortGUID:X ... {S0} LID:0004 PN:02 }" */
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
open_dump(const char *name, bool needed)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", opt.dir, name);
	f = fopen(path, "r");
	if (!f && needed)
		die(2, "creditsim: %s: cannot be read", path);
	return f;
}

static void
read_subnet(void)
{
	FILE *f = open_dump("opensm-subnet.lst", true);
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
			continue;	/* the switch's own line tells the same */
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

/* "0x0034 004 # Channel Adapter portguid 0x...: 'name'" under the line of its switch */
static void
read_lfts(void)
{
	FILE *f = open_dump("opensm-lfts.dump", true);
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
		sw[s].lft[lid] = (uint8_t)port;
		e = strstr(line, "# Switch") ? NONE : find_ep(strtoull(guid + 5, NULL, 16));
		if (e != NONE && ep[e].sw == s) {
			ep[e].lid = ep[e].n_lids ? ep[e].lid : (uint16_t)lid;
			ep[e].n_lids++;
		}
	}
	fclose(f);
}

static void
read_sl2vl(void)
{
	FILE *f = open_dump("opensm-sl2vl.dump", false);
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

/* ---- routes -------------------------------------------------------------------- */

/* Where a packet in input port `in` of s goes next. */
static void
next_hop(uint32_t s, unsigned in, struct packet *p)
{
	const struct sw *w = &sw[s];

	p->out = w->lft[p->lid];
	if (p->out > w->n_ports || (w->port[p->out].sw == NONE && w->port[p->out].ep != p->to))
		die(1, "dead end: LID %u at %s", p->lid, w->name);
	if (++p->hops > HOPS_MAX)
		die(1, "a packet to LID %u runs in circles: it is at %s", p->lid, w->name);
	p->vl = w->sl2vl ? w->sl2vl[(in * (w->n_ports + 1u) + p->out) * N_SL + p->sl] : 0;
}

static bool
reaches(uint32_t from, uint32_t to)	/* endpoints; on a fabric in parts some do not */
{
	return from != to && sw[ep[from].sw].lft[ep[to].lid] <= sw[ep[from].sw].n_ports;
}

/* ---- traffic --------------------------------------------------------------------- */

static uint32_t
any_other(uint32_t from)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		uint32_t to = below(n_ep);

		if (reaches(from, to))
			return to;
	}
	return NONE;
}

/* A random cyclic permutation: nobody sends to itself. */
static void
draw_perm(void)
{
	uint32_t *a = room(n_ep, sizeof(*a));

	for (uint32_t e = 0, k; e < n_ep; e++) {
		k = below(e + 1);
		a[e] = a[k];
		a[k] = e;
	}
	for (uint32_t i = 0; i < n_ep; i++)
		ep[a[i]].partner = reaches(a[i], a[(i + 1) % n_ep]) ? a[(i + 1) % n_ep] : NONE;
	free(a);
}

/* Greatest load on the route to LID once one more switch uses it; count = true
 * adds that.  Only routes of two links and more: those can be piled up. */
static unsigned
pile(unsigned *load, uint32_t from, uint16_t lid, uint32_t to, bool count)
{
	unsigned worst = 0, hops = 0;

	for (uint32_t s = from; s != to && hops < HOPS_MAX; hops++) {
		uint8_t out = sw[s].lft[lid];
		unsigned *l = &load[s * 256 + out];

		if (out > sw[s].n_ports)
			return 0;
		*l += count;
		worst = *l + 1 > worst ? *l + 1 : worst;
		s = sw[s].port[out].sw;
	}
	return hops > 1 ? worst : 1;
}

/* All endpoints of a switch send to those of one other switch, each switch
 * chosen once, so that routes lie on the same links (after Kathareios et al.,
 * SC 2015, and Yebenes et al., who search for the worst case alike). */
static void
draw_worst(void)
{
	unsigned *load = room((size_t)n_sw * 256, sizeof(*load));
	uint32_t *first = room(n_sw, sizeof(*first)), *order = room(n_sw, sizeof(*order));
	bool *taken = room(n_sw, sizeof(*taken));

	memset(first, 0xff, n_sw * sizeof(*first));
	for (uint32_t e = n_ep; e-- > 0;)
		first[ep[e].sw] = e;
	for (uint32_t s = 0, k; s < n_sw; s++) {
		k = below(s + 1);
		order[s] = order[k];
		order[k] = s;
	}
	for (uint32_t i = 0; i < n_sw; i++) {
		uint32_t s = order[i], best = NONE;
		unsigned most = 0;

		for (uint32_t d = 0; d < n_sw; d++) {
			unsigned m = s == d || taken[d] || first[s] == NONE || first[d] == NONE ?
				0 : pile(load, s, ep[first[d]].lid, d, false);

			if (m > most) {
				most = m;
				best = d;
			}
		}
		if (best == NONE)
			continue;
		taken[best] = true;
		pile(load, s, ep[first[best]].lid, best, true);
		for (uint32_t e = 0, to = first[best]; e < n_ep; e++) {
			if (ep[e].sw != s)
				continue;
			ep[e].partner = reaches(e, to) ? to : NONE;
			do
				to = (to + 1) % n_ep;
			while (ep[to].sw != best);
		}
	}
	free(load);
	free(first);
	free(order);
	free(taken);
}

static void
draw_none(void)
{
}

static const struct {
	const char *name;
	void (*draw)(void);
} pattern[] = { { "random", draw_none }, { "perm", draw_perm }, { "worst", draw_worst } };

/* The next packet of an endpoint; SLs without a lane are not sent. */
static void
refill(uint32_t e, bool fixed)
{
	struct ep *a = &ep[e];
	uint32_t to = fixed ? a->partner : any_other(e);

	if (a->ready || to == NONE)
		return;
	a->next = (struct packet){ .to = to, .sl = (uint8_t)(opt.sl < 0 ? below(N_SL) : (unsigned)opt.sl) };
	a->next.lid = (uint16_t)(ep[to].lid + (opt.all_lids ? below(ep[to].n_lids) : 0));
	next_hop(a->sw, a->port, &a->next);
	a->ready = a->next.vl < N_VL;
	dropped += !a->ready;
}

/* ---- a cycle ----------------------------------------------------------------------- */

static struct packet *
head(struct fifo *q)
{
	return q->n ? &q->slot[q->head] : NULL;
}

/* The packet that waits at input (p, vl) of s: for an endpoint's port, VL 0
 * stands for the source. */
static struct packet *
waiting(uint32_t s, unsigned p, unsigned vl)
{
	struct port *in = &sw[s].port[p];

	if (in->ep != NONE)
		return vl == 0 && ep[in->ep].ready ? &ep[in->ep].next : NULL;
	return head(&in->in[vl]);
}

static struct fifo *
next_fifo(uint32_t s, const struct packet *k)	/* NULL: the endpoint itself */
{
	const struct port *out = &sw[s].port[k->out];

	return out->sw == NONE ? NULL : &sw[out->sw].port[out->far].in[k->vl];
}

static bool
can_move(uint32_t s, const struct packet *k)
{
	struct fifo *q = next_fifo(s, k);

	return !q || q->n < opt.buffers;
}

/* Each out port's winner, chosen before anything moves: the first after the last
 * one served.  won[port]: in * N_VL + vl, or NONE. */
static void
arbitrate(uint32_t s, uint32_t *won)
{
	uint32_t size = (sw[s].n_ports + 1) * N_VL, best[256];

	memset(won, 0xff, 256 * sizeof(*won));
	for (uint32_t i = N_VL; i < size; i++) {
		struct packet *k = waiting(s, i / N_VL, i % N_VL);
		uint32_t far;

		if (!k || !can_move(s, k))
			continue;
		far = (i + size - sw[s].port[k->out].turn - 1) % size;
		if (won[k->out] == NONE || far < best[k->out]) {
			won[k->out] = i;
			best[k->out] = far;
		}
	}
}

static void
leave(uint32_t s, uint32_t i)
{
	struct port *in = &sw[s].port[i / N_VL];
	struct fifo *q = &in->in[i % N_VL];

	if (in->ep != NONE) {
		ep[in->ep].ready = false;
		injected++;
	} else {
		q->head = (q->head + 1) % opt.buffers;
		q->n--;
	}
}

static void
move(uint32_t s, uint32_t i)
{
	struct packet k = *waiting(s, i / N_VL, i % N_VL);
	struct port *out = &sw[s].port[k.out];
	struct fifo *q = next_fifo(s, &k);

	leave(s, i);
	out->turn = i;
	out->sent++;
	if (!q) {
		delivered++;
		return;
	}
	next_hop(out->sw, out->far, &k);
	if (k.vl >= N_VL) {
		dropped++;
		delivered++;	/* gone: it holds no buffer */
		return;
	}
	q->slot[(q->head + q->n++) % opt.buffers] = k;
}

static unsigned
cycle(uint32_t *won)		/* won: n_sw * 256 */
{
	unsigned moved = 0;

	for (uint32_t s = 0; s < n_sw; s++)
		arbitrate(s, won + (size_t)s * 256);
	for (uint32_t i = 0; i < n_sw * 256; i++)
		if (won[i] != NONE) {
			move(i / 256, won[i]);
			moved++;
		}
	return moved;
}

/* ---- standing still ------------------------------------------------------------------ */

struct spot {			/* a FIFO by place */
	uint32_t sw;
	unsigned port, vl;
};

/* The full FIFO that the head of this full one waits for; sw == NONE: none. */
static struct spot
waits_for(struct spot a)
{
	struct packet *k = head(&sw[a.sw].port[a.port].in[a.vl]);
	struct port *out = k ? &sw[a.sw].port[k->out] : NULL;

	if (!k || sw[a.sw].port[a.port].in[a.vl].n < opt.buffers || can_move(a.sw, k))
		return (struct spot){ NONE, 0, 0 };
	return (struct spot){ out->sw, out->far, k->vl };
}

static void
print_circle(struct spot a)
{
	struct spot at = a;

	printf("STALL: these packets wait for each other:\n");
	do {
		struct packet *k = head(&sw[at.sw].port[at.port].in[at.vl]);

		printf("  at %s, came by port %u on VL %u, to LID %u on SL %u: waits for port %u, VL %u\n",
		       sw[at.sw].name, at.port, at.vl, k->lid, k->sl, k->out, k->vl);
		at = waits_for(at);
	} while (memcmp(&at, &a, sizeof(a)));
}

/* Follow each FIFO; a walk that meets itself is a circle.  mark: walk numbers. */
static bool
stalled(uint32_t *mark)
{
	uint32_t walk = 0;

	memset(mark, 0, (size_t)n_sw * 256 * N_VL * sizeof(*mark));
	for (uint32_t s = 0; s < n_sw; s++)
		for (unsigned i = N_VL; i < (sw[s].n_ports + 1) * N_VL; i++) {
			struct spot a = { s, i / N_VL, i % N_VL };

			walk++;
			while (a.sw != NONE) {
				uint32_t *m = &mark[(a.sw * 256 + a.port) * N_VL + a.vl];

				if (*m == walk) {
					print_circle(a);
					return true;
				}
				if (*m)
					break;
				*m = walk;
				a = waits_for(a);
			}
		}
	return false;
}

/* ---- the run -------------------------------------------------------------------------- */

static void
report(uint64_t counted)
{
	const struct port *max = NULL;
	uint64_t sum = 0, n = 0;

	for (uint32_t s = 0; s < n_sw; s++)
		for (unsigned p = 1; p <= sw[s].n_ports; p++) {
			const struct port *q = &sw[s].port[p];

			if (q->sw == NONE)
				continue;
			n++;
			sum += q->sent;
			max = !max || q->sent > max->sent ? q : max;
		}
	printf("delivered %.4f for each endpoint and cycle; dropped %llu\n",
	       (double)counted / n_ep / opt.cycles, (unsigned long long)dropped);
	if (max)
		printf("link use: greatest %.3f, mean %.3f\n", (double)max->sent / opt.cycles,
		       (double)sum / (double)n / opt.cycles);
}

static int
run(bool fixed)
{
	uint32_t *won = room((size_t)n_sw * 256, sizeof(*won));
	uint32_t *mark = room((size_t)n_sw * 256 * N_VL, sizeof(*mark));
	uint64_t counted = 0;
	unsigned moved = 1;
	int rc = 0;

	for (uint32_t c = 1; rc == 0 && (c <= opt.cycles || injected > delivered); c++) {
		for (uint32_t e = 0; c <= opt.cycles && e < n_ep; e++)
			refill(e, fixed);
		for (uint32_t e = 0; c > opt.cycles && e < n_ep; e++)
			ep[e].ready = false;
		moved = cycle(won);
		if ((moved == 0 || c % LOOK_EVERY == 0) && stalled(mark)) {
			printf("after %u cycles, %llu packets in the fabric\n", c,
			       (unsigned long long)(injected - delivered));
			rc = 1;
		} else if (moved == 0 && injected > delivered) {
			die(1, "STALL: nothing moves, and no circle: a defect of this program");
		}
		if (c == opt.cycles) {
			counted = delivered;
			report(counted);
		}
	}
	if (rc == 0)
		printf("drained: no packet of %llu is left\n", (unsigned long long)injected);
	free(won);
	free(mark);
	return rc;
}

static void
lay_buffers(void)
{
	for (uint32_t s = 0; s < n_sw; s++)
		for (unsigned p = 1; p <= sw[s].n_ports; p++)
			for (unsigned v = 0; sw[s].port[p].sw != NONE && v < N_VL; v++)
				sw[s].port[p].in[v].slot = room(opt.buffers, sizeof(struct packet));
}

/* Endpoints that nobody can address, or that are not plugged in, take no part. */
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

static const char *const usage =
	"usage: creditsim DIR [--sl any|N] [--lids base|all] [--pattern random|perm|worst]\n"
	"                 [--cycles N] [--buffers N] [--seed S]";

static void
read_args(int argc, char **argv)
{
	opt.dir = argc > 1 ? argv[1] : NULL;
	for (int i = 2; i < argc; i += 2) {
		const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		char *end = NULL;
		unsigned long long n = value ? strtoull(value, &end, 0) : 0;
		bool num = value && *value && !*end;

		if (!strcmp(key, "--sl") && value && !strcmp(value, "any"))
			opt.sl = -1;
		else if (!strcmp(key, "--sl") && num && n < N_SL)
			opt.sl = (int)n;
		else if (!strcmp(key, "--lids") && value && (!strcmp(value, "base") || !strcmp(value, "all")))
			opt.all_lids = !strcmp(value, "all");
		else if (!strcmp(key, "--pattern") && value)
			opt.pattern = value;
		else if (!strcmp(key, "--cycles") && num && n > 0 && n < 1u << 30)
			opt.cycles = (uint32_t)n;
		else if (!strcmp(key, "--buffers") && num && n > 0 && n < 1000)
			opt.buffers = (uint32_t)n;
		else if (!strcmp(key, "--seed") && num)
			opt.seed = n;
		else
			die(2, "%s", usage);
	}
	if (!opt.dir || opt.dir[0] == '-')
		die(2, "%s", usage);
}

int
main(int argc, char **argv)
{
	size_t k = 0;

	read_args(argc, argv);
	while (k < sizeof(pattern) / sizeof(*pattern) && strcmp(pattern[k].name, opt.pattern))
		k++;
	if (k == sizeof(pattern) / sizeof(*pattern))
		die(2, "%s", usage);
	sw = room(MAX_SW, sizeof(*sw));
	ep = room(MAX_EP, sizeof(*ep));
	read_subnet();
	read_lfts();
	read_sl2vl();
	drop_idle();
	if (n_ep < 2)
		die(2, "creditsim: %s: fewer than two endpoints with LIDs", opt.dir);
	lay_buffers();
	rng = opt.seed;
	pattern[k].draw();
	printf("%u switches, %u endpoints; seed %llu, %s traffic, %u cycles, %u buffers\n", n_sw, n_ep,
	       (unsigned long long)opt.seed, opt.pattern, opt.cycles, opt.buffers);
	return run(k > 0);
}
