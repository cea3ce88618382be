/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/ether.h - a fabric of Ethernet switches that route IP: the addresses of a plan, the
 * configuration of each switch, and what a set of configurations does.
 *
 * A layer is a range of destination addresses.  Each switch has one prefix for each layer, and
 * each host one address in each prefix of its switch; a sender chooses the layer of a packet
 * by the address that it sends to, as it chooses a LID offset on InfiniBand.
 *
 * A rack is the same network as the router and the checker know it (fabric.h): a switch with
 * hosts has one endpoint, whose LID offset l stands for the prefix of layer l.  So routes are
 * computed and judged by the code that does it on InfiniBand.
 *
 * The configuration of a switch (struct moore_ether_config) is the one form between all others:
 * it is made from computed routes or read from a file, and written in any format. */
#ifndef MOORE_ETHER_H
#define MOORE_ETHER_H

#include "base.h"
#include "fabric.h"
#include "held.h"
#include "jobs.h"
#include "plan.h"
#include "tables.h"

MOORE_BEGIN

/* ---- addresses --------------------------------------------------------------- */

enum moore_ip { MOORE_IP4, MOORE_IP6, MOORE_N_IP };

struct moore_addr {		/* an address, or a prefix when len is less than its bits */
	uint8_t byte[16];	/* network order; IPv4 uses the first 4 */
	uint8_t ip;		/* enum moore_ip */
	uint8_t len;		/* leading bits that count: up to 32 or 128 */
	bool is_set;
};

/* Reads "10.1.0.0/16", "fd00::/48", or an address without a length.  -MOORE_ESYNTAX, also when
 * bits below the length are set. */
MOORE_API int moore_addr_parse(struct moore_addr *out, const char *text, size_t len,
			       struct moore_err *err);
/* Appends it, with its length unless that is all bits. */
MOORE_API void moore_addr_put(struct moore_buf *b, const struct moore_addr *a);
/* Says whether an address or prefix lies within a prefix. */
MOORE_API bool moore_addr_within(const struct moore_addr *a, const struct moore_addr *prefix);
/* Less than, equal to or greater than 0: by family, address, then length. */
MOORE_API int moore_addr_order(const struct moore_addr *a, const struct moore_addr *b);
MOORE_API bool moore_addr_equal(const struct moore_addr *a, const struct moore_addr *b);

/* ---- the numbered network ------------------------------------------------------ */

#define MOORE_ETHER_LAYERS_MAX MOORE_N_OFFSETS
#define MOORE_ETHER_CLASSES_MAX 2

struct moore_ether_opts {
	uint32_t n_layers;		/* 1..MOORE_ETHER_LAYERS_MAX */
	struct moore_addr range[MOORE_N_IP];	/* of hosts and switches; at least one is set */
	struct moore_addr links[MOORE_N_IP];	/* of /31 and /127 on links; may be unset */
	bool next_hop_inet6;		/* IPv4 routes name an IPv6 next hop, else an IPv4 one that
					 * need not be in a connected prefix ("onlink") */
	uint8_t protocol;		/* of each route (rtnetlink's rtm_protocol) */
	uint32_t mtu;
	uint8_t n_classes;		/* lossless classes: 1 or 2 */
	uint8_t dscp[MOORE_ETHER_CLASSES_MAX];	/* mark of each class; hosts send the first */
	uint8_t priority[MOORE_ETHER_CLASSES_MAX];	/* PFC priority of each */
};
/* Sets all but the ranges: 4 layers, protocol 109, MTU 9000, DSCP 26 and 34 on priorities 3
 * and 4. */
MOORE_API void moore_ether_defaults(struct moore_ether_opts *o);

struct moore_ether_peer {	/* what a plan has at the other end of a switch port */
	moore_swid sw;		/* MOORE_NONE unless it is a switch */
	moore_portnum port;	/* of that switch */
	uint32_t end;		/* of the link, on this side: cable * 2 + end */
	moore_epid ep;		/* MOORE_NONE unless it is a host */
};

struct moore_ether {
	struct moore_ether_opts opts;
	struct moore_plan *plan;	/* owned; rates, places and labels may be missing */
	/* By switch * n_layers + layer; unset for a family without a range, and in layers above 0
	 * of a switch without hosts. */
	struct moore_addr *prefix[MOORE_N_IP];
	struct moore_addr *self[MOORE_N_IP];	/* the switch's own address in that prefix */
	struct moore_addr *host[MOORE_N_IP];	/* by endpoint * n_layers + layer */
	/* By link end, as cable * 2 + end: its address in opts.links. */
	struct moore_addr *link[MOORE_N_IP];
	uint32_t *port0;		/* peer[port0[s] + p] is at port p of switch s */
	struct moore_ether_peer *peer;
};

/* The peer of a switch port; port is at most that of the switch's last. */
static inline const struct moore_ether_peer *
moore_ether_peer(const struct moore_ether *x, moore_swid s, moore_portnum port)
{
	return &x->peer[x->port0[s] + port];
}

/* Gives every switch, host and link of a plan its addresses.  Takes the plan over, also when
 * it fails.  -MOORE_EINVAL when options contradict each other, ranges overlap, or a range is too small:
 * the message says how large it must be.  O(size * layers). */
MOORE_API int moore_ether_number(struct moore_ether **out, struct moore_plan *p,
				 const struct moore_ether_opts *o, struct moore_err *err);
MOORE_API void moore_ether_free(struct moore_ether *x);	/* NULL is fine */

/* Writes and reads addresses.json: every switch, port, host, layer and prefix.  The reader
 * wants the plan of which they are, takes it over, also when it fails, and checks that no two
 * prefixes overlap and that hosts lie within those of their switch.  -MOORE_ESYNTAX sets
 * err->line if the text is no JSON; -MOORE_EPLAN names the place. */
MOORE_API int moore_ether_write_addresses(const struct moore_ether *x, struct moore_buf *out,
					  struct moore_err *err);
MOORE_API int moore_ether_read_addresses(struct moore_ether **out, struct moore_plan *p,
					 const char *text, size_t len, struct moore_err *err);

/* The link-local address of a switch port, and its MAC; a MAC for a host's port. */
MOORE_API struct moore_addr moore_ether_local(moore_swid s, moore_portnum port);
#define MOORE_MAC_TEXT 18	/* "02:00:00:00:00:00" and a NUL */
MOORE_API void moore_ether_mac(char out[MOORE_MAC_TEXT], moore_swid s, moore_portnum port);
MOORE_API void moore_ether_host_mac(char out[MOORE_MAC_TEXT], moore_epid e);

/* ---- racks ------------------------------------------------------------------------ */

/* Makes the fabric whose LIDs stand for prefixes: see the head of this file.  Its switches are
 * those of the plan, in the same order.
 *   MOORE_RACKS_ROUTED: for the router: switches with hosts have one endpoint and no LID of their
 *     own, and offset l is layer l, of both families.
 *   MOORE_RACKS_JUDGED: for the checker: every switch has an endpoint, those without hosts at
 *     a port beyond their last; the offsets are the layers of IPv4, then those of IPv6.  So one
 *     verdict covers both families, whose packets wait for one another.  Switches have no LIDs, and
 *     a switch without hosts has none beyond layer 0.
 * -MOORE_ELID when there are more than 65,534 switches to judge, or the prefixes exceed 2^26. */
enum moore_racks { MOORE_RACKS_ROUTED, MOORE_RACKS_JUDGED };
MOORE_API int moore_ether_racks(struct moore_fabric **out, const struct moore_ether *x,
				enum moore_racks kind, struct moore_err *err);

/* Tables of more switches are computed and judged in parts (moore_engine_run_parts()): with four layers,
 * those of so many take 16 GiB as a whole (docs/measurements/ethernet.md). */
#define MOORE_ETHER_WHOLE_MAX 20000
MOORE_API bool moore_ether_in_parts(const struct moore_ether *x);
/* The routes to prefixes that some rows of the routed racks make, at all switches and in all families:
 * row s of part holds the LIDs from first on.  -MOORE_ENOMEM.  O(bytes of part + switches * ports). */
MOORE_API int moore_ether_count_routes(uint64_t *out, const struct moore_ether *x,
				       const struct moore_fabric *racks, const struct moore_lft *part,
				       moore_lid first, struct moore_err *err);

/* The prefix that a LID of the judged racks stands for. */
struct moore_ether_target {
	moore_swid sw;
	uint32_t layer;
	enum moore_ip ip;
};
/* False when the LID stands for none: it only repeats another.  O(log switches). */
MOORE_API bool moore_ether_target(const struct moore_ether *x, const struct moore_fabric *racks,
				  moore_lid lid, struct moore_ether_target *out);

/* ---- the configuration of one switch ------------------------------------------------ */

/* A backup carries packets while the ports of the prefix's other routes have no carrier: its metric
 * is MOORE_ETHER_BACKUP_METRIC, which is greater than what the kernel gives routes without one (0,
 * and 1024 for IPv6). */
#define MOORE_ETHER_BACKUP_METRIC 2048

/* A route with several next hops is several of these with the same prefix. */
struct moore_ether_route {
	struct moore_addr to;
	struct moore_addr via;		/* unset: the destination is on the link itself */
	moore_portnum port;
	bool onlink;
	bool is_backup;
	unsigned line;			/* of the file that it was read from */
};

#define MOORE_ETHER_LOSSY 0xff
#define MOORE_N_DSCP 64

/* How a switch treats a packet that enters at a port with a DSCP. */
struct moore_ether_class {
	uint8_t arrives;	/* priority whose buffer it occupies, which PFC pauses upstream */
	uint8_t leaves;		/* priority of the queue that it leaves from; both may be LOSSY */
	uint8_t dscp;		/* that it leaves with */
};

struct moore_ether_config {
	uint32_t n_routes, cap_routes;
	struct moore_ether_route *route;	/* sorted by moore_ether_config_sort() */
	/* By in port * MOORE_N_DSCP + DSCP, for ports 0..n_ports; NULL until classes are set. */
	struct moore_ether_class *by_dscp;
	uint8_t *pfc;		/* priorities that port p pauses and obeys, as a mask; with class */
};

/* Makes the configuration of switch s from its row, by LID, of computed tables of racks: a route to each prefix that
 * it reaches, and to the addresses of its own hosts; and the classes of any-sl (two) or one-vl
 * (one).  O(switches * layers). */
MOORE_API int moore_ether_config(struct moore_ether_config *out, const struct moore_ether *x,
				 const struct moore_fabric *racks, const uint8_t *row,
				 moore_swid s, struct moore_err *err);
MOORE_API int moore_ether_config_add(struct moore_ether_config *c,
				     const struct moore_ether_route *r, struct moore_err *err);
/* Sorts by family, address, length, backups last, port, then line; equal routes become one. */
MOORE_API void moore_ether_config_sort(struct moore_ether_config *c);
/* The number of routes that sort before the first one to that prefix.  O(log routes). */
MOORE_API uint32_t moore_ether_config_find(const struct moore_ether_config *c,
					   const struct moore_addr *to);
/* The number of routes from i on that have the same prefix and are backups, or are not, as i is:
 * the next hops to it.  O(that). */
MOORE_API uint32_t moore_ether_config_hops(const struct moore_ether_config *c, uint32_t i);
MOORE_API void moore_ether_config_fini(struct moore_ether_config *c);
/* Makes room for the classes of switch s, all lossy; if there are some already, does nothing. */
MOORE_API int moore_ether_classes_new(struct moore_ether_config *c, const struct moore_ether *x,
				      moore_swid s, struct moore_err *err);

/* ---- formats: one table row for each file ---------------------------------------------- */

struct moore_ether_format {
	const char *name;	/* of the set of files, as --format names it: "ipbatch" */
	const char *file;	/* in the directory of the switch */
	const char *help;
	uint8_t families;	/* bit i: it holds routes of enum moore_ip i */
	/* NULL: the file is only read, as the switch itself tells it. */
	int (*write)(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
		     struct moore_buf *out, struct moore_err *err);
	/* Adds what a file holds to *c; NULL when it holds neither routes nor classes.
	 * -MOORE_ESYNTAX sets err->line.  Routes of other protocols are left alone. */
	int (*read)(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
		    struct moore_ether_config *c, struct moore_err *err);
};
MOORE_API const struct moore_ether_format *moore_ether_format_at(size_t i);	/* NULL past the end */

/* The reader of what `ip -N -json route show` prints, which is also in the table. */
MOORE_API int moore_ether_read_running(const struct moore_ether *x, moore_swid s, const char *text,
				       size_t len, struct moore_ether_config *c,
				       struct moore_err *err);

/* Reads the classes of a running switch: what `nft -n list table inet moore` prints.  -MOORE_ESYNTAX
 * if the table is not the emitted one but for the elements of its maps. */
MOORE_API int moore_ether_read_nft_list(const struct moore_ether *x, moore_swid s, const char *text,
					size_t len, struct moore_ether_config *c,
					struct moore_err *err);

/* The files of a host: its addresses, route and neighbour; and how applications use them. */
MOORE_API int moore_ether_write_host_setup(const struct moore_ether *x, moore_epid e,
					   struct moore_buf *out, struct moore_err *err);
MOORE_API int moore_ether_write_host_env(const struct moore_ether *x, moore_epid e,
					 struct moore_buf *out, struct moore_err *err);

/* ---- what configurations do -------------------------------------------------------------- */

enum moore_ether_fault_kind {
	MOORE_ETHER_NO_LINK,		/* the route's port has no cable to a switch */
	MOORE_ETHER_WRONG_HOP,		/* the next hop is not an address of the switch there */
	MOORE_ETHER_NO_HOST,		/* a host's address is not routed to its port */
	MOORE_ETHER_SPLIT,		/* routes within a prefix lead to different ports */
	MOORE_ETHER_DROPS_CLASS,	/* a packet of a lossless class may be lost at the port */
	MOORE_ETHER_OTHER_CLASS,	/* it arrives at the port in another class than it left in */
	MOORE_ETHER_MIXED_CLASS,	/* packets that enter the port leave in several classes, which
					 * this checker cannot judge */
	MOORE_ETHER_INCOMPLETE,		/* a file is missing, or lacks a line that is written into it */
};

struct moore_ether_fault {
	uint8_t kind;			/* enum moore_ether_fault_kind */
	moore_swid sw;
	struct moore_addr to;		/* unset for faults of classes */
	unsigned line;			/* of the route, or the line that overrules `lacks`; 0: none */
	moore_portnum port;		/* of faults of classes: the in port */
	uint8_t dscp;			/* likewise, of the packet that enters */
	/* Of an incomplete file: its name, "" otherwise; the host whose file it is, or MOORE_NONE; and the line
	 * that it lacks, as much of it as there is room for, or "" when there is no such file, or when the line of
	 * that number is a route to addresses of the network, or gives one of them to a port. */
	char file[32], lacks[128];
	moore_epid host;
};

struct moore_ether_faults {
	uint64_t n;			/* found; the first of them are kept */
	uint32_t n_kept;
	struct moore_ether_fault kept[16];
};
MOORE_API void moore_ether_add_fault(struct moore_ether_faults *f, const struct moore_ether_fault *fault);
/* A file of lines that holds neither routes nor classes. */
struct moore_ether_file {
	const struct moore_ether_fault *at;	/* what a fault in it begins with: switch, host, name */
	const struct moore_buf *want;		/* the lines that are written into it */
	const char *text;			/* what it holds */
	size_t len;
};
/* Adds a fault such as file->at for each line of `want` that the file lacks, or that a later line of `ip` in it
 * undoes; comments and the order of lines do not count otherwise, but of lines KEY=VALUE with one key the last does.
 * Adds one, which lacks nothing, for each further line that makes a route to addresses of the network, or gives one
 * of them to a port.  -MOORE_ENOMEM.  O(lines * log lines), O(lines) for each line KEY=VALUE or not in `want`,
 * and O(prefixes) for each of the latter. */
MOORE_API int moore_ether_check_lines(struct moore_ether_faults *f, const struct moore_ether *x,
				      const struct moore_ether_file *file, struct moore_err *err);
/* Adds a fault such as later->at for each line written into a file that a further line of another one, which is
 * loaded after it, undoes.  -MOORE_ENOMEM.  O(lines * log lines), and O(lines) for each further line. */
MOORE_API int moore_ether_check_later(struct moore_ether_faults *f, const struct moore_ether_file *file,
				      const struct moore_ether_file *later, struct moore_err *err);

/* The rows of judged racks, as a switch with several next hops holds several values (held.h). */
struct moore_ether_tables {
	struct moore_lft *lft;		/* the first next hop of each route */
	struct moore_row *more;		/* the others */
	uint32_t n_more, cap_more;
	struct moore_row *backup;	/* the backups, by switch and LID */
	uint32_t n_backup, cap_backup;
};
MOORE_API int moore_ether_tables_init(struct moore_ether_tables *t, const struct moore_fabric *racks,
				      struct moore_err *err);
MOORE_API void moore_ether_tables_fini(struct moore_ether_tables *t);

/* Puts first, of several next hops, the one that is first in other tables of the racks, so that
 * fewer rows differ. */
MOORE_API void moore_ether_tables_prefer(struct moore_ether_tables *t,
					 const struct moore_ether_tables *was,
					 const struct moore_ether *x, const struct moore_fabric *racks);

/* Fills in the rows of one switch: the ports to which its routes send each prefix, by longest
 * match; where no route covers a prefix, no-path.  Adds what is wrong to *faults.  The rows of LIDs
 * that stand for no prefix repeat others.  -MOORE_ENOMEM.  O(prefixes * log routes). */
MOORE_API int moore_ether_take_config(struct moore_ether_tables *t, struct moore_ether_faults *faults,
				      const struct moore_ether *x, const struct moore_fabric *racks,
				      moore_swid s, const struct moore_ether_config *c,
				      struct moore_err *err);

/* Chooses a backup for each route that has one: row s of *out holds the port for each LID, or
 * MOORE_NO_PATH.  While the tables lead there instead of over one link, no packet loops; all
 * tables and backups together have no cycle of dependencies.  No row of lft may have several values.
 * racks are the judged ones.  The caller frees *out.  -MOORE_EINVAL if the tables can deadlock.
 * O(switches * LIDs * ports * (ports + hops)).  jobs may be NULL. */
MOORE_API int moore_ether_backups(struct moore_lft **out, const struct moore_fabric *racks,
				  const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
				  const struct moore_jobs *jobs, struct moore_err *err);

/* The route of switch s to a prefix over a port to another switch. */
MOORE_API struct moore_ether_route moore_ether_route_over(const struct moore_ether *x, moore_swid s,
							   const struct moore_ether_target *to,
							   moore_portnum port);
/* Appends a line for `ip -batch`: the route with the next hops r[0] .. r[n_hops - 1], or its
 * removal when n_hops is 0. */
MOORE_API void moore_ether_put_edit(const struct moore_ether *x, const struct moore_ether_route *r,
				    uint32_t n_hops, struct moore_buf *out);
/* Appends the lines for `ip -batch` that give a port its addresses and its permanent neighbours, as the
 * files of interfaces and neighbours do.  The kernel drops both, with the routes, when a port is set
 * down, and keeps all three when it loses carrier. */
MOORE_API void moore_ether_put_port(const struct moore_ether *x, moore_swid s, moore_portnum port,
				    struct moore_buf *out);
MOORE_API bool moore_ether_route_equal(const struct moore_ether_route *a,
				       const struct moore_ether_route *b);
/* Whether the routes of both are the same, in the same order. */
MOORE_API bool moore_ether_routes_equal(const struct moore_ether_config *a,
					const struct moore_ether_config *b);

/* Follows the mark that hosts send through the classes of all switches, whatever the routes,
 * and makes the lanes that the checker judges: VL i is the i-th priority of the options.  config
 * holds one for each switch.  Adds what is wrong to *faults.  O(switches * ports^2). */
MOORE_API int moore_ether_lanes(struct moore_sl2vl **out, struct moore_ether_faults *faults,
				const struct moore_ether *x, const struct moore_fabric *racks,
				const struct moore_ether_config *config, struct moore_err *err);

MOORE_END

#endif
