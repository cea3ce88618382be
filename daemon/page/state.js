// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* state.js - the last answers that the page has, the questions to moored, and look-ups in answers.
 * /api/METHOD has the same answers as the socket. */

export const state = { plane: 0, view: "floor", colour: "load", switches: [], links: [], loads: null, plan: null, check: null,
	status: null, hot: null, chosen: null, picture: null, byLink: new Map(), missing: [], cables: new Map() };

export async function ask(method, params = {}) {
	const query = new URLSearchParams(params).toString();
	const answer = await fetch(`api/${method}` + (query ? "?" + query : ""));
	const json = answer.ok ? await answer.json() : { error: { message: `HTTP ${answer.status}` } };
	if (json.error)
		throw new Error(json.error.message);
	return json.result;
}

/* The answer, or null where there is none (no plan, no poll yet). */
export const perhaps = (method, params) => ask(method, params).catch(() => null);
export const here = () => ({ plane: state.plane });

/* Runs one question at a time; if it is asked again meanwhile, once more afterwards. */
export function once(run) {
	let running = false, again = false;
	return async () => {
		if (running) {
			again = true;
			return;
		}
		running = true;
		do {
			again = false;
			await run().catch(e => console.warn(e));
		} while (again);
		running = false;
	};
}

/* ---- look-ups in answers ---------------------------------------------------------- */

/* Planned switches that no scan found are drawn, too. */
export function allSwitches() {
	const found = new Set(state.switches.map(s => s.name));
	const absent = (state.plan?.switches ?? []).filter(s => !found.has(s.name))
		.map(s => ({ name: s.name, cabinet: s.cabinet ?? null, unit: s.unit ?? null, absent: state.switches.length > 0 }));
	return [...state.switches, ...absent];
}

/* What leaves the link's end `back`: load or wait. */
export function valueOf(i, back, what) {
	const list = state.loads?.[back ? what + "_back" : what];
	return list?.[i] ?? null;
}

export const worse = (a, b) => a === null ? b : b === null ? a : Math.max(a, b);

export function deviationAt(e) {
	return (state.check?.deviations ?? []).find(d => [d.a, d.b].some(x => x?.switch === e.switch && x?.port === e.port));
}
