// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* switch.c - how packets move: buffers, crossbar, output queues, links and credits.
 *
 * A packet's head comes to its input (arrive), waits until it is the first of its queue, both lines of
 * the crossbar are free and its output queue has room (cross), and leaves when the link is free and the
 * next buffer has room for all of it (send).  So a link carries what it has begun to the end, and a
 * packet in an output queue waits for nothing but link and credit.  Each event that frees one of these
 * serves those that wait for it, in turns, so nothing that could move waits beyond its tick. */
#include "sim/sim_impl.h"

/* ---- queues ---------------------------------------------------------------------------------- */

static void
append(struct sim *s, struct sim_queue *q, uint32_t k)
{
	s->packet[k].next = MOORE_NONE;
	if (q->head == MOORE_NONE)
		q->head = k;
	else
		s->packet[q->tail].next = k;
	q->tail = k;
}

static uint32_t
pop(struct sim *s, struct sim_queue *q)
{
	const uint32_t k = q->head;

	q->head = s->packet[k].next;
	return k;
}

static void
forget(struct sim *s, uint32_t k)
{
	s->packet[k].next = s->free_packet;
	s->free_packet = k;
	s->n_packets--;
}

/* ---- the link ---------------------------------------------------------------------------------- */

static void
count_received(struct sim_block *b, uint64_t latency)
{
	b->received++;
	b->latency += latency;
	b->bin[moore_sim_bin_of(latency)]++;
}

static void
receive(struct sim *s, const struct sim_packet *p, uint64_t t)
{
	if (s->message) {
		moore_sim_got_packet(s, (uint32_t)p->born, t);
		return;
	}
	s->received++;
	if (s->changes)
		count_received(&s->changes->count[s->changes->n_phases - 1], t - p->born);
	if (t < s->end)
		count_received(&s->block[t / s->block_ticks], t - p->born);
}

static void
drop(struct sim *s, moore_swid w, const struct sim_packet *p, enum moore_sim_loss why)
{
	if (s->changes)
		sim_phase(s)->lost[why]++;
	if (!s->dropped++) {
		s->drop_sw = w;
		s->drop_lid = p->lid;
	}
}

/* The packet goes out by channel c, whose link is free and which has a credit. */
static void
put_on_link(struct sim *s, uint32_t at, uint32_t vl, uint32_t k)
{
	struct sim_channel *c = &s->channel[at];
	const struct moore_port *port = &s->f->port[at];

	c->link_busy = true;
	c->sending = (uint8_t)vl;
	c->pending--;
	s->hops++;
	c->sent++;
	sim_wheel_add(&s->wheel, s->now + c->packet, SIM_FREE, at, 0, 0);
	if (c->down != MOORE_NONE) {
		s->credit[(size_t)at * s->n_vl + vl]--;
		sim_wheel_add(&s->wheel, s->now + sim_to_crossbar(s, c), SIM_ARRIVE, c->down, (uint8_t)vl, k);
		return;
	}
	if (port->role == MOORE_ROLE_ENDPOINT && port->peer == s->packet[k].ep)
		receive(s, &s->packet[k], s->now + c->wire + c->packet);
	else
		drop(s, c->sw, &s->packet[k], MOORE_SIM_LOST_NODE);
	forget(s, k);
}

/* The link of channel at is down: all that has come to its output is lost. */
static void
discard(struct sim *s, uint32_t at)
{
	for (size_t q = (size_t)at * s->n_vl; q < (size_t)(at + 1) * s->n_vl; q++)
		while (s->out[q].head != MOORE_NONE) {
			const uint32_t k = pop(s, &s->out[q]);

			s->n_out[q]--;
			s->channel[at].pending--;
			drop(s, s->channel[at].sw, &s->packet[k], MOORE_SIM_LOST_PORT);
			forget(s, k);
		}
}

/* Finds the next VL of a table that has a packet and a credit, and takes one of its packets off its turn. */
static bool
next_vl(const struct sim *s, uint32_t at, const struct moore_sim_vl_turn *turn, uint8_t n, uint8_t *place,
	uint16_t *left, uint32_t *vl)
{
	const size_t q = (size_t)at * s->n_vl;

	for (uint32_t i = 0; n && i <= n; i++) {
		const uint32_t v = *vl = turn[*place].vl;

		if (*left && v < s->n_vl && s->out[q + v].head != MOORE_NONE &&
		    (s->channel[at].down == MOORE_NONE || s->credit[q + v])) {
			--*left;
			return true;
		}
		*place = (uint8_t)(*place + 1 == n ? 0 : *place + 1);
		*left = turn[*place].packets;
	}
	return false;
}

/* Sends a packet of the VL that is next by the tables of turns. */
static void
send(struct sim *s, uint32_t at)
{
	const struct moore_sim_vlarb *a = &s->arb;
	struct sim_channel *c = &s->channel[at];
	uint32_t vl;
	bool found;

	if (c->dead) {
		discard(s, at);
		return;
	}
	if (c->quota && next_vl(s, at, a->high, a->n_high, &c->high, &c->high_left, &vl)) {
		c->quota = (uint16_t)(c->quota - (a->high_limit != MOORE_SIM_NO_LIMIT));
	} else {
		found = next_vl(s, at, a->low, a->n_low, &c->low, &c->low_left, &vl);
		c->quota = a->high_limit;
		if (!found && !next_vl(s, at, a->high, a->n_high, &c->high, &c->high_left, &vl))
			return;
	}
	put_on_link(s, at, vl, pop(s, &s->out[(size_t)at * s->n_vl + vl]));
}

/* ---- the crossbar ------------------------------------------------------------------------------ */

static void
set_input(struct sim *s, uint32_t port, bool busy)
{
	uint64_t *set = &s->busy[(size_t)s->channel[port].sw * s->n_words];
	const uint32_t bit = sim_bit(s, port, 0);

	s->channel[port].input_busy = busy;
	for (uint32_t v = 0; v < s->n_vl; v++)
		if (busy)
			set[(bit + v) / 64] |= (uint64_t)1 << (bit + v) % 64;
		else
			set[(bit + v) / 64] &= ~((uint64_t)1 << (bit + v) % 64);
}

/* The place in wait[] of the packets for a port and VL. */
static uint64_t *
waiting(const struct sim *s, uint32_t port, uint32_t vl)
{
	return &s->wait[((size_t)port * s->n_vl + vl) * s->n_words];
}

/* Remembers whether a packet crosses to output `out` of switch w. */
static void
set_taken(struct sim *s, uint32_t w, uint32_t out, bool taken)
{
	uint64_t *word = &s->taken[(size_t)w * s->line_words + out / 64];

	*word = taken ? *word | (uint64_t)1 << out % 64 : *word & ~((uint64_t)1 << out % 64);
}

/* Packet k is now the first of its queue in an input buffer: it waits for its output. */
static void
set_first(struct sim *s, uint32_t port, uint32_t vl, uint32_t k)
{
	const uint32_t bit = sim_bit(s, port, vl), out = s->f->sw[s->channel[port].sw].port0 + s->packet[k].out;

	waiting(s, out, s->packet[k].out_vl)[bit / 64] |= (uint64_t)1 << bit % 64;
	s->channel[out].n_wait++;
}

/* The first packet of (port, vl) begins to cross to channel at. */
static void
cross(struct sim *s, uint32_t port, uint32_t vl, uint32_t at)
{
	const size_t q = (size_t)port * s->n_vl + vl;
	const uint32_t line = s->n_lines > 1 ? at - s->f->sw[s->channel[port].sw].port0 : 0;
	struct sim_queue *from = &sim_lines(s, q)[line];
	const uint32_t k = pop(s, from), bit = sim_bit(s, port, vl), up = s->channel[port].up;
	const struct sim_packet *p = &s->packet[k];
	struct sim_channel *c = &s->channel[at];
	const uint64_t done = s->now + s->o.cross;

	s->n_in[q]--;
	waiting(s, at, p->out_vl)[bit / 64] &= ~((uint64_t)1 << bit % 64);
	c->n_wait--;
	s->turn[(size_t)at * s->n_vl + p->out_vl] = (uint16_t)(bit + 1);
	c->output_busy = true;
	set_input(s, port, true);
	c->vl = (uint8_t)(p->out_vl + 1);
	s->channel[port].in_vl = (uint8_t)(vl + 1);
	if (s->n_lines > 1) {
		set_taken(s, c->sw, line, true);
		s->line[q] = (uint8_t)(line + 1);
	}
	if (from->head != MOORE_NONE)
		set_first(s, port, vl, from->head);
	else if (s->n_lines > 1)
		s->lines[q * s->line_words + line / 64] &= ~((uint64_t)1 << line % 64);
	sim_wheel_add(&s->wheel, done, SIM_CROSSED, port, 0, at);
	sim_wheel_add(&s->wheel, (done > p->tail ? done : p->tail) + s->channel[port].wire, SIM_CREDIT, up,
		      (uint8_t)vl, 0);
	append(s, &s->out[(size_t)at * s->n_vl + p->out_vl], k);
	s->n_out[(size_t)at * s->n_vl + p->out_vl]++;
	if (!c->link_busy)
		send(s, at);
}

/* Finds the first input from bit `from` on that waits and whose line is free; MOORE_NONE: none. */
static uint32_t
find_input(const struct sim *s, const uint64_t *set, const uint64_t *busy, uint32_t from)
{
	uint32_t w = from / 64 < s->n_words ? from / 64 : 0;
	uint64_t bits = set[w] & ~busy[w] & ~(uint64_t)0 << (from / 64 == w ? from % 64 : 0);

	for (uint32_t i = 0; i <= s->n_words; i++) {
		if (bits)
			return w * 64 + (uint32_t)__builtin_ctzll(bits);
		w = w + 1 == s->n_words ? 0 : w + 1;
		bits = set[w] & ~busy[w];
	}
	return MOORE_NONE;
}

/* Of the inputs that wait for VL v of channel at, returns the next in turn, or that whose first packet has
 * made the most hops. */
static uint32_t
choose_input(const struct sim *s, uint32_t at, uint32_t v)
{
	const struct sim_channel *c = &s->channel[at];
	const uint64_t *set = waiting(s, at, v), *busy = &s->busy[(size_t)c->sw * s->n_words];
	const uint32_t port0 = s->f->sw[c->sw].port0, line = s->n_lines > 1 ? at - port0 : 0;
	const uint32_t first = find_input(s, set, busy, s->turn[(size_t)at * s->n_vl + v]);
	uint32_t best = first, most = 0, bit = first;

	if (s->o.arbiter == MOORE_SIM_TURNS || first == MOORE_NONE)
		return first;
	do {
		const uint32_t head = sim_lines(s, (size_t)port0 * s->n_vl + bit)[line].head;

		if (s->packet[head].hops > most) {
			most = s->packet[head].hops;
			best = bit;
		}
		bit = find_input(s, set, busy, bit + 1);
	} while (bit != first);
	return best;
}

/* Channel at can take a packet: serves the next input. */
static void
serve_output(struct sim *s, uint32_t at)
{
	struct sim_channel *c = &s->channel[at];

	for (uint32_t i = 0; i < s->n_vl && c->n_wait && !c->output_busy; i++) {
		const uint32_t v = (c->vl + i) % s->n_vl;
		uint32_t bit;

		if (s->n_out[(size_t)at * s->n_vl + v] >= s->o.out_queue)
			continue;
		bit = choose_input(s, at, v);
		if (bit != MOORE_NONE)
			cross(s, s->f->sw[c->sw].port0 + bit / s->n_vl, bit % s->n_vl, at);
	}
}

/* Returns the next output in turn for which input buffer q has a packet that can cross; MOORE_NONE:
 * there is none. */
static uint32_t
find_line(const struct sim *s, const struct sim_channel *c, size_t q)
{
	const uint64_t *has = &s->lines[q * s->line_words], *taken = &s->taken[(size_t)c->sw * s->line_words];
	const uint32_t port0 = s->f->sw[c->sw].port0, first = s->line[q] / 64u < s->line_words ? s->line[q] : 0;

	for (uint32_t i = 0, w = first / 64; i <= s->line_words; i++, w = w + 1 == s->line_words ? 0 : w + 1)
		for (uint64_t bits = has[w] & ~taken[w] & ~(uint64_t)0 << (i ? 0 : first % 64); bits; bits &= bits - 1) {
			const uint32_t line = w * 64 + (uint32_t)__builtin_ctzll(bits);
			const uint32_t vl = s->packet[sim_lines(s, q)[line].head].out_vl;

			if (s->n_out[(size_t)(port0 + line) * s->n_vl + vl] < s->o.out_queue)
				return port0 + line;
		}
	return MOORE_NONE;
}

/* The line from this port into the crossbar is free: takes the next packet of a VL that can cross. */
static void
serve_lines(struct sim *s, uint32_t port)
{
	for (uint32_t i = 0; i < s->n_vl && !s->channel[port].input_busy; i++) {
		const uint32_t v = (s->channel[port].in_vl + i) % s->n_vl;
		const uint32_t at = find_line(s, &s->channel[port], (size_t)port * s->n_vl + v);

		if (at != MOORE_NONE)
			cross(s, port, v, at);
	}
}

/* The same where an input buffer is one queue. */
static void
serve_input(struct sim *s, uint32_t port)
{
	const uint32_t port0 = s->f->sw[s->channel[port].sw].port0;

	for (uint32_t i = 0; i < s->n_vl && !s->channel[port].input_busy; i++) {
		const uint32_t v = (s->channel[port].in_vl + i) % s->n_vl, k = s->in[(size_t)port * s->n_vl + v].head;
		const struct sim_packet *p = &s->packet[k];

		if (k != MOORE_NONE && !s->channel[port0 + p->out].output_busy &&
		    s->n_out[(size_t)(port0 + p->out) * s->n_vl + p->out_vl] < s->o.out_queue)
			cross(s, port, v, port0 + p->out);
	}
}

/* ---- events ------------------------------------------------------------------------------------ */

/* A switch forwards the packet by its row. */
static void
note_stale(struct sim *s, moore_swid w, struct sim_packet *p)
{
	if (!p->stale && s->changes->left[(size_t)w * s->changes->lft.stride + p->lid]) {
		p->stale = 1;
		sim_phase(s)->stale++;
	}
}

/* Sets the port and VL by which the packet leaves; false, with the reason, if it has no way. */
static bool
look_up(struct sim *s, uint32_t port, struct sim_packet *p, enum moore_sim_loss *why)
{
	const moore_swid w = s->channel[port].sw;
	const struct moore_switch *sw = &s->f->sw[w];
	moore_portnum in = (moore_portnum)(port - sw->port0);
	uint8_t out, vl;

	/* A route that begins anew goes on as if a node of this switch had sent the packet. */
	if (s->middle && (moore_sim_pass_middle(s, w, (uint32_t)(p - s->packet)) ||
			  moore_sim_judge_again(s, w, (uint32_t)(p - s->packet))))
		in = s->node_port[w];
	out = moore_lft_row(s->lft, w)[p->lid];

	*why = s->channel[s->channel[port].up].dead ? MOORE_SIM_LOST_WIRE :
		p->hops >= MOORE_HOPS_MAX ? MOORE_SIM_LOST_LOOP : MOORE_SIM_LOST_ROW;
	if (*why != MOORE_SIM_LOST_ROW || out == 0 || out > sw->n_ports ||
	    s->f->port[sw->port0 + out].role == MOORE_ROLE_NONE)
		return false;
	if (s->changes)
		note_stale(s, w, p);
	vl = moore_sl2vl_vl(s->sl2vl, s->f, w, in, out, p->sl);
	p->out = out;
	p->out_vl = (vl + p->stage * s->own_vls) & 15u;
	return vl < s->own_vls;
}

static void
arrive(struct sim *s, uint32_t port, uint32_t vl, uint32_t k)
{
	const size_t q = (size_t)port * s->n_vl + vl;
	struct sim_packet *p = &s->packet[k];
	struct sim_queue *queue;
	enum moore_sim_loss why;
	uint32_t out;

	p->tail = s->now + s->o.packet;
	p->hops++;
	if (!look_up(s, port, p, &why)) {
		drop(s, s->channel[port].sw, p, why);
		sim_wheel_add(&s->wheel, p->tail + s->channel[port].wire, SIM_CREDIT, s->channel[port].up,
			      (uint8_t)vl, 0);
		forget(s, k);
		return;
	}
	out = s->f->sw[s->channel[port].sw].port0 + p->out;
	s->channel[out].pending++;
	queue = &sim_lines(s, q)[s->n_lines > 1 ? p->out : 0];
	s->n_in[q]++;
	append(s, queue, k);
	if (queue->head != k)
		return;
	if (s->n_lines > 1)
		s->lines[q * s->line_words + p->out / 64] |= (uint64_t)1 << p->out % 64;
	set_first(s, port, vl, k);
	if (!s->channel[port].input_busy && !s->channel[out].output_busy &&
	    s->n_out[(size_t)out * s->n_vl + p->out_vl] < s->o.out_queue)
		cross(s, port, vl, out);
}

static void
crossed(struct sim *s, uint32_t port, uint32_t at)
{
	set_input(s, port, false);
	s->channel[at].output_busy = false;
	if (s->n_lines > 1)
		set_taken(s, s->channel[at].sw, at - s->f->sw[s->channel[at].sw].port0, false);
	serve_output(s, at);
	if (s->n_lines > 1)
		serve_lines(s, port);
	else
		serve_input(s, port);
}

static void
freed(struct sim *s, uint32_t at)
{
	struct sim_channel *c = &s->channel[at];

	c->link_busy = false;
	if (sim_is_host(s, at)) {
		moore_sim_inject(s, at - s->n_ports);
		return;
	}
	s->n_out[(size_t)at * s->n_vl + c->sending]--;
	send(s, at);
	serve_output(s, at);
}

static void
credited(struct sim *s, uint32_t at, uint32_t vl)
{
	s->credit[(size_t)at * s->n_vl + vl]++;
	if (sim_is_host(s, at))
		moore_sim_inject(s, at - s->n_ports);
	else if (!s->channel[at].link_busy)
		send(s, at);
}

static void
handle(struct sim *s, const struct sim_event *e)
{
	switch ((enum sim_kind)e->kind) {
	case SIM_ARRIVE:
		arrive(s, e->at, e->vl, e->x);
		break;
	case SIM_CROSSED:
		crossed(s, e->at, e->x);
		break;
	case SIM_FREE:
		freed(s, e->at);
		break;
	case SIM_CREDIT:
		credited(s, e->at, e->vl);
		break;
	case SIM_DUE:
		s->host[e->at].armed = false;
		moore_sim_inject(s, e->at);
		break;
	case SIM_GOT:
		moore_sim_got_message(s, e->at);
		break;
	}
}

void
moore_sim_serve(struct sim *s, uint32_t at)
{
	if (!s->channel[at].link_busy)
		send(s, at);
	serve_output(s, at);
}

bool
moore_sim_step(struct sim *s)
{
	const uint64_t change = sim_next_change(s), event = moore_sim_wheel_next(&s->wheel, s->now);
	const uint64_t next = change < event ? change : event;
	struct sim_event e;

	if (next >= s->end)
		return false;
	s->now = next;
	if (change == next)
		moore_sim_make_changes(s);
	while (sim_wheel_take(&s->wheel, s->now, &e))
		handle(s, &e);
	return true;
}
