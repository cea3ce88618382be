// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_lldp.c - documents of lldpd and ip: what the reader takes and refuses, and what fabric
 * and findings follow from the reports of several switches.
 *
 * A scene is a line of words from which the documents are made:
 *     a.1>b.2     switch a reports at port 1 the neighbour b, port 2; hosts begin with h
 *     a.1>b@c.2   likewise, but the neighbour has the MAC of c
 *     a.1>b.2#9   likewise, and its port takes frames of 9 bytes
 *     a=b         switch a was asked and calls itself b; a= gives no name
 *     a@b         switch a has the MAC of b
 *     a!          switch a does not answer
 *     a.1~1500    port 1 of a has this MTU; with ~0 it is down
 * A port that is no number is the name of an interface. */
#include "harness.h"

#include "moore/lldp.h"
#include "plan_of.h"

#define SWITCHES 8
#define NAME 72

/* ---- documents ------------------------------------------------------------------- */

struct scene {
	char name[SWITCHES][NAME], calls[SWITCHES][NAME], mac[SWITCHES][NAME];
	bool silent[SWITCHES];
	struct moore_buf neighbours[SWITCHES], links[SWITCHES];
	size_t n;
};

/* The MAC of a name, as lldpd prints it. */
static void
put_mac(struct moore_buf *b, const char *name)
{
	uint64_t h = moore_hash(MOORE_HASH_INIT, name, strlen(name));

	moore_buf_fmt(b, "{\"id\":[{\"type\":\"mac\",\"value\":\"02:00:%02x:%02x:%02x:%02x\"}]",
		      (unsigned)(h >> 24 & 255), (unsigned)(h >> 16 & 255), (unsigned)(h >> 8 & 255),
		      (unsigned)(h & 255));
}

static void
put_chassis(struct moore_buf *b, const char *name, const char *mac, bool is_host)
{
	put_mac(b, mac);
	if (*name)
		moore_buf_fmt(b, ",\"name\":[{\"value\":\"%s\"}]", name);
	moore_buf_fmt(b, ",\"capability\":[{\"type\":\"%s\",\"enabled\":true}]}",
		      is_host ? "Station" : "Router");
}

static void
put_ifname(struct moore_buf *b, const char *node, const char *port)
{
	bool is_number = *port >= '0' && *port <= '9';

	moore_buf_fmt(b, "%s%s", !is_number ? "" : *node == 'h' ? "eth" : "swp", port);
}

static size_t
scene_switch(struct scene *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->name[i], name))
			return i;
	assert_true(x->n < SWITCHES);
	snprintf(x->name[x->n], NAME, "%s", name);
	snprintf(x->calls[x->n], NAME, "%s", name);
	snprintf(x->mac[x->n], NAME, "%s", name);
	return x->n++;
}

static void
put_report(struct scene *x, const char *sw, const char *port, const char *to)
{
	char name[NAME], mac[NAME], peer[NAME];
	const char *dot = strrchr(to, '.'), *at = strchr(to, '@'), *frame = strchr(to, '#');
	struct moore_buf *b = &x->neighbours[scene_switch(x, sw)];
	const char *end = at ? at : dot;

	snprintf(name, NAME, "%.*s", (int)(end - to), to);
	snprintf(mac, NAME, "%.*s", (int)(at ? dot - at - 1 : dot - to), at ? at + 1 : to);
	snprintf(peer, NAME, "%.*s", (int)strcspn(dot + 1, "#"), dot + 1);
	moore_buf_fmt(b, "%s{\"name\":\"", b->len ? "," : "");
	put_ifname(b, sw, port);
	moore_buf_fmt(b, "\",\"via\":\"LLDP\",\"chassis\":[");
	put_chassis(b, name, mac, *name == 'h');
	moore_buf_fmt(b, "],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"");
	put_ifname(b, name, peer);
	moore_buf_fmt(b, "\"}]%s%s%s}]}", frame ? ",\"mfs\":[{\"value\":\"" : "", frame ? frame + 1 : "",
		      frame ? "\"}]" : "");
}

static void
put_link(struct scene *x, const char *sw, const char *port, const char *mtu)
{
	struct moore_buf *b = &x->links[scene_switch(x, sw)];

	moore_buf_fmt(b, "%s{\"ifname\":\"", b->len ? "," : "");
	put_ifname(b, sw, port);
	moore_buf_fmt(b, "\",\"mtu\":%s,\"operstate\":\"%s\"}", mtu, atoi(mtu) ? "UP" : "DOWN");
}

static void
scene_word(struct scene *x, const char *word)
{
	char sw[NAME], port[NAME], rest[NAME];
	int n = 0;

	if (sscanf(word, "%71[a-z-].%71[A-Za-z0-9]>%71s", sw, port, rest) == 3)
		put_report(x, sw, port, rest);
	else if (sscanf(word, "%71[a-z-].%71[A-Za-z0-9]~%71s", sw, port, rest) == 3)
		put_link(x, sw, port, rest);
	else if (sscanf(word, "%71[a-z-]@%71s", sw, rest) == 2)
		strcpy(x->mac[scene_switch(x, sw)], rest);
	else if (sscanf(word, "%71[a-z-]!%n", sw, &n) == 1 && n)
		x->silent[scene_switch(x, sw)] = true;
	else if (sscanf(word, "%71[a-z-]=%n", sw, &n) == 1 && n)
		strcpy(x->calls[scene_switch(x, sw)], word + n);
	else
		fail_msg("no word of a scene: %s", word);
}

static void
scene_make(struct scene *x, const char *words)
{
	char copy[1024], *save = NULL;

	*x = (struct scene){ .n = 0 };
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		scene_word(x, w);
}

static void
scene_free(struct scene *x)
{
	for (size_t i = 0; i < x->n; i++) {
		moore_buf_free(&x->neighbours[i]);
		moore_buf_free(&x->links[i]);
	}
}

static int
read_text(struct moore_lldp_switch *s, enum moore_lldp_doc doc, const char *text,
	  struct moore_err *err)
{
	return moore_lldp_read(s, doc, text, strlen(text), err);
}

/* Reads the documents of switch i of a scene. */
static struct moore_lldp_switch *
scene_read(const struct scene *x, size_t i)
{
	struct moore_buf doc[MOORE_LLDP_DOCS] = { MOORE_BUF_INIT, MOORE_BUF_INIT, MOORE_BUF_INIT };
	struct moore_lldp_switch *s;
	struct moore_err err;

	assert_int_equal(moore_lldp_new(&s, x->name[i], &err), 0);
	if (x->silent[i]) {
		s->silent = moore_strndup("gone", 4);
		return s;
	}
	moore_buf_fmt(&doc[0], "{\"local-chassis\":[{\"chassis\":[");
	put_chassis(&doc[0], x->calls[i], x->mac[i], false);
	moore_buf_fmt(&doc[0], "]}]}");
	moore_buf_fmt(&doc[1], "{\"lldp\":[{\"interface\":[%s]}]}",
		      x->neighbours[i].len ? x->neighbours[i].data : "");
	moore_buf_fmt(&doc[2], "[%s]", x->links[i].len ? x->links[i].data : "");
	for (enum moore_lldp_doc d = 0; d < MOORE_LLDP_DOCS; d++) {
		if (read_text(s, d, doc[d].data, &err) < 0)
			fail_msg("%s: %s", doc[d].data, err.text);
		moore_buf_free(&doc[d]);
	}
	return s;
}

/* ---- what the reader takes ------------------------------------------------------------ */

static void
test_names(void **state)
{
	static const struct { const char *name; bool good; } T[] = {
		{ "s0-0-0", true }, { "leaf1.pod3.example", true }, { "Rack_7:U2+1", true },
		{ "", false }, { "-o", false }, { ".x", false }, { "a b", false }, { "a;b", false },
		{ "$(reboot)", false }, { "a/b", false }, { "..", false }, { "a\nb", false },
		{ "caf\xc3\xa9", false }, { "a'b", false }, { "{switch}", false },
		{ "0123456789012345678901234567890123456789012345678901234567890ab", true },
		{ "0123456789012345678901234567890123456789012345678901234567890abc", false },
	};
	struct moore_lldp_switch *s;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		int rc = moore_lldp_new(&s, T[i].name, &err);

		CHECK_EQ(T[i].name, moore_lldp_good_name(T[i].name), T[i].good);
		CHECK_EQ(T[i].name, rc, T[i].good ? 0 : -MOORE_EINVAL);
		moore_lldp_free(s);
	}
}

static void
test_numbers(void **state)
{
	static const struct { const char *name; unsigned number; } T[] = {
		{ "swp1", 1 }, { "swp254", 254 }, { "swp0", 0 }, { "swp255", 0 }, { "swp01", 0 },
		{ "swp1s0", 0 }, { "swp", 0 }, { "swp-1", 0 }, { "xswp1", 0 }, { "swp1.100", 0 },
		{ "Ethernet0", 1 }, { "Ethernet4", 2 }, { "Ethernet1012", 254 },
		{ "Ethernet1016", 0 }, { "Ethernet2", 0 }, { "eth0", 0 }, { "lo", 0 }, { "bridge", 0 },
		{ "swp99999999999999999999", 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_lldp_switch *s;
		struct moore_err err;
		char text[128];

		snprintf(text, sizeof(text), "[{\"ifname\":\"%s\",\"mtu\":1500}]", T[i].name);
		assert_int_equal(moore_lldp_new(&s, "s", &err), 0);
		CHECK_EQ(T[i].name, read_text(s, MOORE_LLDP_LINKS, text, &err), 0);
		CHECK_EQ(T[i].name, s->n_ports, 1);
		CHECK_EQ(T[i].name, s->port[0].number, T[i].number);
		CHECK(T[i].name, (moore_lldp_port(s, (moore_portnum)T[i].number) != NULL) ==
		      (T[i].number != 0));
		moore_lldp_free(s);
	}
}

/* As lldpd 1.0.16 and iproute2 6.1 print them, without descriptions. */
static const char chassis_doc[] = "{\"local-chassis\":[{\"chassis\":[{\"id\":[{\"type\":\"mac\","
	"\"value\":\"de:ad:78:8e:e8:75\"}],\"name\":[{\"value\":\"leaf1\"}]}]}]}";
static const char neighbours_doc[] = "{\"lldp\":[{\"interface\":[{\"name\":\"swp7\",\"via\":\"LLDP\","
	"\"rid\":\"1\",\"age\":\"0 day, 00:00:23\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":"
	"\"36:92:a8:36:f1:c6\"}],\"name\":[{\"value\":\"leaf2\"}],\"capability\":[{\"type\":\"Bridge\","
	"\"enabled\":false},{\"type\":\"Router\",\"enabled\":true}]}],\"port\":[{\"id\":[{\"type\":"
	"\"ifname\",\"value\":\"swp9\"}],\"descr\":[{\"value\":\"to leaf1\"}],\"ttl\":[{\"value\":\"4\"}],"
	"\"mfs\":[{\"value\":\"9018\"}],\"auto-negotiation\":[{\"supported\":true,\"enabled\":true,"
	"\"current\":[{\"value\":\"100GbaseCR4 - 4x\"}]}]}]},{\"name\":\"swp8\",\"chassis\":[{\"id\":[{"
	"\"type\":\"local\",\"value\":\"x\"}]}],\"port\":[{\"id\":[{\"type\":\"mac\",\"value\":"
	"\"36:92:a8:36:f1:c7\"}],\"descr\":[{\"value\":\"eth0\"}]}]}]}]}";
static const char links_doc[] = "[{},{\"ifname\":\"swp7\",\"mtu\":9000,\"operstate\":\"UP\",\"stats64\":"
	"{\"rx\":{\"bytes\":11,\"dropped\":12},\"tx\":{\"bytes\":5000000000,\"dropped\":0}}},"
	"{\"ifname\":\"swp8\",\"mtu\":1500,\"operstate\":\"DOWN\"}]";

static void
test_read(void **state)
{
	struct moore_lldp_switch *s;
	const struct moore_lldp_port *p;
	const struct moore_lldp_neighbour *nb;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lldp_new(&s, "asked", &err), 0);
	assert_string_equal(s->name, "asked");
	assert_int_equal(read_text(s, MOORE_LLDP_CHASSIS, chassis_doc, &err), 0);
	assert_int_equal(read_text(s, MOORE_LLDP_NEIGHBOURS, neighbours_doc, &err), 0);
	assert_int_equal(read_text(s, MOORE_LLDP_LINKS, links_doc, &err), 0);
	assert_string_equal(s->name, "leaf1");
	assert_string_equal(s->asked, "asked");
	assert_true(s->mac == 0xdead788ee875);
	assert_int_equal(s->n_ports, 2);
	p = moore_lldp_port(s, 7);
	assert_true(p && p->n_neighbours == 1 && p->has_link && !p->down && p->mtu == 9000);
	assert_true(p->rx_bytes == 11 && p->rx_drops == 12 && p->tx_bytes == 5000000000 && !p->tx_drops);
	nb = p->neighbour;
	assert_string_equal(nb->name, "leaf2");
	assert_string_equal(nb->port, "swp9");
	assert_true(nb->mac == 0x3692a836f1c6 && nb->frame == 9018 && nb->mbits == 100000);
	assert_true(nb->autoneg == 2 && nb->forwards);
	p = moore_lldp_port(s, 8);
	assert_true(p && p->down && p->mtu == 1500 && p->n_neighbours == 1);
	nb = p->neighbour;
	assert_true(!nb->name && !nb->mac && !nb->forwards && !nb->frame && !nb->mbits);
	assert_string_equal(nb->port, "eth0");		/* its description: the id is a MAC */
	assert_null(moore_lldp_port(s, 9));
	assert_null(moore_lldp_port(s, 0));
	moore_lldp_free(s);
}

#define NEIGHBOUR(more) "{\"lldp\":[{\"interface\":[{\"name\":\"swp1\"" more "}]}]}"

static void
test_refused(void **state)
{
#define C MOORE_LLDP_CHASSIS
#define N MOORE_LLDP_NEIGHBOURS
#define L MOORE_LLDP_LINKS
	static const struct {
		const char *why;
		enum moore_lldp_doc doc;
		const char *text;
		int want;
		unsigned line;
		const char *message;
	} T[] = {
		{ "nothing", C, "", -MOORE_ESYNTAX, 1, "" },
		{ "truncated", N, "{\"lldp\":[\n{\"interface\":[\n{\"name\":", -MOORE_ESYNTAX, 3, "" },
		{ "two keys", C, "{\"a\":1,\n\"a\":2}", -MOORE_ESYNTAX, 2, "" },
		{ "an empty object", C, "{}", -MOORE_EPLAN, 0, "show chassis" },
		{ "an array", C, "[]", -MOORE_EPLAN, 0, "show chassis" },
		{ "the form json", C, "{\"local-chassis\":{\"chassis\":{\"a\":{}}}}", -MOORE_EPLAN, 0,
		  "-f json0" },
		{ "the other document", C, NEIGHBOUR(""), -MOORE_EPLAN, 0, "show chassis" },
		{ "the other document", N, "{\"local-chassis\":[]}", -MOORE_EPLAN, 0, "show neighbors details" },
		{ "the form json", N, "{\"lldp\":{\"interface\":[]}}", -MOORE_EPLAN, 0, "-f json0" },
		{ "the form json, deeper", N, NEIGHBOUR(",\"chassis\":{\"a\":{}}"), -MOORE_EPLAN, 0, "-f json0" },
		{ "an interface as key", N, "{\"lldp\":[{\"interface\":[{\"swp1\":{}}]}]}", -MOORE_EPLAN, 0,
		  "interface[0].name" },
		{ "an interface that is a text", N, "{\"lldp\":[{\"interface\":[\"swp1\"]}]}", -MOORE_EPLAN, 0,
		  "interface[0]" },
		{ "a number as name", N, NEIGHBOUR(",\"chassis\":[{\"name\":[{\"value\":7}]}]"), -MOORE_EPLAN, 0,
		  "interface[0].name" },
		{ "a frame size of words", N, NEIGHBOUR(",\"port\":[{\"mfs\":[{\"value\":\"big\"}]}]"),
		  -MOORE_EPLAN, 0, "interface[0].mfs" },
		{ "an object of links", L, "{}", -MOORE_EPLAN, 0, "ip -json" },
		{ "a link that is a number", L, "[{},7]", -MOORE_EPLAN, 0, "link[1]" },
		{ "a link without name", L, "[{\"mtu\":1}]", -MOORE_EPLAN, 0, "link[0].ifname" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_lldp_switch *s;
		struct moore_err err = { 0 };

		assert_int_equal(moore_lldp_new(&s, "s", &err), 0);
		CHECK_EQ(T[i].why, read_text(s, T[i].doc, T[i].text, &err), T[i].want);
		CHECK_EQ(T[i].why, err.line, T[i].line);
		CHECK_STR(T[i].why, err.text, T[i].message);
		moore_lldp_free(s);
	}
}

/* A document of n neighbours, each at a port of its own if `apart`. */
static void
many(struct moore_buf *b, unsigned n, bool apart)
{
	moore_buf_fmt(b, "{\"lldp\":[{\"interface\":[");
	for (unsigned i = 0; i < n; i++)
		moore_buf_fmt(b, "%s{\"name\":\"e%u\",\"chassis\":[{\"name\":[{\"value\":\"n%u\"}]}]}",
			      i ? "," : "", apart ? i : 0, i);
	moore_buf_fmt(b, "]}]}");
}

static void
test_bounds(void **state)
{
	static const struct { unsigned n; bool apart; int want; } T[] = {
		{ MOORE_LLDP_NEIGHBOURS_MAX, true, 0 }, { MOORE_LLDP_NEIGHBOURS_MAX, false, 0 },
		{ MOORE_LLDP_NEIGHBOURS_MAX + 1, true, -MOORE_EPLAN }, { 100000, false, -MOORE_EPLAN },
	};
	struct moore_lldp_switch *s;
	struct moore_err err;
	char *big;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		many(&b, T[i].n, T[i].apart);
		assert_int_equal(moore_lldp_new(&s, "s", &err), 0);
		CHECK_EQ("many", moore_lldp_read(s, MOORE_LLDP_NEIGHBOURS, b.data, b.len, &err), T[i].want);
		if (T[i].want)
			CHECK_STR("many", err.text, "neighbours: a switch has at most 4096");
		moore_lldp_free(s);
		moore_buf_free(&b);
	}
	assert_int_equal(moore_lldp_new(&s, "s", &err), 0);
	assert_non_null(big = calloc(1, MOORE_LLDP_BYTES_MAX + 1));
	assert_int_equal(moore_lldp_read(s, MOORE_LLDP_LINKS, big, MOORE_LLDP_BYTES_MAX + 1, &err),
			 -MOORE_EINVAL);
	CHECK_STR("long", err.text, "longer than 16 MiB");
	free(big);
	moore_lldp_free(s);
}

/* ---- what follows from several switches -------------------------------------------------- */

/* Writes a fabric as "a.1-b.2 a.3-h.0 ... | kind a[swp1] b[swp2], kind ...". */
static void
put_fabric(struct moore_buf *b, const struct moore_lldp_fabric *f)
{
	const struct moore_plan *p = f->plan;

	for (uint32_t i = 0; i < p->n_cables; i++)
		moore_buf_fmt(b, "%s%s.%u-%s.%u", i ? " " : "", p->sw[p->cable[i].sw[0]].name,
			      p->cable[i].port[0], p->sw[p->cable[i].sw[1]].name, p->cable[i].port[1]);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		moore_buf_fmt(b, "%s%s.%u-%s.%u", i || p->n_cables ? " " : "", p->sw[p->ep[i].sw].name,
			      p->ep[i].port, p->ep[i].name, p->ep[i].ca_port - 1u);
	for (uint32_t i = 0; i < f->n_findings; i++) {
		const struct moore_lldp_finding *x = &f->finding[i];

		moore_buf_fmt(b, "%s%s %s", i ? ", " : "|", moore_lldp_text(x->kind)->name, x->sw);
		if (x->port)
			moore_buf_fmt(b, ".%s", x->port);
		if (x->peer)
			moore_buf_fmt(b, " %s", x->peer);
		if (x->peer_port)
			moore_buf_fmt(b, ".%s", x->peer_port);
	}
}

/* Makes a plan of words such as "a.1-b.2" and "a.3-h.0". */
static struct moore_plan *
plan_of_words(const char *words)
{
	struct moore_buf sw = MOORE_BUF_INIT, ep = MOORE_BUF_INIT, cable = MOORE_BUF_INIT, all = MOORE_BUF_INIT;
	char copy[256], *save = NULL, a[2], b[2];
	struct moore_plan *p = NULL;
	unsigned m, n;
	struct moore_err err;

	if (!words)
		return NULL;
	for (char c = 'a'; c < 'f'; c++)
		moore_buf_fmt(&sw, "%s{\"name\":\"%c\",\"ports\":8}", sw.len ? "," : "", c);
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		assert_int_equal(sscanf(w, "%1[a-z].%u-%1[a-z].%u", a, &m, b, &n), 4);
		if (*b == 'h')
			moore_buf_fmt(&ep, "%s{\"name\":\"h\",\"ca_port\":%u,\"switch\":\"%s\",\"port\":%u}",
				      ep.len ? "," : "", n + 1, a, m);
		else
			moore_buf_fmt(&cable, "%s{\"a\":{\"switch\":\"%s\",\"port\":%u},\"b\":{\"switch\":\"%s\","
				      "\"port\":%u}}", cable.len ? "," : "", a, m, b, n);
	}
	moore_buf_fmt(&all, "{\"moore_plan\":1,\"switches\":[%s],\"endpoints\":[%s],\"cables\":[%s]}", sw.data,
		      ep.len ? ep.data : "", cable.len ? cable.data : "");
	if (moore_plan_parse(&p, all.data, all.len, &err) < 0)
		fail_msg("%s: %s", all.data, err.text);
	moore_buf_free(&sw);
	moore_buf_free(&ep);
	moore_buf_free(&cable);
	moore_buf_free(&all);
	return p;
}

static const struct { const char *why, *scene, *plan, *want; } scenes[] = {
	{ "both ends agree", "a.1>b.2 b.2>a.1", NULL, "a.1-b.2" },
	{ "a host speaks for nothing", "a.1>h.0", NULL, "a.1-h.0" },
	{ "two cables between two switches", "a.1>b.2 a.2>b.1 b.1>a.2 b.2>a.1", NULL, "a.1-b.2 a.2-b.1" },
	{ "names of SONiC", "a.Ethernet4>b.Ethernet0 b.Ethernet0>a.Ethernet4", NULL, "a.2-b.1" },
	{ "one-sided", "a.1>b.2 b=b", NULL, "|one-sided a.swp1 b.swp2" },
	{ "a ring of ports", "a.1>b.1 b.1>c.1 c.1>a.1", NULL,
	  "|disagrees a.swp1 b.swp1, disagrees b.swp1 c.swp1, disagrees c.swp1 a.swp1" },
	{ "itself", "a.1>a.2 a.2>a.1", NULL, "|itself a.swp1 a.swp2, itself a.swp2 a.swp1" },
	{ "a switch that does not answer", "a.1>b.2 b!", NULL, "a.1-b.2|silent b" },
	{ "a switch that was not asked", "a.1>b.2", NULL, "a.1-b.2|not-asked a.swp1 b.swp2" },
	{ "management is left alone", "a.eth0>x.48 a.1>b.1 b.1>a.1", NULL,
	  "a.1-b.1|left-alone a.eth0 x.swp48" },
	{ "a port without a number", "a.1>b.uplink b.1>a.1", NULL,
	  "|no-number a.swp1 b.uplink, one-sided b.swp1 a.swp1" },
	{ "no name", "a= a.1>b.1 b.1>a.1", NULL, "a.1-b.1|unnamed a" },
	{ "another name than it was asked by", "a=c a.1>b.1 b.1>c@a.1", NULL, "c.1-b.1|other-name c a" },
	{ "a name with a domain", "a=a.example b=b.example a.1>b.example@b.1 b.1>a.example@a.1", NULL, "a.1-b.1" },
	{ "two of one name", "a=x b=x a.1>c.1 c.1>x@a.1", NULL, "a.1-c.1|same-name a x, same-name b x" },
	{ "two of one name, one of them rightly", "a=b b=b a.1>b@b.1 b.1>b@a.1", NULL, "a.1-b.1|same-name a b" },
	{ "one that was asked twice", "a=x b=x b@a a.1>c.1 c.1>x@a.1", NULL,
	  "x.1-c.1|other-name x a, left-out b a" },
	{ "a name that a shell would run", "a.1>$(reboot).1", NULL, "|bad-name a.swp1 $(reboot).swp1" },
	{ "no name, a MAC that is known", "a.1>@b.1 b.1>a.1", NULL, "a.1-b.1" },
	{ "an old name at two ports", "a.1>old@b.1 a.2>old@b.2 b.1>a.1 b.2>a.2", NULL,
	  "a.1-b.1 a.2-b.2|old-name a.swp1 old.swp1, old-name a.swp2 old.swp2" },
	{ "two with one MAC", "a@x b@x a.1>b@x.1 b.1>a@x.1", NULL, "a.1-b.1|same-mac b a" },
	{ "a MAC that is another's", "a.1>b@c.1 b.1>a.1 c=c", NULL, "a.1-b.1|other-mac a.swp1 b.swp1" },
	{ "a stale entry", "a.1>b.1 a.1>c.1 b.1>a.1 c=c", NULL, "a.1-b.1|stale a.swp1 c.swp1" },
	{ "several, one planned", "a.1>b.1 a.1>c.1 b.1>a.1 c.1>a.1", "a.1-c.1",
	  "a.1-c.1|chosen a.swp1 c.swp1, stale a.swp1 b.swp1, disagrees b.swp1 a.swp1" },
	{ "several, none planned", "a.1>b.1 a.1>c.1 b.1>a.1 c.1>a.1", NULL,
	  "|several a.swp1 b.swp1, disagrees b.swp1 a.swp1, disagrees c.swp1 a.swp1" },
	{ "one neighbour by two names", "a.1>b.1 a.1>b.example@b.1 b.1>a.1", NULL, "a.1-b.1" },
	{ "two interfaces of one number", "a.2>b.1 a.Ethernet4>c.1 b.1>a.2 c=c", NULL,
	  "a.2-b.1|stale a.Ethernet4 c.swp1" },
	{ "and both are confirmed", "a.2>b.1 a.Ethernet4>c.1 b.1>a.2 c.1>a.2", NULL,
	  "|several a.Ethernet4 c.swp1, disagrees b.swp1 a.swp2, disagrees c.swp1 a.swp2" },
	{ "a port that is down", "a.1~0 a.1>b.1 b.1>a.1", NULL, "|stale a.swp1 b.swp1, one-sided b.swp1 a.swp1" },
	{ "two switches at one port of a host", "a.1>h.0 b.1>h.0", NULL, "a.1-h.0|twice b.swp1 h.eth0" },
	{ "the planned one at a port of a host", "a.1>h.0 b.1>h.0", "b.1-h.0", "b.1-h.0|twice a.swp1 h.eth0" },
	{ "a host that names its port otherwise", "a.1>h.ens3", NULL, "a.1-h.0" },
	{ "and two of them", "a.1>h.ens3 b.1>h.ens4", "a.1-h.1 b.1-h.0", "a.1-h.1 b.1-h.0" },
	{ "a MTU differs", "a.1>b.1 b.1>a.1 a.1~9000 b.1~1500", NULL, "a.1-b.1|mtu a.swp1 b.swp1" },
	{ "a MTU is odd", "a.1>b.1 b.1>a.1 a.1~9000 b.1~9000 a.2>h.0 a.2~1500", NULL,
	  "a.1-b.1 a.2-h.0|odd-mtu a.swp2 h.eth0" },
	{ "the frame of a host is odd", "a.1>h.0#9000 a.2>h.1#9000 a.3>h.2#1500 a.4>h.3", NULL,
	  "a.1-h.0 a.2-h.1 a.3-h.2 a.4-h.3|odd-frame a.swp3 h.eth2" },
	{ "the frames of two ends differ", "a.1>b.1#9000 b.1>a.1#1500", NULL, "a.1-b.1|mtu a.swp1 b.swp1" },
};

static void
test_join(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		struct moore_plan *plan = plan_of_words(scenes[i].plan);
		struct moore_lldp_switch *sw[SWITCHES];
		struct moore_buf got = MOORE_BUF_INIT;
		struct moore_lldp_fabric *f;
		struct moore_err err = { 0 };
		struct scene x;

		scene_make(&x, scenes[i].scene);
		for (size_t k = 0; k < x.n; k++)
			sw[k] = scene_read(&x, k);
		if (moore_lldp_join(&f, sw, (uint32_t)x.n, plan, &err) < 0)
			fail_msg("%s: %s", scenes[i].why, err.text);
		moore_buf_add(&got, "", 0);
		put_fabric(&got, f);
		if (strcmp(got.data, scenes[i].want) != 0)
			fail_msg("%s: %s, not %s", scenes[i].why, got.data, scenes[i].want);
		moore_buf_free(&got);
		moore_lldp_fabric_free(f);
		for (size_t k = 0; k < x.n; k++)
			moore_lldp_free(sw[k]);
		moore_plan_free(plan);
		scene_free(&x);
	}
}

/* ---- memory ------------------------------------------------------------------------------------ */

static int
read_all(struct moore_lldp_switch **out)
{
	static const char *const text[] = { chassis_doc, neighbours_doc, links_doc };
	struct moore_err err;
	int rc = moore_lldp_new(out, "s", &err);

	for (enum moore_lldp_doc d = 0; d < MOORE_LLDP_DOCS && rc == 0; d++)
		rc = read_text(*out, d, text[d], &err);
	if (rc < 0) {
		moore_lldp_free(*out);
		*out = NULL;
	}
	return rc;
}

static void
test_oom(void **state)
{
	struct moore_plan *plan = plan_of_words("a.1-c.1 a.2-h.0");
	struct moore_lldp_switch *sw[SWITCHES], *s = NULL;
	struct moore_lldp_fabric *f;
	struct moore_err err;
	struct scene x;
	(void)state;

	CHECK_OOM("read", read_all(&s), moore_lldp_free(s));
	scene_make(&x, "a.1>b.1 a.1>c.1 b.1>a.1 c.1>a.1 a.2>h.0 a.3>d.1 e!");
	for (size_t k = 0; k < x.n; k++)
		sw[k] = scene_read(&x, k);
	CHECK_OOM("join", moore_lldp_join(&f, sw, (uint32_t)x.n, plan, &err), moore_lldp_fabric_free(f));
	for (size_t k = 0; k < x.n; k++)
		moore_lldp_free(sw[k]);
	moore_plan_free(plan);
	scene_free(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_numbers), cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_bounds), cmocka_unit_test(test_join),
		cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests_name("lldp", tests, NULL, NULL);
}
