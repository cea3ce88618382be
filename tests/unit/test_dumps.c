// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_dumps.c - reads and writes OpenSM's dumps.  What OpenSM wrote is written again byte
 * for byte.  A text that is cut short or contradicts itself is refused with its line. Each
 * text is in a memory block of exactly its size, so that a read past the end is detected. */
#include "harness.h"
#include "fabrics.h"
#include "moore/dumps.h"
#include "moore/hardware.h"
#include "opensm_dumps.h"

struct dumps {
	const char *subnet, *lfts, *sl2vl, *mcfdbs;
};
static const struct dumps sample = { SUBNET_LST, LFTS_DUMP, SL2VL_DUMP, MCFDBS };

struct tables {
	struct moore_fabric *f;
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;
	struct moore_mft *mft;
};

static void
tables_free(struct tables *t)
{
	moore_mft_free(t->mft);
	moore_sl2vl_free(t->sl2vl);
	moore_lft_free(t->lft);
	moore_fabric_free(t->f);
	*t = (struct tables){ NULL, NULL, NULL, NULL };
}

/* Reads all four dumps; on failure it frees everything. */
static int
read_all(struct tables *t, const struct dumps *d, struct moore_err *err)
{
	int rc;

	*t = (struct tables){ NULL, NULL, NULL, NULL };
	if ((rc = moore_dump_parse_fabric(&t->f, d->subnet, strlen(d->subnet), d->lfts,
					  strlen(d->lfts), err)) < 0 ||
	    (rc = moore_dump_parse_lfts(&t->lft, t->f, d->lfts, strlen(d->lfts), err)) < 0 ||
	    (rc = moore_dump_parse_sl2vl(&t->sl2vl, t->f, d->sl2vl, strlen(d->sl2vl), err)) < 0 ||
	    (rc = moore_dump_parse_mft(&t->mft, t->f, d->mcfdbs, strlen(d->mcfdbs), err)) < 0)
		tables_free(t);
	return rc;
}

/* A copy of text in which the first `from` is replaced; the caller frees it. */
static char *
replaced(const char *text, const char *from, const char *to)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const char *at = from ? strstr(text, from) : text + strlen(text);

	if (!at)
		fail_msg("the sample has no \"%s\"", from);
	moore_buf_add(&b, text, (size_t)(at - text));
	moore_buf_fmt(&b, "%s%s", to, from ? at + strlen(from) : "");
	return b.data;
}

static void
test_read(void **state)
{
	struct moore_err err = { 0 };
	struct tables t;
	(void)state;

	if (read_all(&t, &sample, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("switches", t.f->n_switches, 3);
	CHECK_EQ("endpoints", t.f->n_endpoints, 3);
	CHECK_EQ("greatest LID", t.f->lid_top, 11);
	assert_string_equal(t.f->sw[2].name, "S2");
	assert_string_equal(t.f->ep[2].name, "H2 a{b}'q' x");
	CHECK_EQ("node GUID", t.f->ep[0].node_guid, 0x100000);
	CHECK_EQ("port GUID", t.f->ep[0].guid, 0x100001);
	CHECK_EQ("LMC from the LFTs", t.f->ep[2].lmc, 1);
	CHECK_EQ("LMC of a switch", t.f->sw[2].lmc, 0);
	CHECK_EQ("base LID", t.f->ep[2].lid, 10);
	CHECK_EQ("where it is", t.f->ep[1].sw, 1);
	CHECK_EQ("link", moore_fabric_port(t.f, 0, 3)->peer, 2);
	CHECK_EQ("link", moore_fabric_port(t.f, 0, 3)->peer_port, 2);
	CHECK_EQ("lanes", moore_fabric_port(t.f, 0, 3)->lanes, 15);
	CHECK_EQ("empty", moore_fabric_port(t.f, 0, 4)->role, MOORE_ROLE_NONE);
	CHECK_EQ("route", moore_lft_row(t.lft, 2)[9], 3);
	CHECK_EQ("no route", moore_lft_row(t.lft, 2)[7], MOORE_NO_PATH);
	CHECK_EQ("VL", moore_sl2vl_get(t.sl2vl, 1, 4, 3)->vl[13], 5);
	CHECK_EQ("a down port has no table", moore_sl2vl_get(t.sl2vl, 1, 3, 4)->vl[13], 0);
	CHECK_EQ("groups", t.mft->n_groups, 2);
	CHECK_EQ("MLID", t.mft->mlid[1], 0xc003);
	CHECK_EQ("ports", t.mft->mask[1 * 3 + 0][0], 0xd);
	CHECK_EQ("not in the group", t.mft->mask[1 * 3 + 1][0], 0);
	tables_free(&t);
}

/* ---- writing ------------------------------------------------------------------- */

static void
check_text(const char *why, struct moore_buf *b, const char *want)
{
	size_t i = 0;

	CHECK(why, !b->oom);
	while (i < b->len && b->data[i] == want[i])
		i++;
	if (i != b->len || want[i])
		fail_msg("%s: differs at byte %zu: \"%.60s\", not \"%.60s\"", why, i,
			 b->data ? b->data + i : "", want + i);
	moore_buf_free(b);
}

static void
write_all(const struct tables *t, struct moore_buf b[5])
{
	for (unsigned i = 0; i < 5; i++)
		b[i] = (struct moore_buf)MOORE_BUF_INIT;
	moore_dump_write_subnet(t->f, &b[0]);
	assert_int_equal(moore_dump_write_lfts(t->f, t->lft, &b[1], NULL), 0);
	moore_dump_write_sl2vl(t->f, t->sl2vl, &b[2]);
	moore_dump_write_mft(t->f, t->mft, &b[3]);
	assert_int_equal(moore_dump_write_fdbs(t->f, t->lft, &b[4], NULL), 0);
}

static void
test_write(void **state)
{
	struct moore_buf b[5];
	struct moore_err err;
	struct tables t;
	char *subnet = replaced(SUBNET_LST, "CA-SM Ports:02", "CA Ports:01"), *no_sm;
	(void)state;

	/* A fabric does not keep the mark of the subnet manager, nor how many ports of a
	 * host have no link. */
	no_sm = replaced(subnet, "CA-SM Ports:02", "CA Ports:01");
	assert_int_equal(read_all(&t, &sample, &err), 0);
	write_all(&t, b);
	check_text("subnet", &b[0], no_sm);
	check_text("LFTs", &b[1], LFTS_DUMP);
	check_text("SL2VL", &b[2], SL2VL_SWITCHES);
	check_text("multicast", &b[3], MCFDBS);
	check_text("fdbs", &b[4], FDBS);
	free(subnet);
	free(no_sm);
	tables_free(&t);
}

/* A fabric with what the sample lacks: a router, a host with ports on two switches, a
 * switch with an LMC, a port 0 with another GUID than its node, an isolated switch. */
static struct moore_fabric *
rich(void)
{
	static const char *const name[] = { "two", "two", "gate}way" };
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_new(&f, 3, 3, 12, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		f->sw[i].guid = 0xab00 + i;
		f->sw[i].port_guid = 0xcd00 + i;
		f->sw[i].n_ports = i < 2 ? 4 : 0;
		f->sw[i].lmc = i == 1;
		f->sw[i].lid = i == 1 ? 2 : (moore_lid)(1 + 6 * i);
		f->sw[i].name = moore_strndup("", 0);
		f->ep[i].name = moore_strndup(name[i], strlen(name[i]));
		f->ep[i].node_guid = i < 2 ? 0x1000 : 0x2000;
		f->ep[i].guid = f->ep[i].node_guid + 1 + i % 2;
		f->ep[i].ca_port = (uint8_t)(1 + i % 2);
		f->ep[i].router = i == 2;
		f->ep[i].lid = (moore_lid)(16 + 16 * i);
		f->ep[i].lmc = (uint8_t)(2 + i);
	}
	moore_fabric_layout(f);
	moore_fabric_attach(f, 0, 0, 4, 15);
	moore_fabric_attach(f, 1, 1, 4, 15);
	moore_fabric_attach(f, 2, 1, 3, 15);
	moore_fabric_link(f, 0, 1, 1, 2, 15);
	moore_fabric_link(f, 0, 2, 1, 1, 15);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	return f;
}

static void
fill_rich(struct tables *t)
{
	struct moore_sl_row row;
	struct moore_lid_owner *own;

	t->f = rich();
	assert_int_equal(moore_lft_new(&t->lft, 3, t->f->lid_top, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&t->sl2vl, t->f, NULL), 0);
	assert_int_equal(moore_mft_new(&t->mft, 3, NULL), 0);
	assert_int_equal(moore_fabric_lids(t->f, &own, NULL), 0);
	for (unsigned lid = 1; lid <= t->f->lid_top; lid++)
		for (unsigned s = 0; s < 3 && own[lid].sw != MOORE_NONE; s++)
			if (own[lid].sw == s)
				moore_lft_row(t->lft, s)[lid] = own[lid].port;
			else if (s < 2 && own[lid].sw < 2)
				moore_lft_row(t->lft, s)[lid] = (uint8_t)(1 + lid % 2);
	free(own);
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		row.vl[sl] = (uint8_t)(15 - sl);
	assert_int_equal(moore_sl2vl_set(t->sl2vl, 1, 0, 2, &row, NULL), 0);
	assert_int_equal(moore_mft_group(t->mft, 0xc00f), 0);
	assert_int_equal(moore_mft_group(t->mft, 0xc001), 1);
	t->mft->mask[0][0] = t->mft->mask[4][0] = 0x12;
}

static void
test_round_trip(void **state)
{
	struct moore_buf a[5], b[5];
	struct moore_err err = { 0 };
	struct tables t, u;
	(void)state;

	fill_rich(&t);
	write_all(&t, a);
	CHECK_STR("a router", a[1].data, "Router portguid 0x0000000000002001: 'gate}way'");
	CHECK_STR("two ports", a[0].data, "CA Ports:02");
	CHECK_STR("groups by MLID", strstr(a[3].data, "ab01"), "0xC001");
	if (read_all(&u, &(struct dumps){ a[0].data, a[1].data, a[2].data, a[3].data }, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	CHECK_EQ("the switch without links too", u.f->n_switches, 3);
	CHECK_EQ("its port 0", u.f->sw[2].port_guid, 0xcd02);
	CHECK_EQ("LMC", u.f->ep[0].lmc | u.f->ep[1].lmc << 4 | u.f->ep[2].lmc << 8, 0x432);
	CHECK_EQ("a switch's", u.f->sw[1].lmc, 1);
	CHECK("router", u.f->ep[2].router && !u.f->ep[1].router);
	write_all(&u, b);
	for (unsigned i = 0; i < 5; i++) {
		check_text("written again", &b[i], a[i].data);
		moore_buf_free(&a[i]);
	}
	tables_free(&t);
	tables_free(&u);
}

static void
test_fdbs(void **state)
{
	static const struct {
		const char *why;
		unsigned lid;
		uint8_t port;
		const char *want;
	} T[] = {
		{ "no path", 8, MOORE_NO_PATH, "0x0008 : UNREACHABLE\n" },
		{ "a loop", 8, 3, "0x0008 : 003  : HOPS UNKNOWN\n" },
		{ "an empty port", 8, 4, "0x0008 : 004  : HOPS UNKNOWN\n" },
		{ "port 0", 8, 0, "0x0008 : 000  : HOPS UNKNOWN\n" },
		{ "beyond the ports", 8, 9, "0x0008 : 009  : HOPS UNKNOWN\n" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT;
		struct moore_err err;
		struct tables t;

		assert_int_equal(read_all(&t, &sample, &err), 0);
		moore_lft_row(t.lft, 0)[T[i].lid] = T[i].port;
		moore_lft_row(t.lft, 2)[8] = 2;		/* S2 sends back to S0 */
		assert_int_equal(moore_dump_write_fdbs(t.f, t.lft, &b, NULL), 0);
		CHECK_STR(T[i].why, b.data, T[i].want);
		moore_buf_free(&b);
		tables_free(&t);
	}
}

/* ---- what is refused ------------------------------------------------------------ */

enum { SUBNET, LFTS, SL2VL, MFT };

static int
read_with(unsigned which, const char *text, struct moore_err *err)
{
	struct dumps d = sample;
	struct tables t;
	int rc;

	*(which == SUBNET ? &d.subnet : which == LFTS ? &d.lfts : which == SL2VL ? &d.sl2vl :
	  &d.mcfdbs) = text;
	rc = read_all(&t, &d, err);
	tables_free(&t);
	return rc;
}

static const struct {
	const char *why;
	unsigned which;
	const char *from, *to;	/* from is NULL: `to` is appended */
	int want;
	unsigned line;
	const char *says;
} refused[] = {
	{ "as OpenSM wrote it", SUBNET, "H0", "H0", 0, 0, "" },
	{ "an empty line is nothing", SUBNET, NULL, "\n\n", 0, 0, "" },
	{ "DOS line ends", LFTS, "11 lids dumped\n", "11 lids dumped\r\n", 0, 0, "" },
	{ "a port that is not up counts", SUBNET, "LOG=ACT", "LOG=INI", 0, 0, "" },
	{ "a link listed by one end", SUBNET, H1(NEAR) S1(FAR, "01") ACT, "", 0, 0, "" },
	{ "a kind that OpenSM does not know", SUBNET, "{ CA-SM", "{ **", 0, 0, "" },
	{ "not a dump", SUBNET, "{ CA-SM", "{ XX", -MOORE_ESYNTAX, 1, "expected" },
	{ "a GUID too long", SUBNET, "NodeGUID:", "NodeGUID:1", -MOORE_ESYNTAX, 1, "expected" },
	{ "port 5 of 4", SUBNET, "{S0} LID:0004 PN:02", "{S0} LID:0004 PN:05", -MOORE_ESYNTAX, 3,
		"port numbers" },
	{ "port 0 in a link", SUBNET, "{S0} LID:0004 PN:02", "{S0} LID:0004 PN:00",
		-MOORE_ESYNTAX, 3, "port numbers" },
	{ "255 ports", SUBNET, "SW Ports:04", "SW Ports:FF", -MOORE_ESYNTAX, 1, "port numbers" },
	{ "a multicast LID", SUBNET, "LID:0002", "LID:C000", -MOORE_ESYNTAX, 1, "expected" },
	{ "two ends that disagree", SUBNET, S0(NEAR, "02") S1(FAR, "02"), S0(NEAR, "02") S1(FAR, "04"),
		-MOORE_EPLAN, 6, "S1 port 2" },
	{ "a host in two places", SUBNET, H2(NEAR) S2(FAR, "01"), H2(NEAR) S2(FAR, "04"),
		-MOORE_EPLAN, 12, "S2 port 4" },
	{ "a port with a host and a link", SUBNET, S0(NEAR, "03") S2(FAR, "02"),
		S0(NEAR, "01") S2(FAR, "02"), -MOORE_EPLAN, 4, "S0 port 1" },
	{ "a LID that changes", SUBNET, "{S1} LID:0005 PN:03", "{S1} LID:0007 PN:03",
		-MOORE_EPLAN, 7, "S1 has another LID" },
	{ "a port GUID twice", SUBNET, "PortGUID:0000000000100004", "PortGUID:0000000000200001",
		-MOORE_EPLAN, 5, "two devices" },
	{ "a LID in two ranges", SUBNET, NULL,
		END("CA", "01", "100009", "10000a", NEAR, "H9", "0003", "01") S0(FAR, "04") ACT,
		-MOORE_ELID, 0, "LID 3" },
	{ "hosts back to back concern no switch", SUBNET, NULL,
		END("CA", "01", "100009", "10000a", NEAR, "H8", "0000", "01")
		END("CA", "01", "10000b", "10000c", FAR, "H9", "0000", "01") ACT, 0, 0, "" },
	{ "a plug that leads a port to itself", SUBNET, NULL, S0(NEAR, "04") S0(FAR, "04") ACT,
		0, 0, "" },
	{ "a row before any switch", LFTS, "Unicast", "0x0002 001 # unknown node and type\nUnicast",
		-MOORE_ESYNTAX, 1, "Unicast" },
	{ "a header within a section", LFTS, "11 lids dumped\n", "", -MOORE_ESYNTAX, 11, "LID PORT" },
	{ "port 5 of 4", LFTS, "0x0008 002", "0x0008 005", -MOORE_ESYNTAX, 7, "port 5 on switch S0" },
	{ "port 255", LFTS, "0x0008 002", "0x0008 255", -MOORE_ESYNTAX, 7, "expected" },
	{ "a multicast LID", LFTS, "0x0008 002", "0xc000 002", -MOORE_ESYNTAX, 7, "expected" },
	{ "a LID of another owner", LFTS, "0x000a 001 # Channel Adapter portguid 0x0000000000100006",
		"0x000a 001 # Channel Adapter portguid 0x0000000000100004", -MOORE_ELID, 31, "0x000a" },
	{ "a LID below its owner's base", LFTS, "0x0002 001", "0x0001 001", -MOORE_ELID, 0, "base LID is 2" },
	{ "a LID far above it", LFTS, "0x0003 001", "0x0103 001", -MOORE_ELID, 0, "LID 259" },
	{ "a LID that nobody has", LFTS, "0x0008 002",
		"0x0f00 001 # unknown node and type\n0x0008 002", 0, 0, "" },
	{ "an owner that is gone", LFTS, "0x0008 002",
		"0x0f00 001 # Channel Adapter portguid 0x77: 'x'\n0x0008 002", 0, 0, "" },
	{ "a switch that only the LFTs know", LFTS, NULL, "Unicast lids [0-11] of switch Lid 0 guid "
		"0x5 (''):\n11 lids dumped\n", 0, 0, "" },
	{ "a switch listed twice", LFTS, NULL, LFT("4", "200000", "S0", "1", "0", "2", "3", "2", "3"),
		-MOORE_EPLAN, 34, "twice" },
	{ "a switch that is not there", SL2VL, "Switch 0x0000000000200001", "Switch 0x0000000000200009",
		-MOORE_EPLAN, 27, "not in the fabric" },
	{ "15 VLs", SL2VL, "1   1   : 0 ", "1   1   : ", -MOORE_ESYNTAX, 5, "16 VLs" },
	{ "17 VLs", SL2VL, "1   1   : 0 ", "1   1   : 0 0 ", -MOORE_ESYNTAX, 5, "16 VLs" },
	{ "VL 16", SL2VL, "1   1   : 0 ", "1   1   : 16", -MOORE_ESYNTAX, 5, "16 VLs" },
	{ "port 5 of 4", SL2VL, "1   1   : 0 ", "1   5   : 0 ", -MOORE_ESYNTAX, 5, "S0" },
	{ "in port 5 of 4", SL2VL, "1   1   : 0 ", "5   1   : 0 ", -MOORE_ESYNTAX, 5, "S0" },
	{ "rows without a header", SL2VL, NULL, "0   1   :" VLS, -MOORE_ESYNTAX, 79, "expected 'Switch" },
	{ "a header without its LID", SL2VL, ", base LID 4", "", -MOORE_ESYNTAX, 1, "base LID" },
	{ "a section that does not end", SL2VL, RULE "\nChannel", "Channel", -MOORE_ESYNTAX, 19,
		"does not end" },
	{ "no group", MFT, MCFDBS, "", 0, 0, "" },
	{ "ports before a switch", MFT, "\nSwitch", "0xC000 : 0x001 \n\nSwitch", -MOORE_ESYNTAX, 1,
		"expected 'Switch" },
	{ "a unicast LID", MFT, "0xC003", "0xB003", -MOORE_ESYNTAX, 5, "0xC000" },
	{ "port 5 of 4", MFT, "0x003", "0x005", -MOORE_ESYNTAX, 5, "0x004" },
	{ "no port at all", MFT, "0x003", "two", -MOORE_ESYNTAX, 5, "port numbers" },
	{ "a switch that is not there", MFT, "200001", "200009", -MOORE_EPLAN, 7, "not in the fabric" },
	{ "a switch without a GUID", MFT, "0x0000000000200001", "S1", -MOORE_ESYNTAX, 7, "0xGUID" },
};

static void
test_refused(void **state)
{
	static const char *const files[] = { "opensm-subnet.lst", "opensm-lfts.dump",
		"opensm-sl2vl.dump", "opensm.mcfdbs" };
	static const char *const texts[] = { SUBNET_LST, LFTS_DUMP, SL2VL_DUMP, MCFDBS };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		char *text = replaced(texts[refused[i].which], refused[i].from, refused[i].to);
		struct moore_err err = { 0 };

		CHECK_EQ(refused[i].why, read_with(refused[i].which, text ? text : "", &err), refused[i].want);
		CHECK_EQ(refused[i].why, err.line, refused[i].line);
		CHECK_STR(refused[i].why, err.text, refused[i].says);
		if (refused[i].want && err.line)
			CHECK_STR(refused[i].why, err.text, files[refused[i].which]);
		free(text);
	}
}

/* True if the last line of the text could be the last line of a complete dump. */
static bool
may_end(unsigned which, char *text, size_t len)
{
	char *last;

	if (which == MFT) {
		last = strrchr(text, '\n');
		return !last || strncmp(last + 1, "0x", 2);
	}
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	last = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
	return strstr(last, which == SUBNET ? "SPD=2" : which == LFTS ? "lids dumped" : "#--");
}

/* A text that is cut after any byte is refused, unless a complete one could end there. */
static void
test_cut_short(void **state)
{
	static const char *const texts[] = { SUBNET_LST, LFTS_DUMP, SL2VL_DUMP, MCFDBS };
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
		for (size_t len = 1; len < strlen(texts[i]); len++) {
			char *text = moore_strndup(texts[i], len);
			struct moore_err err = { 0 };

			if (read_with(i, text, &err) < 0)
				CHECK("the error says where", err.line || err.code == MOORE_ELID);
			else if (!may_end(i, text, len))
				fail_msg("accepted: ...%s", text + (len < 80 ? 0 : len - 80));
			free(text);
		}
	CHECK_EQ("a port number cut short", read_with(MFT, "\nSwitch 0x200000\n0xC000 : 0x00",
						       &(struct moore_err){ 0 }), -MOORE_ESYNTAX);
	CHECK_EQ("a table cut short", read_with(SL2VL, SL2VL_SW("0", "4") "Switch 0x200001, base LID 5\n"
						SLS RULE TO("1"), &(struct moore_err){ 0 }),
		 -MOORE_ESYNTAX);
}

/* ---- in pieces ------------------------------------------------------------------- */

struct pieces {			/* hands out a text, so many bytes at a time */
	const char *text;
	size_t at, len, size;
	char held[4096];
};

static bool
next_piece(void *arg, const char **rest, const char **end)
{
	struct pieces *p = arg;
	size_t left = (size_t)(*end - *rest), n = p->len - p->at;

	if (n > p->size)
		n = p->size;
	if (left)
		memmove(p->held, *rest, left);
	memcpy(p->held + left, p->text + p->at, n);
	p->at += n;
	*rest = p->held;
	*end = p->held + left + n;
	return n;
}

static void
test_read_in_pieces(void **state)
{
	struct moore_err err = { 0 };
	struct tables whole;
	(void)state;

	assert_int_equal(read_all(&whole, &sample, &err), 0);
	for (size_t size = 1; size < 400; size += size < 80 ? 1 : 31) {
		struct pieces p = { .text = sample.lfts, .len = strlen(sample.lfts), .size = size };
		struct moore_source from = { next_piece, &p };
		struct moore_fabric *f = NULL;
		struct moore_lft *lft = NULL;

		if (moore_dump_read_fabric(&f, sample.subnet, strlen(sample.subnet), &from, &err) < 0)
			fail_msg("pieces of %zu, line %u: %s", size, err.line, err.text);
		CHECK_EQ("LMC from the LFTs", f->ep[2].lmc, 1);
		p.at = 0;
		assert_int_equal(moore_dump_read_lfts(&lft, f, &from, &err), 0);
		CHECK("the same tables", !memcmp(lft->row, whole.lft->row, lft->stride * 3));
		moore_lft_free(lft);
		p.at = 0;
		p.len -= 20;
		CHECK_EQ("cut short", moore_dump_read_lfts(&lft, f, &from, &err), -MOORE_ESYNTAX);
		moore_fabric_free(f);
	}
	tables_free(&whole);
}

static bool
collect(void *arg, const char *data, size_t len)
{
	struct moore_buf *all = arg;

	moore_buf_add(all, data, len);
	return !all->oom;
}

static bool
no_room(void *arg, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return false;
}

static void
test_write_in_pieces(void **state)
{
	struct moore_buf whole = MOORE_BUF_INIT, all = MOORE_BUF_INIT;
	struct moore_buf window = { .drain = collect, .drain_arg = &all };
	struct moore_buf full = { .drain = no_room };
	struct moore_fabric *f = test_family("slimfly", "q=7", 1);
	struct moore_lft *lft = NULL;
	(void)state;

	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	memset(lft->row, 1, lft->stride * lft->n_switches);
	assert_int_equal(moore_dump_write_lfts(f, lft, &whole, NULL), 0);
	assert_int_equal(moore_dump_write_lfts(f, lft, &window, NULL), 0);
	moore_buf_drain(&window);
	CHECK("it is longer than the window", whole.len > 2 * MOORE_BUF_WINDOW);
	CHECK("the window stays small", window.cap <= 2 * MOORE_BUF_WINDOW);
	CHECK_EQ("nothing is left", window.len, 0);
	CHECK("the same text", all.len == whole.len && !memcmp(all.data, whole.data, all.len));
	CHECK("no room is a failure", moore_dump_write_lfts(f, lft, &full, NULL) < 0);
	moore_buf_free(&whole);
	moore_buf_free(&all);
	moore_buf_free(&window);
	moore_buf_free(&full);
	moore_lft_free(lft);
	moore_fabric_free(f);
}

static void
test_op_vls(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} bad[] = {
		{ "cut off", "Switch 0x200000\n1 2\n", "#--" },
		{ "no section", "1 2\n#--\n", "Switch" },
		{ "no GUID", "Switch S0\n#--\n", "Switch" },
		{ "a stranger", "Switch 0x999\n#--\n", "0x0000000000000999" },
		{ "no such port", "Switch 0x200000\n5 2\n#--\n", "no port 5" },
		{ "port 0", "Switch 0x200000\n0 2\n#--\n", "no port 0" },
		{ "three lanes", "Switch 0x200000\n1 3\n#--\n", "1, 2, 4, 8 and 15" },
		{ "no lanes", "Switch 0x200000\n1\n#--\n", "1, 2, 4, 8 and 15" },
		{ "words", "Switch 0x200000\n1 2 x\n#--\n", "1, 2, 4, 8 and 15" },
		{ "a link without a line", "Switch 0x200000\n1 2\n#--\n", "S0 port 2 has a link" },
	};
	static const char text[] = "# a comment\n\nSwitch 0x200000, \"S0\"\n1 2\n2 1\n3 8\n4 15\n"
		"Switch 0x200001\n1 4\n2 2\n3 4\nSwitch 0x200002\n1 2\n2 4\n3 8\n#--\n";
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err;
	struct tables t;
	(void)state;

	assert_int_equal(read_all(&t, &sample, &err), 0);
	CHECK_EQ("OpenSM's dumps tell none", moore_fabric_port(t.f, 0, 2)->lanes, 15);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(bad[i].why, moore_dump_parse_op_vls(t.f, bad[i].text, strlen(bad[i].text), &err) < 0);
		CHECK_STR(bad[i].why, err.text, bad[i].error);
		CHECK_EQ(bad[i].why, moore_fabric_port(t.f, 0, 1)->lanes, 15);
	}
	CHECK_OOM("reading", moore_dump_parse_op_vls(t.f, text, strlen(text), &err), (void)0);
	CHECK_EQ("an endpoint's port", moore_fabric_port(t.f, 0, 1)->lanes, 2);
	CHECK_EQ("the far end runs more", moore_fabric_port(t.f, 0, 2)->lanes, 1);
	CHECK_EQ("the near end runs more", moore_fabric_port(t.f, 1, 2)->lanes, 1);
	CHECK_EQ("fewer of 8 and 4", moore_fabric_port(t.f, 0, 3)->lanes, 4);
	CHECK_EQ("a port without a link", moore_fabric_port(t.f, 0, 4)->lanes, 0);
	assert_int_equal(moore_fabric_seal(t.f, NULL), 0);
	moore_dump_write_op_vls(t.f, &b);
	check_text("written", &b, "Switch 0x0000000000200000, \"S0\"\n1 2\n2 1\n3 4\n"
		   "Switch 0x0000000000200001, \"S1\"\n1 4\n2 1\n3 4\n"
		   "Switch 0x0000000000200002, \"S2\"\n1 2\n2 4\n3 4\n#--\n");
	moore_buf_free(&b);
	tables_free(&t);
}

/* ---- moore-hardware.dump --------------------------------------------------------------- */

#define HAS "has vendor 713 device 53000 revision 160 lft_cap 49152 lft_top 11 mft_cap 4096 " \
	"mft_top 49155 maps_sl 1 sl_mapping 2\n"
#define PORT(n) "port " n " state 4 width 4 speed 7 mtu_cap 5 mtu 5 vl_cap 8 vls 2 high_limit 0 " \
	"high_cap 8 low_cap 8\n"

static void
test_hardware(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} bad[] = {
		{ "cut off", "Switch 0x200000\n" HAS, "#--" },
		{ "no section", HAS "#--\n", "Switch" },
		{ "a stranger", "Switch 0x999\n#--\n", "0x0000000000000999" },
		{ "no such port", "Switch 0x200000\n" PORT("5") "#--\n", "a port of this switch" },
		{ "a value missing", "Switch 0x200000\nhas vendor 1 revision 1\n#--\n", "device" },
		{ "too large", "Switch 0x200000\nhas vendor 16777216\n#--\n", "vendor" },
		{ "more than a line has", "Switch 0x200000\nport 1 state 4 width 4 speed 7 mtu_cap 5 mtu 5 "
		  "vl_cap 8 vls 2 high_limit 0 high_cap 8 low_cap 8 x\n#--\n", "the end of the line" },
		{ "a table without its port", "Switch 0x200000\nlow 0:1\n#--\n", "'port' before" },
		{ "a table of another switch's port", "Switch 0x200000\n" PORT("1") "Switch 0x200001\nlow 0:1\n"
		  "#--\n", "'port' before" },
		{ "two of a kind", "Switch 0x200000\n" PORT("1") "low 0:1\nlow 0:1\n#--\n", "'port' before" },
		{ "VL 16", "Switch 0x200000\n" PORT("1") "low 16:1\n#--\n", "VL:WEIGHT" },
		{ "weight 256", "Switch 0x200000\n" PORT("1") "low 0:256\n#--\n", "VL:WEIGHT" },
		{ "words", "Switch 0x200000\nhello\n#--\n", "'Switch', 'has'" },
	};
	static const char text[] = "Switch 0x0000000000200000, \"S0\"\n" HAS PORT("0") PORT("1")
		"high 0:64 1:64 0:3\nlow\nSwitch 0x0000000000200001, \"S1\"\n"
		"Switch 0x0000000000200002, \"S2\"\n" PORT("3") "low 1:0 1:255\n#--\n";
	struct moore_arb_entry long_table[MOORE_ARB_MAX] = { { 1, 2 }, { 3, 0 } };
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_hardware *h = NULL;
	struct moore_err err;
	struct tables t;
	(void)state;

	assert_int_equal(read_all(&t, &sample, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(bad[i].why, moore_dump_parse_hardware(&h, t.f, bad[i].text, strlen(bad[i].text), &err) < 0);
		CHECK_STR(bad[i].why, err.text, bad[i].error);
		CHECK(bad[i].why, err.line && !h);
	}
	CHECK_OOM("reading", moore_dump_parse_hardware(&h, t.f, text, strlen(text), &err), (void)0);
	CHECK_EQ("of a switch", h->sw[0][MOORE_SW_LFT_TOP], 11);
	CHECK_EQ("of a switch without a line", h->sw[1][MOORE_SW_LFT_CAP], 0);
	CHECK_EQ("of a port", h->port[t.f->sw[0].port0 + 1][MOORE_PT_VLS], 2);
	CHECK_EQ("of a port without a line", h->port[t.f->sw[0].port0 + 2][MOORE_PT_VLS], 0);
	CHECK_EQ("two entries of one VL", moore_hardware_weight(h, t.f->sw[0].port0 + 1, MOORE_ARB_HIGH, 0), 67);
	CHECK_EQ("no entry", moore_hardware_weight(h, t.f->sw[0].port0 + 1, MOORE_ARB_HIGH, 2), 0);
	CHECK("read, and empty", h->arb[t.f->sw[0].port0 + 1][MOORE_ARB_LOW].read);
	CHECK("not read", !h->arb[t.f->sw[0].port0][MOORE_ARB_LOW].read);
	moore_dump_write_hardware(t.f, h, &b);
	check_text("written", &b, text);
	assert_int_equal(moore_hardware_set_arb(h, t.f->sw[1].port0, MOORE_ARB_LOW, long_table,
						MOORE_ARB_MAX, &err), 0);
	CHECK_EQ("skipped entries at the end go", h->arb[t.f->sw[1].port0][MOORE_ARB_LOW].n, 1);
	moore_buf_free(&b);
	moore_hardware_free(h);
	tables_free(&t);
}

/* ---- opensm-lid-matrix.dump ----------------------------------------------------------- */

static void
test_lid_matrix(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} bad[] = {
		{ "no section", "0x0004: 00\n", "expected 'Switch: guid" },
		{ "no GUID", "Switch: guid S0\n", "0xGUID" },
		{ "a stranger", "Switch: guid 0x999\n", "not in the fabric" },
		{ "no LID", "Switch: guid 0x200000\nLID 4: 00\n", "0xLID" },
		{ "no hops", "Switch: guid 0x200000\n0x0004: 00 two\n", "expected hops" },
		{ "hops of three digits", "Switch: guid 0x200000\n0x0004: 00 100\n", "expected hops" },
		{ "cut off", "Switch: guid 0x200000\n0x0004: 00", "copy the file whole" },
	};
	/* S0 takes port 3 to S1 (LID 5), since port 2 is farther, and none to S2 (LID 6); port 9
	 * does not exist, and LID 2 is no switch's. */
	static const char text[] = "# hops\n\nSwitch: guid 0x0000000000200000\n"
		"0x0004: 00 ff # portguid 0x0000000000200000\n"
		"0x0005: 02 ff 03 02 02 ff ff ff ff 01\n0x0002: 01 01\n"
		"Switch: guid 0x0000000000200002\n0x0004: ff 01 01\n";
	struct moore_stock_hop *hops;
	struct moore_err err;
	struct tables t;
	(void)state;

	assert_int_equal(read_all(&t, &sample, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CHECK(bad[i].why, moore_dump_parse_lid_matrix(&hops, t.f, bad[i].text,
							      strlen(bad[i].text), &err) < 0);
		CHECK_STR(bad[i].why, err.text, bad[i].error);
	}
	CHECK_OOM("reading", moore_dump_parse_lid_matrix(&hops, t.f, text, strlen(text), &err), (void)0);
	CHECK_EQ("itself", hops[0].n, 0);
	CHECK_EQ("the fewest hops", hops[1].n, 2);
	CHECK_EQ("the first port with as many", hops[1].port, 3);
	CHECK_EQ("a LID without a line", hops[2].n, MOORE_STOCK_NO_HOPS);
	CHECK_EQ("the first of two", hops[2 * 3 + 0].port, 1);
	CHECK_EQ("a switch without a section", hops[1 * 3 + 1].n, MOORE_STOCK_NO_HOPS);
	free(hops);
	tables_free(&t);
}

static void
test_oom(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_err err;
	struct tables t;
	(void)state;

	CHECK_OOM("reading", read_all(&t, &sample, &err), (void)0);
	CHECK_OOM("writing LFTs", (moore_buf_free(&b), moore_dump_write_lfts(t.f, t.lft, &b, &err)),
		  moore_buf_free(&b));
	CHECK_OOM("writing the subnet", (moore_buf_free(&b), moore_dump_write_subnet(t.f, &b),
					 b.oom ? -MOORE_ENOMEM : 0), moore_buf_free(&b));
	CHECK_OOM("writing SL2VL", (moore_buf_free(&b), moore_dump_write_sl2vl(t.f, t.sl2vl, &b),
				    b.oom ? -MOORE_ENOMEM : 0), moore_buf_free(&b));
	CHECK_OOM("writing groups", (moore_buf_free(&b), moore_dump_write_mft(t.f, t.mft, &b),
				     b.oom ? -MOORE_ENOMEM : 0), moore_buf_free(&b));
	tables_free(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_fdbs),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_read_in_pieces),
		cmocka_unit_test(test_write_in_pieces),
		cmocka_unit_test(test_op_vls),
		cmocka_unit_test(test_hardware),
		cmocka_unit_test(test_lid_matrix),
		cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
