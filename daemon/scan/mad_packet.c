// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mad_packet.c - the form of a MAD (IBTA 13.4, 14.2.1, 15.2.1, 16.1.1). */
#include <endian.h>
#include <string.h>

#include "scan/mad_impl.h"

enum { DATA_AT = 64, SA_DATA_AT = 56, SA_MASK_AT = 48 };

const struct mad_class_id mad_class_id[N_MAD_CLASSES] = {
	[MAD_SMP_DIRECT] = { IB_SMI_DIRECT_CLASS, 1 }, [MAD_SMP_LID] = { IB_SMI_CLASS, 1 },
	[MAD_PERF] = { IB_PERFORMANCE_CLASS, 1 }, [MAD_SA] = { IB_SA_CLASS, 2 },
};

unsigned
mad_data_at(enum mad_class class)
{
	return class == MAD_SA ? SA_DATA_AT : DATA_AT;
}

static void
put16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static void
put32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

void
mad_compose(uint8_t *mad, const struct mad_ask *q, const struct mad_to *t, uint32_t tid)
{
	memset(mad, 0, IB_MAD_SIZE);
	mad[0] = 1;
	mad[1] = (uint8_t)mad_class_id[q->class].class;
	mad[2] = (uint8_t)mad_class_id[q->class].version;
	mad[3] = IB_MAD_METHOD_GET;
	put32(mad + 12, tid);
	put16(mad + 16, q->attr);
	switch (q->class) {
	case MAD_SMP_DIRECT:
		mad[7] = t->hops;
		put32(mad + 20, q->mod);
		put16(mad + 32, 0xffff);
		put16(mad + 34, 0xffff);
		memcpy(mad + 128, t->path, sizeof(t->path));
		break;
	case MAD_SMP_LID:
		put32(mad + 20, q->mod);
		break;
	case MAD_PERF:
		mad[DATA_AT + 1] = (uint8_t)q->mod;
		break;
	case MAD_SA:
		mad[SA_MASK_AT + 6] = 1 << (12 - 8);		/* of these, one */
		mad[SA_MASK_AT + 7] = 1 << 4 | 1 << 5;		/* DLID, SLID */
		put16(mad + SA_DATA_AT + 40, (uint16_t)q->mod);
		put16(mad + SA_DATA_AT + 42, (uint16_t)(q->mod >> 16));
		mad[SA_DATA_AT + 49] = 1;
		break;
	}
}
