// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* detail.js - what stands beside the picture: the busiest links, a switch, or a link with its last hour
 * and the traffic behind it. */
import { paint } from "./paint.js";
import { allSwitches, ask, deviationAt, here, once, state, valueOf } from "./state.js";
import { $, button, el, facts, gigabytes, key, place, port, share, table, time } from "./text.js";

const HOUR = 3600 * 1000, ROWS = 3600;
export const BUSIEST = 12;

export function choose(name, n) {
	const reached = state.byLink.has(key(name, n));
	state.chosen = name ? { switch: name, port: reached ? n : undefined } : null;
	paint();
	if (!state.chosen)
		showOverview();
	else if (reached)
		showLink();
	else
		showSwitch();
}

function linkRow(i, back, columns) {
	const l = state.links[i], from = back ? l.b : l.a, to = back ? l.a : l.b;
	return [button(columns === 1 ? `${port(from)} to ${port(to)}` : `${from.port}`, () => choose(from.switch, from.port)),
		...(columns === 1 ? [] : [port(to)]), share(valueOf(i, back, "load")), share(valueOf(i, back, "wait"))];
}

export function showOverview() {
	const all = state.links.flatMap((_, i) => [[i, false], [i, true]]);
	const what = state.colour === "wait" ? "wait" : "load";
	const top = all.filter(([i, back]) => valueOf(i, back, what) !== null)
		.sort((x, y) => valueOf(...y, what) - valueOf(...x, what)).slice(0, BUSIEST);
	const focus = document.activeElement?.closest("#detail") ? [...$("detail").querySelectorAll("button")].indexOf(document.activeElement) : -1;
	$("detail").replaceChildren(
		el("h2", {}, "Hotspots"),
		...(state.hot?.hotspots?.length ? [table(el("table"), ["Link", "Finding", "#Value"], state.hot.hotspots.map(h =>
			[button(`${h.switch}[${h.port}] to ${h.peer}`, () => choose(h.switch, h.port)), h.finding, share(h.load)]))] :
			[el("p", { class: "note" }, state.hot ? "No link is hot." : "No counters were read yet.")]),
		el("h2", {}, what === "wait" ? "Links that are waited for most" : "Busiest links"),
		top.length ? table(el("table"), ["Link", "#Load", "#Wait"], top.map(([i, back]) => linkRow(i, back, 1))) :
			el("p", { class: "note" }, "No load is known."));
	if (focus >= 0)
		$("detail").querySelectorAll("button")[focus]?.focus();
}

function closer() {
	return button("Close", () => choose(null), "plain");
}

function showSwitch() {
	const name = state.chosen.switch, s = allSwitches().find(x => x.name === name);
	const rows = state.links.flatMap((l, i) => [[l.a, i, false], [l.b, i, true]]).filter(([e]) => e.switch === name)
		.sort((x, y) => x[0].port - y[0].port);
	const wrong = (state.check?.deviations ?? []).filter(d => d.a?.switch === name || d.b?.switch === name);
	$("detail").replaceChildren(el("div", { class: "bar" }, el("h2", {}, name), closer()),
		facts([["Place", place(s)], ...(s?.guid ? [["GUID", s.guid]] : []), ...(s?.lid ? [["LID", `${s.lid}`]] : []),
			...(s?.absent ? [["Found", "no: planned, and no scan found it"]] : [])]),
		...wrong.map(d => el("p", { class: "wrong" }, d.text ?? d.verdict)),
		el("h3", {}, "Links to switches"),
		table(el("table"), ["Port", "To", "#Load", "#Wait"], rows.map(([, i, back]) => linkRow(i, back, 2))));
}

function chosenLink() {
	const at = state.byLink.get(key(state.chosen.switch, state.chosen.port));
	if (!at)
		return null;
	const l = state.links[at.i];
	return { ...at, l, from: at.back ? l.b : l.a, to: at.back ? l.a : l.b };
}

function linkFacts(x) {
	const cable = state.cables.get(key(x.from.switch, x.from.port)), wrong = deviationAt(x.from) ?? deviationAt(x.to);
	const by = name => state.switches.find(s => s.name === name);
	const planned = !state.plan ? "there is no plan" : !cable ? "none at this port" :
		[cable.label, `${port(cable.a)} \u2013 ${port(cable.b)}`, cable.length ? `${cable.length} m` : null, cable.rate]
			.filter(v => v).join(", ");
	return facts([["Load", `${share(valueOf(x.i, x.back, "load"))}; back ${share(valueOf(x.i, !x.back, "load"))}`],
		["Wait", `${share(valueOf(x.i, x.back, "wait"))}; back ${share(valueOf(x.i, !x.back, "wait"))}`],
		["Rate", x.l.rate ?? "unknown"], ["From", place(by(x.from.switch))], ["To", place(by(x.to.switch))],
		["Planned cable", planned],
		["Wiring", wrong ? el("span", { class: "wrong" }, wrong.text ?? wrong.verdict) :
			state.check ? "as planned" : "not compared"]]);
}

const link = { rows: [], chart: null };

async function showLink() {
	const x = chosenLink();
	link.chart?.destroy();
	Object.assign(link, { rows: [], chart: null, facts: linkFacts(x), box: el("div", { class: "chart" }),
		causes: el("div", {}, el("p", { class: "note" }, "The traffic is being estimated.")), at: state.chosen });
	$("detail").replaceChildren(
		el("div", { class: "bar" }, el("h2", {}, `${port(x.from)} to ${port(x.to)}`), closer()),
		el("p", {}, button("The other direction", () => choose(x.to.switch, x.to.port)), " \u00B7 ",
			button(`Switch ${x.from.switch}`, () => choose(x.from.switch))),
		link.facts, el("h3", {}, "Rates over the last hour"), link.box,
		el("h3", {}, "Traffic behind it"), link.causes);
	readCauses(x);
	await readRates();
}

/* A poll came: facts and chart go on. */
export function refreshLink() {
	const x = chosenLink();
	if (!x) {
		showSwitch();
		return;
	}
	const now = linkFacts(x);
	link.facts.replaceWith(now);
	link.facts = now;
	readRates();
}

const readRates = once(async () => {
	const at = link.at;
	let last = link.rows.at(-1)?.[0] ?? 0, page;
	do {
		page = (await ask("history.port", { ...here(), switch: at.switch, port: at.port, rows: ROWS, after_ms: last })).rows;
		if (link.at !== at)
			return;
		link.rows.push(...page);
		last = link.rows.at(-1)?.[0] ?? 0;
	} while (page.length === ROWS);
	link.rows = link.rows.filter(r => r[0] > last - HOUR);
	await showRates(at);
});

let library = null;
function charts() {
	library ??= new Promise(done => {
		const s = el("script", { src: "chart.js" });
		s.addEventListener("load", () => done(window.Chart));
		s.addEventListener("error", () => done(null));
		document.head.append(s);
	});
	return library;
}

/* At most 300 points: the mean of each stretch of time. */
function thinned(rows) {
	const step = Math.ceil(rows.length / 300), out = [];
	for (let i = 0; i < rows.length; i += step) {
		const part = rows.slice(i, i + step), mean = k => part.reduce((sum, r) => sum + r[k], 0) / part.length;
		out.push([part.at(-1)[0], mean(2), mean(3), mean(4)]);
	}
	return out;
}

async function showRates(at) {
	const Chart = await charts(), rows = thinned(link.rows);
	const line = (label, colour, k, axis) => ({ label, borderColor: colour, backgroundColor: colour, yAxisID: axis,
		borderWidth: 1.5, pointRadius: 0, tension: 0, data: rows.map(r => ({ x: r[0], y: axis === "y" ? r[k] / 1e9 : r[k] })) });
	if (link.at !== at)
		return;
	if (!rows.length || !Chart) {
		link.box.className = "";
		link.box.replaceChildren(!rows.length ? el("p", { class: "note" }, "No rates are kept yet.") :
			table(el("table"), ["Time", "#Out", "#In"], rows.slice(-10).reverse().map(r =>
				[time(r[0]), gigabytes(r[1]), gigabytes(r[2])])));
		return;
	}
	const ink = getComputedStyle(document.documentElement), c = name => ink.getPropertyValue(name).trim();
	const data = { datasets: [line("out", c("--accent"), 1, "y"), line("in", c("--v8"), 2, "y"),
		...(rows.some(r => r[3] > 0) ? [line("wait, ticks/s", c("--bad"), 3, "wait")] : [])] };
	const mean = k => gigabytes(rows.reduce((s, r) => s + r[k], 0) / rows.length);
	const text = `Rates from ${time(rows[0][0])} to ${time(rows.at(-1)[0])}: out ${mean(1)} and in ${mean(2)} on average`;
	if (link.chart) {
		link.chart.data = data;
		link.chart.options.scales.wait.display = data.datasets.length > 2;
		link.chart.canvas.setAttribute("aria-label", text);
		link.chart.update("none");
		return;
	}
	const canvas = el("canvas", { role: "img", "aria-label": text }), grid = { color: c("--line") }, ticks = { color: c("--soft") };
	link.box.className = "chart";
	link.box.replaceChildren(canvas);
	link.chart = new Chart(canvas, { type: "line", data, options: { animation: false, maintainAspectRatio: false, parsing: false,
		interaction: { mode: "nearest", axis: "x", intersect: false },
		plugins: { legend: { labels: { color: c("--ink"), boxWidth: 14, boxHeight: 3 } },
			tooltip: { callbacks: { title: i => time(i[0].parsed.x) } } },
		scales: { x: { type: "linear", grid, ticks: { ...ticks, maxTicksLimit: 5, maxRotation: 0, callback: v => time(v) } },
			y: { beginAtZero: true, grid, ticks, title: { display: true, text: "GB/s", color: c("--soft") } },
			wait: { display: data.datasets.length > 2, position: "right", beginAtZero: true, grid: { display: false }, ticks } } } });
}

async function readCauses(x) {
	const at = link.at, box = link.causes;
	let why;
	try {
		why = await ask("hotspots.explain", { ...here(), switch: x.from.switch, port: x.from.port });
	} catch (e) {
		box.replaceChildren(el("p", { class: "note" }, e.message));
		return;
	}
	if (link.at !== at)
		return;
	box.replaceChildren(
		el("p", {}, `${gigabytes(why.bytes_per_s)} leave, of which the pairs below are estimated to send most. ` +
			"Routes over this link: " + why.routes.map((n, k) => `${n} on offset ${k}`).join(", ") + "."),
		el("div", { class: "wide" }, table(el("table"), ["From", "To", "#Offset", "#Rate", "#Share"], why.suspects.map(p =>
			[p.source ?? p.from, p.dest ?? p.to, `${p.offset}`, gigabytes(p.bytes_per_s), share(p.share)]))),
		...(why.remedy?.text ? [el("p", {}, el("strong", {}, "To try: "), why.remedy.text)] : []));
}
