// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wiring.js - the state of moored in a line, the deviations from the plan, and the repair list. */
import { choose } from "./detail.js";
import { state } from "./state.js";
import { $, button, el, place, port, table, time } from "./text.js";

export function showStatus() {
	const s = state.status, p = s?.planes?.[state.plane];
	const badge = (text, bad) => el("li", bad ? { class: "bad" } : {}, text);
	if (!s || !p) {
		$("fabric").textContent = "moored does not answer.";
		return;
	}
	$("fabric").textContent = p.switches === undefined ? `plane ${p.plane}: ${p.state}: ${p.why ?? ""}` :
		`${p.switches} switches, ${p.endpoints} endpoints, ${p.cables} links; scan ${p.sweep} at ${time(p.at_ms)}`;
	$("badges").replaceChildren(
		badge(`plane ${p.name ?? p.plane} is ${p.state}` + (p.why ? ": " + p.why : ""), p.state !== "up"),
		...(p.deviations === null || p.deviations === undefined ? [] :
			[badge(el("a", { href: "#wiring" }, p.deviations === 1 ? "1 deviation" : `${p.deviations} deviations`),
				p.deviations > 0)]),
		...(state.hot ? [badge(state.hot.total === 1 ? "1 hotspot" : `${state.hot.total} hotspots`, state.hot.total > 0)] : []),
		...(p.tables_sound === undefined || p.tables_sound === null ? [] :
			[badge(p.tables_sound ? "tables cannot deadlock" : "tables can deadlock", !p.tables_sound)]),
		...(p.problems ?? []).map(x => badge(x.text, true)),
		...(s.plan_error ? [badge(s.plan_error, true)] : []),
		...(s.records_error ? [badge(s.records_error, true)] : []));
	$("planes").hidden = s.planes.length < 2;
	if ($("planes").lastElementChild.length !== s.planes.length)
		$("planes").lastElementChild.replaceChildren(...s.planes.map(q => el("option", { value: q.plane }, q.name ?? `${q.plane}`)));
}

export function showWiring(repair) {
	const c = state.check, list = c?.deviations ?? [], v = $("verdict");
	v.className = !c ? "" : c.ok ? "good" : "bad";
	v.textContent = !c ? "There is no plan, or no scan yet: the cabling is not compared." :
		c.ok ? `All ${c.cables} links are as planned.` : `${list.length} deviation${list.length === 1 ? "" : "s"} from the plan`;
	$("deviations").hidden = !list.length;
	table($("deviations"), ["Verdict", "What is wrong", "Cable", "Since"], list.map(d => [d.verdict,
		d.a?.switch ? button(d.text ?? d.planned ?? d.observed ?? "", () => choose(d.a.switch, d.a.port)) : d.text ?? "",
		d.label ?? "", d.since ? new Date(d.since).toLocaleString() : ""]));
	$("repair").hidden = !repair || !list.length;
	if (repair)
		showRepair(repair);
}

function showRepair(r) {
	const where = e => `${port(e)} (${place({ cabinet: e.cabinet ?? null, unit: e.unit ?? null })})`;
	const moves = r.moves.map(m => el("li", { value: m.step },
		(!m.from ? `Plug end ${m.end} of cable ${m.cable} into ${where(m.to)}.` :
			!m.to ? `Unplug end ${m.end} of ${m.cable} from ${where(m.from)}.` :
				`Move end ${m.end} of ${m.cable} from ${where(m.from)} to ${where(m.to)}.`) +
		(m.parts ? " Meanwhile the fabric is in two parts." : "")));
	$("repair").replaceChildren(el("h3", {}, "Repair list"),
		...(r.reseat ?? []).map(d => el("p", {}, `First seat both ends again, if a cable is there: ${d.text}.`)),
		...(moves.length ? [el("ol", {}, ...moves)] : []),
		...r.exchanges.map(x => el("p", {}, `Exchange switches ${x.a.switch} and ${x.b.switch}, or their names.`)),
		el("p", { class: "note" }, (r.new_cables ? `New cables to have at hand: ${r.new_cables}. ` : "") +
			(moves.length || r.exchanges.length ? "" : "No cable end has to move: see the verdicts above.")));
}
