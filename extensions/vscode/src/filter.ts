// Which memories the side bar shows. Knows nothing of VS Code.

import type { Group, Item } from "./protocol";
import { oneLine } from "./words";

/** What a filter may be about. */
export type Facet = "author" | "type" | "tag" | "state" | "age";

/** One value that a person may choose, such as the author Ada. */
export interface Choice {
  readonly facet: Facet;
  readonly value: string;
  /** How many memories have it. */
  readonly count: number;
}

const day = 24 * 60 * 60 * 1000;
/** The ages that are offered, in days, by what they are called. */
const ages: ReadonlyMap<string, number> = new Map([
  ["7 days", 7],
  ["30 days", 30],
  ["a year", 365],
]);

/** What is chosen. Values of one facet are alternatives, those of several must all hold. */
export class Filter {
  constructor(readonly chosen: readonly { readonly facet: Facet; readonly value: string }[] = []) {}

  get empty(): boolean {
    return this.chosen.length === 0;
  }

  has(facet: Facet, value: string): boolean {
    return this.chosen.some((choice) => choice.facet === facet && choice.value === value);
  }

  /** The groups with the items that pass; groups without one are left out. */
  apply(groups: readonly Group[], now: number): Group[] {
    if (this.empty) return [...groups];
    return groups.flatMap((group) => {
      const items = group.items.filter((item) => this.passes(item, now));
      return items.length === 0 ? [] : [{ ...group, items }];
    });
  }

  /** The filter in words, "" for none. */
  describe(): string {
    return this.chosen.map(({ facet, value }) => (facet === "age" ? `changed within ${value}` : oneLine(`${facet} ${value}`, 40))).join(", ");
  }

  private passes(item: Item, now: number): boolean {
    const facets = new Set(this.chosen.map(({ facet }) => facet));
    return [...facets].every((facet) => this.chosen.some((choice) => choice.facet === facet && valuesOf(item, facet, now).includes(choice.value)));
  }
}

/** Every value that some memory has, by facet, the most frequent first. */
export function choicesOf(groups: readonly Group[], now: number): Choice[] {
  const items = new Map(groups.flatMap((group) => group.items.map((item) => [item.uuid, item])));
  return (["author", "type", "tag", "state", "age"] as const).flatMap((facet) => {
    const counts = new Map<string, number>();
    for (const item of items.values()) for (const value of valuesOf(item, facet, now)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const found = [...counts].map(([value, count]) => ({ facet, value, count }));
    return facet === "age" ? found.sort((a, b) => (ages.get(a.value) ?? 0) - (ages.get(b.value) ?? 0)) : found.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
  });
}

function valuesOf(item: Item, facet: Facet, now: number): readonly string[] {
  switch (facet) {
    case "author":
      return item.contributor === "" ? [] : [item.contributor];
    case "type":
      return [item.type.replaceAll("_", " ")];
    case "tag":
      return item.tags;
    case "state": {
      const marks = [item.pinned ? "pinned" : "", item.disputed ? "disputed" : "", item.trust.tainted && item.trust.verifiedBy === "" ? "from outside" : ""];
      return [item.state === "" ? "without a place" : item.state, ...marks.filter((mark) => mark !== "")];
    }
    case "age": {
      const changed = Date.parse(item.updatedAt);
      return Number.isNaN(changed) ? [] : [...ages].flatMap(([name, days]) => (now - changed <= days * day ? [name] : []));
    }
  }
}
