/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* unsound.h - why tables that the engine made are not sound: a defect of this library, or a fabric
 * whose lanes no tables can suit. */
#ifndef MOORE_ENGINE_UNSOUND_H
#define MOORE_ENGINE_UNSOUND_H

#include "moore/engine.h"

/* v is the verdict on tables of the fabric `seen`, and not sound.  Returns -MOORE_EUNSAFE. */
int moore_unsound_fail(const struct moore_verdict *v, const struct moore_fabric *seen, struct moore_err *err);

#endif
