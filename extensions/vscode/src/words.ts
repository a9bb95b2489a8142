// The texts about memories. It must not know VS Code, so that it can be
// tested without it.

import type { Candidate, Code, Conflict, Resolution } from "./candidates";
import type { Balance, Thread } from "./handover";
import type { Entry, Folder, Group, Item } from "./items";
import { counted, nameOf, t, timeAgo } from "./l10n";

/** "1 memory", "2 memories". */
export function memories(n: number): string {
  return counted(n, t("1 memory"), t("{0} memories", n));
}

/** "1 session", "2 sessions". */
export function sessions(n: number): string {
  return counted(n, t("1 session"), t("{0} sessions", n));
}

/** A memory's type and what it says, in Markdown. */
function headline(type: string, what: string): string {
  return `**${escapeMarkdown(nameOf(type))}**: ${escapeMarkdown(what)}`;
}

function reasonLine(why: string): string {
  return t("Why: {0}", why);
}

/** A text in one line of at most that many characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

/** Escapes a text for Markdown: nothing in it is a link, an icon or HTML. `Code` between two single backticks stays code. */
export function escapeMarkdown(text: string): string {
  return text
    .split(/((?<!`)`(?=[^`\n]*[^`\s])[^`\n]+`(?!`))/u)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/[\\`*_{}[\]()#+\-.!~<>|&$]/gu, "\\$&")))
    .join("");
}

/** What stands at the end of a line that memories are about: the newest, by whom, when, and how many more there are; "" for none. */
export function lineText(items: readonly Item[], now: number): string {
  const [first, ...more] = [...items].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  if (!first) return "";
  const facts = [oneLine(first.what, 80), first.contributor, ago(first.updatedAt, now)].filter((fact) => fact !== "");
  if (more.length > 0) facts.push(t("{0} more", more.length));
  return `☞ ${facts.join(" · ")}`;
}

/** How long ago a time was, in the largest unit that fits; "" for no time. */
export function ago(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "";
  const minutes = Math.max(0, Math.floor((now - time) / 60_000));
  if (minutes < 1) return t("just now");
  const units: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
    [365 * 24 * 60, "year"],
    [30 * 24 * 60, "month"],
    [24 * 60, "day"],
    [60, "hour"],
    [1, "minute"],
  ];
  const [size, unit] = units.find(([size]) => minutes >= size) ?? [1, "minute" as const];
  return timeAgo(Math.floor(minutes / size), unit);
}

/** What the status item shows for all folders together. */
export interface Summary {
  readonly text: string;
  readonly tooltip: string;
  /** What a screen reader says: the text without icons, and the tooltip without Markdown. */
  readonly spoken: string;
  readonly candidates: number;
  readonly attention: number;
}

/** Sums up the folders. Icons are VS Code's $(names). */
export function summaryOf(folders: readonly Folder[]): Summary {
  const sum = (of: (folder: Folder) => number): number => folders.reduce((total, folder) => total + of(folder), 0);
  const candidates = sum(({ candidates }) => candidates);
  const attention = sum(({ stale, orphaned, invalid }) => stale + orphaned + invalid);
  const indexing = folders.filter(({ index }) => index.state === "indexing");
  const parts = [`☞ ${String(sum(({ memories }) => memories))}`];
  if (candidates > 0) parts.push(`$(inbox) ${String(candidates)}`);
  if (attention > 0) parts.push(`$(warning) ${String(attention)}`);
  if (indexing.length > 0) parts.push(`$(sync~spin)${percentage(indexing)}`);
  const tooltip = folders.map((folder) => `**${escapeMarkdown(folder.name)}**: ${escapeMarkdown(stateOf(folder))}`).join("\n\n");
  return { text: parts.join(" "), tooltip, spoken: folders.map((folder) => `${folder.name}: ${stateOf(folder)}`).join("; "), candidates, attention };
}

function stateOf(folder: Folder): string {
  if (folder.error !== "") return folder.error;
  const facts = [memories(folder.memories)];
  if (folder.candidates > 0) facts.push(t("{0} to review", folder.candidates));
  if (folder.stale > 0) facts.push(t("{0} may be stale", folder.stale));
  if (folder.orphaned > 0) facts.push(t("{0} lost their code", folder.orphaned));
  if (folder.invalid > 0) facts.push(counted(folder.invalid, t("1 file can't be read"), t("{0} files can't be read", folder.invalid)));
  facts.push(indexText(folder));
  return facts.join(", ");
}

function indexText({ index }: Folder): string {
  switch (index.state) {
    case "indexing":
      if (index.total === 0) return t("code graph begins"); // its files are not counted yet
      return counted(index.total, t("code graph: {0} of 1 file", index.done), t("code graph: {0} of {1} files", index.done, index.total));
    case "ready":
      return t("code graph ready");
    default:
      return t("no code graph");
  }
}

function percentage(folders: readonly Folder[]): string {
  const total = folders.reduce((sum, { index }) => sum + index.total, 0);
  const done = folders.reduce((sum, { index }) => sum + index.done, 0);
  return total > 0 ? ` ${String(Math.floor((100 * done) / total))}%` : "";
}

/** A memory's card, in Markdown, as tooltips show it. */
export function cardOf(item: Item, now: number): string {
  const lines = [headline(item.type, item.what)];
  if (item.why !== "") lines.push(reasonLine(escapeMarkdown(item.why)));
  if (item.reason !== "") lines.push(`⚠ ${escapeMarkdown(item.reason)}`);
  if (item.suggestion) {
    lines.push(t("It may be here now ({0}):", percent(item.suggestion.confidence)), fenced(item.suggestion.preview));
  }
  const facts = [item.contributor, ago(item.updatedAt, now), nameOf(item.trust.origin)].filter((fact) => fact !== "");
  if (item.trust.verifiedBy !== "") facts.push(t("verified by {0}", item.trust.verifiedBy));
  if (item.trust.tainted) facts.push(t("tainted: may repeat text from outside"));
  if (item.pinned) facts.push(t("pinned"));
  if (item.branch !== "") facts.push(t("of branch {0}", item.branch));
  if (item.owner !== "") facts.push(t("only for {0}", item.owner));
  if (item.disputed) facts.push(t("disputed"));
  const scope = item.scope.length > 0 ? [t("in {0}", item.scope.join(", "))] : [];
  lines.push(escapeMarkdown([...facts, ...scope].join(" · ")));
  return lines.filter((line) => line !== "").join("\n\n");
}

/** The description behind an item's label. */
export function detailOf(item: Item): string {
  const state = item.state === "fresh" || item.state === "" ? [] : [nameOf(item.state)];
  const marks = [
    ...(item.draft ? [t("draft")] : []),
    ...(item.pinned ? [t("pinned")] : []),
    ...(item.disputed ? [t("disputed")] : []),
    ...(item.branch === "" ? [] : [t("of {0}", item.branch)]),
    ...(item.owner === "" ? [] : [t("only for {0}", item.owner)]),
  ];
  return [nameOf(item.type), ...state, ...marks].join(" · ");
}

/** The description behind a thread's label: for whom it is, by whom and where. */
export function threadDetail(thread: Thread, now: number): string {
  const parts = [thread.state === "parked" ? t("parked") : "", thread.tainted ? t("may come from outside") : "", thread.shared ? t("shared") : "", thread.owner === "" ? "" : t("for {0}", thread.owner)];
  return [...parts, thread.path, thread.observed ? t("found in a session") : thread.by, ago(thread.updatedAt, now)].filter((part) => part !== "").join(" · ");
}

/** The tooltip of a thread, in Markdown. */
export function threadCard(thread: Thread, now: number): string {
  const lines = [headline(thread.kind, thread.text)];
  if (thread.why !== "") lines.push(reasonLine(escapeMarkdown(thread.why)));
  if (thread.resolution !== "") lines.push(escapeMarkdown(thread.state === "parked" ? t("Parked: {0}", thread.resolution) : t("Opened again: {0}", thread.resolution)));
  if (thread.tainted) lines.push(t("It may repeat text from outside: no agent is told."));
  lines.push(escapeMarkdown([thread.by, thread.branch === "" ? "" : t("on {0}", thread.branch), ago(thread.updatedAt, now)].filter((part) => part !== "").join(" · ")));
  return lines.join("\n\n");
}

/** The description behind a candidate's label. */
export function candidateDetail(candidate: Candidate): string {
  const facts = [nameOf(candidate.type)];
  const deleted = candidate.versions.find((one) => one.deleted);
  if (deleted && candidate.versions.length === 2) return [...facts, t("deleted by {0} and changed meanwhile", oneLine(deleted.author, 40))].join(" · ");
  if (candidate.versions.length > 0) return [...facts, t("{0} versions, undecided", candidate.versions.length)].join(" · ");
  if (candidate.origin === "observer_inferred" && candidate.sessions > 0) facts.push(sessions(candidate.sessions)); // what was written was seen in no session
  if (candidate.confidence > 0 && candidate.confidence < 1) facts.push(percent(candidate.confidence));
  if (candidate.tainted) facts.push(t("tainted"));
  return facts.join(" · ");
}

/** One way to decide between the versions of a memory. */
export interface Choice {
  readonly label: string;
  readonly description: string;
  /** The version in full. */
  readonly detail: string;
  readonly resolution: Resolution;
}

/** The ways to decide between the versions of a memory. */
export function choicesOf({ version, thread, versions }: Conflict, now: number): Choice[] {
  const kept = versions.map((one): Choice => {
    // What the label says in full is not said again.
    const what = oneLine(one.what, 400) === oneLine(one.label, 80) ? "" : one.what;
    const detail = [what, one.why === "" ? "" : reasonLine(one.why)].filter((part) => part !== "").join(" ");
    return {
      label: one.deleted ? t("Delete it, as {0} did", oneLine(one.author, 40)) : t("Keep version {0}: {1}", one.number, oneLine(one.label, 80)),
      description: [nameOf(one.type), one.author, ago(one.updatedAt, now)].filter((part) => part !== "").join(" · "),
      detail: oneLine(detail, 400),
      resolution: { keep: one.number, rest: "drop", version },
    };
  });
  const texts = versions.filter((one) => !one.deleted).length;
  if (texts < 2 || thread) return kept;
  return [
    ...kept,
    { label: texts === 2 ? t("Keep both") : t("Keep all {0}", texts), description: "", detail: t("The other versions become memories of their own."), resolution: { keep: 1, rest: "keep", version } },
    { label: t("Newest supersedes the others"), description: "", detail: t("The others stay as superseded memories."), resolution: { keep: 1, rest: "supersede", version } },
  ];
}

/** A candidate's card, in Markdown, with the code that it is about. */
export function candidateCard(candidate: Candidate, code: readonly Code[] = []): string {
  const lines = [headline(candidate.type, candidate.what)];
  if (candidate.why !== "") lines.push(reasonLine(escapeMarkdown(candidate.why)));
  if (candidate.evidence.length > 0) lines.push(candidate.evidence.map((line) => `- ${escapeMarkdown(oneLine(line, 200))}`).join("\n"));
  if (candidate.tainted) lines.push(t("Tainted: it may repeat text from outside. Read it as if a stranger had written it."));
  const about = candidate.scope.length > 0 ? candidate.scope : code.length > 0 ? [] : candidate.paths;
  if (about.length > 0) lines.push(escapeMarkdown(t("in {0}", about.join(", "))));
  for (const piece of code) lines.push(escapeMarkdown(placeOf(piece)), fenced(codeLines(piece).join("\n"), languageOf(piece.path)));
  return lines.join("\n\n");
}

/** Where a piece of code is: "auth/token.go:21". */
export function placeOf({ path, location }: Code): string {
  return `${path}:${String(location.range.start.line + 1)}`;
}

/** A piece of code, line by line, as far left as it goes, with a last line that says how much is left out. */
export function codeLines({ text, more }: Code): string[] {
  const lines = text.split(/\r?\n/u).map((line) => line.replaceAll("\t", "    ").trimEnd());
  const margin = Math.min(...lines.filter((line) => line !== "").map((line) => line.length - line.trimStart().length));
  const shown = lines.map((line) => line.slice(Number.isFinite(margin) ? margin : 0));
  return more > 0 ? [...shown, counted(more, t("… 1 more line"), t("… {0} more lines", more))] : shown;
}

// The name behind a fence by which the editor finds the colours: that of the file's end will do.
function languageOf(path: string): string {
  return /\.(\w+)$/u.exec(path)?.[1] ?? "";
}

/** A group of the review queue: what one accepts or rejects with one key. */
export interface Batch {
  /** The URI of the folder that they are of. */
  readonly folder: string;
  /** What they are all about; "" for the whole project. */
  readonly about: string;
  readonly candidates: readonly Candidate[];
}

/**
 * The review queue in groups by the folder and what its candidates are about, in the order of the queue. One that is alone stands
 * for itself.
 */
export function batchesOf(candidates: readonly Candidate[]): Batch[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    // What has several versions is decided one by one.
    const key = candidate.versions.length > 0 ? candidate.uuid : JSON.stringify([candidate.folder, aboutOf(candidate)]);
    groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  return [...groups.values()].flatMap((found) => (found[0] ? [{ folder: found[0].folder, about: aboutOf(found[0]), candidates: found }] : []));
}

function aboutOf({ scope, paths }: Candidate): string {
  return (scope.length > 0 ? scope : paths).join(", ");
}

/** A document with the full text of memories. */
export interface Listing {
  readonly text: string;
  /** The line that each begins on. */
  readonly lines: readonly number[];
  /** The lines that open a memory's card. */
  readonly links: readonly { readonly line: number; readonly uuid: string }[];
}

/** The text of a link to a memory's card. */
export function linkText(): string {
  return t("Open");
}

/** How wide a list of memories is: a peek view does not break lines, and is half as wide as its editor. */
const listingWidth = 60;

/** Writes memories as a document. */
export function listingOf(entries: readonly Entry[]): Listing {
  const out: string[] = [];
  const lines: number[] = [];
  const links: { line: number; uuid: string }[] = [];
  for (const entry of entries) {
    lines.push(out.length);
    out.push(...broken(`${nameOf(entry.type)}: ${oneLine(entry.what, 2000)}`));
    if (entry.why !== "") out.push("", ...reasonLine(entry.why).split("\n").flatMap((line) => broken(line)));
    const facts = [entry.author, entry.age].filter((fact) => fact !== "").join(" · ");
    if (facts !== "") out.push("", facts);
    links.push({ line: out.length + 1, uuid: entry.uuid });
    out.push("", linkText(), "");
  }
  return { text: out.join("\n"), lines, links };
}

/** A line broken between words. What begins with a space, as code does, stays as it is. */
export function broken(line: string, width = listingWidth): string[] {
  if (/^\s/u.test(line)) return [line.trimEnd()];
  const out: string[] = [];
  let last = "";
  for (const word of line.trimEnd().split(" ")) {
    if (last !== "" && last.length + 1 + word.length > width) {
      out.push(last);
      last = word;
    } else last = last === "" ? word : `${last} ${word}`;
  }
  return [...out, last];
}

/** What a notification says when an agent's session ends; "" for nothing, as always at the highest trust level. */
export function sessionText({ agent, used, learned, asks, balance }: { agent: string; used: number; learned: number; asks: string; balance: Balance }): string {
  if (asks === "none" || (used === 0 && learned === 0)) return "";
  const text = [learnedText(agent === "" ? t("An agent") : agent, used, learned)];
  if (balance.tokens > 0) text.push(balance.saved > 0 ? t("Tokens: {0} told, at most {1} spared.", balance.tokens, balance.saved) : t("Tokens: {0} told; no saving is known.", balance.tokens));
  return text.join(" ");
}

function learnedText(who: string, used: number, learned: number): string {
  if (learned === 0) return t("☞ {0} is done. It was told {1}; nothing new was learned.", who, memories(used));
  return counted(learned, t("☞ {0} is done. It was told {1}; 1 learned waits for your review.", who, memories(used)), t("☞ {0} is done. It was told {1}; {2} learned wait for your review.", who, memories(used), learned));
}

export type SessionAnswer = "acceptAll" | "review" | "later";

/** The answers that a notification at the end of a session offers, by what the trust level asks; none: don't ask. */
export function sessionAnswers({ asks, learned, needLook }: { asks: string; learned: number; needLook: number }): SessionAnswer[] {
  if (learned === 0 || asks === "none" || (asks === "needed" && needLook === 0)) return [];
  return asks === "all" && learned > needLook ? ["acceptAll", "review", "later"] : ["review", "later"];
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

// A fence longer than any in the text, so that the text can't end it.
function fenced(text: string, language = ""): string {
  if (text === "") return "";
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/**
 * Names for the lines of the groups, one for each: a tree with two lines of one
 * name is not shown at all. A name stays the same while others come and go, so
 * that what a person has folded stays folded.
 */
export function groupIds(groups: readonly Group[]): string[] {
  return different(groups.map(({ folder, path, label }) => `group:${JSON.stringify([folder, path, label])}`));
}

/** The ids of the lines of memories below a line: a memory may be in several groups, and in one more than once. */
export function itemIds(below: string, items: readonly Item[]): string[] {
  return different(items.map(({ uuid }) => `${below}:${uuid}`));
}

/** Names of which none is there twice, as a tree needs them for its lines. */
export function different(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return `${name}:${String(before)}`;
  });
}

/** What stands beside a group: how many memories it has, and whose it is where several folders are open. */
export function groupDetail(group: Group, folders: readonly Folder[]): string {
  return countIn(group.count, group.folder, folders);
}

/** What stands beside a group of the review queue. */
export function batchDetail(batch: Batch, folders: readonly Folder[]): string {
  return countIn(batch.candidates.length, batch.folder, folders);
}

function countIn(count: number, folder: string, folders: readonly Folder[]): string {
  const name = folders.length > 1 ? folders.find(({ uri }) => uri === folder)?.name : undefined;
  return name === undefined ? String(count) : `${String(count)} · ${name}`;
}

/** The path of the document with the text of a version: two branches may have made versions of the same number. */
export function versionPath(uuid: string, version: { readonly version: number; readonly hash: string } | undefined): string {
  if (!version) return `/${uuid}/nothing.json`;
  return `/${uuid}/${version.hash.replace(/\W/gu, "-")}/${String(version.version)}.json`;
}
