// The shapes that go over the wire beside the protocol's own. They mirror the
// server's package lsp: the arguments of its commands and the answer of
// manicule.showMemories.

/** Initialization options: what this client does beyond the protocol. */
export const clientAbilities = {
  /** The links of a hover may run commands. */
  commandLinks: true,
  /** The answer of manicule.showMemories is shown as a list here. */
  clientLists: true,
} as const;

/** The kind of the code actions that offer to remember something. */
export const rememberKind = "refactor.manicule.remember";

/** Where the text is among the arguments of manicule.remember: URI, place, text. */
export const textAt = 2;

/** Where the note is among the arguments of manicule.disputeMemory: UUID, note. */
export const noteAt = 1;

/** A memory in the answer of manicule.showMemories. */
export interface Entry {
  readonly type: string;
  readonly what: string;
  readonly why: string;
  readonly author: string;
  readonly age: string;
  /** The memory's own file. */
  readonly uri: string;
}

/** Reads the answer of manicule.showMemories; what can't be understood is left out. */
export function entriesOf(result: unknown): Entry[] {
  if (!Array.isArray(result)) return [];
  return result.filter(isRecord).flatMap((item) => {
    const entry: Entry = {
      type: text(item, "type"),
      what: text(item, "what"),
      why: text(item, "why"),
      author: text(item, "author"),
      age: text(item, "age"),
      uri: text(item, "uri"),
    };
    return entry.what !== "" && entry.uri !== "" ? [entry] : [];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(item: Record<string, unknown>, member: string): string {
  const value = item[member];
  return typeof value === "string" ? value : "";
}
