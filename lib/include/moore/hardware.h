/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/hardware.h - what the switches of a fabric report of themselves and of their ports, and
 * the VL arbitration tables that their ports hold: NodeInfo, SwitchInfo, PortInfo and
 * VLArbitrationTable (IBTA 14.2.5.3, .4, .6 and .9), as numbers of the standard.
 *
 * Arrays over ports have the index of fabric.port[]. */
#ifndef MOORE_HARDWARE_H
#define MOORE_HARDWARE_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

enum moore_switch_value {
	MOORE_SW_VENDOR, MOORE_SW_DEVICE, MOORE_SW_REVISION,
	MOORE_SW_LFT_CAP,	/* rows that the forwarding table can have */
	MOORE_SW_LFT_TOP,	/* the greatest LID that it forwards */
	MOORE_SW_MFT_CAP, MOORE_SW_MFT_TOP,
	MOORE_SW_MAPS_SL,	/* 1: it has SL to VL rows */
	MOORE_SW_SL_MAPPING,	/* OptimizedSLtoVLMappingProgramming */
	MOORE_N_SW_VALUES
};
enum moore_port_value {
	MOORE_PT_STATE,		/* 1 down .. 4 active */
	MOORE_PT_WIDTH, MOORE_PT_SPEED,	/* as in struct moore_rate; 0: unknown */
	MOORE_PT_MTU_CAP, MOORE_PT_MTU,	/* 1: 256 bytes .. 5: 4096 */
	MOORE_PT_VL_CAP, MOORE_PT_VLS,	/* data VLs: 1, 2, 4, 8 or 15 */
	MOORE_PT_HIGH_LIMIT,
	MOORE_PT_HIGH_CAP, MOORE_PT_LOW_CAP,	/* entries of the two arbitration tables */
	MOORE_N_PT_VALUES
};
MOORE_API const char *moore_switch_value_name(enum moore_switch_value v);
MOORE_API const char *moore_port_value_name(enum moore_port_value v);

enum { MOORE_ARB_HIGH, MOORE_ARB_LOW, MOORE_N_ARB };
#define MOORE_ARB_MAX 64	/* entries of a table */

struct moore_arb_entry {
	uint8_t vl, weight;	/* weight 0: the entry is skipped */
};
struct moore_arb {		/* a table without the skipped entries at its end */
	uint32_t at;		/* its first entry in moore_hardware.entry[] */
	uint8_t n;
	bool read;
};

struct moore_hardware {
	uint32_t n_switches, n_ports;
	uint32_t (*sw)[MOORE_N_SW_VALUES];	/* MOORE_SW_LFT_CAP 0: nothing is known */
	uint16_t (*port)[MOORE_N_PT_VALUES];	/* MOORE_PT_VLS 0: nothing is known */
	struct moore_arb (*arb)[MOORE_N_ARB];	/* of each port */
	struct moore_arb_entry *entry;
	uint32_t n_entries, cap_entries;
};

/* Makes one in which nothing is known. */
MOORE_API int moore_hardware_new(struct moore_hardware **out, const struct moore_fabric *f,
				 struct moore_err *err);
MOORE_API void moore_hardware_free(struct moore_hardware *h);	/* NULL is fine */
/* Copies the table of a port (fabric.port[] index).  n <= MOORE_ARB_MAX.  -MOORE_ENOMEM. */
MOORE_API int moore_hardware_set_arb(struct moore_hardware *h, uint32_t port, int which,
				     const struct moore_arb_entry *entry, unsigned n,
				     struct moore_err *err);
/* The sum of the weights that a port's table gives this VL. */
MOORE_API unsigned moore_hardware_weight(const struct moore_hardware *h, uint32_t port, int which,
					 unsigned vl);

/* moore-hardware.dump, a file of moore's own.  After a line `Switch 0xGUID` stand the values of
 * the switch on one line, and for each known port its values and the tables that were read:
 *	has vendor 713 device 53000 ...
 *	port 1 state 4 width 4 ...
 *	high 0:64 1:64
 *	low 0:1 1:1
 * The file ends in a line `#--`.  -MOORE_ESYNTAX with the line, -MOORE_EPLAN: a switch is not of
 * f; -MOORE_ENOMEM.  O(size). */
MOORE_API int moore_dump_parse_hardware(struct moore_hardware **out, const struct moore_fabric *f,
					const char *text, size_t len, struct moore_err *err);
MOORE_API void moore_dump_write_hardware(const struct moore_fabric *f,
					 const struct moore_hardware *h, struct moore_buf *out);

MOORE_END

#endif
