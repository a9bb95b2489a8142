import type { Request, Response as Reply } from "express";
import defaultClient, { Client, type Options, open as connect } from "../client";
import * as errors from "./errors";
import "reflect-metadata";
import fs = require("node:fs");

export { Client, Options as ClientOptions } from "../client";
export * from "./models";
export * as money from "./money";
export type { Basket } from "./basket";

type Key = keyof Item & string;
type Pair<A, B = A> = readonly [A, B];
type Page = { items: Item[]; next?: () => Promise<Page> };
type Unwrapped<T> = T extends Promise<infer U> ? U : never;

export interface Store<T extends { id: string }> extends errors.Traced, Iterable<T> {
  readonly size: number;
  find(id: T["id"]): Promise<T | undefined>;
  on?: (event: Key, listener: (item: T) => void) => this;
}

export enum Level { Low = 1, High = Low * 2 }

@Injectable({ scope: Level.Low })
export class Shop<T extends Item> extends errors.Base<T> implements Store<T>, money.Payer {
  static readonly limit: number = 10;
  #cache = new Map<string, T>();
  protected page?: Page;
  private client!: Client;

  constructor(private readonly store: Store<T>, public name = "shop", log?: Logger, ...tags: string[]) {
    super(store);
    this.client = defaultClient ?? new Client(log!, tags);
  }

  get size(): number {
    return this.store.size;
  }

  async find(id: string, { retries = 3, until: limit }: Options = {}): Promise<T | undefined> {
    const { rows, meta: { total }, first: head = null } = await this.client.query(id);
    const [row, ...others] = rows;
    for (const other of others) other?.touch?.().save();
    for (const [key, value] of Object.entries(total)) this.#cache.set(key, value as T);
    for (const index in rows) console.log(`${index}: ${rows[index]!.id}`);
    try {
      return this.page!.next!().then((page) => page.items.find((i) => i.id === id)) ?? head;
    } catch (err) {
      if (err instanceof errors.NotFound) throw new errors.Wrapped(err, { cause: err, retries });
      let fallback: Pair<number> = [limit, row.count];
      fallback = [1, 2];
    }
    return undefined;
  }

  static of<I extends Item>(...items: I[]): Shop<I> {
    return new Shop<I>(connect<I>({ items, level: Level.High }));
  }
}

export abstract class Handler {
  abstract handle(req: Request, res: Reply): Promise<void>;

  protected fail(this: Handler, code: number): asserts code is 0 {
    const late = async () => (await import("./late")).run(code);
    late();
  }
}

namespace internal {
  export const registry: Record<string, typeof Shop> = {};
  export function register(shop: typeof Shop, at: keyof typeof registry) {
    registry[at] = shop;
  }
}

declare global {
  interface Window { shop: Shop<Item> }
}

export function isItem(value: unknown, { strict, depth: d }: { strict: boolean; depth?: Level }): value is Item {
  return strict ? d === Level.Low : typeof value === "object";
}

export const makeHandler: Factory<Options> = ({ retries, until: end }) => {
  const worker = function loop(n: number): number {
    return n > end ? retries : loop(n + 1);
  };
  return worker;
};

const { shop: local, size } = internal.registry, other = size as unknown as Key;

export default function main(req: Request): Reply {
  internal.register(Shop, other);
  return fs.createReadStream(req.path).pipe(local)!;
}
