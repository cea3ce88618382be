// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* records.c - on which SLs does the SA tell hosts to send?  It is asked for path records
 * (IBTA 15.2.5.16) of pairs of endpoints, a bounded number at a time.
 *
 * One SA answers for a whole fabric, and all pairs of a large fabric are millions.  So each
 * reading asks for RECORDS_AT_ONCE pairs at most, spread over all, and goes on where the last one
 * ended, round after round; the SLs found add up until the tables change.  The answer says of how
 * many pairs of a round they are. */
#include <infiniband/mad.h>

#include "scan/seen.h"

enum { RECORDS_AT_ONCE = 4096, SL_AT = 53 };

static void
on_record(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct sa_read *r = b->arg;

	(void)q, (void)status;
	if (!data)
		return;
	r->answered++;
	r->sls = (uint16_t)(r->sls | 1u << (data[SL_AT] & 15));
}

/* A stride that meets every pair once: near the golden section of their number, and
 * coprime to it. */
static uint64_t
stride(uint64_t pairs)
{
	uint64_t n = (uint64_t)((double)pairs * 0.6180339887) | 1;

	for (;; n += 2) {
		uint64_t a = pairs, b = n;

		while (b) {
			uint64_t c = a % b;

			a = b;
			b = c;
		}
		if (a == 1)
			return n;
	}
}

enum mad_end
read_records(struct seen *s, const struct ask_with *w)
{
	struct mad_batch b = { .answer = on_record, .arg = &s->sa };
	uint64_t pairs = (uint64_t)s->n_endpoints * s->n_endpoints;
	uint32_t to, n;
	uint64_t step, at;
	enum mad_end end;

	if (!s->sm_lid || !pairs)
		return MAD_DONE;
	if (!s->sa.left) {
		s->sa.asked = s->sa.answered = 0;
		s->sa.left = pairs;
	}
	n = s->sa.left < RECORDS_AT_ONCE ? (uint32_t)s->sa.left : RECORDS_AT_ONCE;
	s->sa.left -= n;
	step = stride(pairs) % pairs;
	at = s->sa.next % pairs;
	to = mad_add_to(&b, s->sm_lid, NULL, 0);
	for (uint32_t i = 0; i < n; i++, at = (at + step) % pairs) {
		uint32_t from = s->ep[at / s->n_endpoints].lid, dest = s->ep[at % s->n_endpoints].lid;

		if (!from || !dest || from == dest)
			continue;
		s->sa.asked++;
		mad_add(&b, (struct mad_ask){ .to = to, .mod = from << 16 | dest,
					      .attr = IB_SA_ATTR_PATHRECORD, .class = MAD_SA });
	}
	s->sa.next = at;
	end = b.oom ? MAD_NOMEM : ask_beside_looks(&b, w);
	mad_batch_fini(&b);
	return end;
}
