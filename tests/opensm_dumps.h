/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* opensm_dumps.h - the dumps of a small fabric, as OpenSM 3.3.23 wrote them at LMC 1: three
 * switches in a triangle with one host on each, the subnet manager on H0.  One host has a
 * name that is hard to parse.  The multicast dump is written by hand from the source of
 * dump_mcast_routes(). */
#ifndef MOORE_TEST_OPENSM_DUMPS_H
#define MOORE_TEST_OPENSM_DUMPS_H

#define END(type, ports, node, port, ven, name, lid, pn) \
	"{ " type " Ports:" ports " SystemGUID:0000000000" node " NodeGUID:0000000000" node \
	" PortGUID:0000000000" port " VenID:" ven " DevID:0000 Rev:000000A1 {" name "} LID:" lid \
	" PN:" pn " } "
#define H0(ven) END("CA-SM", "02", "100000", "100001", ven, "H0", "0002", "01")
#define H1(ven) END("CA", "01", "100003", "100004", ven, "H1", "0008", "01")
#define H2(ven) END("CA", "01", "100005", "100006", ven, "H2 a{b}'q' x", "000A", "01")
#define S0(ven, pn) END("SW", "04", "200000", "200000", ven, "S0", "0004", pn)
#define S1(ven, pn) END("SW", "04", "200001", "200001", ven, "S1", "0005", pn)
#define S2(ven, pn) END("SW", "04", "200002", "200002", ven, "S2", "0006", pn)
#define NEAR "000000"
#define FAR "00000000"
#define ACT "PHY=4x LOG=ACT SPD=2.5\n"

#define SUBNET_LST \
	H0(NEAR) S0(FAR, "01") ACT \
	S0(NEAR, "01") H0(FAR) ACT \
	S0(NEAR, "02") S1(FAR, "02") ACT \
	S0(NEAR, "03") S2(FAR, "02") ACT \
	S1(NEAR, "01") H1(FAR) ACT \
	S1(NEAR, "02") S0(FAR, "02") ACT \
	S1(NEAR, "03") S2(FAR, "03") ACT \
	S2(NEAR, "01") H2(FAR) ACT \
	S2(NEAR, "02") S0(FAR, "03") ACT \
	S2(NEAR, "03") S1(FAR, "03") ACT \
	H1(NEAR) S1(FAR, "01") ACT \
	H2(NEAR) S2(FAR, "01") ACT

#define LFT_ROW(lid, port, type, guid, name) \
	"0x00" lid " 00" port " # " type " portguid 0x0000000000" guid ": '" name "'\n"
#define LFT_CA(lid, port, guid, name) LFT_ROW(lid, port, "Channel Adapter", guid, name)
#define LFT(sw_lid, guid, name, h0, s0, s1, s2, h1, h2) \
	"Unicast lids [0-11] of switch Lid " sw_lid " guid 0x0000000000" guid " ('" name "'):\n" \
	LFT_CA("02", h0, "100001", "H0") LFT_CA("03", h0, "100001", "H0") \
	LFT_ROW("04", s0, "Switch", "200000", "S0") LFT_ROW("05", s1, "Switch", "200001", "S1") \
	LFT_ROW("06", s2, "Switch", "200002", "S2") \
	LFT_CA("08", h1, "100004", "H1") LFT_CA("09", h1, "100004", "H1") \
	LFT_CA("0a", h2, "100006", "H2 a{b}'q' x") LFT_CA("0b", h2, "100006", "H2 a{b}'q' x") \
	"11 lids dumped\n"
#define LFTS_DUMP \
	LFT("4", "200000", "S0", "1", "0", "2", "3", "2", "3") \
	LFT("5", "200001", "S1", "2", "2", "0", "3", "1", "3") \
	LFT("6", "200002", "S2", "2", "2", "3", "0", "3", "1")

#define FDBS_HEAD(guid) \
	"dump_ucast_routes: Switch 0x0000000000" guid "\nLID    : Port : Hops : Optimal\n" \
	"0x0001 : UNREACHABLE\n"
#define FDB(lid, port, hops) "0x000" lid " : 00" port "  : 0" hops "   : yes\n"
#define FDBS \
	FDBS_HEAD("200000") FDB("2", "1", "1") FDB("3", "1", "1") FDB("4", "0", "0") \
	FDB("5", "2", "1") FDB("6", "3", "1") "0x0007 : UNREACHABLE\n" FDB("8", "2", "2") \
	FDB("9", "2", "2") FDB("A", "3", "2") FDB("B", "3", "2") \
	FDBS_HEAD("200001") FDB("2", "2", "2") FDB("3", "2", "2") FDB("4", "2", "1") \
	FDB("5", "0", "0") FDB("6", "3", "1") "0x0007 : UNREACHABLE\n" FDB("8", "1", "1") \
	FDB("9", "1", "1") FDB("A", "3", "2") FDB("B", "3", "2") \
	FDBS_HEAD("200002") FDB("2", "2", "2") FDB("3", "2", "2") FDB("4", "2", "1") \
	FDB("5", "3", "1") FDB("6", "0", "0") "0x0007 : UNREACHABLE\n" FDB("8", "3", "2") \
	FDB("9", "3", "2") FDB("A", "1", "1") FDB("B", "1", "1")

#define RULE "#--------------------------------------------------------\n"
#define SLS "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
#define VLS " 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7 \n"
#define TO(out) \
	"0   " out "   :" VLS "1   " out "   :" VLS "2   " out "   :" VLS "3   " out "   :" VLS \
	"4   " out "   :" VLS
#define SL2VL_SW(n, lid) \
	"Switch 0x000000000020000" n ", base LID " lid ", \"S" n "\"\n" SLS RULE TO("1") TO("2") \
	TO("3") RULE "\n"
#define SL2VL_CA(guid, lid, name) \
	"Channel Adapter 0x0000000000" guid ", base LID " lid ", \"" name "\"\n" SLS RULE \
	"0   0   :" VLS RULE "\n"
#define SL2VL_DUMP \
	SL2VL_SW("0", "4") SL2VL_CA("100001", "2", "H0") SL2VL_SW("1", "5") SL2VL_SW("2", "6") \
	SL2VL_CA("100004", "8", "H1") SL2VL_CA("100006", "10", "H2 a{b}'q' x")
#define SL2VL_SWITCHES SL2VL_SW("0", "4") SL2VL_SW("1", "5") SL2VL_SW("2", "6")

#define MCFDBS \
	"\nSwitch 0x0000000000200000\nLID    : Out Port(s)\n0xC000 : 0x001  0x002 \n" \
	"0xC003 : 0x000  0x002  0x003 \n" \
	"\nSwitch 0x0000000000200001\nLID    : Out Port(s)\n0xC000 : 0x001  0x002 \n"

#endif
