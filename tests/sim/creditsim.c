// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* creditsim.c - sends packets along the routes in OpenSM's dumps, under credit flow
 * control, and detects deadlock.  It reads the dumps itself and shares no code with the
 * library, so it tests routes, lanes, dumps and checker together.
 *
 * Model: each switch has a FIFO of --buffers packets for each (input port, VL). In one
 * cycle a whole packet moves one hop, if its out port is free and the next FIFO had room at
 * the start of the cycle (a credit).  Each out port serves its waiting inputs and VLs round
 * robin.  Each endpoint always has a packet to send on its own port, and consumes one
 * packet per cycle.
 *
 * The head of a FIFO waits for exactly one other FIFO.  So a set of packets that can never
 * move again is a cycle of full FIFOs, each waiting for the next.  The simulator searches
 * for such a cycle every LOOK_EVERY cycles, prints it and exits with 1. After --cycles the
 * sources stop, and all packets must arrive.
 *
 * With --step or --wait, rows change while packets are on their way (motion.c). The fabric is
 * that of the last directory: where the rows before lead to ports that are gone, packets
 * are dropped.  A packet that runs in circles goes on, and makes the program exit with 1. */
#include <stdarg.h>

#include "sim.h"

#define LOOK_EVERY 64		/* cycles between searches for a deadlock */

uint64_t dropped;
static uint64_t injected, delivered;

struct sim_opt opt = { .pattern = "random", .sl = -1, .cycles = 5000, .buffers = 1,
	.seed = 20261121 };

_Noreturn void
die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(status);
}

void *
room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die(2, "creditsim: out of memory");
	return p;
}

/* ---- a cycle ----------------------------------------------------------------------- */

static struct packet *
head(struct fifo *q)
{
	return q->n ? &q->slot[q->head] : NULL;
}

/* The packet that waits at input (p, vl) of s.  At the port of an endpoint, VL 0 stands for
 * the packet that the endpoint wants to send. */
static struct packet *
waiting(uint32_t s, unsigned p, unsigned vl)
{
	struct port *in = &sw[s].port[p];

	if (in->ep != NONE)
		return vl == 0 && ep[in->ep].ready ? &ep[in->ep].next : NULL;
	return head(&in->in[vl]);
}

static struct fifo *
next_fifo(uint32_t s, const struct packet *k)	/* NULL: the packet leaves to its endpoint */
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

/* Chooses, before any packet moves, which input each out port serves: the next one after
 * the input that it served last.  won[port] is in * N_VL + vl, or NONE. */
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
		delivered++;	/* consumed: it holds no buffer */
		return;
	}
	q->slot[(q->head + q->n++) % opt.buffers] = k;
}

static unsigned
cycle(uint32_t *won)		/* scratch for n_sw * 256 entries */
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

struct spot {			/* names one FIFO */
	uint32_t sw;
	unsigned port, vl;
};

/* The FIFO for which the head of this FIFO waits; sw is NONE if this FIFO is not full or
 * its head can move. */
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

/* Follows the waiting from each FIFO; a walk that returns to itself is a deadlock. mark[]
 * holds the number of the walk that visited a FIFO. */
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
run(void)
{
	uint32_t *won = room((size_t)n_sw * 256, sizeof(*won));
	uint32_t *mark = room((size_t)n_sw * 256 * N_VL, sizeof(*mark));
	uint64_t counted = 0;
	unsigned moved = 1;
	int rc = 0;

	for (uint32_t c = 1; rc == 0; c++) {
		enum sources sources = motion_tick(c, injected == delivered);

		if (sources == SOURCES_END && injected == delivered)
			break;
		for (uint32_t e = 0; sources == SOURCES_SEND && e < n_ep; e++)
			refill(e);
		for (uint32_t e = 0; sources != SOURCES_SEND && e < n_ep; e++)
			ep[e].ready = false;
		moved = cycle(won);
		if ((moved == 0 || c % LOOK_EVERY == 0) && stalled(mark)) {
			printf("after %u cycles, %llu packets in the fabric\n", c,
			       (unsigned long long)(injected - delivered));
			rc = 1;
		} else if (moved == 0 && injected > delivered) {
			die(1, "STALL: nothing moves, and no circle: a defect of this program");
		}
		if (c == opt.cycles && !opt.n_steps) {
			counted = delivered;
			report(counted);
		}
	}
	motion_report();
	rc |= circled > 0;
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

static const char *const usage =
	"usage: creditsim DIR [--sl any|N] [--lids base|all] [--pattern random|perm|worst]\n"
	"                 [--cycles N] [--buffers N] [--seed S] [--step DIR | --wait DIR]...";

static void
read_args(int argc, char **argv)
{
	opt.dir = argc > 1 ? argv[1] : NULL;
	for (int i = 2; i < argc; i += 2) {
		const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		char *end = NULL;
		unsigned long long n = value ? strtoull(value, &end, 0) : 0;
		bool num = value && *value && !*end;

		if ((!strcmp(key, "--step") || !strcmp(key, "--wait")) && value && opt.n_steps < STEPS_MAX) {
			opt.step[opt.n_steps].wait = !strcmp(key, "--wait");
			opt.step[opt.n_steps++].dir = value;
		} else if (!strcmp(key, "--sl") && value && !strcmp(value, "any"))
			opt.sl = -1;
		else if (!strcmp(key, "--sl") && num && n < N_SL)
			opt.sl = (int)n;
		else if (!strcmp(key, "--lids") && value && (!strcmp(value, "base") || !strcmp(value, "all")))
			opt.all_lids = !strcmp(value, "all");
		else if (!strcmp(key, "--pattern") && value && know_pattern(value))
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
	read_args(argc, argv);
	read_fabric(opt.n_steps ? opt.step[opt.n_steps - 1].dir : opt.dir);
	if (n_ep < 2)
		die(2, "creditsim: %s: fewer than two endpoints with LIDs", opt.dir);
	lay_buffers();
	rng = opt.seed;
	motion_init();
	draw_pattern();
	printf("%u switches, %u endpoints; seed %llu, %s traffic, %u cycles, %u buffers\n", n_sw, n_ep,
	       (unsigned long long)opt.seed, opt.pattern, opt.cycles, opt.buffers);
	return run();
}
