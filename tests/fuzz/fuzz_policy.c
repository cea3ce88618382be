// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_policy.c - any bytes as partitions.conf, as a QoS policy file, and as moore.conf
 * with a profile and classes.  What is found lies within the text, and an accepted
 * moore.conf maps every SL to a class that its profile has. */
#include "driver.h"
#include "moore/conf.h"

static const char fuzz_name[] = "QoS policies, partitions, profile and classes";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"Default=0x7fff, ipoib, sl=1 : ALL=full, ALL_SWITCHES=full;\nGold=0x8002,sl = 4:ALL;\n",
		"qos-ulps\n default : 0 # all\n sdp, port-num 30000 : 4\n any, pkey 0x0001 : 12\n"
		"end-qos-ulps\nqos-levels\n qos-level\n  name: A\n  sl: 3\n end-qos-level\nend-qos-levels\n",
		"profile sl-hint\nclasses 0,0,0,0,1,1,1,1,2,2,2,2,3\nlayers inr\n",
		"profile any-sl\nclasses 0,1,2,3,4,5,6\nlayers nta\n",
		NULL
	};

	return seeds;
}

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
scan(const char *text, size_t len, bool partitions, const struct moore_lane_opts *o)
{
	struct moore_policy_sls s = moore_policy_scan(text, len, partitions, o);
	unsigned lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	must(s.n <= len);
	must(s.wrong_line <= lines);
	must(s.wrong < MOORE_N_SL);
	must(s.n || !s.wrong_line);
	must(!s.wrong_line || !moore_lane_hint_group(o, s.wrong) ||
	     moore_lane_hint_class(o, s.wrong) != s.wrong / MOORE_N_HINTS);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	static const struct moore_lane_opts one = { { 0 } };
	const char *text = (const char *)data;
	struct moore_conf conf;
	struct moore_err err;

	scan(text, len, true, &one);
	scan(text, len, false, &one);
	if (moore_conf_parse(&conf, text, len, &err) < 0)
		return;
	must(conf.profile <= MOORE_PROFILE_SL_HINT && conf.layers < MOORE_N_LAYERS);
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		must(conf.lanes.sl_class[sl] <= (conf.profile == MOORE_PROFILE_SL_HINT ?
						 MOORE_HINT_CLASSES - 1 : MOORE_CLASS_MAX));
	scan(text, len, true, &conf.lanes);
	scan(text, len, false, &conf.lanes);
}
