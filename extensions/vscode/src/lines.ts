// The lines of a tree, and which of them have to be drawn again after a change. It must not
// know VS Code, so that it can be tested without it.

/** What a tree is to show: a line with those below it. */
export interface Outline<T> {
  /** Names the line for as long as it is there, and no other one of the tree. */
  readonly id: string;
  readonly content: T;
  /** All that is seen of the line itself, and of what it shows on demand. */
  readonly print: string;
  readonly below: readonly Outline<T>[];
}

/** A line of a tree. It stays the same object while it is there: that is how VS Code knows which one is to be drawn again. */
export interface Line<T> {
  readonly id: string;
  content: T;
  print: string;
  below: Line<T>[];
}

/** What has to be drawn again: some lines with those below them, or the whole tree. */
export type Redraw<T> = readonly Line<T>[] | "all";

export class Lines<T> {
  private known = new Map<string, Line<T>>();
  private parents: ReadonlyMap<Line<T>, Line<T>> = new Map();
  private top: Line<T>[] = [];

  get roots(): readonly Line<T>[] {
    return this.top;
  }

  /** The line that one is below; undefined at the top. */
  parentOf(line: Line<T>): Line<T> | undefined {
    return this.parents.get(line);
  }

  /** All lines in the order in which they stand. */
  inOrder(): Line<T>[] {
    const withBelow = (line: Line<T>): Line<T>[] => [line, ...line.below.flatMap(withBelow)];
    return this.top.flatMap(withBelow);
  }

  /**
   * Shows what the tree is to show now. A line whose own text changed is drawn again, and one below which lines came
   * or went. All are drawn only if lines came or went at the top: VS Code has no other way, and keeps what is selected
   * and open by the lines' ids.
   */
  update(outlines: readonly Outline<T>[]): Redraw<T> {
    const before = { known: this.known, roots: this.top };
    const changed: Line<T>[] = [];
    this.known = new Map();
    this.top = outlines.map((outline) => this.take(outline, before.known, changed));
    this.parents = new Map([...this.known.values()].flatMap((line) => line.below.map((below) => [below, line] as const)));
    return same(before.roots, this.top) ? changed : "all";
  }

  // Lines below one that is drawn again are drawn with it.
  private take(outline: Outline<T>, known: ReadonlyMap<string, Line<T>>, changed: Line<T>[]): Line<T> {
    const line = known.get(outline.id) ?? { id: outline.id, content: outline.content, print: outline.print, below: [] };
    const changedBelow: Line<T>[] = [];
    const below = outline.below.map((one) => this.take(one, known, changedBelow));
    if (line.print !== outline.print || !same(line.below, below)) changed.push(line);
    else changed.push(...changedBelow);
    Object.assign(line, { content: outline.content, print: outline.print, below });
    this.known.set(line.id, line);
    return line;
  }
}

/**
 * Where a person goes on after those lines of a list that had this order are gone: at the first one after them that is
 * still there, else at the last one before; undefined while one of them is there. Headings are passed over.
 */
export function goesOnAt<T>(before: readonly Line<T>[], gone: ReadonlySet<Line<T>>, now: readonly Line<T>[], isHeading: (line: Line<T>) => boolean): Line<T> | undefined {
  const there = new Set(now);
  if ([...gone].some((line) => there.has(line))) return undefined;
  const first = before.findIndex((line) => gone.has(line));
  const fits = (line: Line<T>): boolean => there.has(line) && !isHeading(line);
  return before.slice(Math.max(first, 0)).find(fits) ?? before.slice(0, Math.max(first, 0)).reverse().find(fits);
}

function same<T>(before: readonly Line<T>[], now: readonly Line<T>[]): boolean {
  return before.length === now.length && before.every((line, at) => line === now[at]);
}
