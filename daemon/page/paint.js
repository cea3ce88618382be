// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* paint.js - builds the picture when the fabric changes, and colours it when values change. */
import { drawFloor, drawGraph, lineOf } from "./draw.js";
import { allSwitches, deviationAt, state, valueOf, worse } from "./state.js";
import { $, el, port, share } from "./text.js";

export function build() {
	const all = allSwitches();
	const p = state.view === "floor" ? drawFloor(all, state.plan?.floor) : drawGraph(all, state.links);
	const first = p.switches.keys().next().value;
	state.picture = p;
	state.at = p.switches.has(state.at) ? state.at : first;
	if (state.at)
		p.switches.get(state.at).g.setAttribute("tabindex", 0);
	$("map").replaceChildren(all.length ? p.root : el("p", { class: "note" }, "No fabric was found yet."));
	$("names").replaceChildren(...all.map(s => el("option", { value: s.name })));
	paint();
}

/* For each switch the greatest value of the links that leave it, or whether it deviates. */
function switchValues() {
	const of = new Map();
	if (state.colour === "deviations") {
		for (const d of state.check?.deviations ?? [])
			for (const e of [d.a, d.b])
				if (e?.switch)
					of.set(e.switch, (of.get(e.switch) ?? 0) + 1);
		return of;
	}
	state.links.forEach((l, i) => {
		of.set(l.a.switch, worse(of.get(l.a.switch) ?? null, valueOf(i, false, state.colour)));
		of.set(l.b.switch, worse(of.get(l.b.switch) ?? null, valueOf(i, true, state.colour)));
	});
	return of;
}

function classOf(v) {
	if (state.colour === "deviations")
		return !state.check ? "vx" : v ? "vbad" : "vgood";
	return v === null || v === undefined ? "vx" : "v" + Math.min(9, Math.floor(v * 10));
}

/* Replaces the class of a colour, and only where it changed. */
function dye(e, cls) {
	if (e.dataset.dye === cls)
		return;
	e.classList.remove(e.dataset.dye ?? "vx");
	e.classList.add(cls);
	e.dataset.dye = cls;
}

export function paint() {
	const p = state.picture, values = switchValues();
	const unit = state.colour === "deviations" ? "deviations" : state.colour;
	if (!p)
		return;
	for (const [name, at] of p.switches) {
		const v = values.get(name), text = `${name}: ${unit} ` +
			(unit === "deviations" ? v ?? (state.check ? 0 : "unknown") : share(v));
		dye(at.g, classOf(v));
		at.g.classList.toggle("chosen", state.chosen?.switch === name);
		if (at.text !== text) {
			at.text = text;
			at.g.querySelector("title").textContent = text;
			at.g.setAttribute("aria-label", text);
		}
	}
	const wrong = new Set((state.check?.deviations ?? []).flatMap(d => [d.a?.cabinet, d.b?.cabinet]));
	for (const [name, rack] of p.racks)
		rack.classList.toggle("wrong", wrong.has(name));
	p.links.forEach((line, i) => line && paintLink(line, i));
	paintOver();
	showLegend();
}

function linkValue(i) {
	const l = state.links[i];
	return state.colour === "deviations" ? (deviationAt(l.a) || deviationAt(l.b) ? 1 : 0) :
		worse(valueOf(i, false, state.colour), valueOf(i, true, state.colour));
}

function paintLink(line, i) {
	const l = state.links[i];
	dye(line, classOf(linkValue(i)));
	line.firstChild.textContent = `${port(l.a)} to ${port(l.b)}: load ${share(valueOf(i, false, "load"))}, back ` +
		share(valueOf(i, true, "load"));
}

/* Lines above the others: planned cables that are missing, the links of the chosen switch, and in the
 * graph those that carry much. */
function paintOver() {
	const p = state.picture, chosen = state.chosen, lines = [];
	state.links.forEach((l, i) => {
		const v = linkValue(i);
		const mine = [l.a, l.b].some(e => e.switch === chosen?.switch && (!chosen.port || e.port === chosen.port));
		if (!mine && (state.view === "floor" || v === null || v < 0.5))
			return;
		const line = lineOf(p, l.a.switch, l.b.switch, `link ${mine && chosen.port ? "chosen" : "mine"} ${classOf(v)}`);
		if (line)
			line.dataset.link = i;
		lines.push(line);
	});
	lines.push(...state.missing.map(d => lineOf(p, d.a.switch, d.b.switch, "link missing")));
	p.over.replaceChildren(...lines.filter(x => x));
}

function showLegend() {
	const swatch = cls => el("i", { class: "swatch " + cls });
	const parts = state.colour === "deviations" ?
		[swatch("vgood"), "as planned", swatch("vbad"), "deviates; dashed: a planned cable that is missing"] :
		["0 %", ...Array.from({ length: 10 }, (_, i) => swatch("v" + i)), "100 %", swatch("vx"),
			state.colour === "load" ? "unknown. Load: sent, as a share of the link's capacity" :
				"unknown. Wait: share of time in which data waits for the link"];
	$("legend").replaceChildren(...parts);
}
