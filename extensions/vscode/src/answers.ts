// The answers of commands: of the server's, which mirror its package lsp/action, and of
// the program's own.

import { count, flag, isRecord, list, member, records, text } from "./decode";
import { t } from "./l10n";

/** What can be done with a memory: the answer of manicule.memoryActions. */
export interface Menu {
  readonly type: string;
  readonly what: string;
  readonly entries: readonly { readonly title: string; readonly command: string; readonly arguments: readonly unknown[] }[];
}

/** Reads code actions: the places about which something can be remembered. */
export function placesOf(answer: unknown): { readonly title: string; readonly uri: string; readonly place: string }[] {
  return records(answer).flatMap((action) => {
    const command = member(action, "command");
    const found = member(command, "arguments");
    const [uri, place] = (Array.isArray(found) ? found : []) as unknown[];
    if (text(command, "command") !== "manicule.remember" || typeof uri !== "string" || typeof place !== "string") return [];
    return [{ title: text(action, "title"), uri, place }];
  });
}

/** Reads the answer of manicule.memoryActions; undefined if nothing can be done. */
export function menuOf(answer: unknown): Menu | undefined {
  const entries = records(member(answer, "entries"))
    .map((item) => ({ title: text(item, "title"), command: text(item, "command"), arguments: list(item, "arguments") }))
    .filter(({ command }) => command.startsWith("manicule."));
  return entries.length > 0 ? { type: text(answer, "type"), what: text(answer, "what"), entries } : undefined;
}

/** The entries that a person chooses from: to open a memory and to edit it is one card, and of a candidate there is only the second. */
export function choicesIn({ entries }: Menu): Menu["entries"] {
  const opens = entries.some(({ command }) => command === "manicule.openMemory");
  return entries.filter(({ command }) => !opens || command !== "manicule.editMemory");
}

/** Memories that say the same, as manicule.consolidate finds them. */
export interface SameGroup {
  readonly id: string;
  /** The text of the memory that stays. */
  readonly kept: string;
  /** The texts of those that would be archived. */
  readonly others: string[];
  /** What the one that stays gets from them: the name of each field and what it becomes. */
  readonly adds: string[];
}

/** What manicule.consolidate answers, of all workspaces. */
export interface Consolidation {
  readonly groups: SameGroup[];
  /** How many groups were merged. */
  readonly merged: number;
  /** Why groups could not be merged, or nothing was compared. */
  readonly problems: string[];
  /** Whether nothing was compared because there is no model. */
  readonly needsModel: boolean;
}

/** Reads the answer of manicule.consolidate. */
export function consolidationOf(answer: unknown): Consolidation {
  const folders = records(member(answer, "folders"));
  return {
    groups: folders.flatMap((folder) =>
      records(member(folder, "clusters")).map((group) => ({
        id: text(group, "id"),
        kept: text(member(group, "kept"), "what"),
        others: records(member(group, "others")).map((other) => text(other, "what")),
        adds: records(member(group, "adds")).map((field) => `${text(field, "name")}: ${text(field, "new")}`),
      })),
    ).filter(({ id, others }) => id !== "" && others.length > 0),
    merged: folders.reduce((sum, folder) => sum + records(member(folder, "merged")).length, 0),
    needsModel: folders.some((folder) => text(folder, "unavailable") !== ""),
    problems: [
      ...folders.map((folder) => [text(folder, "unavailable"), text(folder, "hint")].filter((part) => part !== "").join(". ")),
      ...folders.flatMap((folder) => records(member(folder, "failed")).map((failed) => text(failed, "reason"))),
    ].filter((problem) => problem !== ""),
  };
}

/** The memory that a person wants to correct. */
export interface CorrectionStart {
  readonly uuid: string;
}

/** Reads the answer of a manicule.correctMemory without changes; undefined for any other answer. */
export function correctionStartOf(answer: unknown): CorrectionStart | undefined {
  const uuid = text(answer, "uuid");
  if (!flag(answer, "needsCorrection") || uuid === "") return undefined;
  return { uuid };
}

/** Whether a command was not run because its text is missing. */
export function needsText(answer: unknown): boolean {
  return flag(answer, "needsText");
}

/** Whether another memory says the same: the server asks the person what becomes of this one. */
export function asksAgain(answer: unknown): boolean {
  return text(answer, "code") === "same";
}

/** Why a write was not stored; "" if it was. */
export function refusalOf(answer: unknown): string {
  if (!isRecord(answer) || answer["accepted"] !== false || flag(answer, "draft")) return "";
  return text(answer, "reason") || t("it was not stored");
}

/** Whether an edit changed nothing: no version was written. */
export function isUnchanged(answer: unknown): boolean {
  return text(answer, "code") === "unchanged";
}

/** What an import of rule files did or would do. */
export interface Import {
  readonly added: number;
  readonly known: number;
  /** The files with what is new in them, and how much that is. */
  readonly files: readonly (readonly [name: string, count: number])[];
}

/** Reads the answer of `manicule import --json`. */
export function importOf(answer: unknown): Import {
  const files = new Map<string, number>();
  for (const rule of records(member(answer, "rules"))) {
    if (text(rule, "result") === "new") files.set(text(rule, "from"), (files.get(text(rule, "from")) ?? 0) + 1);
  }
  return { added: count(answer, "new"), known: count(answer, "known"), files: [...files] };
}

/** Reads the answer of `manicule model install --json`. */
export function installOf(answer: unknown): { readonly model: string; readonly embedded: number } {
  return { model: text(answer, "model"), embedded: count(answer, "embedded") };
}

/** Why a command of the program failed, from its answer with --json; "" if it does not say. */
export function failureOf(answer: unknown): string {
  return [text(answer, "error"), text(answer, "hint")].filter((part) => part !== "").join(". ");
}

/** Whether manicule.takeBackReview can take back what was decided about a candidate. */
export function canUndo(answer: unknown): boolean {
  return flag(answer, "undo");
}

/** The memory that a command wrote as a new one; undefined if it was merged into another one, waits for review, or was refused. */
export function writtenOf(answer: unknown): { readonly uuid: string; readonly what: string } | undefined {
  const memory = member(answer, "memory");
  const uuid = text(memory, "uuid");
  if (!flag(answer, "accepted") || flag(answer, "draft") || flag(answer, "deduped") || text(answer, "merged_into") !== "" || uuid === "") return undefined;
  return { uuid, what: text(memory, "what") };
}
