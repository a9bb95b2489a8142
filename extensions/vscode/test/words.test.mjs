// How memories are put into words, without VS Code.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const words = await load("words");
const { ago, batchDetail, batchesOf, broken, candidateCard, codeLines, candidateDetail, cardOf, choicesOf, detailOf, escapeMarkdown, groupDetail, groupIds, itemIds, lineText, listingOf, oneLine, sessionAnswers, sessionText, summaryOf, versionPath } = words;

const now = Date.parse("2026-06-01T12:00:00Z");
for (const [at, want] of [
  ["2026-06-01T11:59:40Z", "just now"],
  ["2026-06-01T11:59:00Z", "1 minute ago"],
  ["2026-06-01T09:30:00Z", "2 hours ago"],
  ["2026-05-31T12:00:00Z", "1 day ago"],
  ["2026-03-01T12:00:00Z", "3 months ago"],
  ["2024-05-01T12:00:00Z", "2 years ago"],
  ["2027-01-01T00:00:00Z", "just now"],
  ["", ""],
  ["never", ""],
]) {
  test(`${at} is ${want}`, () => assert.equal(ago(at, now), want));
}

test("a long text is cut between characters", () => {
  assert.equal(oneLine("a\n b\tc", 10), "a b c");
  assert.equal(oneLine("😀😀😀😀", 3), "😀😀…");
});

test("Markdown in a memory stays text", () => {
  assert.equal(escapeMarkdown("[x](command:y) **b** <i> $(zap)"), "\\[x\\]\\(command:y\\) \\*\\*b\\*\\* \\<i\\> \\$\\(zap\\)");
});

for (const [text, want] of [
  ["Call `Close_it()` once, not twice.", "Call `Close_it()` once, not twice\\."],
  ["`a` and `[b](c)`", "`a` and `[b](c)`"],
  ["one ` alone", "one \\` alone"],
  ["``` fenced ```", "\\`\\`\\` fenced \\`\\`\\`"],
  ["nothing in ` `", "nothing in \\` \\`"],
  ["`over\nlines`", "\\`over\nlines\\`"],
]) {
  test(`code in ${JSON.stringify(text)} stays code`, () => assert.equal(escapeMarkdown(text), want));
}

const folder = { uri: "", name: "shop", memories: 4, candidates: 0, stale: 0, orphaned: 0, invalid: 0, error: "", index: { state: "ready", done: 9, total: 9 } };

test("the status item of a quiet folder", () => {
  const { text, tooltip, spoken } = summaryOf([folder]);
  assert.equal(text, "☞ 4");
  assert.equal(spoken, "shop: 4 memories, code graph ready");
  assert.equal(tooltip, "**shop**: 4 memories, code graph ready");
});

test("the status item counts all folders", () => {
  const busy = { ...folder, memories: 1, candidates: 2, stale: 1, orphaned: 1, invalid: 1, index: { state: "indexing", done: 1, total: 3 } };
  const { text, tooltip, spoken, candidates, attention } = summaryOf([folder, busy]);
  assert.equal(text, "☞ 5 $(inbox) 2 $(warning) 3 $(sync~spin) 33%");
  assert.deepEqual([candidates, attention], [2, 3]);
  assert.doesNotMatch(spoken, /[*$☞]/u, "a screen reader says marks and the names of icons");
  assert.match(tooltip, /1 memory, 2 to review, 1 may be stale, 1 lost their code, 1 file can't be read, code graph: 1 of 3 files/);
});

test("a folder that can't be opened says why", () => assert.equal(summaryOf([{ ...folder, error: "no_rights" }]).tooltip, "**shop**: no\\_rights"));

test("without a folder there is no memory", () => assert.equal(summaryOf([]).text, "☞ 0"));

const item = {
  uuid: "u", type: "dead_end", what: "No *retry*", why: "", uri: "", location: undefined, path: "", scope: ["a/**"], state: "orphaned", reason: "it is gone",
  suggestion: { location: {}, confidence: 0.825, preview: "x := ```" }, anchor: undefined, trust: { origin: "user_taught", tainted: true, verifiedBy: "ann" },
  contributor: "bob", confidence: 1, pinned: true, branch: "", owner: "", disputed: false, draft: false, updatedAt: "2026-05-31T12:00:00Z",
};

test("a memory's card says what a person must know", () => {
  const card = cardOf(item, now);
  assert.match(card, /\*\*dead end\*\*: No \\\*retry\\\*/u);
  assert.match(card, /it is gone/u);
  assert.match(card, /83 %/u);
  assert.match(card, /````\nx := ```\n````/u, "the code can't end its fence");
  assert.match(card, /bob · 1 day ago · taught by a person · verified by ann · tainted/u);
});

test("the line behind an item", () => {
  assert.equal(detailOf(item), "dead end · orphaned · pinned");
  assert.equal(detailOf({ ...item, state: "fresh", pinned: false }), "dead end");
  assert.equal(detailOf({ ...item, state: "fresh", pinned: false, branch: "feat" }), "dead end · of feat");
});

const candidate = { folder: "file:///w", uuid: "u", type: "gotcha", what: "W", why: "Y", evidence: ["- e"], paths: ["a.go"], scope: ["a/**"], confidence: 0.7, sessions: 3, tainted: true, origin: "" };

test("a candidate's card warns of text from outside", () => {
  assert.match(candidateCard(candidate), /Tainted/u);
  assert.match(candidateCard(candidate), /- \\- e/u);
});

const piece = { path: "web/a.ts", location: { uri: "file:///web/a.ts", range: { start: { line: 4, character: 2 }, end: { line: 4, character: 8 } } }, text: "  async f() {\r\n    return `x`;\n\n  }", more: 0 };

test("a candidate's card has the code that it is about, as code", () => {
  const card = candidateCard({ ...candidate, scope: [] }, [piece]);
  assert.match(card, /web\/a\\\.ts:5\n\n```ts\nasync f\(\) \{\n {2}return `x`;\n\n\}\n```$/u);
  assert.doesNotMatch(card, /in a/u, "the code says where it is");
  assert.match(candidateCard({ ...candidate, scope: [] }), /in a\\\.go/u);
});

test("code is shown as far left as it goes, and says what is left out", () => {
  assert.deepEqual(codeLines({ ...piece, text: "\tif x {\n\t\ty()\n\t}", more: 1 }), ["if x {", "    y()", "}", "… 1 more line"]);
  assert.deepEqual(codeLines({ ...piece, text: "", more: 0 }), [""]);
  assert.equal(codeLines({ ...piece, text: "x", more: 7 })[1], "… 7 more lines");
});

test("what is about the same waits as one group, and each with versions alone", () => {
  const of = (uuid, scope, paths, versions = []) => ({ ...candidate, uuid, scope, paths, versions });
  const versions = [{ number: 1 }, { number: 2 }];
  const batches = batchesOf([of("1", ["web/**"], ["web"]), of("2", [], ["a.go"]), of("3", ["web/**"], ["web"]), of("4", [], []), of("5", [], []), of("6", ["web/**"], [], versions), of("7", ["web/**"], [], versions)]);
  assert.deepEqual(batches.map(({ about, candidates }) => [about, candidates.map(({ uuid }) => uuid).join("")]), [["web/**", "13"], ["a.go", "2"], ["", "45"], ["web/**", "6"], ["web/**", "7"]]);
});

test("what waits in two folders about places of one name are two groups, and each says whose it is", () => {
  const of = (uuid, folder) => ({ ...candidate, uuid, folder, scope: ["src/**"], versions: [] });
  const batches = batchesOf([of("1", "file:///a"), of("2", "file:///b"), of("3", "file:///a")]);
  assert.deepEqual(batches.map(({ folder, candidates }) => [folder, candidates.map(({ uuid }) => uuid).join("")]), [["file:///a", "13"], ["file:///b", "2"]]);
  const folders = [{ uri: "file:///a", name: "shop" }, { uri: "file:///b", name: "site" }];
  assert.equal(batchDetail(batches[0], folders), "2 · shop");
  assert.equal(batchDetail(batches[0], folders.slice(0, 1)), "2");
});

test("at the end of a line stands the newest memory about it, by whom, when, and how many more", () => {
  const of = (what, updatedAt, contributor = "bob") => ({ ...item, what, updatedAt, contributor });
  assert.equal(lineText([], now), "");
  assert.equal(lineText([of("Call\nClose once", "2026-05-31T12:00:00Z")], now), "☞ Call Close once · bob · 1 day ago");
  assert.equal(lineText([of("old", "2024-05-01T12:00:00Z"), of("new", "2026-06-01T11:59:00Z", "")], now), "☞ new · 1 minute ago · 1 more");
});

test("a text is broken between words to the width that there is", () => {
  assert.deepEqual(broken("one two three", 8), ["one two", "three"]);
  assert.deepEqual(broken("    indented code stays", 8), ["    indented code stays"]);
});

test("a list of memories names the line that each begins on", () => {
  const entry = (what, why) => ({ uuid: what, type: "dead_end", what, why, author: "ann", age: "", uri: "file:///m.json" });
  const { text, lines, links } = listingOf([entry("first\nline", "because\nof"), entry("second", "")]);
  const all = text.split("\n");
  assert.deepEqual(lines.map((line) => all[line]), ["dead end: first line", "dead end: second"]);
  assert.ok(text.includes("Why: because\nof\n\nann\n\nOpen\n"));
  assert.deepEqual(links.map(({ line, uuid }) => [all[line], uuid]), [["Open", "first\nline"], ["Open", "second"]]);
});

test("a list of memories breaks long lines between words", () => {
  const why = `${"word ".repeat(30)}end\n    indented as ${"code ".repeat(30)}`;
  const { text } = listingOf([{ uuid: "u", type: "gotcha", what: "long ".repeat(30).trim(), why, author: "", age: "", uri: "file:///m.json" }]);
  const all = text.split("\n");
  assert.deepEqual(all.filter((line) => line.length > 60 && !line.startsWith(" ")), []);
  assert.ok(all.some((line) => line.startsWith("    indented as code")));
  assert.equal(text.match(/long/gu)?.length, 30);
});

test("the end of a session", () => {
  const end = { agent: "claude", used: 2, learned: 3, asks: "all", balance: { tokens: 0, saved: 0 } };
  assert.equal(sessionText({ ...end, used: 0, learned: 0 }), "");
  assert.equal(sessionText({ ...end, agent: "", used: 1, learned: 0, asks: "needed" }), "☞ An agent is done. It was told 1 memory; nothing new was learned.");
  assert.equal(sessionText(end), "☞ claude is done. It was told 2 memories; 3 learned wait for your review.");
  assert.equal(sessionText({ ...end, asks: "none" }), "");
  assert.match(sessionText({ ...end, balance: { tokens: 412, saved: 1900 } }), /learned wait for your review\. Tokens: 412 told, at most 1900 spared\.$/u);
  assert.match(sessionText({ ...end, balance: { tokens: 412, saved: 0 } }), /Tokens: 412 told; no saving is known\.$/u);
});

for (const [asks, learned, needLook, want] of [
  ["each", 2, 0, "review later"],
  ["all", 2, 1, "acceptAll review later"],
  ["all", 2, 2, "review later"],
  ["all", 0, 0, ""],
  ["needed", 2, 0, ""],
  ["needed", 2, 1, "review later"],
  ["none", 2, 2, ""],
]) {
  test(`${asks} asks about ${learned}, of which ${needLook} need a look: "${want}"`, () => {
    assert.equal(sessionAnswers({ asks, learned, needLook }).join(" "), want);
  });
}

for (const [name, groups] of Object.entries({
  "two scopes on one folder": [["w", "src", "src/**"], ["w", "src", "src/*.go"]],
  "two folders with groups of a type": [["w", "", "gotcha"], ["x", "", "gotcha"]],
  "two folders with one file": [["w", "a.go", "a.go"], ["x", "a.go", "a.go"]],
  "a scope with the name of the rest": [["w", "", "whole project"], ["w", "", "whole project"]],
  "a server that names no folders": [["", "a.go", "a.go"], ["", "a.go", "a.go"]],
})) {
  test(`each group has its own line: ${name}`, () => {
    const ids = groupIds(groups.map(([folder, path, label]) => ({ folder, path, label, uri: "", items: [] })));
    assert.equal(new Set(ids).size, groups.length, ids.join());
  });
}

test("the name of a group's line stays when others go", () => {
  const [one, two] = ["a.go", "b.go"].map((path) => ({ folder: "w", path, label: path, uri: "", items: [] }));
  assert.equal(groupIds([one, two])[1], groupIds([two])[0]);
});

test("a group says whose it is where several folders are open", () => {
  const group = { folder: "file:///x", path: "", label: "gotcha", uri: "", count: 2, items: [{}] };
  const [w, x] = ["w", "x"].map((name) => ({ ...folder, uri: `file:///${name}`, name }));
  assert.equal(groupDetail(group, [x]), "2");
  assert.equal(groupDetail(group, [w, x]), "2 · x");
});

test("the ways to decide between versions", () => {
  const versions = [
    { number: 1, label: "hourly", type: "gotcha", what: "Exports run hourly.", why: "", author: "ada", updatedAt: "2026-05-31T12:00:00Z" },
    { number: 2, label: "nightly", type: "decision", what: "Exports run nightly.", why: "The lock.", author: "", updatedAt: "" },
  ];
  const choices = choicesOf({ uuid: "u", version: 3, versions }, now);
  assert.deepEqual(choices.map(({ label }) => label), ["Keep version 1: hourly", "Keep version 2: nightly", "Keep both", "Newest supersedes the others"]);
  assert.deepEqual(choices.map(({ resolution }) => [resolution.keep, resolution.rest, resolution.version]), [[1, "drop", 3], [2, "drop", 3], [1, "keep", 3], [1, "supersede", 3]]);
  assert.equal(choices[0].description, "gotcha · ada · 1 day ago");
  assert.equal(choices[1].detail, "Exports run nightly. Why: The lock.");
  const [whole, because] = choicesOf({ uuid: "u", version: 3, versions: [{ ...versions[0], label: "Exports run hourly." }, { ...versions[1], label: "Exports run nightly." }] }, now);
  assert.deepEqual([whole.detail, because.detail], ["", "Why: The lock."], "what a label says in full is not said again");
  assert.equal(choicesOf({ uuid: "u", version: 3, versions: [...versions, versions[1]] }, now)[3].label, "Keep all 3");
  assert.equal(choicesOf({ uuid: "u", version: 3, thread: true, versions }, now).length, 2, "a thread keeps one version");
  assert.equal(candidateDetail({ type: "gotcha", versions, sessions: 1, confidence: 1, tainted: false }), "gotcha · 2 versions, undecided");
  assert.equal(candidateDetail({ type: "thread", versions: [versions[0], { ...versions[1], author: "Cleo", deleted: true }], sessions: 0, confidence: 1, tainted: false }), "thread · deleted by Cleo and changed meanwhile");
});

test("what was written names no sessions, and what is sure no confidence", () => {
  for (const origin of ["agent_explicit", "written_as_a_draft"]) assert.equal(candidateDetail({ ...candidate, versions: [], sessions: 1, confidence: 1, tainted: false, origin }), "gotcha");
  assert.equal(candidateDetail({ ...candidate, versions: [], sessions: 1, confidence: 1, tainted: false, origin: "user_taught" }), "gotcha");
  assert.equal(candidateDetail({ ...candidate, versions: [], sessions: 1, confidence: 0.5, tainted: false, origin: "observer_inferred" }), "gotcha · 1 session · 50 %");
});

test("the line of a memory is its own in each group, and if it is there twice", () => {
  const ids = itemIds("group:a", [{ ...item, uuid: "u" }, { ...item, uuid: "v" }, { ...item, uuid: "u" }]);
  assert.deepEqual(ids, ["group:a:u:0", "group:a:v:0", "group:a:u:1"]);
  assert.notEqual(itemIds("group:b", [item])[0], itemIds("group:a", [item])[0]);
});

test("versions of the same number on two branches are two documents", () => {
  const [ours, theirs] = ["sha256:5c62", "sha256:8231"].map((hash) => versionPath("u", { version: 2, hash }));
  assert.notEqual(ours, theirs);
  assert.ok(ours.endsWith("/2.json"));
  assert.equal(versionPath("u", undefined), "/u/nothing.json");
});
