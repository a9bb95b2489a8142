// How the members of an answer are read. No input is trusted to have its type: what has
// another one is as if it were not there, so that a server of another version shows less
// instead of failing.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function list(value: unknown, name: string): unknown[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}

export function member(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

export function text(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === "string" ? found : "";
}

// A scope may be one pattern instead of a list.
export function texts(value: unknown, name: string): string[] {
  const found = member(value, name);
  if (typeof found === "string") return [found];
  return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
}

export function count(value: unknown, name: string): number {
  const found = member(value, name);
  return typeof found === "number" ? found : 0;
}

export function flag(value: unknown, name: string): boolean {
  return member(value, name) === true;
}
