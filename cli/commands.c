// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* commands.c - every verb of moorectl: a new one is a row here and a function.
 * Dispatch, --help, --list (which shell completion reads) come from this table;
 * a test holds the man page to it. */
#include "online.h"

#define OPT_OUTPUT_FILE { "output", 'o', "FILE", "write there, whole or not at all (- is standard output)" }
#define OPT_TABLES { "tables", 0, "DIR", "directory of the dumps" }

#define OPT_PROFILE { "profile", 0, "any-sl|sl-hint", "as in moore.conf, in place of its line" }
#define OPT_LAYERS { "layers", 0, "valiant3|nta|valiant|inr", "as in moore.conf, in place of its line" }
#define OPT_CLASSES { "classes", 0, "LIST", "as in moore.conf, in place of its line: class of each SL" }

static const struct cli_opt out_opts[] = {
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt export_opts[] = {
	{ "to", 0, "FORMAT", "one of those above" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt import_opts[] = {
	{ "from", 0, "FORMAT", "one of those above" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt place_opts[] = {
	{ "model", 0, "fujiwara|young", "cable runs and their floor (fujiwara)" },
	{ "cabinet-size", 0, "N", "switches in a cabinet (16; young: 2)" },
	{ "pitch", 0, "WxD", "metres from cabinet to cabinet and from row to row (0.6x2.1; young: 0.6x2)" },
	{ "assign", 0, "sequential|structure|refined", "switches to cabinets (refined)" },
	{ "iterations", 0, "N", "tries of each annealing (2000000)" },
	{ "seed", 0, "N", "of the annealing (1)" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt cables_opts[] = {
	{ "by", 0, "pair|bundle", "pairs of cabinets, or a cabinet and a row (pair)" },
	{ "crews", 0, "N", "share the work among so many (1)" },
	{ "catalogue", 0, "FILE", "lines LENGTH,copper|optical[,PRICE] (an example without prices)" },
	{ "csv", 0, "FILE", "write the list there" },
	{ "html", 0, "FILE", "write a sheet to print there" },
	{ 0 }
};
static const struct cli_opt permute_opts[] = {
	{ "method", 0, "METHOD", "two-cab, three-cab or one-step (two-cab)" },
	{ "fraction", 0, "P", "chance that a swap is allowed, 0 to 1 (1)" },
	{ "trials", 0, "N", "the best of so many, by diameter, then mean distance (20)" },
	{ "seed", 0, "S", "of all that is random (1)" },
	{ "cabinet-size", 0, "N", "place a plan without cabinets: N switches to each, in order" },
	OPT_OUTPUT_FILE,
	{ 0 }
};
static const struct cli_opt steps_opts[] = {
	{ "max-cables", 0, "K", "so many cables may be unplugged at a time" },
	{ "state", 0, "FILE", "what is plugged in now: a plan, or ibnetdiscover output (OLD)" },
	{ "lmc", 0, "N", "2^N LIDs for each endpoint (0)" },
	{ "conf", 0, "FILE", "moore.conf to use (the defaults); its plan is not read" },
	{ 0 }
};
static const struct cli_opt route_opts[] = {
	{ "lmc", 0, "N", "2^N LIDs for each endpoint (0)" },
	{ "fail", 0, "NAME[:PORT]", "without this switch, endpoint, or link; repeatable" },
	{ "conf", 0, "FILE", "moore.conf to use (the defaults); its plan is not read" },
	OPT_PROFILE,
	OPT_LAYERS,
	OPT_CLASSES,
	{ "output", 'o', "DIR", "directory for the tables; made when it is not there" },
	{ 0 }
};
static const struct cli_opt quality_opts[] = {
	{ "lmc", 0, "N", "of a plan: 2^N LIDs for each endpoint (0)" },
	{ "fail", 0, "NAME[:PORT]", "of a plan: without this switch, endpoint, or link; repeatable" },
	{ "conf", 0, "FILE", "of a plan: moore.conf to use (the defaults); its plan is not read" },
	OPT_PROFILE,
	OPT_LAYERS,
	{ "svg", 0, "FILE", "draw it, too" },
	{ "pattern", 0, "uniform|worst", "how much traffic of this kind they carry, instead" },
	{ 0 }
};
static const struct cli_opt env_opts[] = {
	{ "lmc", 0, "N", "LMC of the fabric" },
	OPT_TABLES,
	{ "opensm-conf", 0, "FILE", "opensm.conf that names the LMC" },
	{ "profile", 0, "any-sl|sl-hint", "of moore.conf (any-sl)" },
	{ "classes", 0, "LIST", "of moore.conf (0)" },
	{ "class", 0, "N", "class of service to send in (0)" },
	{ "use", 0, "minimal|valiant|all|LIST", "LID offsets: 0, the others, all, or like 0,2-3" },
	{ 0 }
};
static const struct cli_opt verify_opts[] = {
	{ "sl", 0, "LIST", "SLs that may be used, like 0 or 0,2-5; hint: those of moore-path-sl.dump (all)" },
	{ "lids", 0, "base|all", "LIDs that are addressed (all)" },
	{ "sources", 0, "endpoints|all", "who sends and is addressed: all counts switches (all)" },
	{ "certificate", 0, "FILE", "write the order of channels that proves it" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt path_opts[] = {
	OPT_TABLES,
	OPT_ONLINE,
	{ "offset", 0, "N", "LID of B: its base LID plus N (0)" },
	{ "sl", 0, "0-15", "service level of the packet (0)" },
	{ 0 }
};
static const struct cli_opt table_opts[] = {
	OPT_TABLES,
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt doctor_opts[] = {
	{ "opensm-conf", 0, "FILE", "(/etc/opensm/opensm.conf)" },
	{ "moore-conf", 0, "FILE", "(named in opensm.conf, or " MOORE_SYSCONFDIR "/moore/moore.conf)" },
	{ "opensm", 0, "PATH", "the program (found as a shell does, or in /usr/sbin)" },
	{ "plugin", 0, "PATH", "the library (found as OpenSM does)" },
	{ "if-used", 0, NULL, "check nothing unless routing_engine names moore" },
	{ 0 }
};

static const struct cli_opt repair_opts[] = {
	{ "accept", 0, "FILE", "write the plan that the fabric fulfils as it is, instead" },
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt online_opts[] = {
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt watch_opts[] = {
	{ "until-complete", 0, NULL, "end when all is cabled as planned" },
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt hotspots_opts[] = {
	{ "watch", 'w', NULL, "go on: the table each second, or what comes and goes" },
	OPT_ONLINE,
	{ 0 }
};

static const struct cli_opt record_opts[] = {
	{ "seconds", 0, "N", "from now on, for so long (with --past: 0)" },
	{ "past", 0, "N", "what moored remembers of the last N seconds, first" },
	OPT_ONLINE,
	{ 0 }
};
static const struct cli_opt replay_opts[] = {
	{ "speed", 0, "N", "N times as fast as it was (at once)" },
	{ 0 }
};

enum { DESIGN, CABLING, ROUTING, LIVE, SETUP };
const char *const cli_groups[] = {
	[DESIGN] = "Design a fabric",
	[CABLING] = "Cable it, and check the cables",
	[ROUTING] = "Routes: compute, prove, judge, use",
	[LIVE] = "The fabric that runs, as moored sees it",
	[SETUP] = "Set up OpenSM and the plugin",
};

const struct cli_cmd cli_cmds[] = {
	{ DESIGN, "topo list", "", 0, 0, "List the topology families and their parameters.",
	  NULL, NULL, cmd_topo_list },
	{ DESIGN, "topo show", "FAMILY KEY=VALUE...", 1, SIZE_MAX,
	  "Size, distances and cost of a topology.", NULL,
	  "Cost counts all switch ports in use and all links, those to endpoints\n"
	  "included.  The mean distance is over ordered pairs of distinct switches.",
	  cmd_topo_show },
	{ DESIGN, "plan new", "FAMILY KEY=VALUE...", 1, SIZE_MAX,
	  "Make the plan of a topology.", out_opts,
	  "Families and their parameters, which `moorectl topo list` explains:\n" CLI_FAMILIES
	  "Without -o the plan goes to standard output; with it a summary does.",
	  cmd_plan_new },
	{ DESIGN, "plan show", "FILE", 1, 1, "What is in a plan, and how far its switches are apart.",
	  NULL, NULL, cmd_plan_show },
	{ DESIGN, "plan check", "FILE", 1, 1, "Is a plan valid, and in one part?", NULL,
	  "Exits with 1 when the plan can be read and is wrong, or falls apart into\n"
	  "parts that no cable joins.", cmd_plan_check },
	{ DESIGN, "plan export", "FILE", 1, 1, "Write a plan in another format.", export_opts,
	  "--to FORMAT is required.  Formats:\n" CLI_WRITTEN
	  "slurm writes leaves below one switch \"fabric\", which stands for all cables.",
	  cmd_plan_export },
	{ DESIGN, "plan import", "FILE", 1, 1, "Make a plan of another format.", import_opts,
	  "--from FORMAT is required.  Formats:\n" CLI_READ
	  "ptm: swp<n> is port n of a switch, eth<n> port n+1 of a host.  opa: FI is an\n"
	  "endpoint, a rack a cabinet.  slurm: nodes get ports in their order.",
	  cmd_plan_import },
	{ DESIGN, "plan permute", "PLAN", 1, 1, "Swap ends of cables at random, so that distances fall.",
	  permute_opts,
	  "-o FILE is required: the new plan.  Ends are exchanged inside cabinets only, so\n"
	  "that no cable needs another length.  Says which end of which cable goes where.",
	  cmd_plan_permute },
	{ CABLING, "plan place", "FILE", 1, 1, "Put switches into cabinets, and cabinets where they need least cable.",
	  place_opts,
	  "-o FILE is required: the plan with cabinets, units and cable lengths.  A cable is\n"
	  "2 m inside a cabinet, else 4 m and the Manhattan way.  sequential fills cabinets in\n"
	  "plan order, structure with what belongs together, refined takes the better one and\n"
	  "exchanges switches.  The bounds say how far the total can be from the best.",
	  cmd_plan_place },
	{ CABLING, "plan cables", "FILE", 1, 1, "The cables to buy, and who plugs what in where.", cables_opts,
	  "FILE is a plan that was placed.  Labels are CABINET-UNIT-PORT.  Each cable gets the\n"
	  "shortest of the catalogue that reaches, of two as long the copper one.  Crews get\n"
	  "runs of the list with as many lines each, so that a crew stays in one part of the floor.",
	  cmd_plan_cables },
	{ CABLING, "plan steps", "OLD NEW", 2, 2, "From one wiring to another while the fabric runs.",
	  steps_opts,
	  "--max-cables K is required.  A step unplugs the ends it lists and then plugs them\n"
	  "in; meanwhile all other cables keep the fabric in one part, and the engine's\n"
	  "routes on them are judged.  With --state FILE it goes on from there.  Exits with 1\n"
	  "when there is no such order, or a step's tables are not sound.",
	  cmd_plan_steps },
	{ CABLING, "check", "[PLAN [FABRIC]]", 0, 2, "Is the fabric cabled as planned?", online_opts,
	  "What is not named is asked of moored: its plan, the fabric as it is now.\n"
	  "FABRIC is what ibnetdiscover printed, an opensm-subnet.lst, a directory of dumps\n"
	  "that holds one, or another plan.  Switches are known by GUID where the plan gives\n"
	  "one, else by name, else by their cables.  Exits with 1 when something deviates.",
	  cmd_check },
	{ CABLING, "repair", "[PLAN [FABRIC]]", 0, 2, "The fewest cable ends to move, and in which order.",
	  repair_opts,
	  "PLAN and FABRIC as for check.  All ends of a step are pulled, then plugged in.  Cables to\n"
	  "what is not there are left out.  Exits with 1 when there is something to move.",
	  cmd_repair },
	{ CABLING, "watch", "", 0, 0, "The fabric while it is cabled: what is live, what to plug next.",
	  watch_opts,
	  "A new verdict follows each change.  On a terminal, one screen with a row for each\n"
	  "cabinet; elsewhere a + for each deviation that came and a - for each that went;\n"
	  "with --json an object on each line.  Ends at Ctrl-C.", cmd_watch },
	{ ROUTING, "route", "PLAN", 1, 1, "Compute what the OpenSM plugin would, and check it.",
	  route_opts,
	  "Computes and checks all tables in memory, and prints the verdict.  -o DIR writes\n"
	  "them too: opensm-lfts.dump, opensm-sl2vl.dump, opensm-subnet.lst, opensm.fdbs and\n"
	  "opensm.mcfdbs (without groups), and under profile sl-hint moore-path-sl.dump: the\n"
	  "SLs that path records give; and moore-slvl.dump and moore-psl.dump, for ibdmchk -d\n"
	  "and -c.  LIDs follow GUIDs: first the switches, then the endpoints; with --fail they\n"
	  "stay those of the intact plan.",
	  cmd_route },
	{ ROUTING, "verify", "[DIR]", 0, 1, "Can traffic on these tables deadlock?", verify_opts,
	  "Without DIR, on the tables that the switches hold now: moored is asked.\n"
	  "DIR holds opensm-lfts.dump, opensm-sl2vl.dump and opensm-subnet.lst (and\n"
	  "opensm.mcfdbs, when there is one) of any OpenSM, or of moorectl route.  Without\n"
	  "opensm-sl2vl.dump, which OpenSM writes only with QoS, packets keep one VL.\n"
	  "--sl hint judges the SLs that moore-path-sl.dump lists for each source and LID.\n"
	  "Exits with 1 when the tables are not sound.", cmd_verify },
	{ ROUTING, "quality", "DIR|PLAN", 1, 1, "How long, even and independent are the routes?",
	  quality_opts,
	  "DIR holds the dumps that verify reads; of a PLAN the routes are computed first.\n"
	  "For each LID offset: pairs (switch with endpoints, endpoint elsewhere) by hops, and\n"
	  "the load of links when each such switch sends one unit to each LID; over all\n"
	  "offsets: load, pairs with a route longer than their distance, and routes of a pair\n"
	  "of which no two share a directed link (exact to 8 offsets, greedy beyond).\n"
	  "With --pattern instead: the share of what endpoints can inject at which a link is\n"
	  "full, traffic in one offset or spread over all. uniform: each to all others; worst:\n"
	  "the patterns that minimal routes carry worst, all of a switch to one other.",
	  cmd_quality },
	{ ROUTING, "path", "A B", 2, 2, "How A reaches B, hop by hop and lane by lane.", path_opts,
	  "A and B are names, NAME:CA_PORT, 0x GUIDs or LIDs.  Without\n"
	  "--tables, on the tables that the switches hold now: moored is asked.\n"
	  "Exits with 1 when a packet would not arrive.", cmd_path },
	{ ROUTING, "table lft", "SWITCH", 1, 1, "A switch's forwarding table, by port.", table_opts,
	  "Without --tables, the one that the switch holds now: moored is asked.", cmd_table_lft },
	{ ROUTING, "table sl2vl", "SWITCH", 1, 1, "A switch's SL to VL tables, equal ones together.",
	  table_opts,
	  "Without --tables, those that the switch holds now: moored is asked.", cmd_table_sl2vl },
	{ ROUTING, "change", "OLD_DIR NEW_DIR", 2, 2, "What changes between two tables, and is it safe meanwhile?",
	  NULL,
	  "OLD_DIR and NEW_DIR hold dumps, as for verify; switches correspond by GUID, and\n"
	  "LIDs by number.  While tables go out, each switch holds for each LID its old or\n"
	  "its new row: every combination is judged.  Exits with 1 when some combination\n"
	  "loops or can deadlock.", cmd_change },
	{ ROUTING, "env", "TARGET", 1, 1, "The settings by which applications use the LID offsets.",
	  env_opts,
	  "TARGET is ucx, openmpi, mvapich2, nccl, rdma_cm or all.  One of --lmc, --tables\n"
	  "and --opensm-conf is required.  Without --use: all offsets that the target can use\n"
	  "safely.  Exits with 1 when what is asked for would be unsafe or have no effect.",
	  cmd_env },
	{ LIVE, "status", "", 0, 0, "Is moored well, and what does it see?", online_opts,
	  "Exits with 1 when a plane is not up, its master subnet manager does not answer, or\n"
	  "the last reload was refused.", cmd_status },
	{ LIVE, "switches", "", 0, 0, "Every switch that was found.", online_opts, NULL, cmd_switches },
	{ LIVE, "links", "[SWITCH]", 0, 1, "Every link between switches; those of one.", online_opts,
	  NULL, cmd_links },
	{ LIVE, "hotspots", "", 0, 0, "Links that stand out now: hot, waited for, erring, slow.",
	  hotspots_opts,
	  "Load and wait are shares of what the link can carry and of the time.  Exits with 1\n"
	  "when there is one.", cmd_hotspots },
	{ LIVE, "explain", "LINK", 1, 1, "Why is a link hot: whose traffic is it, and what to try?",
	  online_opts,
	  "LINK is the switch and port that it leaves by, like s0-0-0[5] or s0-0-0:5.  Who\n"
	  "sends is an estimate from the loads of all links; its certainty is 100 % when\n"
	  "the counters allow nothing else.", cmd_explain },
	{ LIVE, "events", "[KIND...]", 0, SIZE_MAX, "What happens, as it happens.", online_opts,
	  "KIND is sweep, state, reload, wiring, hotspot or manager; without it, all.  With\n"
	  "--json, an object on each line.  Ends when moored does, or at Ctrl-C.", cmd_events },
	{ LIVE, "record", "FILE", 1, 1, "Keep the rates of all ports over time in a file.", record_opts,
	  "Without --seconds and --past, until Ctrl-C.  Each row is written as it comes: what\n"
	  "is broken off lacks its end and nothing else.", cmd_record },
	{ LIVE, "replay", "FILE", 1, 1, "A recording seen again: the busiest links, what stood out.",
	  replay_opts,
	  "Findings are those that moored makes of the same rates.", cmd_replay },
	{ LIVE, "call", "[METHOD [JSON]]", 0, 2, "Ask moored: any of its methods, answered in JSON.", NULL,
	  "JSON is an object of params: moorectl call routes.path '{\"from\":\"A\",\"to\":\"B\"}'.\n"
	  "Without METHOD: the methods, one line each.", cmd_call },
	{ SETUP, "conf check", "FILE", 1, 1, "Is a moore.conf right?", NULL, NULL, cmd_conf_check },
	{ SETUP, "conf", "", 0, 0, "Print moore.conf with every key, its help and its default.", NULL,
	  NULL, cmd_conf },
	{ SETUP, "doctor", "", 0, 0, "Will the plugin load into this OpenSM and be in force?",
	  doctor_opts,
	  "Looks at OpenSM, the plugin, opensm.conf, moore.conf and the plan it names.\n"
	  "Exits with 1 when a check says FAIL.  With --if-used it can stand before OpenSM in\n"
	  "its unit: an OpenSM that does not use moore, or that has no opensm.conf, starts.",
	  cmd_doctor },
	{ 0 }
};
