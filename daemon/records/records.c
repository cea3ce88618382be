// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* records.c - whether the files in state_dir can be written: see records.h. */
#include <stdio.h>

#include "records/records.h"

static const char *const name[N_RECORDS] = { "history", "events", "wiring" };

void
records_written(struct records *r, enum record which)
{
	char text[64];

	r->of[which].why[0] = '\0';
	snprintf(text, sizeof(text), "%s: written again", name[which]);
	log_gate_over(&r->of[which].gate, LOG_NOTICE, text);
}

void
records_failed(struct records *r, enum record which, const char *why)
{
	snprintf(r->of[which].why, sizeof(r->of[which].why), "%s", why);
	log_gated(&r->of[which].gate, LOG_ERR, "%s: %s", name[which], why);
}

void
records_ended(struct records *r, enum record which, bool written, const char *why)
{
	if (written)
		records_written(r, which);
	else if (*why)
		records_failed(r, which, why);
}

void
records_forget(struct records *r, enum record which)
{
	r->of[which].why[0] = '\0';
	r->of[which].gate = (struct log_gate){ 0 };
}

const char *
records_error(const struct records *r)
{
	for (unsigned k = 0; k < N_RECORDS; k++)
		if (r->of[k].why[0])
			return r->of[k].why;
	return "";
}
