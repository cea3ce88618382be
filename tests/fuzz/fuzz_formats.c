// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_formats.c - any bytes as any plan format.  What is accepted is a valid plan and can
 * be written as JSON and in the same format again.  The first byte of an input selects the
 * format; one of them is a catalogue of cables. */
#include "driver.h"
#include "moore/place.h"

static const char fuzz_name[] = "formats";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"0# x\nswitchguid=0x10\nSwitch 8 \"a\" # \"leaf\"\n[1] \"h\"[1]\n[2] \"b\"[2]\n\n"
		"Switch 8 \"b\"\n[2] \"a\"[2] w=3\n\nhcaguids+4\nHca 2 \"h\"\n[1] \"a\"[1]\n",
		"2graph x {\n\"a\"; \"h\" [shape=box];\n\"a\" -- \"h\" [taillabel=\"1\", headlabel=\"1\"];\n"
		"/* c */ \"a\" -- b [taillabel=2;headlabel=3] // d\n}\n",
		"3strict graph G {\nversion=1 node [x=y]\na:swp1 -- \"b\":\"swp2\" [z=1]\nb:swp1 -- h:eth0\n}\n",
		"4kind,a_switch,a_port,b_node,b_port,length_m,label\ncable,a,1,\"b,\"\"c\",2,3.5,x\n"
		"endpoint,a,2,h,1,,\n",
		"5x,,\nRack Group,Rack\n,r1,h,,,FI,,r2,a,,1,SW,l,2m,\n,,a,,2,SW,,,c,L1,1,CL,,3,\n",
		"6# c\nSwitchName=a Nodes=n[01-03,7],m\nSwitchName=up Switches=a LinkSpeed=4\n"
		"SwitchName=fabric Switches=a\n",
		"7# c\n1,copper,20\n3,copper\n10,optical,99.5 # d\n",
		NULL
	};

	return seeds;
}

static void
try_catalogue(const char *text, size_t len)
{
	struct moore_catalogue *c = NULL;
	struct moore_err err;

	if (moore_catalogue_parse(&c, text, len, &err) == 0 && moore_catalogue_pick(c, 0) != 0)
		abort();
	moore_catalogue_free(c);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	const struct moore_plan_format *f = len ? moore_plan_format_at(data[0] - '0') : NULL;
	struct moore_buf b = MOORE_BUF_INIT, again = MOORE_BUF_INIT;
	struct moore_plan *p = NULL, *q = NULL;
	struct moore_err err;

	if (!f) {
		if (len)
			try_catalogue((const char *)data + 1, len - 1);
		return;
	}
	if (!f->parse || f->parse(&p, (const char *)data + 1, len - 1, &err) < 0)
		return;
	if (moore_plan_write(p, &b, &err) < 0 || moore_plan_parse(&q, b.data, b.len, &err) < 0)
		abort();
	if (f->write)
		f->write(p, &again, &err);	/* may fail: a format cannot express every name */
	moore_buf_free(&again);
	moore_buf_free(&b);
	moore_plan_free(p);
	moore_plan_free(q);
}
