// The page of a memory's card, and what it shows. It must not know VS Code, so that it
// can be tested without it.

import type { Menu } from "./answers";
import type { Candidate } from "./candidates";
import type { FullItem, Version } from "./items";
import { language, nameOf, t, wordsOf } from "./l10n";
import { memoryTypes } from "./protocol";
import { ago, oneLine, sessions } from "./words";

/** What a card shows. The page gets it as data. */
export interface CardView {
  readonly kind: "memory" | "candidate";
  /** A memory is corrected: what was wrong is asked for. */
  readonly corrects: boolean;
  readonly title: string;
  /** What the button says that sends it. */
  readonly save: string;
  readonly facts: string;
  readonly warnings: readonly string[];
  readonly types: readonly { readonly id: string; readonly name: string }[];
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly scope: readonly string[];
  readonly tags: readonly string[];
  readonly instead: string;
  readonly steps: readonly string[];
  /** Where its code is; "" if it has none. */
  readonly place: string;
  readonly evidence: readonly string[];
  /** The titles of what can be done with it besides. */
  readonly acts: readonly string[];
  /** Which of them withdraws a dispute, -1 for none: it stands beside the dispute, too. */
  readonly withdraw: number;
  /** A line for each version, the newest first. */
  readonly versions: readonly string[];
}

/** What a person wrote into a card. */
export interface CardFields {
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly scope: readonly string[];
  readonly tags: readonly string[];
  readonly instead: string;
  readonly note: string;
}

/** The commands that the card itself is, or has a button for. */
const ownCommands = ["manicule.openMemory", "manicule.editMemory", "manicule.correctMemory", "manicule.acceptMemory", "manicule.rejectMemory"];

/** The entries of a memory's menu that its card offers. */
export function actsOf(menu: Menu | undefined): Menu["entries"] {
  return (menu?.entries ?? []).filter(({ command }) => !ownCommands.includes(command));
}

/** The card of a memory. */
export function memoryView(item: FullItem, menu: Menu | undefined, versions: readonly Version[], corrects: boolean, now: number): CardView {
  const warnings = [
    ...(item.state === "stale" || item.state === "drifted" || item.state === "orphaned" ? [item.reason || t("Its code is {0}.", nameOf(item.state))] : []),
    ...(item.disputed ? disputesOf(item) : []),
    ...(item.trust.tainted ? [t("It may repeat text from outside of the repository.")] : []),
  ];
  const facts = [item.contributor, ago(item.updatedAt, now), nameOf(item.trust.origin), t("version {0}", item.version)].filter((fact) => fact !== "");
  if (item.trust.verifiedBy !== "") facts.push(t("verified by {0}", item.trust.verifiedBy));
  if (item.pinned) facts.push(t("pinned"));
  if (item.branch !== "") facts.push(t("of branch {0}", item.branch));
  const line = item.location && item.location.range.start.line > 0 ? `:${String(item.location.range.start.line + 1)}` : "";
  return {
    kind: "memory",
    corrects,
    title: corrects ? t("☞ Correct a memory") : `☞ ${nameOf(item.type)}`,
    save: corrects ? t("Correct") : t("Save"),
    facts: facts.join(" · "),
    warnings,
    types: typesWith(item.type),
    type: item.type,
    what: item.what,
    why: item.why,
    scope: item.scope,
    tags: item.tags,
    instead: item.instead,
    steps: item.steps,
    place: item.location ? `${item.path}${line}` : "",
    evidence: [],
    acts: actsOf(menu).map(({ title }) => wordsOf(title)),
    withdraw: actsOf(menu).findIndex(({ command }) => command === "manicule.withdrawDispute"),
    versions: versions.map((one) => [t("version {0}", one.version), nameOf(one.kind), one.author, ago(one.at, now), oneLine(one.note, 120)].filter((part) => part !== "").join(" · ")),
  };
}

function disputesOf(item: FullItem): string[] {
  if (item.disputes.length === 0) return [t("Somebody disputes it.")];
  return item.disputes.map(({ by, says }) => {
    const who = by === "somebody" ? t("Somebody") : by;
    return says === "" ? t("{0} disputes it.", who) : t("{0} disputes it: “{1}”", who, oneLine(says, 300));
  });
}

/** The card of a candidate. */
export function candidateView(candidate: Candidate): CardView {
  const about = candidate.scope.length > 0 ? [] : candidate.paths;
  return {
    kind: "candidate",
    corrects: false,
    title: t("☞ Draft: {0}", nameOf(candidate.type)),
    save: t("Accept"),
    facts: [
      ...(candidate.sessions > 0 ? [t("from {0}", sessions(candidate.sessions))] : []),
      nameOf(candidate.origin),
      ...(about.length > 0 ? [t("about {0}", about.join(", "))] : []),
    ].filter((fact) => fact !== "").join(" · "),
    warnings: candidate.tainted ? [t("It may repeat text from outside of the repository. Read it as if a stranger had written it: agents will be told it as yours.")] : [],
    types: typesWith(candidate.type),
    type: candidate.type,
    what: candidate.what,
    why: candidate.why,
    scope: candidate.scope,
    tags: [],
    instead: "",
    steps: [],
    place: "",
    evidence: candidate.evidence.map((text) => oneLine(text, 300)),
    acts: [],
    withdraw: -1,
    versions: [],
  };
}

function typesWith(type: string): CardView["types"] {
  const ids: readonly string[] = memoryTypes;
  return (ids.includes(type) ? ids : [type, ...ids]).map((id) => ({ id, name: nameOf(id) }));
}

/** Reads what a person wrote; throws an Error with the problem. */
export function fieldsOf(value: unknown): CardFields {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const read = (name: string): string => {
    const found = given[name];
    return typeof found === "string" ? found.trim() : "";
  };
  const split = (name: string, by: RegExp): string[] => read(name).split(by).map((part) => part.trim()).filter((part) => part !== "");
  const what = read("what");
  if (what === "") throw new Error(t("Write what should be remembered."));
  return { what, why: read("why"), type: read("type"), scope: split("scope", /\n/u), tags: split("tags", /[,\n]/u), instead: read("instead"), note: read("note") };
}

/** What of a memory a person changed: only that is sent. */
export function changesOf(item: FullItem, fields: CardFields): Record<string, unknown> {
  const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, at) => one === b[at]);
  return {
    ...(fields.what === item.what.trim() ? {} : { what: fields.what }),
    ...(fields.why === item.why.trim() ? {} : { why: fields.why }),
    ...(fields.type === item.type ? {} : { type: fields.type }),
    ...(same(fields.scope, item.scope) ? {} : { scope: fields.scope }),
    ...(same(fields.tags, item.tags) ? {} : { tags: fields.tags }),
    ...(fields.type !== "dead_end" || fields.instead === item.instead.trim() ? {} : { instead: fields.instead }),
  };
}

/** The page. Its script and its style come from the extension, and nothing else is loaded. */
export function pageOf(source: string, script: string, style: string, nonce: string): string {
  const hint = (text: string): string => `<small>${escapeHtml(text)}</small>`;
  const label = (id: string, name: string, more = ""): string => `<label for="${id}">${escapeHtml(name)}${more === "" ? "" : ` ${hint(more)}`}</label>`;
  const button = (id: string, name: string, rest: string): string => `<button type="button" id="${id}"${rest}>${escapeHtml(name)}</button>`;
  const section = (name: string, list: string): string => `<section><h2>${escapeHtml(name)}</h2>${list}</section>`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language())}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${style}">
<title>Manicule</title>
</head>
<body>
<main>
<h1 id="title"></h1>
<p id="facts" class="facts"></p>
<div id="warnings"></div>
<form id="form">
<div id="noteField">${label("note", t("What was wrong?"), t("kept in the history"))}<textarea id="note" rows="1"></textarea></div>
${label("what", t("What"))}<textarea id="what" rows="2" required></textarea>
${label("why", t("Why"))}<textarea id="why" rows="2"></textarea>
<div id="insteadField">${label("instead", t("Instead"), t("what works"))}<textarea id="instead" rows="1"></textarea></div>
${label("type", t("Type"))}<select id="type"></select>
${label("scope", t("Where"), t("patterns such as {0}, one a line; with none and no code of its own it is about the whole project", "src/auth/**"))}<textarea id="scope" rows="1" spellcheck="false"></textarea>
<p><span>${escapeHtml(t("Its code:"))} </span><button type="button" id="place" class="link"></button></p>
<div id="tagsField">${label("tags", t("Tags"), t("with commas"))}<input id="tags" spellcheck="false"></div>
<p id="refused" class="refused" role="alert" hidden></p>
<div class="row">
<button type="submit" id="save" class="main"></button>
${button("reject", t("Reject…"), "")}
${button("revert", t("Discard changes"), " hidden")}
${button("toCorrect", t("It was wrong…"), "")}
</div>
</form>
${section(t("Steps"), '<ol id="steps"></ol>')}
${section(t("Evidence"), '<ul id="evidence"></ul>')}
${section(t("More"), '<div id="acts" class="row"></div>')}
${section(t("History"), '<ol id="versions"></ol>')}
<p>${button("json", t("Open its file"), ' class="link"')}</p>
</main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}

// A translation is no part of the page's structure.
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/gu, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "&quot;");
}
