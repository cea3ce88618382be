// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hardware.c - what switches report of themselves, in memory; dump_hardware.c has its file. */
#include <stdlib.h>
#include <string.h>

#include "moore/hardware.h"

int
moore_hardware_new(struct moore_hardware **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct moore_hardware *h = calloc(1, sizeof(*h));

	*out = NULL;
	if (h) {
		h->n_switches = f->n_switches;
		h->n_ports = f->n_ports;
		h->sw = calloc((size_t)f->n_switches + 1, sizeof(*h->sw));
		h->port = calloc((size_t)f->n_ports + 1, sizeof(*h->port));
		h->arb = calloc((size_t)f->n_ports + 1, sizeof(*h->arb));
	}
	if (!h || !h->sw || !h->port || !h->arb) {
		moore_hardware_free(h);
		return moore_fail_nomem(err);
	}
	*out = h;
	return 0;
}

void
moore_hardware_free(struct moore_hardware *h)
{
	if (!h)
		return;
	free(h->sw);
	free(h->port);
	free(h->arb);
	free(h->entry);
	free(h);
}

int
moore_hardware_set_arb(struct moore_hardware *h, uint32_t port, int which,
		       const struct moore_arb_entry *entry, unsigned n, struct moore_err *err)
{
	const uint32_t at = h->n_entries;

	while (n && !entry[n - 1].weight)
		n--;
	for (unsigned i = 0; i < n; i++) {
		struct moore_arb_entry *more = moore_grow(h->entry, h->n_entries, &h->cap_entries,
							  sizeof(*more));

		if (!more)
			return moore_fail_nomem(err);
		h->entry = more;
		h->entry[h->n_entries++] = entry[i];
	}
	h->arb[port][which] = (struct moore_arb){ .at = at, .n = (uint8_t)n, .read = true };
	return 0;
}

unsigned
moore_hardware_weight(const struct moore_hardware *h, uint32_t port, int which, unsigned vl)
{
	const struct moore_arb *a = &h->arb[port][which];
	unsigned sum = 0;

	for (unsigned i = 0; i < a->n; i++)
		sum += h->entry[a->at + i].vl == vl ? h->entry[a->at + i].weight : 0;
	return sum;
}
