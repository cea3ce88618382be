/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sound.h - are the tables that were read back sound: a part.  A worker judges the tables of
 * each scan, one scan of a plane at a time. */
#ifndef MOORED_SOUND_H
#define MOORED_SOUND_H

#include "part.h"

extern const struct part part_sound;

struct soundness {
	bool known;		/* a scan with routes and lanes was judged */
	bool sound;
	uint64_t scan;		/* of the tables that were judged */
};
/* The last verdict; never NULL. */
const struct soundness *sound_last(const struct moored *d, unsigned plane);

#endif
