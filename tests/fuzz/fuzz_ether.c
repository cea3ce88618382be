// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_ether.c - any bytes as each file of an Ethernet switch that is read, and as addresses.json.
 * Accepted routes and classes can be written, and read back the same; they become tables, and
 * lanes.  Accepted addresses are written as the same text twice. */
#include "driver.h"
#include "moore/ether.h"

static const char fuzz_name[] = "files of Ethernet switches";

#define ADDRESSES(n, range) "{\"layer\": 0, \"ipv4\": \"10.0.0." range "/30\", \"ipv4_self\": \"10.0.0." n "\"}"

static void
check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fuzz_ether: %s\n", what);
	abort();
}

/* A ring of three switches, one of them with a host. */
static struct moore_plan *
new_plan(void)
{
	static const char text[] = "{\"moore_plan\":1,\"switches\":[{\"name\":\"a\",\"ports\":3},{\"name\":\"b\","
		"\"ports\":3},{\"name\":\"c\",\"ports\":3}],\"endpoints\":[{\"name\":\"h\",\"switch\":\"a\",\"port\":1}],"
		"\"cables\":[{\"a\":{\"switch\":\"a\",\"port\":2},\"b\":{\"switch\":\"b\",\"port\":3}},"
		"{\"a\":{\"switch\":\"b\",\"port\":2},\"b\":{\"switch\":\"c\",\"port\":3}},"
		"{\"a\":{\"switch\":\"c\",\"port\":2},\"b\":{\"switch\":\"a\",\"port\":3}}]}";
	struct moore_plan *p;

	check(moore_plan_parse(&p, text, sizeof(text) - 1, NULL) == 0, "the plan is refused");
	return p;
}

static struct moore_ether *
new_network(void)
{
	struct moore_ether_opts o;
	struct moore_ether *x;

	moore_ether_defaults(&o);
	moore_addr_parse(&o.range[MOORE_IP4], "10.0.0.0/8", 10, NULL);
	moore_addr_parse(&o.range[MOORE_IP6], "fd00::/48", 9, NULL);
	/* SONiC numbers links. */
	moore_addr_parse(&o.links[MOORE_IP4], "172.16.0.0/16", 13, NULL);
	moore_addr_parse(&o.links[MOORE_IP6], "fd01::/48", 9, NULL);
	check(moore_ether_number(&x, new_plan(), &o, NULL) == 0, "the network is refused");
	return x;
}

/* The classes of switch a, as they are emitted: the reader takes no other form.  The text
 * lives as long as the program. */
static char *
new_classes(void)
{
	struct moore_ether *x = new_network();
	struct moore_buf b = MOORE_BUF_INIT;
	const struct moore_ether_format *f;
	struct moore_ether_config c;
	struct moore_fabric *racks;
	struct moore_lft *lft;
	char *text;

	check(moore_ether_racks(&racks, x, MOORE_RACKS_ROUTED, NULL) == 0 &&
	      moore_lft_new(&lft, racks->n_switches, racks->lid_top, NULL) == 0 &&
	      moore_ether_config(&c, x, racks, moore_lft_row(lft, 0), 0, NULL) == 0, "the network has no configuration");
	for (size_t i = 0; (f = moore_ether_format_at(i)); i++)
		if (!strcmp(f->name, "nft"))
			check(f->write(x, 0, &c, &b, NULL) == 0, "classes cannot be written");
	text = moore_strndup(b.data, b.len);
	check(text, "no memory");
	moore_buf_free(&b);
	moore_ether_config_fini(&c);
	moore_lft_free(lft);
	moore_fabric_free(racks);
	moore_ether_free(x);
	return text;
}

static const char *const *
fuzz_seeds(void)
{
	static const char *seeds[] = {
		"# routes\nroute replace 10.0.0.2 dev swp1 proto 109\n"
		"route replace 10.0.0.4/30 via 10.0.0.5 dev swp2 onlink proto 109\n"
		"route replace fd00:0:0:1::/64 via fe80::2 dev swp2 proto 109\n"
		"route add 10.0.0.8/30 via inet6 fe80::3 dev swp3 proto 109\nroute add 10.9.0.0/16 dev swp9 proto 4\n"
		"route replace 10.0.0.12/30 proto 109 nexthop via 10.0.0.5 dev swp2 onlink nexthop via inet6 fe80::3 "
		"dev swp3\n",
		"{\"STATIC_ROUTE\": {\"default|10.0.0.4/30\": {\"nexthop\": \"172.16.0.1,172.16.0.3\", \"ifname\": "
		"\"Ethernet4,Ethernet8\", \"distance\": \"0,20\", \"advertise\": \"false\"}}}",
		"[{\"dst\":\"10.0.0.4/30\",\"gateway\":\"10.0.0.5\",\"dev\":\"swp2\",\"protocol\":\"109\",\"flags\":"
		"[\"onlink\",\"linkdown\"]},{\"dst\":\"10.0.0.8/30\",\"protocol\":\"109\",\"flags\":[],\"nexthops\":["
		"{\"via\":{\"family\":\"inet6\",\"host\":\"fe80::3\"},\"dev\":\"swp3\",\"weight\":1,\"flags\":[]},"
		"{\"gateway\":\"10.0.0.5\",\"dev\":\"swp2\",\"weight\":1,\"flags\":[\"onlink\"]}]},"
		"{\"dst\":\"default\",\"dev\":\"eth0\",\"protocol\":\"boot\",\"flags\":[]}]",
		"{\"moore_addresses\": 1, \"layers\": 1, \"protocol\": 109, \"mtu\": 9000, \"next_hop\": \"onlink\","
		" \"ipv4\": \"10.0.0.0/8\", \"classes\": [{\"dscp\": 26, \"priority\": 3}], \"switches\": ["
		"{\"name\": \"a\", \"prefixes\": [" ADDRESSES("1", "0") "], \"ports\": []},"
		"{\"name\": \"b\", \"prefixes\": [" ADDRESSES("5", "4") "], \"ports\": []},"
		"{\"name\": \"c\", \"prefixes\": [" ADDRESSES("9", "8") "], \"ports\": []}], \"hosts\": ["
		"{\"name\": \"h\", \"switch\": \"a\", \"port\": 1, \"addresses\": [{\"layer\": 0, \"ipv4\": \"10.0.0.2\"}]}],"
		" \"links\": []}",
		NULL, NULL
	};

	seeds[ARRAY_LEN(seeds) - 2] = new_classes();
	return seeds;
}

/* ---- routes and classes -------------------------------------------------------------------- */

/* SONiC's next hops are on the link, and its routes outside the ranges are somebody else's.  A second one, unless it is a backup, may come back before the first:
 * JSON has no lines that would keep their order. */
static bool
fits_sonic(const struct moore_ether *x, const struct moore_ether_config *c)
{
	for (uint32_t i = 0; i < c->n_routes; i++)
		if (c->route[i].onlink || !moore_addr_within(&c->route[i].to, &x->opts.range[c->route[i].to.ip]) || (i && c->route[i - 1].is_backup == c->route[i].is_backup &&
					   moore_addr_equal(&c->route[i - 1].to, &c->route[i].to)))
			return false;
	return true;
}

/* Writes what was read in every format that is read back. */
static void
write_back(const struct moore_ether *x, struct moore_ether_config *c)
{
	const struct moore_ether_format *f;

	for (size_t i = 0; (f = moore_ether_format_at(i)); i++) {
		struct moore_ether_config again = { .n_routes = 0 };
		struct moore_buf b = MOORE_BUF_INIT;
		bool classes = strcmp(f->name, "nft") == 0;

		if (!f->write || !f->read || (classes && !c->by_dscp) ||
		    (!strcmp(f->name, "sonic") && !fits_sonic(x, c)))
			continue;
		check(f->write(x, 0, c, &b, NULL) == 0, "what was read cannot be written");
		check(f->read(x, 0, b.data ? b.data : "", b.len, &again, NULL) == 0, "what was written is refused");
		moore_ether_config_sort(&again);
		check(classes || moore_ether_routes_equal(c, &again), "routes are not those that were written");
		moore_ether_config_fini(&again);
		moore_buf_free(&b);
	}
}

/* Every switch has the configuration that was read. */
static void
judge(const struct moore_ether *x, const struct moore_fabric *racks, struct moore_ether_config *c)
{
	struct moore_ether_config all[] = { *c, *c, *c };
	struct moore_ether_faults faults = { .n = 0 };
	struct moore_sl2vl *lanes = NULL;
	struct moore_ether_tables t;

	check(moore_ether_tables_init(&t, racks, NULL) == 0, "no memory");
	for (moore_swid s = 0; s < ARRAY_LEN(all); s++)
		check(moore_ether_take_config(&t, &faults, x, racks, s, &all[s], NULL) == 0, "no memory");
	if (c->by_dscp)
		check(moore_ether_lanes(&lanes, &faults, x, racks, all, NULL) == 0, "lanes are refused");
	check(faults.n_kept <= faults.n, "more faults are kept than were found");
	moore_sl2vl_free(lanes);
	moore_ether_tables_fini(&t);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static void
addresses(const char *text, size_t len)
{
	struct moore_buf once = MOORE_BUF_INIT, twice = MOORE_BUF_INIT;
	struct moore_ether *x, *again;

	if (moore_ether_read_addresses(&x, new_plan(), text, len, NULL) < 0)
		return;
	check(moore_ether_write_addresses(x, &once, NULL) == 0, "addresses cannot be written");
	check(moore_ether_read_addresses(&again, new_plan(), once.data, once.len, NULL) == 0,
	      "written addresses are refused");
	check(moore_ether_write_addresses(again, &twice, NULL) == 0 && once.len == twice.len &&
	      !memcmp(once.data, twice.data, once.len), "addresses are written in two ways");
	moore_buf_free(&once);
	moore_buf_free(&twice);
	moore_ether_free(again);
	moore_ether_free(x);
}

/* No file lacks a line of its own, unless another one overrules it; an empty one lacks all.  No line of a file
 * is a further one, so that none undoes what another copy of it has set. */
static void
lines(const struct moore_ether *x, const char *text, size_t len)
{
	const struct moore_ether_fault at = { .kind = MOORE_ETHER_INCOMPLETE, .host = MOORE_NONE };
	struct moore_ether_faults own = { .n = 0 }, none = { .n = 0 }, later = { .n = 0 }, further = { .n = 0 };
	struct moore_buf want = MOORE_BUF_INIT, nothing = MOORE_BUF_INIT;
	const struct moore_ether_file file = { &at, &want, text, len }, empty = { &at, &want, "", 0 },
		foreign = { &at, &nothing, text, len };

	moore_buf_add(&want, text, len);
	check(moore_ether_check_lines(&own, x, &file, NULL) == 0, "the file's lines are not compared");
	for (uint32_t i = 0; i < own.n_kept; i++)
		check(own.kept[i].line, "a file lacks its own lines");
	check(moore_ether_check_lines(&none, x, &empty, NULL) == 0 && none.n <= len, "more lines than bytes");
	check(moore_ether_check_later(&later, &file, &file, NULL) == 0 && !later.n, "a file undoes itself");
	check(moore_ether_check_later(&later, &file, &foreign, NULL) == 0 && later.n <= len, "more lines than bytes");
	check(moore_ether_check_lines(&further, x, &foreign, NULL) == 0 && further.n <= len, "more lines than bytes");
	moore_buf_free(&want);
	moore_buf_free(&nothing);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_ether *x = new_network();
	const struct moore_ether_format *f;
	struct moore_fabric *racks;

	check(moore_ether_racks(&racks, x, MOORE_RACKS_JUDGED, NULL) == 0, "racks are refused");
	for (size_t i = 0; (f = moore_ether_format_at(i)); i++) {
		struct moore_ether_config c = { .n_routes = 0 };

		if (f->read && f->read(x, 0, (const char *)data, len, &c, NULL) == 0) {
			moore_ether_config_sort(&c);
			write_back(x, &c);
			judge(x, racks, &c);
		}
		moore_ether_config_fini(&c);
	}
	moore_fabric_free(racks);
	lines(x, (const char *)data, len);
	moore_ether_free(x);
	addresses((const char *)data, len);
}
