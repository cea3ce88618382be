# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# hot.bats - polls of made-up traffic: which links are reported as hot, the causes, the
# remedies, and the metrics.
load lib

# still FAMILY PARAMS... -- POLLS: prepares a 4xEDR fabric that does not change, POLLS polls
# of it, and the traffic on standard input (daemon/still.c).
still() {
	local polls=${*: -1}
	$M plan new "${@:1:$#-1}" -o "$T/bare.json" >/dev/null
	sed 's/^"moore_plan": 1,/& "rate": "4xEDR",/' "$T/bare.json" >"$T/plan.json"
	cat >"$T/traffic"
	export MOORED_STILL=$T/plan.json MOORED_STILL_POLLS=$polls MOORED_STILL_TRAFFIC=$T/traffic
}
# The clock of the polls starts at this time.
T0=1700000000000
told() { ask hotspots.history | jq -r --argjson t $T0 '.events | reverse[] |
	"\((.at_ms - $t) / 1000) \(.finding) \(if .raised then "raised" else "cleared" end) \(.switch):\(.port)"'; }
rss() { awk '/VmRSS/ { print $2 }' "/proc/$PID/status"; }
polled() { holds ".poll >= $1" hotspots.list >/dev/null 2>&1; }
scrape() { curl -sf "http://127.0.0.1:$PORT/metrics" >"$T/metrics"; }
with_metrics() { PORT=$((20000 + $$ % 20000)); sed -i "s/^metrics .*/metrics 127.0.0.1:$PORT/" "$T/moored.conf"; echo "metrics_ports ${1-all}" >>"$T/moored.conf"; }

@test "a day of seconds: what was injected is raised and cleared, nothing else, memory stays" {
	# The flows lead from s0-0-0-h0 to s1-0-1-h0 and so on: endpoints 0 and 20.
	still slimfly q=3 p=2 86400 <<-END
		flow 1000 1100 0 20 0 10e9
		flow 30000 30003 0 20 0 10e9
		flow 50000 50600 3 30 0 10e9
		count 20000 20010 4 4 5 3
		count 40000 40060 6 4 7 0.1
		count 60000 60300 8 4 4 500e6
	END
	start
	until_ok polled 3600
	before=$(rss)
	until_ok polled 86400 || until_ok polled 86400
	after=$(rss)
	echo "rss $before, $after kB"
	[ $((after - before)) -lt 1024 ]
	told | tee "$T/told"
	[ "$(awk '{ print $2, $3 }' "$T/told" | sort | uniq -c | awk '{ print $1 ":" $2 "-" $3 }' | tr '\n' ' ')" = \
		"1:errors-cleared 1:errors-raised 1:flaps-cleared 1:flaps-raised 4:load-cleared 4:load-raised 1:wait-cleared 1:wait-raised " ]
	# Findings are raised within 7 s of the start, and cleared within 17 s of the end.
	awk '$2 == "load" && $3 == "raised" && !($1 > 1000 && $1 <= 1008 || $1 > 50000 && $1 <= 50008) { exit 1 }
	     $2 == "load" && $3 == "cleared" && !($1 > 1100 && $1 <= 1118 || $1 > 50600 && $1 <= 50618) { exit 1 }
	     $2 == "wait" && !($1 > 60000 && $1 <= 60008 || $1 > 60300 && $1 <= 60318) { exit 1 }' "$T/told"
	holds '.total == 0' hotspots.list
}

@test "findings of earlier runs stay in the history, also after a kill" {
	still slimfly q=3 p=2 60 <<<'flow 10 30 0 20 0 10e9'
	sed -i "s|^state_dir .*|state_dir $T/state|" "$T/moored.conf"
	start
	until_ok polled 60
	told >"$T/before"
	[ "$(awk '{ print $3 }' "$T/before" | sort | uniq -c | xargs)" = "2 cleared 2 raised" ]
	ask hotspots.history | jq -S '[.events[] | del(.cause, .peak, .score, .rank, .for_s)]' >"$T/events"
	sleep 1.5	# events are written 1 s after they came
	kill -KILL $PID
	wait $PID || true
	still slimfly q=3 p=2 200 <<<'flow 100 130 3 30 0 10e9'
	start
	until_ok polled 200
	told >"$T/after"
	head -n "$(wc -l <"$T/before")" "$T/after" | diff "$T/before" -
	[ "$(wc -l <"$T/after")" = 8 ]
	ask hotspots.history | jq -S '[.events[4:][] | del(.cause, .peak, .score, .rank, .for_s)]' | diff "$T/events" -
	holds '.total == 4 and (.events | length == 8) and .events[4].cause == null' hotspots.history
	[ "$(ask hotspots.history '{"limit":5}' | jq '.events | length')" = 5 ]
	[ "$(ask hotspots.history '{"plane":1}' 2>&1 | jq -c '.events // 0' 2>/dev/null)" != '[]' ]
}

@test "a hot pair is named, and the change to try helps" {
	still slimfly q=5 p=4 300 <<<'flow 100 400 0 150 0 9e9'
	start --plan "$T/plan.json"
	until_ok polled 300
	holds '.total == 2 and all(.hotspots[]; .finding == "load" and .rank == 1)' hotspots.list
	to=$(jq -r '.endpoints[150].name' "$T/plan.json")
	# The history keeps the cause after the finding is cleared.
	will '.events | length == 2 and all(.[]; .raised and .cause.suspects[0].source == "s0-0-0-h0" and
		.cause.suspects[0].share > 0.75 and (.cause.remedy.try | IN("offset", "split")))' hotspots.history
	ask hotspots.list | jq -c '.hotspots[] | {switch, port}' >"$T/hot"
	while read -r p; do
		ask hotspots.explain "$p" >"$T/why"
		jq -e --arg to "$to" '.suspects[0] | .source == "s0-0-0-h0" and .dest == $to and .share > 0.75
			and .certainty > 0.5 and .offset == 0 and .other_idle > 0.5' "$T/why"
		jq -e '.remedy.try == "split" or .remedy.try == "offset"' "$T/why"
		jq -e '[.routes[]] | add > 0' "$T/why"
	done <"$T/hot"
	# The path that is chosen avoids the hot links.
	ask path.select "{\"pairs\":[{\"from\":\"s0-0-0-h0\",\"to\":\"$to\"}]}" >"$T/choice"
	jq -e '.choices[0] | .offset != 0 and (.offset as $o | .offsets[] | select(.offset == $o).queue < 1)' "$T/choice"
	run -2 --separate-stderr ask hotspots.explain '{"switch":"s0-0-0","port":99}'
	run -2 --separate-stderr ask hotspots.explain '{"switch":"nobody","port":1}'
	[[ $stderr == *nobody* ]]
}

@test "before the first poll: no list, and the reason" {
	q5
	start
	run -2 --separate-stderr ask hotspots.list
	[[ $stderr == *"no counters were read yet"* ]]
	run -2 --separate-stderr ask path.select '{"pairs":[]}'
}

@test "metrics: promtool accepts them; counters are the poll's; planned links stay" {
	still slimfly q=3 p=2 50 <<<'count 10 20 4 4 5 3'
	# In the plan, two cables have their second ends exchanged, and one is faster than
	# in the fabric.
	jq '.cables[0].b as $b | .cables[0].b = .cables[9].b | .cables[9].b = $b | .cables[20].rate = "4xHDR"
		| .cables[0].label = "C \"one\" \\ two"' "$T/plan.json" >"$T/intended.json"
	$M plan check "$T/intended.json"
	with_metrics
	start --plan "$T/intended.json"
	until_ok polled 50
	until_ok scrape
	promtool check metrics <"$T/metrics" >"$T/lint" 2>&1
	[ ! -s "$T/lint" ] || { cat "$T/lint"; false; }
	n=$(jq '.cables | length' "$T/intended.json")
	[ "$(grep -c '^moore_planned_link_up' "$T/metrics")" -eq "$n" ]
	[ "$(grep -c '^moore_planned_link_up.* 0$' "$T/metrics")" -eq 2 ]
	[ "$(grep -c '^moore_planned_link_state.*state="wrong-peer"} 1$' "$T/metrics")" -eq 2 ]
	[ "$(grep -c '^moore_planned_link_state.*state="slow"} 1$' "$T/metrics")" -eq 1 ]
	[ "$(grep -c '^moore_planned_link_state.* 1$' "$T/metrics")" -eq "$n" ]
	grep -qF 'cable="C \"one\" \\ two"' "$T/metrics"
	guid=$(sed -n 's/^infiniband_switch_uplink_info{guid="\([^"]*\)",port="4",switch="s0-1-1".*/\1/p' "$T/metrics")
	grep -qF "infiniband_switch_port_symbol_error_total{guid=\"$guid\",port=\"4\"} 30" "$T/metrics"
	grep -q '^moore_polls_total{plane=""} 50$' "$T/metrics"
	grep -q '^moore_hotspots_raised_total{plane="",finding="errors"} 1$' "$T/metrics"
	grep -q '^infiniband_switch_uplink_info{.*switch="s0-0-0".*uplink_type="CA"' "$T/metrics"
}

@test "without a fabric planned links are 0, and the plane is down" {
	$M plan new slimfly q=3 p=2 -o "$T/plan.json" >/dev/null
	with_metrics
	start --plan "$T/plan.json"
	until_ok scrape
	promtool check metrics <"$T/metrics"
	[ "$(grep -c '^moore_planned_link_up.* 0$' "$T/metrics")" -eq "$(jq '.cables | length' "$T/plan.json")" ]
	grep -q '^moore_plane_up{plane=""} 0$' "$T/metrics"
}

@test "http: other paths, no HTTP, many at once, peers that hang up" {
	still slimfly q=5 p=4 5 </dev/null
	with_metrics
	start
	until_ok scrape
	[ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT/")" = 404 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' -X POST -d x "http://127.0.0.1:$PORT/metrics")" != 200 ]
	printf 'x%.0s' {1..20000} | timeout 5 bash -c "cat >/dev/tcp/127.0.0.1/$PORT" || true
	for i in {1..40}; do
		timeout 0.01 curl -s "http://127.0.0.1:$PORT/metrics" >/dev/null 2>&1 &
		hung+=($!)
		curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$PORT/metrics" >>"$T/codes" &
		asked+=($!)
	done
	wait "${hung[@]}" || true
	wait "${asked[@]}"
	[ "$(sort -u "$T/codes" | grep -cvE '^(200|503)$')" -eq 0 ]
	grep -q 200 "$T/codes"
	scrape
	stop
	[ "$status" -eq 0 ]
}

@test "http: HEAD has no body, and its length is that of GET" {
	still slimfly q=3 p=2 5 </dev/null
	with_metrics
	start
	until_ok polled 5
	scrape
	for m in HEAD GET; do
		exec 9<>"/dev/tcp/127.0.0.1/$PORT"
		printf '%s /metrics HTTP/1.1\r\nHost: x\r\n\r\n' $m >&9
		timeout 5 cat <&9 >"$T/$m"
		exec 9>&-
	done
	length=$(sed -n 's/^Content-Length: \([0-9]*\)\r$/\1/p' "$T/HEAD")
	[ "$length" -gt 1000 ]
	[ "$(tail -c 4 "$T/HEAD" | od -An -tx1)" = " 0d 0a 0d 0a" ]
	[ "$(sed '/^\r$/q' "$T/GET" | wc -c)" -eq "$(wc -c <"$T/HEAD")" ]
	[ "$(wc -c <"$T/GET")" -eq $(($(wc -c <"$T/HEAD") + length)) ]
}

@test "http: 500 connections that send half a request, or none, keep nobody out, and end" {
	still slimfly q=3 p=2 5 </dev/null
	with_metrics
	conf clients 100
	sed -i "s/^metrics .*/metrics 127.0.0.1:$PORT/" "$T/moored.conf"
	start
	prlimit --nofile=400:400 --pid $PID
	cat >"$T/half.py" <<-'END'
		import socket, sys, time
		half = []
		for i in range(500):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    if i % 2:
		        s.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
		    half.append(s)
		print("open", flush=True)
		start, last = time.monotonic(), 0
		for s in half:
		    s.settimeout(30)
		    try:
		        assert s.recv(1) == b""
		    except ConnectionResetError:
		        pass
		print("ended after", time.monotonic() - start, flush=True)
		assert time.monotonic() - start < 20
	END
	python3 "$T/half.py" $PORT >"$T/half" &
	half=$!
	until_ok grep -q open "$T/half"
	for i in {1..5}; do
		ask system.ping
		scrape
	done
	[ "$(ls /proc/$PID/fd | wc -l)" -lt 200 ]
	wait $half || { cat "$T/half"; false; }
	cat "$T/half"
	[ "$(wc -c <"$T/log")" -lt 10000 ]
	logged 'the oldest is closed'
}

@test "the port is taken: it is said, and all else is served" {
	with_metrics
	python3 -c "import socket,time; s=socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', $PORT)); s.listen(); print(flush=True); time.sleep(60)" >"$T/taken" 3>&- &
	taker=$!
	until_ok test -s "$T/taken"
	start
	logged "cannot listen on 127.0.0.1:$PORT: Address already in use: "
	kill $taker
}

@test "alert rules: promtool checks them, plays them, and all they name is served" {
	promtool check rules "$ROOT/etc/moore.rules.yml"
	(cd "$ROOT/tests/daemon" && promtool test rules rules.test.yml)
	still slimfly q=3 p=2 5 </dev/null
	with_metrics
	start --plan "$T/plan.json"
	until_ok polled 5
	scrape
	for name in $(sed -n 's/.*expr: //p' "$ROOT/etc/moore.rules.yml" | grep -oE '(moored?|infiniband)_[a-z_0-9]+' | sort -u); do
		# It has a value only where the plugin reports (tests/fabric/managers.bats).
		[ "$name" != moore_last_sweep_ok ] || grep -q "^# TYPE $name " "$T/metrics" && continue
		grep -q "^$name[{ ]" "$T/metrics" || { echo "$name is not served"; false; }
	done
	# Each rule has a test in rules.test.yml.
	for alert in $(sed -n 's/.*- alert: //p' "$ROOT/etc/moore.rules.yml"); do
		grep -q "alertname: $alert\$" "$ROOT/tests/daemon/rules.test.yml" || { echo "$alert is not tested"; false; }
	done
}

@test "metrics_ports: a scrape of a large fabric stays below 3 MB, and no error is left out" {
	still slimfly q=13 p=9 20 <<<'count 5 10 7 3 5 3'
	with_metrics few
	start --plan "$T/plan.json"
	until_ok polled 20
	until_ok scrape
	bytes=$(stat -c %s "$T/metrics")
	echo "$bytes bytes"
	[ "$bytes" -lt 3000000 ]
	[ "$(grep -c '^moore_planned_link_up' "$T/metrics")" -eq 3211 ]
	[ "$(grep -c '^infiniband_switch_port_transmit_data_bytes_total' "$T/metrics")" -eq 6422 ]
	[ "$(grep -c '^infiniband_switch_port_receive_data_bytes_total' "$T/metrics")" -eq 0 ]
	[ "$(grep -c '^moore_planned_link_state' "$T/metrics")" -eq 0 ]
	[ "$(grep '^infiniband_switch_port_symbol_error_total' "$T/metrics" | cut -d ' ' -f 2)" = 15 ]
	[ "$(grep -c '^moore_switch_errors_total.* 0$' "$T/metrics")" -eq 337 ]
	[ "$(grep -c '^moore_switch_errors_total.* 15$' "$T/metrics")" -eq 1 ]
	# It is read again with the configuration.
	sed -i 's/^metrics_ports .*/metrics_ports links/' "$T/moored.conf"
	ask system.reload
	until_ok scrape
	# The port with errors leads to an endpoint.
	[ "$(grep -c '^infiniband_switch_port_symbol_error_total' "$T/metrics")" -eq 6423 ]
	[ "$(grep -c '^infiniband_hca' "$T/metrics")" -eq 0 ]
	for ports in few links all; do	# the table of docs/metrics.md
		sed -i "s/^metrics_ports .*/metrics_ports $ports/" "$T/moored.conf"
		ask system.reload
		until_ok scrape
		echo "# $ports: $(stat -c %s "$T/metrics") bytes, $(grep -c '^[a-z]' "$T/metrics") series" >&3
	done
	[ "$(grep -c '^infiniband_hca_port_symbol_error_total' "$T/metrics")" -eq 3042 ]
}

@test "uplinks are those of the last scan, as check is, though no poll has followed it" {
	still slimfly q=3 p=2 0 </dev/null
	with_metrics
	start --plan "$T/plan.json"
	will '.switches == 18' fabric.summary
	until_ok scrape
	[ "$(grep -c '^infiniband_switch_uplink_info.*uplink_type="SW"' "$T/metrics")" -eq 90 ]
	! grep -q '^moore_polls_total{' "$T/metrics"
}

evaluates() { curl -s --data-urlencode "query=$1" "http://127.0.0.1:$PROM/api/v1/query"; }
is_scraped() { [ "$(evaluates 'count_over_time(moore_plane_up[1m]) > 3' | jq '.data.result | length == 1')" = true ]; }

@test "dashboard: Prometheus evaluates every expression on what is served" {
	still slimfly q=3 p=2 50 <<-END
		count 5 10 4 4 5 3
		count 5 10 4 4 7 3
		count 5 10 4 4 10 3
	END
	jq '.cables[0].b as $b | .cables[0].b = .cables[9].b | .cables[9].b = $b' "$T/plan.json" >"$T/intended.json"
	with_metrics few
	start --plan "$T/intended.json"
	until_ok polled 50
	PROM=$((PORT + 1))
	cat >"$T/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		rule_files: [ $ROOT/etc/moore.rules.yml ]
		scrape_configs: [ { job_name: moored, static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ] } ]
	END
	prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
		--web.listen-address="127.0.0.1:$PROM" >"$T/prometheus.log" 2>&1 3>&- &
	prom=$!
	until_ok is_scraped || { tail "$T/prometheus.log"; kill $prom; false; }
	jq -r '.panels[].targets[]?.expr' "$ROOT/etc/moore.dashboard.json" >"$T/exprs"
	bad=0
	while read -r expr; do
		evaluates "$expr" >"$T/answer"
		# The plugin, which is not here, reports the last sweep.
		few=1
		[ "$expr" != moore_last_sweep_ok ] || few=0
		[ "$(jq ".status == \"success\" and (.data.result | length >= $few)" "$T/answer")" = true ] ||
			{ echo "no value: $expr: $(head -c 300 "$T/answer")"; bad=1; }
	done <"$T/exprs"
	[ "$(wc -l <"$T/exprs")" -ge 20 ]
	kill $prom
	wait $prom || true
	[ $bad -eq 0 ]
}

@test "errors: each counter that is not 0, its rate and when it rose last; exit 1" {
	still slimfly q=3 p=2 3601 <<-END
		count 600 610 4 4 5 3
		count 3000 3001 4 4 10 7
		count 0 3601 5 3 4 1000
	END
	start
	until_ok polled 3601
	ask errors.list >"$T/errors"
	[ "$(jq -c '[.ok, .total, (.ports | length)]' "$T/errors")" = '[false,1,1]' ]
	# Seconds of the counters' clock; rates are computed each 2 s, at odd seconds.
	jq -c '.ports[0] | [.switch, .port, .peer != null, .since_ms / 1000 - 1700000000],
		(.counters[] | [.counter, .value, .rose, (.per_hour + 0.5 | floor), .last_ms / 1000 - 1700000000])' \
		"$T/errors" >"$T/got"
	cat "$T/got"
	sed 1d "$T/got" | diff - <(printf '%s\n' '["symbol_error",30,30,30,609]' '["transmit_discards",7,7,7,3001]')
	run -1 $M --socket "$SOCK" errors
	[[ ${lines[0]} == LINK*COUNTER*"PER HOUR"*LAST* ]]
	[[ ${lines[1]} == *symbol_error*30*30*30*m* ]]
	run -1 $M --socket "$SOCK" errors --json
}

@test "errors and drain beside what ibdiagnet left: FEC, BER and module of each end" {
	still slimfly q=3 p=2 20 <<-END
		count 2 6 6 4 5 200
	END
	start
	until_ok polled 20
	here=$(ask errors.list | jq -r '.ports[0] | "\(.guid) \(.port)"')
	read -r guid port <<<"$here"
	mkdir "$T/none" "$T/found"
	run -2 $M --socket "$SOCK" errors --ibdiagnet "$T/none"
	[[ $output == *"$T/none: holds neither ibdiagnet2.net_dump_ext nor ibdiagnet2.db_csv"* ]]
	printf 'Ty : # : #IB : GUID : FEC mode : Raw BER : Node Desc\nSW : x : %s : %s : RS-FEC : 3e-09 : "a"\nSW : 1\n' "$port" "$guid" \
		>"$T/found/ibdiagnet2.net_dump_ext"
	run -1 --separate-stderr $M --socket "$SOCK" errors --ibdiagnet "$T/found" --json
	jq -e '.ports[0].optics | .fec == "RS-FEC" and .raw_ber == "3e-09" and .serial == null' <<<"$output" >/dev/null
	[[ $stderr == *"rows without GUID and port are left out: 1"* ]]
	printf 'START_CABLE_INFO\nNodeGuid,PortNum,SN,Temperature\n%s,%s,"MT123",41C\nEND_CABLE_INFO\n' "$guid" "$port" \
		>"$T/found/ibdiagnet2.db_csv"
	run -1 $M --socket "$SOCK" errors --ibdiagnet "$T/found"
	[[ $output == *"fec RS-FEC, raw_ber 3e-09, temperature 41C, serial MT123"* ]] || { echo "$output"; false; }
	# Without the option nothing of it is in the answer.
	run -1 $M --socket "$SOCK" errors --json
	jq -e '.ports[0] | has("optics") | not' <<<"$output" >/dev/null
	echo 'START_CABLE_INFO' >"$T/found/ibdiagnet2.db_csv"
	run -2 $M --socket "$SOCK" errors --ibdiagnet "$T/found"
	[[ $output == *"$T/found/ibdiagnet2.db_csv:1: the file is cut off in CABLE_INFO"* ]]
}

@test "events of hotspots are lines in the words of hotspots" {
	still slimfly q=3 p=2 20 <<-END
		count 2 6 6 4 5 200
	END
	start
	until_ok polled 20
	finds() {
		run --separate-stderr $M --socket "$SOCK" events hotspot --since 2020-01-01
		[[ $output == *"  hotspot   s0-2-0[4] -> s0-2-2[3]: the link errs: over 20 errors in ten minutes (errors)"* ]]
	}
	until_ok finds || { echo "$output"; false; }
}

@test "errors beside what mlxlink printed: a file of each port, text or JSON" {
	still slimfly q=3 p=2 20 <<-END
		count 2 6 6 4 5 200
	END
	start
	until_ok polled 20
	read -r guid port < <(ask errors.list | jq -r '.ports[0] | "\(.guid) \(.port)"')
	mkdir "$T/none" "$T/links"
	run -2 $M --socket "$SOCK" errors --mlxlink "$T/none"
	[[ $output == *"$T/none: holds no file named like 0x"* ]]
	run -2 $M --socket "$SOCK" errors --mlxlink "$T/absent"
	[[ $output == *"$T/absent: No such file or directory"* ]]
	printf '\nOperational Info\n----------------\nFEC   : Standard RS-FEC - RS(528,514)\n\nModule Info\n-----------\nTemperature [C]  : 54 [-5..75]\n' \
		>"$T/links/$guid-$port.txt"
	echo nothing >"$T/links/README"
	echo '{"status": {"code": 0}, "result": {"output": {"Physical Counters and BER Info": {"Raw Physical BER": "5E-9"}}}}' \
		>"$T/links/0x1-1.json"
	run -1 $M --socket "$SOCK" errors --mlxlink "$T/links"
	[[ $output == *"fec Standard RS-FEC - RS(528,514), temperature 54 [-5..75]"* ]] || { echo "$output"; false; }
	# Both tools at once: mlxlink has the last word on what it knows.
	mkdir "$T/found"
	printf 'START_CABLE_INFO\nNodeGuid,PortNum,SN,Temperature\n%s,%s,"MT123",41C\nEND_CABLE_INFO\n' "$guid" "$port" \
		>"$T/found/ibdiagnet2.db_csv"
	run -1 $M --socket "$SOCK" errors --mlxlink "$T/links" --ibdiagnet "$T/found" --json
	jq -e '.ports[0].optics | .temperature == "54 [-5..75]" and .serial == "MT123"' <<<"$output" >/dev/null
	# What is wrong is named with its file.
	echo '{"status": {"code": 1, "message": "No such device"}}' >"$T/links/0x1-1.json"
	run -2 $M --socket "$SOCK" errors --mlxlink "$T/links"
	[[ $output == *"$T/links/0x1-1.json: mlxlink failed, so nothing is known of this port: No such device"* ]]
}

@test "errors: none" {
	still slimfly q=3 p=2 5 </dev/null
	start
	until_ok polled 5
	run -0 $M --socket "$SOCK" errors
	[ "$output" = "no error counter has counted" ]
}

@test "a fabric that grows is counted whole, and nothing is hot for it" {
	still slimfly q=3 p=2 100000 </dev/null
	start
	until_ok polled 50
	$M plan new slimfly q=5 p=4 | sed 's/^"moore_plan": 1,/& "rate": "4xEDR",/' >"$T/bigger.json"
	mv "$T/bigger.json" "$T/plan.json"
	will '.switches == 50' fabric.summary
	n=$(ask hotspots.list | jq .poll)
	until_ok polled $((n + 30))
	holds '[.rows[] | select(.[2] > 1000)] | length > 10' history.port "{\"switch\":\"s1-4-4\",\"port\":7,\"after_ms\":$((T0 + n * 1000))}"
	holds '.hotspots == []' hotspots.list
}
