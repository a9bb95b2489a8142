// The shapes that go over the wire beside the protocol's own. Mirrors the
// server's package lsp (file commands.go).

/** A memory in the answer of `manicule.showMemories`. */
export interface Entry {
  readonly title: string;
  readonly kind: string;
  readonly detail: string;
  /** The memory's own file. */
  readonly uri: string;
}

/** Reads the answer of `manicule.showMemories`; what can't be understood is left out. */
export function entriesOf(result: unknown): Entry[] {
  const list = isRecord(result) ? result["memories"] : result;
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).flatMap((item) => {
    const title = text(item, "title");
    const uri = text(item, "uri");
    return title !== "" && uri !== "" ? [{ title, uri, kind: text(item, "kind"), detail: text(item, "detail") }] : [];
  });
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(item: Record<string, unknown>, member: string): string {
  const value = item[member];
  return typeof value === "string" ? value : "";
}
