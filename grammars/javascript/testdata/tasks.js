"use strict";

const path = require("path");
const { readFile, stat: fileStat } = require("node:fs/promises");
const emitter = require("events").EventEmitter;
require("./setup");

const { limit, names: { first } } = require("./config").defaults;

/** Runs what is in a queue. */
class Queue extends emitter {
  static instances = 0;
  #tasks = [];

  constructor(name, { parallel = 2, log: logger } = {}, ...rest) {
    super();
    this.name = name;
    this.logger = logger || console;
    this.onIdle = null;
    this.rest = rest;
    Queue.instances++;
  }

  async add(task) {
    this.#tasks.push(task);
    this.logger.debug?.("added", { task, [this.name]: task.id });
    for (const { id } of this.#tasks) this.emit("add", id);
    for await (const line of task.lines()) this.check(line);
    for (let i = 0; i < limit; i++) await task.steps[i]();
  }

  check = (line) => {
    const [head, tail = ""] = line.split(":", 2);
    this.onIdle = () => this.emit("idle", head);
    return tail.trim();
  };

  get size() {
    return this.#tasks.length;
  }
}

class Named extends mixins.Named {
  describe(prefix) {
    return `${prefix} ${super.describe()} ${path.join(__dirname, first)}`;
  }
}

function Legacy(options) {
  if (!(this instanceof Legacy)) return new Legacy(options);
  this.options = options;
}

Legacy.prototype.run = function (callback) {
  const self = this;
  fileStat(self.options.file).then(function done(info) {
    callback(null, info);
  }, callback);
};

async function load(file) {
  try {
    const { parse } = await import("./parse.mjs");
    return parse(await readFile(file, "utf8"));
  } catch ({ message }) {
    throw new path.Broken(message);
  } finally {
    outer: while (true) break outer;
  }
}

const View = ({ items, empty: Empty }) => (
  <ul className="tasks" {...items.props}>
    {items.map((item) => <ui.Item key={item.id} onPick={() => load(item)} />)}
    <Empty>none</Empty>
  </ul>
);

module.exports = { Queue, Named, open: load, View };
exports.Legacy = Legacy;
