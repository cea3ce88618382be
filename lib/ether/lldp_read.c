// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_read.c - reads what one switch reports: documents of lldpcli (-f json0) and ip (-json).
 *
 * In the form json0 every element is an array, in json an object or, where there are several,
 * an array: only the first is read, and the other is refused by its name.  Names are kept as
 * they are, up to the length that LLDP allows; whether they can be used is up to the callers.
 * Elsewhere: the fabric that several switches make (lldp_join.c). */
#include <stdlib.h>
#include <string.h>

#include "lldp_impl.h"
#include "tape.h"

const char *
moore_lldp_doc_name(enum moore_lldp_doc doc)
{
	static const char *const name[] = { "chassis", "neighbors", "links" };

	return name[doc];
}

/* ---- names -------------------------------------------------------------------------- */

static bool
is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool
moore_lldp_good_name(const char *name)
{
	size_t n = 0;

	for (; name[n] && n <= MOORE_NAME_MAX; n++)
		if (!is_alnum(name[n]) && (!n || !strchr("._:+-", name[n])))
			return false;
	return n && n <= MOORE_NAME_MAX;
}

/* Reads the number behind a prefix, without leading zeros; false when the name is another. */
static bool
read_number(const char *name, const char *prefix, unsigned max, unsigned *out)
{
	size_t skip = strlen(prefix);
	const char *s = name + skip, *end = name + strlen(name);
	uint64_t n;

	if (strncmp(name, prefix, skip) != 0 || (*s == '0' && s[1]) ||
	    !moore_text_u64(&s, end, 10, max, &n) || s != end)
		return false;
	*out = (unsigned)n;
	return true;
}

#define SONIC_STEP 4		/* lanes of a port: Ethernet0, Ethernet4, ... */

moore_portnum
moore_lldp_switch_port(const char *name)
{
	unsigned n;

	if (read_number(name, "swp", MOORE_PORT_MAX, &n))
		return (moore_portnum)n;
	if (read_number(name, "Ethernet", SONIC_STEP * (MOORE_PORT_MAX - 1), &n) && n % SONIC_STEP == 0)
		return (moore_portnum)(n / SONIC_STEP + 1);
	return 0;
}

moore_portnum
moore_lldp_host_port(const char *name)
{
	unsigned n;

	return read_number(name, "eth", MOORE_PORT_MAX - 1, &n) ? (moore_portnum)(n + 1) : 0;
}

bool
moore_lldp_is_switch(const struct moore_lldp_neighbour *nb)
{
	return nb->forwards || (nb->port && moore_lldp_switch_port(nb->port));
}

/* ---- a switch ----------------------------------------------------------------------- */

int
moore_lldp_new(struct moore_lldp_switch **out, const char *asked, struct moore_err *err)
{
	struct moore_lldp_switch *s;

	*out = NULL;
	if (!moore_lldp_good_name(asked))
		return moore_fail(err, MOORE_EINVAL, 0, "\"%s\": is no name of a switch: it must have "
				  "1..%d letters, digits and any of . _ : + -, the first a letter or "
				  "digit", asked, MOORE_NAME_MAX);
	if (!(s = calloc(1, sizeof(*s))))
		return moore_fail_nomem(err);
	s->asked = moore_strndup(asked, strlen(asked));
	s->name = moore_strndup(asked, strlen(asked));
	s->unnamed = true;
	if (!s->asked || !s->name) {
		moore_lldp_free(s);
		return moore_fail_nomem(err);
	}
	*out = s;
	return 0;
}

void
moore_lldp_free(struct moore_lldp_switch *s)
{
	for (uint32_t i = 0; s && i < s->n_ports; i++) {
		for (uint32_t k = 0; k < s->port[i].n_neighbours; k++) {
			free(s->port[i].neighbour[k].name);
			free(s->port[i].neighbour[k].port);
		}
		free(s->port[i].neighbour);
		free(s->port[i].name);
	}
	if (s) {
		free(s->port);
		free(s->asked);
		free(s->name);
		free(s->silent);
	}
	free(s);
}

static int
by_number(const void *x, const void *y)
{
	const struct moore_lldp_port *a = x, *b = y;

	/* Those without a number come last. */
	if (a->number != b->number)
		return (moore_portnum)(a->number - 1) < (moore_portnum)(b->number - 1) ? -1 : 1;
	return strcmp(a->name, b->name);
}

const struct moore_lldp_port *
moore_lldp_port(const struct moore_lldp_switch *s, moore_portnum number)
{
	uint32_t lo = 0, hi = s->n_ports;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if ((moore_portnum)(s->port[mid].number - 1) < (moore_portnum)(number - 1))
			lo = mid + 1;
		else
			hi = mid;
	}
	return number && lo < s->n_ports && s->port[lo].number == number ? &s->port[lo] : NULL;
}

/* ---- JSON --------------------------------------------------------------------------- */

struct reader {
	struct moore_lldp_switch *s;
	struct moore_tape tape;
	struct moore_err *err;
	const char *list;	/* where the reader is, for messages; NULL at the top */
	uint32_t index;
};

typedef char text[MOORE_LLDP_TEXT_MAX + 1];	/* "": none */

static int
wrong(const struct reader *r, const char *key, const char *why)
{
	if (r->list)
		return moore_fail(r->err, MOORE_EPLAN, 0, "%s[%u].%s: %s", r->list, r->index, key, why);
	return moore_fail(r->err, MOORE_EPLAN, 0, "%s: %s", key, why);
}

static bool
is_true(const struct reader *r, uint32_t from, const char *key)
{
	return moore_tape_is(&r->tape, moore_tape_get(&r->tape, from, key), MOORE_JSON_TRUE);
}

/* The array under a key; *out is 0 when it is missing. */
static int
get_list(const struct reader *r, uint32_t from, const char *key, uint32_t *out)
{
	uint32_t v = moore_tape_get(&r->tape, from, key);

	*out = v;
	if (!v || moore_tape_is(&r->tape, v, MOORE_JSON_ARRAY))
		return 0;
	return wrong(r, key, moore_tape_is(&r->tape, v, MOORE_JSON_OBJECT) ? "is an object: print it with "
		     "lldpcli -f json0, not -f json" : "an array is wanted: print it with lldpcli -f json0");
}

/* The first object of the array under a key; *out is 0 when there is none. */
static int
get_first(const struct reader *r, uint32_t from, const char *key, uint32_t *out)
{
	uint32_t list;
	int rc = get_list(r, from, key, &list);

	*out = 0;
	if (rc < 0 || !list || !r->tape.item[list].len)
		return rc;
	*out = list + 1;
	return moore_tape_is(&r->tape, *out, MOORE_JSON_OBJECT) ? 0 :
	       wrong(r, key, "an object is wanted in the array");
}

/* Returns the text of "key": [{"value": TEXT}]. */
static int
get_value(const struct reader *r, uint32_t from, const char *key, text out)
{
	uint32_t o, v;
	int rc = get_first(r, from, key, &o);

	*out = '\0';
	if (rc < 0 || !(v = moore_tape_get(&r->tape, o, "value")))
		return rc;
	return moore_tape_text(&r->tape, v, out, sizeof(text)) ? 0 :
	       wrong(r, key, "its value must be a text of at most 255 bytes");
}

/* A number within such a value; 0 when there is none. */
static int
get_number(const struct reader *r, uint32_t from, const char *key, uint32_t *out)
{
	text value;
	const char *s = value;
	uint64_t n;
	int rc = get_value(r, from, key, value);

	*out = 0;
	if (rc < 0 || !*value)
		return rc;
	if (!moore_text_u64(&s, value + strlen(value), 10, UINT32_MAX, &n) || *s)
		return wrong(r, key, "a whole number is wanted");
	*out = (uint32_t)n;
	return 0;
}

/* Replaces *to by a copy of a text, unless that is empty. */
static int
copy(const struct reader *r, char **to, const char *s)
{
	if (!*s)
		return 0;
	free(*to);
	*to = moore_strndup(s, strlen(s));
	return *to ? 0 : moore_fail_nomem(r->err);
}

/* ---- a chassis ---------------------------------------------------------------------- */

/* "36:92:a8:36:f1:c6"; 0 when it is none. */
static uint64_t
read_mac(const char *s)
{
	const char *end = s + strlen(s);
	uint64_t mac = 0, byte;

	for (unsigned i = 0; i < 6; i++) {
		const char *from = s;

		if (!moore_text_u64(&s, end, 16, 0xff, &byte) || s != from + 2 ||
		    (i < 5 ? *s++ != ':' : s != end))
			return 0;
		mac = mac << 8 | byte;
	}
	return mac;
}

static int
get_mac(const struct reader *r, uint32_t chassis, uint64_t *out)
{
	uint32_t id;
	text value;
	int rc;

	*out = 0;
	if ((rc = get_first(r, chassis, "id", &id)) < 0 ||
	    (rc = get_value(r, chassis, "id", value)) < 0)
		return rc;
	if (moore_tape_is_text(&r->tape, moore_tape_get(&r->tape, id, "type"), "mac"))
		*out = read_mac(value);
	return 0;
}

static int
read_chassis(struct reader *r, uint32_t root)
{
	uint32_t local, chassis;
	text name;
	int rc;

	if ((rc = get_first(r, root, "local-chassis", &local)) < 0 ||
	    (rc = get_first(r, local, "chassis", &chassis)) < 0)
		return rc;
	if (!chassis)
		return wrong(r, "local-chassis", "is missing, or holds no chassis: want the answer of "
			     "lldpcli -f json0 show chassis");
	if ((rc = get_value(r, chassis, "name", name)) < 0 ||
	    (rc = get_mac(r, chassis, &r->s->mac)) < 0)
		return rc;
	r->s->unnamed = !moore_lldp_good_name(name);
	return r->s->unnamed ? 0 : copy(r, &r->s->name, name);
}

/* ---- neighbours --------------------------------------------------------------------- */

/* Finds or adds an interface. */
static int
get_port(struct reader *r, const char *name, struct moore_lldp_port **out)
{
	struct moore_lldp_switch *s = r->s;
	struct moore_lldp_port *port;

	for (uint32_t i = s->n_ports; i-- > 0;)		/* most often the last one */
		if (!strcmp(s->port[i].name, name)) {
			*out = &s->port[i];
			return 0;
		}
	if (s->n_ports == MOORE_LLDP_NEIGHBOURS_MAX)
		return wrong(r, "name", "the switch has more than 4096 interfaces");
	if (!(port = moore_grow(s->port, s->n_ports, &s->cap_ports, sizeof(*port))))
		return moore_fail_nomem(r->err);
	s->port = port;
	port += s->n_ports;
	*port = (struct moore_lldp_port){ .name = moore_strndup(name, strlen(name)),
		.number = moore_lldp_switch_port(name) };
	if (!port->name)
		return moore_fail_nomem(r->err);
	s->n_ports++;
	*out = port;
	return 0;
}

/* The name under a key of an interface, bounded in length; a missing one is wrong. */
static int
get_ifname(const struct reader *r, uint32_t from, const char *key, text out)
{
	uint32_t v = moore_tape_get(&r->tape, from, key);

	return moore_tape_text(&r->tape, v, out, sizeof(text)) && *out ? 0 :
	       wrong(r, key, "the name of an interface is wanted");
}

/* The speed that begins a text such as "100GbaseCR4" or "1000BaseTFD", in Mbit/s. */
static uint32_t
read_mbits(const char *s)
{
	const char *end = s + strlen(s);
	uint64_t n;

	if (!moore_text_u64(&s, end, 10, 1000000, &n))
		return 0;
	if (*s == 'G')
		return n <= 10000 ? (uint32_t)n * 1000 : 0;
	return *s == 'B' || *s == 'b' ? (uint32_t)n : 0;
}

static int
read_autoneg(const struct reader *r, uint32_t port, struct moore_lldp_neighbour *nb)
{
	uint32_t a;
	text current;
	int rc;

	if ((rc = get_first(r, port, "auto-negotiation", &a)) < 0 || !a)
		return rc;
	nb->autoneg = is_true(r, a, "enabled") ? 2 : 1;
	if ((rc = get_value(r, a, "current", current)) == 0)
		nb->mbits = read_mbits(current);
	return rc;
}

/* A port's name is its id or its description, whichever is the name of a port. */
static int
read_port(const struct reader *r, uint32_t port, struct moore_lldp_neighbour *nb)
{
	text id, descr;
	bool is_port;
	int rc;

	if ((rc = get_value(r, port, "id", id)) < 0 ||
	    (rc = get_value(r, port, "descr", descr)) < 0 ||
	    (rc = get_number(r, port, "mfs", &nb->frame)) < 0 ||
	    (rc = read_autoneg(r, port, nb)) < 0)
		return rc;
	is_port = moore_lldp_switch_port(id) || moore_lldp_host_port(id);
	if (!*id || (!is_port && (moore_lldp_switch_port(descr) || moore_lldp_host_port(descr))))
		return copy(r, &nb->port, descr);
	return copy(r, &nb->port, id);
}

static int
read_capabilities(const struct reader *r, uint32_t chassis, struct moore_lldp_neighbour *nb)
{
	const struct moore_tape *t = &r->tape;
	uint32_t list;
	int rc = get_list(r, chassis, "capability", &list);

	for (uint32_t c = list + 1; rc == 0 && list && c < t->item[list].next; c = t->item[c].next) {
		uint32_t type = moore_tape_get(t, c, "type");

		if (moore_tape_is_text(t, type, "Bridge") || moore_tape_is_text(t, type, "Router"))
			nb->forwards |= is_true(r, c, "enabled");
	}
	return rc;
}

static bool
same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Adds a neighbour (taken) to a port unless it has it: lldpd lists one for each protocol by
 * which it hears of it. */
static int
add_neighbour(struct reader *r, struct moore_lldp_port *port, struct moore_lldp_neighbour *nb)
{
	struct moore_lldp_neighbour *list;

	for (uint32_t i = 0; i < port->n_neighbours; i++) {
		const struct moore_lldp_neighbour *o = &port->neighbour[i];

		if (o->mac == nb->mac && same_text(o->name, nb->name) && same_text(o->port, nb->port)) {
			free(nb->name);
			free(nb->port);
			return 0;
		}
	}
	list = realloc(port->neighbour, (port->n_neighbours + 1) * sizeof(*list));
	if (!list) {
		free(nb->name);
		free(nb->port);
		return moore_fail_nomem(r->err);
	}
	port->neighbour = list;
	list[port->n_neighbours++] = *nb;
	return 0;
}

static int
read_neighbour(struct reader *r, uint32_t interface)
{
	struct moore_lldp_neighbour nb = { NULL };
	struct moore_lldp_port *at;
	uint32_t chassis, port;
	text ifname, name;
	int rc;

	if (!moore_tape_is(&r->tape, interface, MOORE_JSON_OBJECT))
		return wrong(r, "name", "an object is wanted: print it with lldpcli -f json0");
	if ((rc = get_ifname(r, interface, "name", ifname)) < 0 ||
	    (rc = get_first(r, interface, "chassis", &chassis)) < 0 ||
	    (rc = get_first(r, interface, "port", &port)) < 0 ||
	    (rc = get_value(r, chassis, "name", name)) < 0 ||
	    (rc = get_mac(r, chassis, &nb.mac)) < 0 ||
	    (rc = read_capabilities(r, chassis, &nb)) < 0 ||
	    (rc = get_port(r, ifname, &at)) < 0)
		return rc;
	if ((rc = copy(r, &nb.name, name)) < 0 || (rc = read_port(r, port, &nb)) < 0) {
		free(nb.name);
		free(nb.port);
		return rc;
	}
	return add_neighbour(r, at, &nb);
}

/* Reads each element of an array, which messages name so. */
static int
read_each(struct reader *r, uint32_t list, const char *name, int (*read)(struct reader *r, uint32_t x))
{
	int rc = 0;

	r->list = name;
	r->index = 0;
	for (uint32_t x = list + 1; rc == 0 && x < r->tape.item[list].next; x = r->tape.item[x].next) {
		rc = read(r, x);
		r->index++;
	}
	return rc;
}

static int
read_neighbours(struct reader *r, uint32_t root)
{
	uint32_t lldp, list;
	int rc;

	if ((rc = get_first(r, root, "lldp", &lldp)) < 0)
		return rc;
	if (!moore_tape_get(&r->tape, root, "lldp"))
		return wrong(r, "lldp", "is missing: want the answer of lldpcli -f json0 show neighbors "
			     "details");
	if ((rc = get_list(r, lldp, "interface", &list)) < 0 || !list)
		return rc;
	if (r->tape.item[list].len > MOORE_LLDP_NEIGHBOURS_MAX)
		return moore_fail(r->err, MOORE_EPLAN, 0, "interface: %u neighbours: a switch has at most "
				  "%d", r->tape.item[list].len, MOORE_LLDP_NEIGHBOURS_MAX);
	return read_each(r, list, "interface", read_neighbour);
}

/* ---- counters of interfaces --------------------------------------------------------- */

static uint64_t
count_of(const struct moore_tape *t, uint32_t stats, const char *direction, const char *key)
{
	return moore_tape_number(t, moore_tape_get(t, moore_tape_get(t, stats, direction), key), UINT64_MAX);
}

static int
read_link(struct reader *r, uint32_t link)
{
	const struct moore_tape *t = &r->tape;
	uint32_t stats = moore_tape_get(t, link, "stats64"), state = moore_tape_get(t, link, "operstate");
	struct moore_lldp_port *port;
	text ifname;
	int rc;

	if (!moore_tape_is(t, link, MOORE_JSON_OBJECT))
		return wrong(r, "ifname", "an object is wanted: print it with ip -json");
	if (!t->item[link].len)		/* ip prints one for each link that a filter leaves out */
		return 0;
	if ((rc = get_ifname(r, link, "ifname", ifname)) < 0 || (rc = get_port(r, ifname, &port)) < 0)
		return rc;
	port->has_link = true;
	port->down = moore_tape_is_text(t, state, "DOWN") || moore_tape_is_text(t, state, "NOTPRESENT") ||
		     moore_tape_is_text(t, state, "LOWERLAYERDOWN");
	port->mtu = (uint32_t)moore_tape_number(t, moore_tape_get(t, link, "mtu"), UINT32_MAX);
	port->rx_bytes = count_of(t, stats, "rx", "bytes");
	port->tx_bytes = count_of(t, stats, "tx", "bytes");
	port->rx_drops = count_of(t, stats, "rx", "dropped");
	port->tx_drops = count_of(t, stats, "tx", "dropped");
	return 0;
}

static int
read_links(struct reader *r, uint32_t root)
{
	if (!moore_tape_is(&r->tape, root, MOORE_JSON_ARRAY))
		return moore_fail(r->err, MOORE_EPLAN, 0, "an array is wanted, as ip -json -statistics "
				  "link show prints it");
	return read_each(r, root, "link", read_link);
}

/* ---- a document --------------------------------------------------------------------- */

int
moore_lldp_read(struct moore_lldp_switch *s, enum moore_lldp_doc doc, const char *text, size_t len,
		struct moore_err *err)
{
	static int (*const read[])(struct reader *r, uint32_t root) = {
		read_chassis, read_neighbours, read_links
	};
	struct reader r = { .s = s, .err = err };
	int rc;

	if (len > MOORE_LLDP_BYTES_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "is longer than %zu MiB",
				  MOORE_LLDP_BYTES_MAX >> 20);
	if ((rc = moore_tape_read(&r.tape, text, len, err)) < 0)
		return rc;
	rc = read[doc](&r, 1);
	moore_tape_fini(&r.tape);
	if (s->n_ports)
		qsort(s->port, s->n_ports, sizeof(*s->port), by_number);
	return rc;
}
