#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# page.bats - the web page: who may ask, what is answered, bounds, and names that are markup, in a
# real browser.  tests/fabric/page.bats pulls a cable.
load lib

with_page() {
	PORT=$((20000 + $$ % 20000))
	URL=http://127.0.0.1:$PORT
	conf page "127.0.0.1:$PORT" "$@"
}
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
get() { curl -sf "$URL$1"; }
browse() { timeout 100 python3 "$BATS_TEST_DIRNAME/browser.py" "$T/browser" 3>&-; }

@test "no page without a setting" {
	start
	ls -l /proc/$PID/fd | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p' | sort >"$T/own"
	awk '{ print $10 }' /proc/net/tcp /proc/net/tcp6 | sort >"$T/tcp"
	[ -s "$T/own" ]
	[ -z "$(comm -12 "$T/own" "$T/tcp")" ]
}

@test "files and answers, with headers that keep other sites out" {
	q5
	with_page
	start --plan "$T/plan.json"
	for p in / /style.css /page.js /icon.svg /chart.js /api/system.status /api/fabric.links /absent /api/none; do
		curl -s -D "$T/head" -o "$T/body" "$URL$p"
		grep -q "^Content-Security-Policy: default-src 'self'; " "$T/head"
		grep -q '^X-Content-Type-Options: nosniff' "$T/head"
		run -1 grep -i '^Access-Control' "$T/head"
	done
	[ "$(code $URL/)" = 200 ]
	[ "$(code $URL/absent)" = 404 ]
	for f in "$ROOT"/daemon/page/*.{js,css,svg}; do
		get "/${f##*/}" | cmp - "$f"
	done
	[ "$(code "$URL/../../etc/passwd" --path-as-is)" = 404 ]
	# The policy allows neither script nor style within a page.
	get / >"$T/index"
	run -1 grep -iE '<style|style=|<script>| on[a-z]+=' "$T/index"
	run -1 grep -E 'https?://' "$T/index"
	run -1 grep -E 'innerHTML|outerHTML|insertAdjacent|document\.write|eval\(' "$ROOT"/daemon/page/*.js
	[ "$(curl -sI $URL/page.js | sed -n 's/^Content-Length: \([0-9]*\).*/\1/p')" -eq "$(wc -c <"$ROOT/daemon/page/page.js")" ]
	stop
	[ "$status" -eq 0 ]
}

@test "answers are those of the socket, for the methods of the page alone" {
	q5
	with_page
	start --plan "$T/plan.json"
	for m in fabric.summary fabric.switches fabric.links fabric.loads plan.get plan.summary wiring.check wiring.repair; do
		ask $m | jq -S . >"$T/socket"
		get /api/$m | jq -S .result >"$T/http"
		diff "$T/socket" "$T/http"
	done
	ask routes.path '{"from":"s0-0-0-h0","to":"s1-2-2-h1","offset":1}' | jq -S . >"$T/socket"
	get '/api/routes.path?from=s0-0-0-h0&to=s1-2%2d2-h1&offset=1' | jq -S .result >"$T/http"
	diff "$T/socket" "$T/http"
	for m in system.reload system.methods events.subscribe wiring.watch history.export fabric.nothing ''; do
		[ "$(code "$URL/api/$m")" = 404 ]
	done
	# Params are checked by the method's schema, and errors are those of the socket.
	get '/api/fabric.links?swich=a' | jq -e '.error.code == -32602'
	get '/api/fabric.links?plane=99' | jq -e '.error.code == -32602'
	get '/api/fabric.links?plane=x' | jq -e '.error.code == -32602'
	get '/api/fabric.links?switch=nobody' | jq -e '.error.code == -32004'
	for q in 'a' 'switch=%' 'switch=%00' 'switch=%ff' '%ff=1' 'switch=a&switch=b'; do
		[ "$(code "$URL/api/fabric.links?$q")" = 400 ]
	done
	holds '.reloads == 0' system.status
}

@test "GET and HEAD alone; other hosts and other sites are refused" {
	with_page page_hosts noc.example,proxy.example
	start
	for m in POST PUT DELETE OPTIONS; do
		[ "$(code -X $m "$URL/api/system.status")" = 405 ]
	done
	[ "$(code -X HEAD -I "$URL/events")" = 200 ]
	for h in "127.0.0.1:$PORT" "localhost:$PORT" "[::1]" noc.example "PROXY.example:443"; do
		[ "$(code -H "Host: $h" $URL/)" = 200 ]
	done
	for h in evil.example "127.0.0.1.evil.example" "noc.example.evil"; do
		[ "$(code -H "Host: $h" $URL/)" = 403 ]
		[ "$(code -H "Host: $h" $URL/api/system.status)" = 403 ]
	done
	[ "$(code -H Host: $URL/)" = 403 ]
	[ "$(code -H "Origin: http://127.0.0.1:$PORT" $URL/api/system.status)" = 200 ]
	[ "$(code -H 'Host: noc.example' -H 'Origin: https://noc.example' $URL/api/system.status)" = 200 ]
	for o in http://evil.example null "http://127.0.0.1:1"; do
		[ "$(code -H "Origin: $o" $URL/api/system.status)" = 403 ]
		[ "$(code -H "Origin: $o" $URL/events)" = 403 ]
		run curl -s -H "Origin: $o" $URL/
		[[ $output == *"the Origin is another site than the Host, which a proxy must pass on" ]]
	done
	# A reload takes another list of names.
	sed -i 's/^page_hosts .*/page_hosts other.example/' "$T/moored.conf"
	ask system.reload
	[ "$(code -H 'Host: noc.example' $URL/)" = 403 ]
	[ "$(code -H 'Host: other.example' $URL/)" = 200 ]
}

@test "events: a scan is told; streams are bounded, and leave room for the page" {
	q5
	with_page
	start --plan "$T/plan.json"
	curl -sN -H 'Accept: text/event-stream' "$URL/events" >"$T/events" 3>&- &
	reader=$!
	until_ok grep -q . <(timeout 1 curl -sNI "$URL/events")
	sleep 0.5
	jq 'del(.cables[3])' "$T/plan.json" >"$T/plan.new"
	mv "$T/plan.new" "$T/plan.json"
	until_ok grep -q '^data: {"jsonrpc":"2.0","method":"event.sweep"' "$T/events"
	kill $reader
	python3 - $PORT $PID <<-'END'
	import os, socket, sys, time
	port, pid = int(sys.argv[1]), int(sys.argv[2])
	def opened(text):
	    s = socket.create_connection(("127.0.0.1", port))
	    s.sendall(text)
	    return s
	ask = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
	streams, first = [opened(ask) for i in range(60)], []
	for s in streams:
	    s.settimeout(10)
	    first.append(s.recv(12))
	assert first == 32 * [b"HTTP/1.1 200"] + 28 * [b"HTTP/1.1 503"], first
	# The page itself is served beside them.
	s = opened(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	assert s.recv(12) == b"HTTP/1.1 200"
	END
}

@test "bad input: 1,000 slow clients, 64 KiB of header, half requests" {
	with_page
	start
	prlimit --nofile=700:700 --pid $PID
	[ "$(code -H "X: $(printf 'x%.0s' {1..65536})" $URL/)" = 431 ]
	for text in 'GET' 'GET / HTTP/9\r\n\r\n' '\0\0\0\r\n\r\n' 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n' '\x16\x03\x01\r\n\r\n'; do
		printf "$text" | timeout 5 bash -c "cat >/dev/tcp/127.0.0.1/$PORT" || true
	done
	cat >"$T/slow.py" <<-'END'
	import socket, sys, time
	some = []
	for i in range(1000):
	    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
	    s.sendall(b"GET / HTTP/1.1\r\nHost:")
	    some.append(s)
	print("open", flush=True)
	time.sleep(100)
	END
	python3 "$T/slow.py" $PORT >"$T/slow" 3>&- &
	slow=$!
	until_ok grep -q open "$T/slow"
	for i in {1..5}; do
		[ "$(code $URL/)" = 200 ]
		ask system.ping >/dev/null
	done
	[ "$(ls /proc/$PID/fd | wc -l)" -lt 250 ]
	logged 'page: 128 connections are open: the oldest is closed'
	[ "$(wc -l <"$T/log")" -lt 50 ]
	kill $slow
	stop
	[ "$status" -eq 0 ]
}

# Nanoseconds on a processor, of all threads.
spent() { cat /proc/$PID/task/*/schedstat | awk '{ s += $1 } END { print s }'; }

@test "a minute of updates on 3,211 links takes less than 5 % of a processor" {
	$M plan new slimfly q=13 p=9 -o "$T/bare.json" >/dev/null
	sed 's/^"moore_plan": 1,/& "rate": "4xEDR",/' "$T/bare.json" >"$T/plan.json"
	export MOORED_STILL=$T/plan.json MOORED_STILL_POLLS=5
	with_page
	start
	will '.poll >= 5 and (.load | length == 3211 and all(. != null))' fabric.loads
	sleep 1		# what follows a scan has ended
	before=$(spent)
	for i in {1..60}; do get /api/fabric.loads >"$T/loads"; done
	echo "$(($(spent) - before)) ns for 60 of $(wc -c <"$T/loads") bytes"
	[ $(($(spent) - before)) -lt 3000000000 ]
}

# Names that a browser would run if they became markup.
hostile() {
	q5
	python3 - "$T/plan.json" <<-'END'
	import json, sys
	p = dict(json.load(open(sys.argv[1])), rate="4xEDR")
	names = {"s0-0-0": "<img src=x onerror=document.title='run'>", "s0-0-1": "</title><script src=chart.js></script>",
	         "s0-0-2": "&lt;b&gt;&amp;{{7*7}}${1}", "s1-0-0": "__proto__", "s1-0-1": "constructor"}
	p["switches"] = [dict(s, name=names.get(s["name"], s["name"]), cabinet="</text><svg onload=\"document.title='run'\">", unit=i + 1)
	                 for i, s in enumerate(p["switches"])]
	for c in p["cables"]:
	    for e in "ab":
	        c[e]["switch"] = names.get(c[e]["switch"], c[e]["switch"])
	    c["label"] = "</td><script>document.title='run'</script>"
	for e in p["endpoints"]:
	    e["switch"] = names.get(e["switch"], e["switch"])
	    e["name"] = e["name"].replace("s0-0-0-", "<iframe src=/>")
	json.dump(p, open(sys.argv[1], "w"))
	seen = dict(p, cables=p["cables"][1:])
	for i, c in enumerate(seen["cables"]):
	    seen["cables"][i] = {k: v for k, v in c.items() if k != "label"}
	json.dump(seen, open(sys.argv[1] + ".seen", "w"))
	END
	export MOORED_STILL=$T/plan.json.seen MOORED_STILL_POLLS=10
}

@test "in a browser: names are text, the keyboard suffices, and nothing is asked of other hosts" {
	command -v chromium >/dev/null || skip "no chromium"
	hostile
	with_page
	start --plan "$T/plan.json"
	will '.ok == false' wiring.check
	cat >"$T/steps" <<-END
		size 1400 1000
		open $URL/
		until 10 document.querySelector("#live").textContent === "live"
		until 10 document.querySelectorAll("#map .switch").length === 50 && !document.querySelector("#map .switch.vx")
		until 10 document.querySelectorAll("#deviations tbody tr").length === 1
		print [...document.querySelectorAll("#map .switch")].filter(s => s.dataset.name.startsWith("<img")).length
		key Tab Tab Tab Tab Tab Tab ArrowDown
		until 5 document.activeElement.classList.contains("switch")
		key Enter
		until 5 document.querySelectorAll("#detail tbody tr").length > 3
		print document.activeElement.id
		key Escape
		until 5 document.activeElement.classList.contains("switch")
		print document.querySelector("#deviations button").click() || "clicked"
		until 5 document.querySelector("#detail h2").textContent.includes("<")
		print document.querySelector("#detail h2").textContent
		print document.querySelector("#detail tbody button").click() || "clicked"
		until 10 document.querySelector("#detail canvas")
		until 10 document.querySelector("#detail dl").textContent.includes("</td><script>")
		until 20 document.querySelectorAll("#detail .wide tbody tr").length > 0
		print document.querySelector("[value=graph]").click() || "clicked"
		until 5 document.querySelectorAll("#map path.link").length >= 174
		print document.querySelector("[value=deviations]").click() || "clicked"
		until 5 document.querySelectorAll("#map .vbad.switch").length === 2
		print "title " + document.title
		print "images " + document.querySelectorAll("img").length + ", frames " + document.querySelectorAll("iframe").length
		print "scripts " + [...document.scripts].map(s => s.getAttribute("src")).join()
		print "hosts " + [...new Set(performance.getEntriesByType("resource").map(r => new URL(r.name).host))].join()
		size 1400 1000 2
		until 5 document.documentElement.scrollWidth <= innerWidth
		quiet
		print "columns " + getComputedStyle(document.querySelector("main")).gridTemplateColumns.split(" ").length
	END
	browse <"$T/steps" >"$T/said" || { cat "$T/said"; false; }
	cat "$T/said"
	grep -qx 'title moore' "$T/said"
	grep -qx 'images 1, frames 0' "$T/said"
	grep -qx 'scripts page.js,chart.js' "$T/said"
	grep -qx "hosts 127.0.0.1:$PORT" "$T/said"
	grep -qx 'columns 1' "$T/said"
	grep -qx detail "$T/said"
	sed -n '/sandbox/s/^/# /p' "$T/said" >&3
}

@test "without the chart library the rates are a table, and the log names the file" {
	command -v chromium >/dev/null || skip "no chromium"
	q5
	sed -i 's/^"moore_plan": 1,/& "rate": "4xEDR",/' "$T/plan.json"
	export MOORED_STILL_POLLS=30
	with_page page_charts "$T/absent.js"
	start --plan "$T/plan.json"
	cat >"$T/steps" <<-END
		open $URL/
		until 10 document.querySelector("#detail td button")
		print document.querySelector("#detail td button").click() || "clicked"
		until 10 document.querySelectorAll("#detail h3:first-of-type + div tbody tr").length === 10
	END
	browse <"$T/steps"
	logged "page_charts: $T/absent.js: "
}
