// The pure parts of a card: what it shows, and what a person's changes are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { runInNewContext } from "node:vm";

import { load } from "./load.mjs";

const { actsOf, candidateView, changesOf, fieldsOf, memoryView, pageOf } = await load("cardpage");

const now = Date.parse("2026-05-02T10:00:00Z");
const trust = { origin: "user_taught", tainted: false, verifiedBy: "" };
const item = {
  uuid: "u", type: "dead_end", what: "No cache here", why: "It kept tokens", uri: "file:///m.json", path: "auth/token.go", scope: [], state: "fresh", reason: "", suggestion: undefined,
  location: { uri: "file:///auth/token.go", range: { start: { line: 20, character: 0 }, end: { line: 27, character: 0 } } }, anchor: 0, trust, contributor: "Ann", confidence: 1,
  pinned: true, branch: "", owner: "", disputed: false, draft: false, updatedAt: "2026-05-01T10:00:00Z", tags: ["auth", "redis"], instead: "Ask the list", steps: [], version: 3, disputes: [],
};
const menu = { type: "dead_end", what: "No cache here", entries: [
  { title: "Open", command: "manicule.openMemory", arguments: ["u"] },
  { title: "Confirm", command: "manicule.confirmMemory", arguments: ["u"] },
  { title: "Edit", command: "manicule.editMemory", arguments: ["u"] },
] };
const versions = [{ version: 3, at: "2026-05-01T10:00:00Z", author: "Ann", kind: "edit", note: "after\nthe audit", current: true, hash: "h3", text: "{}" }];

test("a memory's card", () => {
  const view = memoryView(item, menu, versions, false, now);
  assert.equal(view.facts, "Ann · 1 day ago · taught by a person · version 3 · pinned");
  assert.equal(view.place, "auth/token.go:21");
  assert.deepEqual(view.acts, ["Confirm"]);
  assert.deepEqual(view.versions, ["version 3 · edit · Ann · 1 day ago · after the audit"]);
  assert.deepEqual(view.warnings, []);
  assert.equal(view.types.filter(({ id }) => id === "dead_end").length, 1);
});

test("a card warns of what may be wrong", () => {
  const view = memoryView({ ...item, state: "stale", reason: "The body changed", disputed: true, trust: { ...trust, tainted: true }, type: "episode", location: undefined }, undefined, [], true, now);
  assert.deepEqual(view.warnings.length, 3);
  assert.equal(view.warnings[0], "The body changed");
  assert.deepEqual(view.types[0], { id: "episode", name: "episode" });
  assert.equal(view.place, "");
  assert.deepEqual(actsOf(undefined), []);
});

test("a disputed card says who, and offers to withdraw", () => {
  const disputes = [{ by: "Ann", says: "It is gone\nsince June" }, { by: "Bo", says: "" }];
  const entries = [...menu.entries, { title: "Withdraw your dispute", command: "manicule.withdrawDispute", arguments: ["u"] }];
  const view = memoryView({ ...item, disputed: true, disputes }, { ...menu, entries }, [], false, now);
  assert.deepEqual(view.warnings, ["Ann disputes it: “It is gone since June”", "Bo disputes it."]);
  assert.equal(view.acts[view.withdraw], "Withdraw your dispute");
  assert.equal(memoryView(item, menu, [], false, now).withdraw, -1);
});

test("a candidate's card has its evidence", () => {
  const view = candidateView({ uuid: "u", type: "gotcha", what: "W", why: "", evidence: ["seen\ntwice"], paths: ["a.go"], scope: [], confidence: 0.7, sessions: 2, tainted: true, origin: "observed", version: 0, versions: [] });
  assert.equal(view.facts, "from 2 sessions · observed · about a.go");
  assert.deepEqual(view.evidence, ["seen twice"]);
  assert.equal(view.warnings.length, 1);
});

test("only what a person changed is sent", () => {
  const as = { type: "dead_end", what: "No cache here", why: "It kept tokens", scope: "", tags: "auth, redis", instead: "Ask the list", note: "" };
  assert.deepEqual(changesOf(item, fieldsOf(as)), {});
  assert.deepEqual(changesOf({ ...item, what: "No cache here\n" }, fieldsOf(as)), {});
  assert.deepEqual(changesOf(item, fieldsOf({ ...as, why: " ", scope: "auth/**\n\n web/** ", tags: "auth," })), { why: "", scope: ["auth/**", "web/**"], tags: ["auth"] });
  assert.deepEqual(changesOf(item, fieldsOf({ ...as, instead: "" })), { instead: "" });
  assert.deepEqual(changesOf(item, fieldsOf({ ...as, type: "gotcha", instead: "x", what: "Use no cache" })), { type: "gotcha", what: "Use no cache" });
});

for (const broken of [undefined, null, 1, {}, { what: 1 }, { what: "  " }]) {
  test(`${JSON.stringify(broken)} is nothing to remember`, () => assert.throws(() => fieldsOf(broken), /what should be remembered/u));
}

test("the page loads nothing of others and has what its script names", async () => {
  const page = pageOf("vscode-resource:", "vscode-resource:/card.js", "vscode-resource:/card.css", "abc");
  assert.match(page, /default-src 'none'; style-src vscode-resource:; script-src 'nonce-abc'/u);
  assert.doesNotMatch(page, /https?:|unsafe|\son\w+=/u);
  const ids = new Set([...page.matchAll(/id="(\w+)"/gu)].map(([, id]) => id));
  const script = await readFile(new URL("../media/card.js", import.meta.url), "utf8");
  const named = [...script.matchAll(/at\("(\w+)"\)|list\("(\w+)"/gu)].map(([, a, b]) => a ?? b);
  assert.ok(named.length > 15);
  assert.deepEqual(named.filter((id) => !ids.has(id)), []);
  for (const [, id] of page.matchAll(/for="(\w+)"/gu)) assert.ok(ids.has(id), id);
  assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacentHTML|eval/u);
});

/** The page's script with elements that hold no more than it asks of them. */
async function page() {
  const elements = new Map();
  const heard = [];
  let hear;
  const made = () => {
    const told = {};
    return { value: "", dataset: {}, parentElement: {}, append() {}, replaceChildren() {}, addEventListener(kind, listener) { told[kind] = listener; }, fire: (kind) => told[kind](), closest: () => ({}), focus() {} };
  };
  const document = {
    body: made(), activeElement: null, createElement: made, addEventListener() {}, hasFocus: () => false,
    getElementById(id) {
      if (!elements.has(id)) elements.set(id, made());
      return elements.get(id);
    },
  };
  const window = { addEventListener: (_, listener) => { hear = listener; } };
  runInNewContext(await readFile(new URL("../media/card.js", import.meta.url), "utf8"), { document, window, acquireVsCodeApi: () => ({ postMessage: (message) => heard.push(message) }) });
  return { at: (id) => document.getElementById(id), show: (message) => hear({ data: { kind: "show", ...message } }), refuse: (reason) => hear({ data: { kind: "refused", reason } }), last: () => heard.at(-1) };
}

test("what is written while a card is read again stays, field by field", async () => {
  const { at, show, last } = await page();
  show({ card: memoryView(item, menu, versions, false, now) });
  at("why").value = "It kept tokens of deleted users";
  const next = memoryView({ ...item, what: "No cache here at all", tags: ["auth"] }, menu, versions, false, now);
  show({ card: next, reread: true });
  assert.equal(at("why").value, "It kept tokens of deleted users");
  assert.equal(at("what").value, "No cache here at all");
  assert.equal(at("tags").value, "auth");
  assert.equal(last().fields.why, "It kept tokens of deleted users");
  show({ card: next }); // after a save
  assert.equal(at("why").value, "It kept tokens");
  assert.equal(last().fields, undefined);
});

test("a refusal goes when the text that it was about changes", async () => {
  const { at, show, refuse } = await page();
  show({ card: memoryView(item, menu, versions, true, now) });
  refuse("nothing was corrected");
  assert.equal(at("refused").hidden, false);
  at("what").value = "No cache here at all";
  at("what").fire("input");
  assert.equal(at("refused").hidden, true);
});
