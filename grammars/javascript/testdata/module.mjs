#!/usr/bin/env node
import fs, { readFile } from "node:fs";
export { a, b as c } from "./other.mjs";
export * from "./all.mjs";

/**
 * Reads a file.
 * @param {string} name
 */
export async function load(name, { encoding = "utf8", ...rest } = {}, ...more) {
  function decode(x) {
    return x;
  }
  const helper = (y) => y;
  let plain = 1;
  return decode(helper(plain));
}

// One of two.
export const one = 1,
  two = () => 2;

export default async () => {};

let later;
var old = 1;

export class Queue extends Array {
  static #count = 0;
  size = 1;
  handler = (event) => {
    const inner = 1;
  };
  static {
    const hidden = 1;
  }
  static of(...items) {
    return new Queue();
  }
  get first() {
    return this[0];
  }
  set first(v) {}
  async *[Symbol.asyncIterator]() {}
  #secret() {}
  "quoted-name"() {}
}

export const routes = {
  "/users": {
    get(req, res) {},
    post: async (req) => {},
  },
  shorthand,
  ...spread,
  list: [{ skipped() {} }],
};

const store = createStore({
  state: () => ({}),
  actions: { run() {} },
});

describe("queue", () => {
  const local = 1;
  function helperInTest() {}
  it("works", function named() {});
});

Queue.prototype.drain = function (limit) {};
module.exports = class Exported {
  run() {}
};
