# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# shared.bash - what the tests of moorectl (cli/lib.bash) and those on a fabric (fabric/lib.bash)
# both need.

# Prints the tables of a dump without LIDs: switch GUID, port GUID of the destination,
# offset, port.
tables() {
	awk '/^Unicast/ { for (i = 1; i < NF; i++) if ($i == "guid") sw = $(i + 1); split("", n) }
		/^0x/ { for (i = 1; i < NF; i++) if ($i == "portguid") g = $(i + 1)
			sub(/:$/, "", g); print sw, g, n[g]++ + 0, $2 }' "$1/opensm-lfts.dump" | sort
}

# A program for jq: a plan with one host more, at the second of its switches without endpoints.
# shellcheck disable=SC2034
host_at_middle='([.endpoints[].switch] | unique) as $leaves | ([.switches[].name] - $leaves)[1] as $s |
	(.switches[] | select(.name == $s).ports) += 1 |
	.endpoints += [{name: "extra", switch: $s, port: (.switches[] | select(.name == $s).ports)}]'
