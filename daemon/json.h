/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* json.h - which sweep an answer or event is from; its other parts are of moore/answer.h. */
#ifndef MOORED_JSON_H
#define MOORED_JSON_H

#include "moore/answer.h"

#include "snapshot.h"

/* {"sweep":..,"plane":..,"at_ms":..} and the members of more (taken; NULL: memory ran out). */
json_t *from_sweep(const struct snapshot *s, json_t *more);

#endif
