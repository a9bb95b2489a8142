import { a } from "./a";
import fs = require("fs");
export * from "./b";

/** Doc of f. */
export async function f(a: string, { b, c }: { b: number; c: string }, ...rest: any[]): Promise<void> {
  const local = 1;
  function inner() {}
  const arrow = (x) => x;
}

export default class extends Base {
  x = 1;
}

// one
export const handler = async (req: Request) => {
  return 1;
};
const one = 1, two = 2;
let v: number;

/** Cls. */
@Component({ selector: "x" })
export class Cls<T> extends Base implements I {
  /** field */
  private readonly store: Map<string, T> = new Map();
  @Input() name: string;
  static #priv = 1;
  constructor(private a: string, b?: number) { super(); }
  /** get */
  get val(): number { return 1; }
  set val(v: number) {}
  @HostListener("x", [])
  async onX(e: Event): Promise<void> {}
  onClick = (e) => { const z = 1; };
  "quoted name"() {}
  [Symbol.iterator]() {}
  declare foo: string;
  abstract bar(): void;
}
abstract class Abs { abstract run(a: string): void; protected abstract x: number; }

export interface Opts<T> extends Base {
  a: string;
  b?(x: number): void;
  (call: string): void;
}
export type Alias = { a: string } | null;
export enum Color { Red, Green = 2, "blue" = 3 }
declare module "foo" { export function g(a: string): void; const q: number; }
export namespace NS.Inner { export const k = 1; export function h() {} }
declare global { interface Window { x: 1 } }
function over(a: string): void;
function over(a: number): void;
function over(a: any) {}

export const api = {
  get(a: string) { return 1 },
  post: async (b) => 1,
  nested: { deep() {}, arr: [{ no() {} }] },
  plain: 1,
} as const;
export const store = defineStore("x", { actions: { run() { return { no() {} } } } });
describe("x", () => { const inDescribe = 1; function helper() {} });
export default function (this: Window, a: string) {}
export = api;
const enum Level { Low = "low" }
export abstract class Repository<T extends { id: string }> {
  protected constructor(protected readonly db: Db) {}
  /** Finds one. */
  abstract find(id: string): Promise<T | undefined>;
  static async create<U extends { id: string }>(this: new () => U): Promise<U> {
    return new this();
  }
  private cache?: Map<string, T>;
  load = async (id: string): Promise<T> => this.find(id);
  get size() { return 0; }
  async *stream() { yield 1; }
  overload(a: string): void;
  overload(a: number): void;
  overload(a: unknown) {}
}
export type Handler = (event: Event) => void;
type Mapped<T> = { [K in keyof T]: T[K] };
declare function external(a: string): void;
declare const BUILD: string;
export declare class Ambient { run(): void; }
let a1 = 1, b1 = () => 2;
export const { x1, y1 } = destructured;
if (true) { const blockScoped = 1; }
export const config = {
  retries: 3,
  hooks: { before() {}, after: async () => {} },
} satisfies Config;
// A trailing doc that is not one.

function undocumented() {}
const größe = 1; /* same line */ function sameLine() {}
