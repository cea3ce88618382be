// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* commands.c - the table of moorectl's verbs: a new verb is one row here and a function.
 * Dispatch, --help and --list (for shell completion) read this table, and a test compares the
 * man page with it. */
#include "ethernet/ether.h"

#define OPT_OUTPUT_FILE { "output", 'o', "FILE", \
	"write to FILE, whole or not at all (-: standard output)" }
#define OPT_TABLES { "tables", 0, "DIR", "read the dumps in this directory" }

#define OPT_OP_VLS { "op-vls", 0, "N", \
	"with dumps: every link runs N data VLs, whatever moore-op-vls.dump says" }
#define OPT_PROFILE { "profile", 0, "any-sl|sl-hint|one-vl", "overrides the line of moore.conf" }
#define OPT_LAYERS { "layers", 0, "valiant3|nta|valiant|inr", "overrides the line of moore.conf" }
#define OPT_CLASSES { "classes", 0, "LIST", "class of each SL; overrides the line of moore.conf" }

static const struct cli_opt ether_discover_opts[] = {
	{ "command", 0, "WORDS", "ask each switch by this command" },
	{ "plan", 0, "PLAN", "the intended fabric; with --command, its switches are asked" },
	{ "from", 0, "SWITCH", "with --command: ask this switch, its neighbours, theirs, and so on" },
	{ "timeout", 0, "SECONDS", "how long one run of the command may take (10)" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt ether_diff_opts[] = {
	{ "output", 'o', "DIR", "write DIR/step-1/SWITCH.ipbatch and so on, print no lines" },
	{ 0 }
};
static const struct cli_opt ether_apply_opts[] = {
	{ "command", 0, "WORDS", "loads the lines of its standard input on {switch}" },
	{ "read", 0, "WORDS", "prints the routes of {switch} and {family} as JSON" },
	{ "timeout", 0, "SECONDS", "time for each command (10)" },
	{ "wait", 0, "MS", "time that packets have to leave before a step that needs it (200)" },
	{ "dry-run", 0, NULL, "read and compare, and change nothing" },
	{ 0 }
};
static const struct cli_opt ether_emit_opts[] = {
	{ "layers", 0, "N", "layers, the minimal one included (4)" },
	{ "ecmp", 0, "N", "next hops of each route of layer 0, as far as all are safe together (1)" },
	{ "backup", 0, NULL, "give each route a second one, for when its port loses carrier" },
	{ "ipv4", 0, "RANGE", "IPv4 range of hosts and switches, such as 10.0.0.0/8" },
	{ "ipv6", 0, "RANGE", "IPv6 range of hosts and switches, such as fd00::/48" },
	{ "links-ipv4", 0, "RANGE", "number the links by /31 of this range (SONiC needs it)" },
	{ "links-ipv6", 0, "RANGE", "number the links by /127 of this range" },
	{ "next-hop", 0, "onlink|inet6",
	  "IPv4 next hops without numbered links: IPv4 addresses or link-local IPv6 ones (onlink)" },
	{ "priorities", 0, "A[,B]", "PFC priorities that are lossless (3,4)" },
	{ "dscp", 0, "A[,B]", "mark of each; hosts send the first (26,34)" },
	{ "mtu", 0, "BYTES", "of every port (9000)" },
	{ "format", 0, "LIST", "which files to write (ipbatch,nft)" },
	{ "fail", 0, "NAME[:PORT]", "route around a switch or link; may be given several times" },
	{ "sample", 0, "N", "write the files of N switches, drawn by seed, and of their hosts (all)" },
	{ "seed", 0, "S", "seed of the drawing (1)" },
	{ "output", 'o', "DIR", "write the files into DIR, whole or not at all" },
	{ 0 }
};
static const struct cli_opt capture_opts[] = {
	OPT_OUTPUT_FILE,
	{ "key", 0, "FILE", "the key of the pseudonyms; made if it is missing (~/.moore-capture.key)" },
	{ "names", 0, "hide|keep", "keep: the names and GUIDs of the site stay (hide)" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt shadow_opts[] = {
	{ "plan", 0, "PLAN", "the intended fabric: compare its cables, and route it" },
	{ "conf", 0, "FILE", "a moore.conf" },
	OPT_PROFILE,
	OPT_LAYERS,
	OPT_CLASSES,
	OPT_OP_VLS,
	{ "html", 0, "FILE", "write the page to FILE as well" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt accept_opts[] = {
	{ "programmed", 0, "DIR", "the dumps of the OpenSM that wrote the tables" },
	{ "tables", 0, "CAPTURE", "what moored read from the switches (moored is asked)" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt out_opts[] = {
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt export_opts[] = {
	{ "to", 0, "FORMAT", "one of the formats above" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt import_opts[] = {
	{ "from", 0, "FORMAT", "one of the formats above" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt place_opts[] = {
	{ "model", 0, "fujiwara|young", "lengths of cables, and the floor (fujiwara)" },
	{ "cabinet-size", 0, "N", "switches to a cabinet (16; young: 2)" },
	{ "pitch", 0, "WxD",
	  "metres from cabinet to cabinet and from row to row (0.6x2.1; young: 0.6x2)" },
	{ "assign", 0, "sequential|structure|refined", "how cabinets are filled (refined)" },
	{ "iterations", 0, "N", "number of tries of each annealing (2000000)" },
	{ "seed", 0, "N", "seed of the annealing (1)" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt cables_opts[] = {
	{ "by", 0, "pair|bundle|cabinet",
	  "how lines are grouped (the first that makes at most 200 groups)" },
	{ "crews", 0, "N", "divide the list among N crews (1)" },
	{ "catalogue", 0, "FILE",
	  "lines LENGTH,copper|optical[,PRICE] (default: an example without prices)" },
	{ "endpoint-length", 0, "METRES", "length of a cable to an endpoint (2)" },
	{ "csv", 0, "FILE", "write the list to FILE" },
	{ "labels", 0, "FILE", "write the label of each end of each cable to FILE, as CSV" },
	{ "html", 0, "FILE", "write a sheet to print to FILE" },
	{ "title", 0, "TEXT", "title on the sheet (the name of the plan's file)" },
	{ "date", 0, "TEXT", "date on the sheet (left blank)" },
	{ 0 }
};
static const struct cli_opt grow_opts[] = {
	{ "from", 0, "STAGE", "the plan of what is built already, a part of WHOLE" },
	{ "switches", 0, "N", "how many switches it shall have (those of STAGE)" },
	{ "endpoints", 0, "N", "how many endpoints each switch shall have at most (all)" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt permute_opts[] = {
	{ "method", 0, "METHOD", "two-cab, three-cab or one-step (two-cab)" },
	{ "fraction", 0, "P", "chance that a swap is allowed, 0 to 1 (1)" },
	{ "trials", 0, "N", "take the best of N, by diameter, then mean distance (20)" },
	{ "seed", 0, "S", "seed of all random choices (1)" },
	{ "cabinet-size", 0, "N",
	  "give a plan without cabinets N switches to each, in plan order" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt steps_opts[] = {
	{ "max-cables", 0, "K", "at most K cables are unplugged at a time" },
	{ "state", 0, "FILE", "the present wiring: a plan, or ibnetdiscover output (OLD)" },
	{ "lmc", 0, "N", "2^N LIDs for each endpoint (0)" },
	{ "conf", 0, "FILE", "read this moore.conf, but not its plan (default: no file)" },
	{ 0 }
};
static const struct cli_opt route_opts[] = {
	{ "lmc", 0, "N", "2^N LIDs for each endpoint (0)" },
	{ "lids", 0, "FILE", "take all LIDs from OpenSM's file guid2lid" },
	{ "fail", 0, "NAME[:PORT]", "remove this switch, endpoint, or link; repeatable" },
	{ "stage", 0, "STAGE", "all else is not built yet: a part of PLAN, made by plan grow" },
	{ "without-plan", 0, NULL, "compute what the plugin would without a plan and a kept file" },
	{ "conf", 0, "FILE", "read this moore.conf, but not its plan (default: no file)" },
	OPT_PROFILE,
	OPT_LAYERS,
	OPT_CLASSES,
	{ "output", 'o', "DIR", "write the tables to DIR, which is created if needed" },
	{ "from", 0, "OLD_DIR", "also write DIR/step-1 and so on: safe steps from these dumps" },
	{ 0 }
};
#define PREDICT_OPTS \
	{ "routing", 0, "LIST", "SD, SI, AD, AI, AH, or tables, the default; several with commas between; or own" }, \
	{ "pattern", 0, "LIST", "of messages: uniform, the default, or those below" }, \
	{ "placement", 0, "LIST", "of processes: linear, the default, or those below" }, \
	{ "processes", 0, "N", "that the job has (all nodes are full)" }, \
	{ "per-node", 0, "N", "processes on a node, in their order (1)" }, \
	{ "job", 0, "PATTERN:N:PLACEMENT[:AMOUNT][:ROUTING]", "a job in place of these; several run together" }, \
	{ "matrix", 0, "FILE", "messages in place of patterns: lines SOURCE DESTINATION AMOUNT" }, \
	{ "lmc", 0, "N", "of the nodes, for tables (0)" }, \
	{ "sample", 0, "N", "uniform and SI: so many switches stand for all that receive (4096)" }, \
	{ "seed", 0, "S", "of the random numbers (1)" }, \
	{ "loads", 0, "FILE", "also write the load of each link, as CSV" }, \
	{ "svg", 0, "FILE", "also draw box plots" }
static const struct cli_opt draw_opts[] = {
	{ "floor", 0, NULL, "cabinets seen from above, in place of the structure" },
	{ "routing", 0, "NAME", "colour links by their load, as predict has it: by this routing (tables)" },
	{ "pattern", 0, "NAME", "of messages, as for predict (uniform)" },
	{ "placement", 0, "NAME", "of processes, as for predict (linear)" },
	{ "processes", 0, "N", "that the job has (all nodes are full)" },
	{ "per-node", 0, "N", "processes on a node, in their order (1)" },
	{ "lmc", 0, "N", "of the nodes, for tables (0)" },
	{ "seed", 0, "S", "of the random numbers (1)" },
	{ "svg", 0, "FILE", "write to FILE, whole or not at all (standard output)" },
	{ 0 }
};
static const struct cli_opt predict_opts[] = { PREDICT_OPTS, { 0 } };
static const struct cli_opt whatif_opts[] = {
	{ "fail", 0, "NAME[:PORT]", "a switch or the link at a port fails; may be repeated" },
	PREDICT_OPTS,
	{ 0 }
};
static const struct cli_opt place_job_opts[] = {
	{ "processes", 0, "N", "one on a node" },
	{ "pattern", 0, "NAME", "of messages between processes, as for predict" },
	{ "routing", 0, "SD|tables", "tables (default): the routes of moore" },
	{ "busy", 0, "FILE", "nodes that are not free, one name in a line" },
	{ "lmc", 0, "N", "of the nodes, for tables (0)" },
	{ "seed", 0, "S", "of the random numbers (1)" },
	{ "svg", 0, "FILE", "also draw box plots" },
	{ "output", 'o', "FILE", "write the nodes, one in a line, in the order of processes" },
	{ 0 }
};
static const struct cli_opt simulate_opts[] = {
	{ "routing", 0, "LIST", "offset of each packet: min, the default, or those below" },
	{ "pattern", 0, "LIST", "of messages: uniform, the default, or others, as below" },
	{ "exchange", 0, "LIST", "in place of pattern and load: alltoall, neighbours, ring, tree" },
	{ "message", 0, "BYTES", "of an exchange (65536)" },
	{ "torus", 0, "X,Y,Z", "sides of that of neighbours, adjacent processes first (as alike as possible)" },
	{ "load", 0, "LIST", "that each node offers, as a share of the rate of its link (0.1,0.5,0.9)" },
	{ "placement", 0, "NAME", "of processes, as for predict (linear)" },
	{ "processes", 0, "N", "one on a node (all nodes)" },
	{ "lmc", 0, "N", "of a plan: 2^N LIDs for each endpoint (0)" },
	{ "seed", 0, "S", "of the random numbers (1)" },
	{ "packet", 0, "BYTES", "length of a packet (2048)" },
	{ "buffer", 0, "PACKETS", "of each input and output, for each VL (24)" },
	{ "queues", 0, "KIND", "of an input buffer: voq, one for each output, or fifo, a single one (voq)" },
	{ "arbiter", 0, "KIND", "of the crossbar: turns, or farthest, the packet with most hops first (turns)" },
	{ "speedup", 0, "X", "of the crossbar, against a link (2)" },
	{ "detour", 0, "KIND", "of middle, ugal-m and par: valiant, nta or valiant3, as of layers (valiant)" },
	{ "ugal-candidates", 0, "N", "other offsets that UGAL compares, n_I (4)" },
	{ "ugal-weight", 0, "X", "of the queue of another offset, c (1)" },
	{ "ugal-cost", 0, "KIND", "of ugal: hops, the weight times the ratio of hops, or constant (hops)" },
	{ "ugal-threshold", 0, "PERCENT", "of --buffer, of the queue below which offset 0 is taken, T (0)" },
	{ "ugal-bias", 0, "PACKETS", "added to the cost of another offset (0)" },
	{ "rate", 0, "GBIT", "of all links, in Gbit/s (the rates that the plan names, else 100)" },
	{ "length", 0, "PACKETS", "of the run, in times that a packet takes on a link (3200)" },
	OPT_PROFILE,
	OPT_LAYERS,
	{ "svg", 0, "FILE", "also draw throughput and latency over the load" },
	/* Those from here on are no keys of a campaign. */
	{ "floor", 0, "FILE", "also draw the cabinets of a plan, and what the cables between them have carried" },
	{ "opensm-conf", 0, "FILE", "VL arbitration that OpenSM programs by this opensm.conf (all VLs in turn)" },
	{ "cut", 0, "NAME:PORT", "of a plan: this link goes down during the run; may be repeated" },
	{ "cut-at", 0, "US", "microseconds from the beginning (a quarter of the run)" },
	{ "repair-at", 0, "US", "when the links come up again (never)" },
	{ "motion", 0, "LIST", "how new rows go out: safe, in steps, or fast, all at once (safe)" },
	{ "detect", 0, "US", "from the cut or repair to the first step (20)" },
	{ "step", 0, "US", "in which the rows of a step reach the switches (10)" },
	{ "wait", 0, "US", "before a step that must wait for packets of those before (20)" },
	{ 0 }
};
static const struct cli_opt campaign_run_opts[] = {
	{ "jobs", 0, "N", "points that run at a time (as many as there are processors)" },
	{ "chunk", 0, "I", "run this chunk alone, from 0, and do not merge: a task of an array job" },
	{ "output", 'o', "DIR", "folder of the results (FILE with .results for .json)" },
	{ 0 }
};
static const struct cli_opt campaign_slurm_opts[] = {
	{ "jobs", 0, "N", "processors of each task (1)" },
	{ "output", 'o', "DIR", "folder of the results, which all hosts share (FILE with .results for .json)" },
	{ 0 }
};
static const struct cli_opt find_opts[] = {
	{ "rows", 0, "N", "print at most so many (12)" },
	{ "quick", 0, NULL, "do not route and place them" },
	{ 0 }
};
static const struct cli_opt compare_opts[] = {
	{ "svg", 0, "FILE", "also draw bars" },
	{ "quick", 0, NULL, "do not route and place them" },
	{ 0 }
};
static const struct cli_opt quality_opts[] = {
	{ "lmc", 0, "N", "of a plan: 2^N LIDs for each endpoint (0)" },
	{ "fail", 0, "NAME[:PORT]",
	  "of a plan: remove this switch, endpoint, or link; repeatable" },
	{ "conf", 0, "FILE",
	  "of a plan: read this moore.conf, but not its plan (default: no file)" },
	OPT_PROFILE,
	OPT_LAYERS,
	{ "svg", 0, "FILE", "also draw the result" },
	{ "pattern", 0, "uniform|worst",
	  "print how much traffic of this pattern the routes carry" },
	{ "fail-share", 0, "LIST",
	  "of a plan: remove this share of links at random, such as 0,0.1,0.2" },
	{ "draws", 0, "N", "with --fail-share: how often (20)" },
	{ "seed", 0, "S", "with --fail-share: of the random numbers (1)" },
	{ "drawn", 0, "FILE", "with --fail-share: also write the links that failed, as CSV" },
	{ 0 }
};
static const struct cli_opt env_opts[] = {
	{ "lmc", 0, "N", "LMC of the fabric" },
	OPT_TABLES,
	{ "opensm-conf", 0, "FILE", "take the LMC from this opensm.conf, and profile and classes from its moore.conf" },
	{ "profile", 0, "any-sl|sl-hint|one-vl", "profile in moore.conf (any-sl)" },
	{ "classes", 0, "LIST", "classes in moore.conf (0)" },
	{ "class", 0, "N", "class of service in which to send (0)" },
	{ "use", 0, "minimal|valiant|all|LIST",
	  "LID offsets: 0, all others, all, or a list like 0,2-3" },
	{ 0 }
};
static const struct cli_opt select_opts[] = {
	OPT_TABLES,
	{ "ranks", 0, "N", "a host runs N processes: round the shares to an offset for each" },
	{ "script", 0, "FILE", "write a script that sets the offset of each process (UCX); with - "
	  "in place of the answer" },
	{ 0 }
};
static const struct cli_opt verify_opts[] = {
	{ "sl", 0, "LIST", "SLs in use, like 0 or 0,2-5; hint: those in moore-path-sl.dump (all)" },
	{ "lids", 0, "base|all", "LIDs to which packets are sent (all)" },
	{ "sources", 0, "endpoints|all",
	  "senders and targets; all includes the switches' own ports (all)" },
	OPT_OP_VLS,
	{ "mcast", 0, "stock", "with dumps: judge the trees that stock OpenSM builds by itself" },
	{ "certificate", 0, "FILE", "write the order of channels that is the proof" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt change_opts[] = {
	{ "steps", 0, NULL, "find steps of which every mixture is safe, and judge them" },
	OPT_OP_VLS,
	{ 0 }
};
static const struct cli_opt path_opts[] = {
	OPT_TABLES,
	OPT_OP_VLS,
	OPT_ONLINE,
	{ "offset", 0, "N", "send to the base LID of B plus N (0)" },
	{ "sl", 0, "0-15", "service level of the packet (0)" },
	{ 0 }
};
static const struct cli_opt table_opts[] = {
	OPT_TABLES,
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt opensm_conf_opts[] = {
	{ "diff", 0, NULL, "print what --write would change, and exit with 1 if it is something" },
	{ "write", 0, NULL, "change the file, whole or not at all; the old one stays as a backup" },
	{ "moore-conf", 0, "PATH", "the file that the plugin shall read "
	  "(that of FILE, or " MOORE_SYSCONFDIR "/moore/moore.conf)" },
	{ 0 }
};
static const struct cli_opt doctor_opts[] = {
	{ "opensm-conf", 0, "FILE", "the file to check (/etc/opensm/opensm.conf)" },
	{ "moore-conf", 0, "FILE",
	  "the file to check (that of opensm.conf, or " MOORE_SYSCONFDIR "/moore/moore.conf)" },
	{ "opensm", 0, "PATH", "the program (default: searched in $PATH, then in /usr/sbin)" },
	{ "plugin", 0, "PATH", "the library (default: searched as OpenSM does)" },
	{ "if-used", 0, NULL, "check nothing unless routing_engine names moore" },
	{ 0 }
};

static const struct cli_opt repair_opts[] = {
	{ "accept", 0, "FILE", "instead, write the plan that the fabric matches as it is" },
	OPT_ONLINE,
	{ 0 }
};

/* Of verbs that show all planes. */
static const struct cli_opt all_planes_opts[] = {
	OPT_SOCKET,
	{ 0 }
};

static const struct cli_opt online_opts[] = {
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt events_opts[] = {
	{ "since", 0, "WHEN", "print the events from then on that moored keeps, and end" },
	{ "until", 0, "WHEN", "leave out the events from then on (now)" },
	OPT_SOCKET,
	{ 0 }
};

static const struct cli_opt watch_opts[] = {
	{ "until-complete", 0, NULL, "end when all is cabled as planned" },
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt history_opts[] = {
	{ "since", 0, "WHEN", "leave out what was before (all that moored keeps)" },
	OPT_ONLINE,
	{ 0 }
};
#define OPT_IBDIAGNET { "ibdiagnet", 0, "DIR", \
	"also show FEC, BER and modules, from the files of ibdiagnet in DIR (untested)" }
#define OPT_MLXLINK { "mlxlink", 0, "DIR", \
	"the same from what mlxlink printed, in files GUID-PORT.txt or .json in DIR (untested)" }
static const struct cli_opt errors_opts[] = {
	OPT_IBDIAGNET,
	OPT_MLXLINK,
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt drain_opts[] = {
	{ "dry-run", 0, NULL, "judge, and change nothing (the default)" },
	{ "apply", 0, NULL, "drain the links that may be: write them into the file of links" },
	{ "undo", 0, NULL, "remove these links, or all that programs wrote, from the file" },
	OPT_IBDIAGNET,
	OPT_MLXLINK,
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt hotspots_opts[] = {
	{ "watch", 'w', NULL, "keep running: print the table each second, or each change" },
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt record_opts[] = {
	{ "seconds", 0, "N", "record for N seconds from now on (with --past: 0)" },
	{ "past", 0, "N", "first write the last N seconds that moored keeps" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt replay_opts[] = {
	{ "speed", 0, "N", "N times as fast as recorded (default: at once)" },
	{ 0 }
};

enum { DESIGN, CABLING, ROUTING, LOAD, ETHERNET, LIVE, SETUP };
const char *const cli_groups[] = {
	[DESIGN] = "Design a fabric",
	[CABLING] = "Cable it, and check the cables",
	[ROUTING] = "Routes: compute, prove, judge, use",
	[LOAD] = "Load: what a job finds on the fabric",
	[ETHERNET] = "Ethernet: the same plans on switches that route IP",
	[LIVE] = "The running fabric, through moored",
	[SETUP] = "Set up OpenSM and the plugin",
};

const struct cli_cmd cli_cmds[] = {
	{ DESIGN, "topo list", "", 0, 0, "List the topology families and their parameters.",
	  NULL, NULL, cmd_topo_list },
	{ DESIGN, "topo show", "FAMILY KEY=VALUE...", 1, SIZE_MAX,
	  "Print the size, distances and cost of a topology.", NULL,
	  "Cost is the number of switch ports in use and of links, including those to\n"
	  "endpoints, divided by the number of endpoints.  The mean distance is over\n"
	  "ordered pairs of distinct switches.",
	  cmd_topo_show },
	{ DESIGN, "topo find", "endpoints=N [radix=R] [diameter=D]", 1, 3,
	  "Find the topologies that hold so many endpoints, the cheapest first.", find_opts,
	  "Of each family the member with the fewest links is printed whose switches have at most\n"
	  "R ports (64) and are at most D links apart, counted between switches with endpoints.  Where a\n"
	  "family has no rule for the number of endpoints on a switch, it is what its links carry\n"
	  "under uniform traffic.  Exits with 1 if no family has one that fits.",
	  cmd_topo_find },
	{ DESIGN, "topo compare", "FAMILY KEY=VALUE... [FAMILY KEY=VALUE...]...", 1, SIZE_MAX,
	  "Print topologies side by side.", compare_opts,
	  "A word without = begins the next topology.",
	  cmd_topo_compare },
	{ DESIGN, "plan new", "FAMILY KEY=VALUE...", 1, SIZE_MAX,
	  "Make the plan of a topology.", out_opts,
	  "Families and their parameters, which `moorectl topo list` explains:\n" CLI_FAMILIES
	  "The plan is written to standard output, or with -o to FILE, and then a summary\n"
	  "is printed.",
	  cmd_plan_new },
	{ DESIGN, "plan show", "FILE", 1, 1,
	  "Print a plan's contents, and the distances between its switches.",
	  NULL, NULL, cmd_plan_show },
	{ DESIGN, "plan check", "FILE", 1, 1, "Check whether a plan is valid and connected.", NULL,
	  "Exits with 1 if the plan can be read and is wrong, or has parts that no cable\n"
	  "joins.", cmd_plan_check },
	{ DESIGN, "plan draw", "FILE", 1, 1, "Draw a plan as an SVG picture.", draw_opts,
	  "Switches are placed by the structure of the family: the levels of a tree with hosts at the\n"
	  "bottom; the grid of a torus or a HyperX, its planes side by side; planes below one another\n"
	  "with a column for each group; or a ring of groups, which for a SpectralFly are parts that\n"
	  "its symmetry takes into one another.  Those without endpoints are hollow.  With over 8000\n"
	  "links one line stands for those between two groups, and on the floor for those between two\n"
	  "cabinets: its width tells how many, its colour the load of the fullest.  --routing or\n"
	  "--pattern give loads.",
	  cmd_plan_draw },
	{ DESIGN, "plan export", "FILE", 1, 1, "Write a plan in another format.", export_opts,
	  "--to FORMAT is required.  Formats:\n" CLI_WRITTEN
	  "slurm writes all switches with endpoints below one switch \"fabric\", which stands\n"
	  "for all cables.  slurmyaml makes a block of each cabinet, or, in a plan without cabinets,\n"
	  "of the switches whose names differ in the last coordinate alone.  netbox and\n"
	  "nautobot: import the devices first, with interfaces swp<n> and eth<n>, and then the\n"
	  "cables.",
	  cmd_plan_export },
	{ DESIGN, "plan import", "FILE", 1, 1,
	  "Make a plan of a file in another format.", import_opts,
	  "--from FORMAT is required.  Formats:\n" CLI_READ
	  "ptm: swp<n> is port n of a switch, eth<n> is port n+1 of a host.  opa: FI is an\n"
	  "endpoint, a rack is a cabinet.  slurm: nodes get ports in their order.  netbox,\n"
	  "nautobot: interfaces are named as in ptm; ib<n> is the same as eth<n>; behind the cables\n"
	  "FILE may have the CSV of devices, for cabinets and units.",
	  cmd_plan_import },
	{ DESIGN, "plan permute", "PLAN", 1, 1,
	  "Exchange ends of cables at random, so that distances become shorter.",
	  permute_opts,
	  "-o FILE is required: the new plan.  Ends are exchanged only inside a cabinet, so\n"
	  "no cable needs another length.  Prints each cable end that moves, with its old\n"
	  "and its new port.",
	  cmd_plan_permute },
	{ DESIGN, "plan grow", "WHOLE", 1, 1,
	  "Make the plan of a part of a fabric, to be built first or next.", grow_opts,
	  "Of the switches of WHOLE those are taken of which most pairs are at distance one or\n"
	  "two.  What STAGE has stays where it is, so growing adds cables and moves none.",
	  cmd_plan_grow },
	{ CABLING, "plan place", "FILE", 1, 1,
	  "Assign switches to cabinets, and cabinets to places, for short cables.",
	  place_opts,
	  "-o FILE is required: the plan with cabinets, units and cable lengths.  A cable is\n"
	  "2 m long inside a cabinet, else 4 m plus the Manhattan distance.  sequential fills\n"
	  "cabinets in plan order, structure with switches that belong together in the family;\n"
	  "refined takes the better result and improves it by exchanging switches.  The bounds\n"
	  "tell by how much the total can exceed the best possible one.",
	  cmd_plan_place },
	{ CABLING, "plan cables", "FILE", 1, 1,
	  "List the cables to order, and where each end is plugged in.", cables_opts,
	  "FILE is a placed plan.  Labels are CABINET-UNIT-PORT.  Each cable gets the shortest\n"
	  "length of the catalogue that reaches, in copper if both kinds have it.  Each crew gets\n"
	  "equally many consecutive lines, so that it stays in one part of the floor.  A pair is of\n"
	  "two cabinets, a bundle leads from a cabinet to a row; each group begins a page of the\n"
	  "sheet.  Cables to endpoints are all of one length.",
	  cmd_plan_cables },
	{ CABLING, "plan steps", "OLD NEW", 2, 2,
	  "Order the moves to another wiring while the fabric runs.",
	  steps_opts,
	  "--max-cables K is required.  In a step the listed ends are unplugged and then plugged\n"
	  "in elsewhere.  Meanwhile the other cables keep all switches connected, and the\n"
	  "engine's routes on them are judged.  With --state the order starts from the wiring\n"
	  "in FILE.  Exits with 1 if no order is found, or a step's tables are not sound.",
	  cmd_plan_steps },
	{ CABLING, "check", "[PLAN [FABRIC]]", 0, 2,
	  "Check whether the fabric is cabled as planned.", online_opts,
	  "A PLAN or FABRIC that is not named comes from moored: its plan, the fabric as it is\n"
	  "now.  FABRIC is the output of ibnetdiscover, an opensm-subnet.lst, a directory of\n"
	  "dumps that holds one, or another plan.  A switch is identified by its GUID if the\n"
	  "plan gives one, else by its name, else by its cables.  Exits with 1 if there is a\n"
	  "deviation.",
	  cmd_check },
	{ CABLING, "repair", "[PLAN [FABRIC]]", 0, 2,
	  "List the fewest cable ends to move, and their order.",
	  repair_opts,
	  "PLAN and FABRIC are as for check.  All ends of a step are pulled, then plugged in.\n"
	  "Cables to devices that were not found are left out.  Exits with 1 if there is a move.",
	  cmd_repair },
	{ CABLING, "watch", "", 0, 0,
	  "Show the fabric while it is being cabled, and the next cable to plug in.",
	  watch_opts,
	  "A new verdict follows each change.  On a terminal it is one screen with a row for each\n"
	  "cabinet; elsewhere a line with + for each new deviation and with - for each that is\n"
	  "gone; with --json an object on each line.  Ends at Ctrl-C.", cmd_watch },
	{ ROUTING, "route", "PLAN", 1, 1,
	  "Compute the tables that the OpenSM plugin would, and check them.",
	  route_opts,
	  "Computes and checks all tables in memory, and prints the verdict.  -o also writes\n"
	  "them to DIR: opensm-lfts.dump, opensm-sl2vl.dump, opensm-subnet.lst, opensm.fdbs,\n"
	  "opensm.mcfdbs (without groups) and moore-op-vls.dump (8 VLs); under profile sl-hint\n"
	  "also moore-path-sl.dump, the SLs that path records give, and moore-slvl.dump and\n"
	  "moore-psl.dump for ibdmchk -d and -c; under profile one-vl opensm-lid-matrix.dump,\n"
	  "with which OpenSM's multicast trees are safe.  Without --lids, LIDs are assigned in\n"
	  "the order of GUIDs, first to switches, then to endpoints; with --fail they stay those\n"
	  "of the intact plan.\n"
	  "\n"
	  "With --from OLD_DIR, the way from those tables to the new ones is divided into safe\n"
	  "steps, as change --steps describes: DIR/step-1, DIR/step-2 and so on hold the tables\n"
	  "after each step, the last those of DIR.  Exits with 1 if a step is not safe or\n"
	  "interrupts a live pair.",
	  cmd_route },
	{ ROUTING, "verify", "[DIR]", 0, 1,
	  "Judge whether traffic on these tables can deadlock.", verify_opts,
	  "Without DIR, moored is asked for the tables that the switches hold now.\n"
	  "DIR holds opensm-lfts.dump, opensm-sl2vl.dump and opensm-subnet.lst (and\n"
	  "opensm.mcfdbs, if there is one) of any OpenSM, or of moorectl route.  Without\n"
	  "opensm-sl2vl.dump, which OpenSM writes only with QoS, packets keep one VL.\n"
	  "--sl hint judges the SLs that moore-path-sl.dump lists for each source and LID.\n"
	  "VLs are masked by the operational VLs of both ends of a link.  moored reads these\n"
	  "from PortInfo; for dumps, moore-op-vls.dump, which the plugin writes, or --op-vls\n"
	  "gives them.  Otherwise 15 VLs are assumed on each link, and the answer says so.\n"
	  "--mcast stock judges, beside the unicast tables, the multicast trees that OpenSM\n"
	  "builds where no routing engine does: those of the groups in opensm.mcfdbs, from their\n"
	  "members; without groups, a tree from each switch to all endpoints, of which every tree\n"
	  "with that root is a part.  Hops are those of opensm-lid-matrix.dump, else of shortest\n"
	  "paths.\n"
	  "Exits with 1 if the tables are not sound, or not with all these trees.", cmd_verify },
	{ ROUTING, "quality", "DIR|PLAN", 1, 1,
	  "Measure how long, even and independent the routes are.",
	  quality_opts,
	  "DIR holds the dumps that verify reads; for a PLAN the routes are computed first.\n"
	  "Prints for each LID offset: pairs (switch with endpoints, endpoint elsewhere) by\n"
	  "hops, and the load of links when each such switch sends one unit to each LID; and\n"
	  "over all offsets: load, pairs with a route longer than their distance, and routes of\n"
	  "a pair of which no two share a directed link (exact to 8 offsets, greedy beyond).\n"
	  "--pattern prints instead the share of what endpoints can inject at which a link is\n"
	  "full, for traffic in one offset or spread over all.  uniform: each endpoint sends to\n"
	  "all others.  worst: all endpoints of a switch send to one other switch: in the\n"
	  "patterns that minimal routes carry worst (shift, overlap, Yebenes), between\n"
	  "neighbours (matching), for each pair of switches alone, and in permutations that a\n"
	  "search finds from 4 random ones and by up to 256 exchanges of targets from the worst:\n"
	  "at distance two (random, adversary) and anywhere.\n"
	  "--fail-share prints, for each share of links between switches that fail at random,\n"
	  "over all draws: how often all switches are still joined, diameter, mean distance,\n"
	  "bisection (METIS), how often the new routes are sound, and how much of uniform and of\n"
	  "the worst traffic they carry (one start of each search).",
	  cmd_quality },
	{ ROUTING, "select", "MATRIX", 1, 1,
	  "Find the LID offsets on which the hosts of a job should send.", select_opts,
	  "MATRIX has a line SOURCE DESTINATION AMOUNT for each pair of endpoints: names,\n"
	  "NAME:CA_PORT, 0x GUIDs or LIDs, and a whole number in any unit (- is standard input).\n"
	  "Each host gets shares of the offsets that it sends on, the same for all its\n"
	  "destinations, so that the greatest load of a link is at most 1 % above a bound that is\n"
	  "proven: no shares do better.  DIR holds the dumps that verify reads.  Exits with 1 if\n"
	  "SL 0, on which UCX sends, is not safe on all LIDs there.\n"
	  "\n"
	  "With --ranks each process of a host gets one offset.  --script writes them as a shell\n"
	  "script that runs the program with UCX_IB_LID_PATH_BITS set: mpirun ./FILE PROGRAM.\n"
	  "Open MPI over UCX and other users of UCX follow it.",
	  cmd_select },
	{ ROUTING, "path", "A B", 2, 2,
	  "Follow a packet from A to B, with the port and lane of each hop.", path_opts,
	  "A and B are names, NAME:CA_PORT, 0x GUIDs or LIDs.  Without --tables, moored is\n"
	  "asked for the tables that the switches hold now.  Exits with 1 if the packet would\n"
	  "not arrive.", cmd_path },
	{ ROUTING, "find", "WORD [PLAN] [FABRIC]", 1, 3,
	  "Find what a LID, GUID, name or label means, and where it is.", online_opts,
	  "WORD is a LID (3 or 0x3), a GUID (0x...), a name, NAME:CA_PORT, the label of a cable, or\n"
	  "a jack as CABINET-UNIT-PORT or NAME[PORT].  All matches are listed, with the place in the\n"
	  "plan and what each is connected to.  FABRIC is as for check; LIDs are known from a directory of\n"
	  "dumps, which may stand alone.  Without files, moored is asked.  Exits with 1 if nothing\n"
	  "matches.", cmd_find },
	{ ROUTING, "table lft", "SWITCH", 1, 1,
	  "Print a switch's forwarding table, by port.", table_opts,
	  "Without --tables, moored is asked for the table that the switch holds now.", cmd_table_lft },
	{ ROUTING, "table sl2vl", "SWITCH", 1, 1,
	  "Print a switch's SL to VL tables, equal ones together.",
	  table_opts,
	  "Without --tables, moored is asked for those that the switch holds now.", cmd_table_sl2vl },
	{ ROUTING, "change", "OLD_DIR NEW_DIR", 2, 2,
	  "Compare two sets of tables, and judge the change from one to the other.",
	  change_opts,
	  "OLD_DIR and NEW_DIR hold dumps, as for verify; switches correspond by GUID, and\n"
	  "LIDs by number.  While tables are being written, each switch holds its old or its\n"
	  "new row for each LID.  Every combination is judged.  Exits with 1 if some\n"
	  "combination loops or can deadlock.\n"
	  "\n"
	  "With --steps, the change is divided into steps, as the plugin does: a step begins\n"
	  "when all rows of the one before are in force.  Prints for each step its rows, the\n"
	  "pairs that are back and the live pairs that it interrupts; whether every mixture with\n"
	  "the step before is safe; and whether the rows of all steps are safe together, or a\n"
	  "step must wait until packets of earlier ones have left.  A LID must have the same\n"
	  "owner in both.  Exits with 1 if a step is not safe or interrupts a live pair.", cmd_change },
	{ ROUTING, "capture", "[DIR]", 0, 1,
	  "Write the tables of a fabric to one file that may leave the site.", capture_opts,
	  "DIR holds the dumps that verify reads.  Without DIR, moored is asked for the tables that\n"
	  "the switches hold now.  The file is a tar archive of the same dumps, of\n"
	  "plan.json, the plan of the fabric as it is, and of MANIFEST.json, and every verb that\n"
	  "reads DIR reads it as well.  Names and GUIDs in it are pseudonyms, made with a key that\n"
	  "stays in its file; one key gives the same pseudonyms each time, so captures of one site\n"
	  "can be compared.  LIDs, ports and cabling are those of the fabric.", cmd_capture },
	{ ROUTING, "shadow", "[CAPTURE|DIR]", 0, 1,
	  "Show what moore would program, beside the tables in force.", shadow_opts,
	  "Judges the tables that were read, as verify does: every SL on every LID, or the SLs of\n"
	  "moore-path-sl.dump if there is one.  Routes the same fabric by the engine, with the LIDs\n"
	  "that it has, and prints both side by side: deadlock, hops, loads, and the shares of full\n"
	  "rate that uniform traffic and the worst found get (quality --pattern).  Then the cables,\n"
	  "against PLAN or the family that is recognised, the blocks and rows that would change, the\n"
	  "steps there and back as `change --steps` finds them, and preconditions.  Nothing is\n"
	  "written to a fabric.  Without CAPTURE or DIR, moored is asked for the tables that the\n"
	  "switches hold now.  Exits with 1 if today's tables are not sound, a cable is wrong or\n"
	  "missing, a step is not safe or interrupts a pair, or a precondition is not met.",
	  cmd_shadow },
	{ ROUTING, "accept", "SWITCH...", 1, SIZE_MAX,
	  "Show whether switches keep the tables that OpenSM wrote to them.", accept_opts,
	  "For spare switches of a kind that moore has not run on, with an OpenSM of their own that\n"
	  "routes by moore.  Compares what moored read back from each SWITCH with what OpenSM's\n"
	  "dumps hold: SL to VL rows, operational VLs, weights of VL arbitration, forwarding rows,\n"
	  "the top of the forwarding table, and path bits.  It sends no MAD that writes.  Whether a\n"
	  "switch obeys its tables when it forwards cannot be read, so that stays untold in each\n"
	  "row; docs/capture.md has the procedure with two hosts.  Exits with 1 unless the tables\n"
	  "obey in every row.", cmd_accept },
	{ ROUTING, "env", "TARGET", 1, 1,
	  "Print the settings with which applications use the LID offsets.",
	  env_opts,
	  "TARGET is ucx, openmpi, mvapich2, nccl, rdma_cm or all.  One of --lmc, --tables\n"
	  "and --opensm-conf is required.  Without --use, all offsets that the target can use\n"
	  "safely are taken.  Exits with 1 if the requested settings would be unsafe, also by\n"
	  "the dumps in --tables, or have no effect.",
	  cmd_env },
	{ LOAD, "predict", "PLAN", 1, 1,
	  "Predict the traffic that a job puts on links.", predict_opts,
	  "Routings: SD and SI, static, by all shortest paths or over random switches; AD, AI and AH,\n"
	  "adaptive, the same and both; tables, the routes of moore with all LIDs of a node; own, that\n"
	  "which each --job names: AD, AI or AH.\n"
	  "Patterns: uniform, alltoall, permutation, shift, stencil2, stencil3, stencil4, many (lines\n"
	  "of a grid), spread, mesh; and, of all nodes, overlap and yebenes, the papers' worst cases of\n"
	  "minimal routes, in which each switch sends to one other, and worst, the worst of those and\n"
	  "others that is found for moore's tables, as `quality --pattern worst` searches.\n"
	  "Placements: linear, RDN, RDR, RDC, RDG (random nodes, switches, cabinets, rows of cabinets),\n"
	  "RRN, RRR (a node or a switch of each row in turn).",
	  cmd_predict },
	{ LOAD, "whatif", "PLAN", 1, 1,
	  "Predict a job's traffic before and after parts of the fabric fail.", whatif_opts,
	  "Options, routings, patterns and placements are those of predict.",
	  cmd_whatif },
	{ LOAD, "place-job", "PLAN", 1, 1,
	  "Find the free nodes on which a job loads the fullest link least.", place_job_opts,
	  "Prints the loads with the nodes in order, with random nodes, and with those that the\n"
	  "search finds: simulated annealing, which moves processes to free nodes and exchanges them.",
	  cmd_place_job },
	{ LOAD, "simulate", "DIR|PLAN", 1, 1,
	  "Simulate packets on the routes: throughput, latency, deadlock.", simulate_opts,
	  "Routings: min (offset 0), valiant (a random other offset), inr (a random offset of all),\n"
	  "all (all offsets in turn), ugal (UGAL-L: offset 0 or the best of --ugal-candidates others\n"
	  "by the queues of the first switch), ugal-g (by those of all switches of the route), shares\n"
	  "(each by the share that a linear programme gives its sender, as select does); and, as no\n"
	  "table can, middle (over a random switch, with VLs of its own from there), ugal-m (UGAL-L\n"
	  "with such routes) and par (progressive: ugal-m, judged again in the second switch).\n"
	  "A host on InfiniBand does not know queues of switches.\n"
	  "Patterns: those of predict; worst is searched for the tables that are simulated.  DIR holds\n"
	  "the dumps that verify reads.\n"
	  "\n"
	  "An exchange ends when the last byte of its messages has come: each process sends a message\n"
	  "to all others (alltoall), to its neighbours in a 3-D torus (neighbours), or reduces one over\n"
	  "all processes in a ring, by a part in each phase, or up and down a binary tree.\n"
	  "\n"
	  "Latency is from the making of a packet to its last byte at the destination, without the\n"
	  "beginning of the run.  A link takes 50 ns, or 5 ns for each metre that the plan names; a\n"
	  "switch 100 ns.  Not modelled: packets of several lengths, classes of service, congestion\n"
	  "control, timeouts, and what the processors of hosts take.\n"
	  "\n"
	  "With --cut, moore's new tables follow at the pace that is named, and counts are those of\n"
	  "phases: before the cut, until the new tables are out, after it, and the same of a repair.\n"
	  "Lost are packets on the wire of the link (wire), to its port (port), without a row (row),\n"
	  "over 64 links (loop), or at a wrong node (node).  Stale are those that a row has forwarded\n"
	  "which was yet to change.\n"
	  "Exits with 1 if packets stall or are dropped; with --cut, if they are dropped while no rows\n"
	  "are changing.",
	  cmd_simulate },
	{ LOAD, "campaign run", "FILE", 1, 1,
	  "Simulate all points that a file names, and continue where a run ended.", campaign_run_opts,
	  "FILE is JSON.  Its keys are the options of simulate; topology, routing, pattern, load,\n"
	  "exchange and seed may be lists, of which every combination is a point:\n"
	  "  { \"moore_campaign\": 1, \"topology\": [\"slimfly q=5 p=3\", \"plan.json\"],\n"
	  "    \"routing\": [\"min\", \"ugal\"], \"lmc\": 2, \"load\": [0.1, 0.5], \"seed\": [1, 2] }\n"
	  "Plans are named relative to the folder of FILE.  \"chunk\" is the number of points that a\n"
	  "process claims at once (16).\n"
	  "\n"
	  "A point that has ended is kept whatever happens then, and is not run again.  Several calls,\n"
	  "also on several hosts, share the work.  When all points are done, DIR/results.csv has a row\n"
	  "for each, the same however often and wherever it ran; DIR/times.csv has seconds and hosts.\n"
	  "If FILE or a plan has changed since the first call, the folder is refused.",
	  cmd_campaign_run },
	{ LOAD, "campaign slurm", "FILE", 1, 1,
	  "Print a batch script that runs a campaign as an array job of Slurm.", campaign_slurm_opts,
	  "Makes the folder of results, where tasks also leave what they print.  For instance:\n"
	  "  moorectl campaign slurm FILE | sbatch --partition=short --time=2:00:00\n"
	  "Each task runs a chunk.  When they have ended, `moorectl campaign run FILE` runs what is\n"
	  "missing, if anything is, and writes the tables.",
	  cmd_campaign_slurm },
	{ ETHERNET, "ethernet discover", "[DIR]", 0, 1,
	  "Find the fabric from what the switches report by LLDP.", ether_discover_opts,
	  "DIR/SWITCH holds, for each switch, chassis.json (lldpcli -f json0 show chassis),\n"
	  "neighbors.json (lldpcli -f json0 show neighbors details) and, if there is one,\n"
	  "links.json (ip -json -statistics link show).  With --command they are asked for: WORDS\n"
	  "are split at blanks and run without a shell, 16 at once, with {switch} and {what}\n"
	  "(chassis, neighbors, links) replaced.  A switch that does not answer costs only itself.\n"
	  "\n"
	  "A cable counts if both ends report it, or the one that could be asked.  Port n of a\n"
	  "switch is swp<n> or Ethernet<4(n-1)>, port n of a host eth<n-1>; other interfaces are\n"
	  "left alone.  -o FILE is a plan, for `check`, `repair` and `watch` to take as FABRIC.\n"
	  "Exits with 1 if there is a finding other than a note.",
	  cmd_ether_discover },
	{ ETHERNET, "ethernet ports", "PLAN DIR [SWITCH]", 2, 3,
	  "List each port with its planned and its actual neighbour.", NULL,
	  "The columns of ptmctl: port, cbl status (pass, fail; N/A: no neighbour is planned), exp\n"
	  "nbr, act nbr.  DIR is that of `ethernet discover`.  Judges what each switch itself\n"
	  "reports: pass, if the planned neighbour is among its neighbours at that port.  Exits\n"
	  "with 1 if a port fails.", cmd_ether_ports },
	{ ETHERNET, "ethernet emit", "PLAN", 1, 1,
	  "Write the addresses, routes and classes of all switches and hosts.", ether_emit_opts,
	  "A layer is a prefix: each switch has one for each layer, and each host an address in\n"
	  "each; a sender chooses the layer by the address that it sends to.  Layer 0 is minimal,\n"
	  "the others go over a switch between.  -o DIR holds plan.json, addresses.json, a\n"
	  "directory for each switch and hosts/HOST for each host.\n"
	  "\n"
	  "The formats, with a file for each switch:\n"
	  CLI_ETHER_FORMATS
	  "\n"
	  "Two lossless classes keep lossless traffic free of deadlock on every route.  With one\n"
	  "(--priorities 3), the routes themselves are free of it, and longer.  The files are\n"
	  "written into a new directory, read back and judged as `ethernet verify` does, and then\n"
	  "take the place of DIR.\n"
	  "\n"
	  "--ecmp N adds next hops to the routes of layer 0, all on paths of equally many hops.  One\n"
	  "is left out if some mixture of next hops could deadlock with it.\n"
	  "\n"
	  "--backup adds a route of metric 2048 (FRR, SONiC: distance 20) over another port, which a\n"
	  "switch takes as soon as the port of the first has no carrier.  With any single link down, no\n"
	  "packet loops and no cycle of paused ports can arise.",
	  cmd_ether_emit },
	{ ETHERNET, "ethernet verify", "DIR", 1, 1,
	  "Read emitted files back, and judge what the switches do with them.", NULL,
	  "Follows the routes of every switch to every prefix, in each format and address family\n"
	  "that DIR holds, and the classes of lossless packets from port to port.  Exits with 1\n"
	  "unless every prefix is reached from where links lead to it, no lossless packet changes to\n"
	  "another class than the next switch expects, and no cycle of paused ports can arise,\n"
	  "whichever of its next hops a route takes.",
	  cmd_ether_verify },
	{ ETHERNET, "ethernet diff", "DIR RUNNING", 2, 2,
	  "Print what to change so that the switches run the routes of DIR.", ether_diff_opts,
	  "RUNNING holds SWITCH/routes.json and SWITCH/routes6.json, as `ip -N -json route show` and\n"
	  "`ip -6 -N -json route show` print them, or is a directory that was emitted.  The changes are\n"
	  "lines for `ip -force -batch`, in steps: load a step on all its switches, then the next.\n"
	  "No mixture of a step and the one before it can deadlock.  Routes of other protocols are\n"
	  "left alone.  Exits with 1 if anything differs.",
	  cmd_ether_diff },
	{ ETHERNET, "ethernet apply", "DIR", 1, 1,
	  "Bring the switches to the routes of DIR, in safe steps.", ether_apply_opts,
	  "The commands are divided at blanks and run without a shell, eight at a time; {switch} is\n"
	  "the name of a switch, and {family} -4 or -6.  Each step is loaded on all its switches and\n"
	  "read back; the next begins only when what was read is what the step should leave.\n"
	  "For example, for switches that are network namespaces:\n"
	  "  --command 'ip netns exec {switch} ip -force -batch -'\n"
	  "  --read 'ip netns exec {switch} ip {family} -N -json route show'",
	  cmd_ether_apply },
	{ LIVE, "status", "", 0, 0, "Print the state of moored and of the fabric.", all_planes_opts,
	  "Exits with 1 if a plane is not up, its master subnet manager does not answer, a problem\n"
	  "of its subnet managers or tables is raised (daemon.md lists them), the\n"
	  "last reload was refused, or history or events cannot be written.", cmd_status },
	{ LIVE, "switches", "", 0, 0,
	  "List every switch that was found.", online_opts, NULL, cmd_switches },
	{ LIVE, "links", "[SWITCH]", 0, 1,
	  "List every link between switches, or those of one switch.", online_opts,
	  NULL, cmd_links },
	{ LIVE, "hotspots", "", 0, 0,
	  "List the links with a finding now: hot, waited for, with errors, slow.",
	  hotspots_opts,
	  "Load is a share of what the link can carry, wait a share of the time.  Exits with 1\n"
	  "if there is a finding.", cmd_hotspots },
	{ LIVE, "errors", "", 0, 0,
	  "List the ports whose error counters are not 0, and how fast these rise.", errors_opts,
	  "The ports of switches come first, then those of hosts, which are read once in 10 s.\n"
	  "ROSE and PER HOUR count since moored first read the port, FOR is how long ago that\n"
	  "was, LAST is the time since a counter rose, up to the last poll.  Exits with 1 if\n"
	  "there is such a port.", cmd_errors },
	{ LIVE, "explain", "LINK", 1, 1,
	  "Explain why a link is hot: which traffic it carries, and what to try.",
	  online_opts,
	  "LINK is the switch and the port by which it leaves, like s0-0-0[5] or s0-0-0:5.  The\n"
	  "senders are estimated from the loads of all links; certainty is 100 % if the\n"
	  "counters allow no other sender.", cmd_explain },
	{ LIVE, "drain", "[LINK...]", 0, SIZE_MAX,
	  "Take links out of use, or say which should be and may be.", drain_opts,
	  "Without LINK: the links between switches with errors or flaps.  LINK is as for explain.\n"
	  "The file is that of `links` in moore.conf, which `moore_conf` of moored.conf names;\n"
	  "OpenSM's plugin finds the change, and moves routes in safe steps.  A link stays if it is\n"
	  "one of a switch's last two, if the others do not connect its ends, or if drain_most of\n"
	  "moored.conf are drained.  Exits with 1 if a link should be drained and is not.",
	  cmd_drain },
	{ LIVE, "events", "[KIND...]", 0, SIZE_MAX, "Print events as they happen, or those of the past.",
	  events_opts,
	  "KIND is sweep, state, reload, wiring, hotspot, manager, problem or drain; without KIND\n"
	  "all are printed.  WHEN is a time before now (30m, 8h, 2d), today, yesterday, 10:00, 2026-11-22 or\n"
	  "2026-11-22T10:00, in local time.  With --json, an object on each line.  Without --since\n"
	  "and --until it ends when moored ends, or at Ctrl-C.",
	  cmd_events },
	{ LIVE, "history", "[WHAT]", 0, 1,
	  "Print what happened to a link, a switch, an endpoint, or all.", history_opts,
	  "WHAT is a name, a GUID, or a link as for explain.  Prints the events that name it; for a\n"
	  "link and for an endpoint also the load of its port, from history_s of moored.conf, and\n"
	  "its error counters, as errors does.  Without WHAT it prints the events of the whole\n"
	  "fabric.  Of many events the latest 200 are shown.  WHEN is as for events.", cmd_history },
	{ LIVE, "record", "FILE", 1, 1,
	  "Write the rates of all ports over time to a file.", record_opts,
	  "Without --seconds and --past it records until Ctrl-C.  Each row is written as it\n"
	  "comes, so an interrupted recording lacks only its end.", cmd_record },
	{ LIVE, "replay", "FILE", 1, 1, "Show a recording: the busiest links, and the findings.",
	  replay_opts,
	  "The findings are those that moored makes from the same rates.  The end is a summary:\n"
	  "the time covered, the links that carried most, and how long each finding stood.",
	  cmd_replay },
	{ LIVE, "call", "[METHOD [JSON]]", 0, 2,
	  "Call any method of moored; the answer is JSON.", NULL,
	  "JSON is an object of parameters: moorectl call routes.path '{\"from\":\"A\",\"to\":\"B\"}'.\n"
	  "Without METHOD, the methods are listed, one line each.", cmd_call },
	{ SETUP, "conf check", "FILE", 1, 1, "Check a moore.conf, and the files that it names.", NULL, NULL, cmd_conf_check },
	{ SETUP, "conf", "", 0, 0,
	  "Print moore.conf with every key, its help and its default.", NULL,
	  NULL, cmd_conf },
	{ SETUP, "opensm-conf", "[FILE]", 0, 1,
	  "Put the settings that the plugin needs into an opensm.conf.", opensm_conf_opts,
	  "FILE is /etc/opensm/opensm.conf unless another one is given; a file that does not exist\n"
	  "is made.  A setting that suits the plugin stays, so a second run changes nothing.\n"
	  "Other plugins stay, with their options.  max_op_vls becomes the number that the classes\n"
	  "of moore.conf need, if it is less, or if it is 5, OpenSM's default.",
	  cmd_opensm_conf },
	{ SETUP, "doctor", "", 0, 0,
	  "Check whether the plugin will load into this OpenSM and route.",
	  doctor_opts,
	  "Checks OpenSM, the plugin, opensm.conf, moore.conf and the plan that it names.\n"
	  "Exits with 1 if a check fails.  With --if-used it can run before OpenSM in its unit:\n"
	  "an OpenSM that does not use moore, or that has no opensm.conf, still starts.",
	  cmd_doctor },
	{ 0 }
};
