// Which memories the side bar shows. Knows nothing of VS Code.

import type { Group, Item } from "./items";
import { nameOf, t } from "./l10n";
import { oneLine } from "./words";

/** What a filter may be about. */
export type Facet = "author" | "type" | "tag" | "state" | "age";

/** One value that a person may choose, such as the author Ada. */
export interface Choice {
  readonly facet: Facet;
  /** Names it, in no language. */
  readonly value: string;
  /** How many memories have it. */
  readonly count: number;
}

const day = 24 * 60 * 60 * 1000;
/** The ages that are offered, in days. */
const ages = [7, 30, 365] as const;

/** A value in words. */
export function valueName(facet: Facet, value: string): string {
  switch (facet) {
    case "type":
      return nameOf(value);
    case "state":
      return marks()[value] ?? nameOf(value);
    case "age":
      return value === "365" ? t("a year") : t("{0} days", value);
    default:
      return value;
  }
}

function marks(): Readonly<Record<string, string>> {
  return { pinned: t("pinned"), disputed: t("disputed"), outside: t("from outside"), nowhere: t("without a place") };
}

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
      return items.length === 0 ? [] : [{ ...group, count: items.length, items }];
    });
  }

  /** The filter in words, "" for none. */
  describe(): string {
    return this.chosen.map(({ facet, value }) => oneLine(phrase(facet, valueName(facet, value)), 40)).join(", ");
  }

  private passes(item: Item, now: number): boolean {
    const facets = new Set(this.chosen.map(({ facet }) => facet));
    return [...facets].every((facet) => this.chosen.some((choice) => choice.facet === facet && valuesOf(item, facet, now).includes(choice.value)));
  }
}

function phrase(facet: Facet, value: string): string {
  switch (facet) {
    case "author":
      return t("author {0}", value);
    case "type":
      return t("type {0}", value);
    case "tag":
      return t("tag {0}", value);
    case "state":
      return t("state {0}", value);
    case "age":
      return t("changed within {0}", value);
  }
}

/** Every value that some memory has, by facet, the most frequent first. */
export function choicesOf(groups: readonly Group[], now: number): Choice[] {
  const items = new Map(groups.flatMap((group) => group.items.map((item) => [item.uuid, item])));
  return (["author", "type", "tag", "state", "age"] as const).flatMap((facet) => {
    const counts = new Map<string, number>();
    for (const item of items.values()) for (const value of valuesOf(item, facet, now)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const found = [...counts].map(([value, count]) => ({ facet, value, count }));
    return facet === "age" ? found.sort((a, b) => Number(a.value) - Number(b.value)) : found.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
  });
}

function valuesOf(item: Item, facet: Facet, now: number): readonly string[] {
  switch (facet) {
    case "author":
      return item.contributor === "" ? [] : [item.contributor];
    case "type":
      return [item.type];
    case "tag":
      return item.tags;
    case "state": {
      const marks = [item.pinned ? "pinned" : "", item.disputed ? "disputed" : "", item.trust.tainted && item.trust.verifiedBy === "" ? "outside" : ""];
      return [item.state === "" ? "nowhere" : item.state, ...marks.filter((mark) => mark !== "")];
    }
    case "age": {
      const changed = Date.parse(item.updatedAt);
      return Number.isNaN(changed) ? [] : ages.flatMap((days) => (now - changed <= days * day ? [String(days)] : []));
    }
  }
}
