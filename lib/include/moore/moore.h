/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/moore.h - all of libmoore. */
#ifndef MOORE_MOORE_H
#define MOORE_MOORE_H

#include "base.h"
#include "check.h"
#include "conf.h"
#include "counters.h"
#include "demand.h"
#include "dumps.h"
#include "engine.h"
#include "env.h"
#include "fabric.h"
#include "held.h"
#include "history.h"
#include "hot.h"
#include "keys.h"
#include "lane.h"
#include "links.h"
#include "math.h"
#include "mix.h"
#include "notice.h"
#include "path.h"
#include "permute.h"
#include "place.h"
#include "plan.h"
#include "profile.h"
#include "quality.h"
#include "route.h"
#include "saturation.h"
#include "seen.h"
#include "select.h"
#include "steps.h"
#include "tables.h"
#include "topo.h"
#include "wire.h"

#endif
