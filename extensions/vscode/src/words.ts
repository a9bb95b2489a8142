// The texts about memories. It must not know VS Code, so that it can be
// tested without it.

import type { Candidate, Conflict, Entry, Folder, Group, Item, Resolution, Thread } from "./protocol";

/** The name of a type as people read it: "dead end" for "dead_end". */
export function typeName(type: string): string {
  return type.replaceAll("_", " ");
}

/** "1 memory", "2 memories". */
export function counted(n: number, one: string, more = `${one}s`): string {
  return `${String(n)} ${n === 1 ? one : more}`;
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

/** How long ago a time was, in the largest unit that fits; "" for no time. */
export function ago(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "";
  const minutes = Math.max(0, Math.floor((now - time) / 60_000));
  if (minutes < 1) return "just now";
  const units: readonly (readonly [number, string])[] = [
    [365 * 24 * 60, "year"],
    [30 * 24 * 60, "month"],
    [24 * 60, "day"],
    [60, "hour"],
    [1, "minute"],
  ];
  const [size, unit] = units.find(([size]) => minutes >= size) ?? [1, "minute"];
  return `${counted(Math.floor(minutes / size), unit)} ago`;
}

/** What the status item shows for all folders together. */
export interface Summary {
  readonly text: string;
  readonly tooltip: string;
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
  return { text: parts.join(" "), tooltip: folders.map(tooltipOf).join("\n\n"), candidates, attention };
}

function tooltipOf(folder: Folder): string {
  if (folder.error !== "") return `**${escapeMarkdown(folder.name)}**: ${escapeMarkdown(folder.error)}`;
  const facts = [counted(folder.memories, "memory", "memories")];
  if (folder.candidates > 0) facts.push(`${String(folder.candidates)} to review`);
  if (folder.stale > 0) facts.push(`${String(folder.stale)} may be stale`);
  if (folder.orphaned > 0) facts.push(`${String(folder.orphaned)} lost their code`);
  if (folder.invalid > 0) facts.push(`${counted(folder.invalid, "file")} can't be read`);
  facts.push(indexText(folder));
  return `**${escapeMarkdown(folder.name)}**: ${facts.join(", ")}`;
}

function indexText({ index }: Folder): string {
  switch (index.state) {
    case "indexing":
      return `code graph: ${String(index.done)} of ${counted(index.total, "file")}`;
    case "ready":
      return "code graph ready";
    default:
      return "no code graph";
  }
}

function percentage(folders: readonly Folder[]): string {
  const total = folders.reduce((sum, { index }) => sum + index.total, 0);
  const done = folders.reduce((sum, { index }) => sum + index.done, 0);
  return total > 0 ? ` ${String(Math.floor((100 * done) / total))}%` : "";
}

/** A memory's card, in Markdown, as tooltips show it. */
export function cardOf(item: Item, now: number): string {
  const lines = [`**${escapeMarkdown(typeName(item.type))}**: ${escapeMarkdown(item.what)}`];
  if (item.why !== "") lines.push(`Why: ${escapeMarkdown(item.why)}`);
  if (item.reason !== "") lines.push(`⚠ ${escapeMarkdown(item.reason)}`);
  if (item.suggestion) {
    lines.push(`It may be here now (${percent(item.suggestion.confidence)}):`, fenced(item.suggestion.preview));
  }
  const facts = [item.contributor, ago(item.updatedAt, now), typeName(item.trust.origin)].filter((fact) => fact !== "");
  if (item.trust.verifiedBy !== "") facts.push(`verified by ${item.trust.verifiedBy}`);
  if (item.trust.tainted) facts.push("tainted: may repeat text from outside");
  if (item.pinned) facts.push("pinned");
  if (item.branch !== "") facts.push(`of branch ${item.branch}`);
  if (item.owner !== "") facts.push(`only for ${item.owner}`);
  if (item.disputed) facts.push("disputed");
  const scope = item.scope.length > 0 ? [`in ${item.scope.join(", ")}`] : [];
  lines.push(escapeMarkdown([...facts, ...scope].join(" · ")));
  return lines.filter((line) => line !== "").join("\n\n");
}

/** The description behind an item's label. */
export function detailOf(item: Item): string {
  const state = item.state === "fresh" || item.state === "" ? [] : [item.state];
  const marks = [...(item.draft ? ["draft"] : []), ...(item.pinned ? ["pinned"] : []), ...(item.disputed ? ["disputed"] : []), ...(item.branch === "" ? [] : [`of ${item.branch}`]), ...(item.owner === "" ? [] : [`only for ${item.owner}`])];
  return [typeName(item.type), ...state, ...marks].join(" · ");
}

/** The description behind a thread's label: for whom it is, by whom and where. */
export function threadDetail(thread: Thread, now: number): string {
  const parts = [thread.state === "parked" ? "parked" : "", thread.tainted ? "may come from outside" : "", thread.shared ? "shared" : "", thread.owner === "" ? "" : `for ${thread.owner}`];
  return [...parts, thread.path, thread.observed ? "found in a session" : thread.by, ago(thread.updatedAt, now)].filter((part) => part !== "").join(" · ");
}

/** The tooltip of a thread, in Markdown. */
export function threadCard(thread: Thread, now: number): string {
  const lines = [`**${escapeMarkdown(typeName(thread.kind))}**: ${escapeMarkdown(thread.text)}`];
  if (thread.why !== "") lines.push(`Why: ${escapeMarkdown(thread.why)}`);
  if (thread.resolution !== "") lines.push(escapeMarkdown(`${thread.state === "parked" ? "Parked" : "Opened again"}: ${thread.resolution}`));
  if (thread.tainted) lines.push("It may repeat text from outside: no agent is told.");
  lines.push(escapeMarkdown([thread.by, thread.branch === "" ? "" : `on ${thread.branch}`, ago(thread.updatedAt, now)].filter((part) => part !== "").join(" · ")));
  return lines.join("\n\n");
}

/** The description behind a candidate's label. */
export function candidateDetail(candidate: Candidate): string {
  const facts = [typeName(candidate.type)];
  if (candidate.versions.length > 0) return `${facts.join("")} · ${counted(candidate.versions.length, "version")}, undecided`;
  if (candidate.sessions > 0) facts.push(counted(candidate.sessions, "session"));
  if (candidate.confidence > 0) facts.push(percent(candidate.confidence));
  if (candidate.tainted) facts.push("tainted");
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
export function choicesOf({ version, versions }: Conflict, now: number): Choice[] {
  const kept = versions.map((one): Choice => {
    // What the label says in full is not said again.
    const what = oneLine(one.what, 400) === oneLine(one.label, 80) ? "" : one.what;
    const detail = [what, one.why === "" ? "" : `Why: ${one.why}`].filter((part) => part !== "").join(" ");
    return {
      label: `Keep version ${String(one.number)}: ${oneLine(one.label, 80)}`,
      description: [typeName(one.type), one.author, ago(one.updatedAt, now)].filter((part) => part !== "").join(" · "),
      detail: oneLine(detail, 400),
      resolution: { keep: one.number, rest: "drop", version },
    };
  });
  return [
    ...kept,
    { label: versions.length === 2 ? "Keep both" : `Keep all ${String(versions.length)}`, description: "", detail: "The other versions become memories of their own.", resolution: { keep: 1, rest: "keep", version } },
    { label: "Newest supersedes the others", description: "", detail: "The others stay as superseded memories.", resolution: { keep: 1, rest: "supersede", version } },
  ];
}

/** A candidate's card, in Markdown. */
export function candidateCard(candidate: Candidate): string {
  const lines = [`**${escapeMarkdown(typeName(candidate.type))}**: ${escapeMarkdown(candidate.what)}`];
  if (candidate.why !== "") lines.push(`Why: ${escapeMarkdown(candidate.why)}`);
  if (candidate.evidence.length > 0) lines.push(candidate.evidence.map((line) => `- ${escapeMarkdown(oneLine(line, 200))}`).join("\n"));
  if (candidate.tainted) lines.push("Tainted: it may repeat text from outside. Read it as if a stranger had written it.");
  const about = candidate.scope.length > 0 ? candidate.scope : candidate.paths;
  if (about.length > 0) lines.push(escapeMarkdown(`in ${about.join(", ")}`));
  return lines.join("\n\n");
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
export const linkText = "Open";

/** How wide a list of memories is: a peek view does not break lines, and is half as wide as its editor. */
const listingWidth = 60;

/** Writes memories as a document. */
export function listingOf(entries: readonly Entry[]): Listing {
  const out: string[] = [];
  const lines: number[] = [];
  const links: { line: number; uuid: string }[] = [];
  for (const entry of entries) {
    lines.push(out.length);
    out.push(...broken(`${typeName(entry.type)}: ${oneLine(entry.what, 2000)}`));
    if (entry.why !== "") out.push("", ...`Why: ${entry.why}`.split("\n").flatMap(broken));
    const facts = [entry.author, entry.age].filter((fact) => fact !== "").join(" · ");
    if (facts !== "") out.push("", facts);
    links.push({ line: out.length + 1, uuid: entry.uuid });
    out.push("", linkText, "");
  }
  return { text: out.join("\n"), lines, links };
}

/** A line broken between words. What begins with a space, as code does, stays as it is. */
function broken(line: string): string[] {
  if (/^\s/u.test(line)) return [line.trimEnd()];
  const out: string[] = [];
  let last = "";
  for (const word of line.trimEnd().split(" ")) {
    if (last !== "" && last.length + 1 + word.length > listingWidth) {
      out.push(last);
      last = word;
    } else last = last === "" ? word : `${last} ${word}`;
  }
  return [...out, last];
}

/** What a notification says when an agent's session ends; "" for nothing. */
export function sessionText(agent: string, used: number, learned: number): string {
  if (used === 0 && learned === 0) return "";
  const who = agent === "" ? "An agent" : agent;
  return `☞ ${who} is done. It was told ${counted(used, "memory", "memories")}; ${learned === 0 ? "nothing new was learned" : `${String(learned)} learned ${learned === 1 ? "waits" : "wait"} for your review`}.`;
}

/** The answers that a notification at the end of a session offers, by what the trust level asks; none: don't ask. */
export function sessionAnswers({ asks, learned, needLook }: { asks: string; learned: number; needLook: number }): ("Accept All" | "Review" | "Later")[] {
  if (learned === 0 || asks === "none" || (asks === "needed" && needLook === 0)) return [];
  return asks === "all" && learned > needLook ? ["Accept All", "Review", "Later"] : ["Review", "Later"];
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

// A fence longer than any in the text, so that the text can't end it.
function fenced(text: string): string {
  if (text === "") return "";
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
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

// A tree must not have an id twice.
function different(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return `${name}:${String(before)}`;
  });
}

/** What stands beside a group: how many memories it has, and whose it is where several folders are open. */
export function groupDetail(group: Group, folders: readonly Folder[]): string {
  const name = folders.length > 1 ? folders.find(({ uri }) => uri === group.folder)?.name : undefined;
  const count = String(group.items.length);
  return name === undefined ? count : `${count} · ${name}`;
}
