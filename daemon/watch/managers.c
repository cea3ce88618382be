// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* managers.c - which subnet managers answer: see managers.h. */
#include "watch/managers.h"

bool
manager_lost(const struct known_manager *k)
{
	return k->missed >= MANAGER_ROUNDS;
}

/* The place of this manager: its own, a new one, or that of one that is lost.  NULL: all
 * places are taken. */
static struct known_manager *
place_of(struct managers *m, uint64_t guid)
{
	struct known_manager *lost = NULL;

	for (unsigned i = 0; i < m->n; i++) {
		if (m->of[i].last.guid == guid)
			return &m->of[i];
		if (manager_lost(&m->of[i]))
			lost = &m->of[i];
	}
	return m->n < MANAGERS_MAX ? &m->of[m->n++] : lost;
}

bool
managers_hear(struct managers *m, const struct manager_state *s, uint64_t now_ms)
{
	unsigned masters = 0;

	if (s->round == m->round)
		return false;
	m->round = s->round;
	for (unsigned i = 0; i < m->n; i++)
		m->of[i].missed++;
	for (unsigned i = 0; i < s->n_sm; i++) {
		struct known_manager *k = place_of(m, s->sm[i].guid);

		if (k)
			*k = (struct known_manager){ .last = s->sm[i], .heard_ms = now_ms };
		masters += s->sm[i].state == SM_MASTER;
	}
	m->two = masters > 1 ? m->two + 1 : 0;
	if (s->found != MANAGER_ANSWERS || s->guid == m->master)
		return false;
	m->was = m->master;
	m->master = s->guid;
	m->changed_ms = m->was ? now_ms : 0;
	m->changes += m->was != 0;
	return m->was != 0;
}

unsigned
managers_in(const struct managers *m, unsigned state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += !manager_lost(&m->of[i]) && m->of[i].last.state == state;
	return n;
}

unsigned
managers_lost(const struct managers *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += manager_lost(&m->of[i]);
	return n;
}

void
managers_forget(struct managers *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		if (!manager_lost(&m->of[i]))
			m->of[n++] = m->of[i];
	m->n = n;
}
