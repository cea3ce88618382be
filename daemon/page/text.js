// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* text.js - elements, tables and numbers as text.  Names of switches, endpoints and cables are other
 * people's text: el() makes text nodes of them, and nothing here makes markup. */

export const $ = id => document.getElementById(id);

export function el(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	e.append(...children.map(c => c instanceof Node ? c : document.createTextNode(c)));
	return e;
}

export function button(text, run, cls) {
	const b = el("button", { type: "button", ...(cls ? { class: cls } : {}) }, text);
	b.addEventListener("click", run);
	return b;
}

/* Columns whose name begins with '#' hold numbers. */
export function table(t, columns, rows) {
	const cls = c => c[0] === "#" ? { class: "number" } : {};
	t.replaceChildren(
		el("thead", {}, el("tr", {}, ...columns.map(c => el("th", { scope: "col", ...cls(c) }, c.replace("#", ""))))),
		el("tbody", {}, ...rows.map(r => el("tr", {}, ...r.map((v, i) => el("td", cls(columns[i]), v))))));
	return t;
}

export function facts(rows) {
	return el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

export const share = v => v === null || v === undefined ? "unknown" : (100 * v).toFixed(v > 0 && v < 0.1 ? 1 : 0) + " %";
export const gigabytes = v => v === null ? "unknown" : (v / 1e9).toFixed(v < 1e9 ? 2 : 1) + " GB/s";
export const port = e => e.switch !== undefined ? `${e.switch}[${e.port ?? ""}]` : `${e.endpoint ?? "?"}`;
export const place = s => s && s.cabinet !== null ? `cabinet ${s.cabinet}` + (s.unit !== null ? `, unit ${s.unit}` : "") : "no cabinet";
export const time = ms => new Date(ms).toLocaleTimeString();
export const key = (name, n) => `${name}\n${n}`;
