// The protocol's own description of its messages (metaModel.json), as a check of
// values: types, missing members, and members that do not exist.

import { readFile } from "node:fs/promises";

export class MetaModel {
  constructor(model) {
    const named = (list, key) => new Map(list.map((entry) => [entry[key], entry]));
    this.requests = named(model.requests, "method");
    this.notifications = named(model.notifications, "method");
    this.structures = named(model.structures, "name");
    this.enumerations = named(model.enumerations, "name");
    this.aliases = named(model.typeAliases, "name");
  }

  static async read(file) {
    return new MetaModel(JSON.parse(await readFile(file, "utf8")));
  }

  /** What is wrong with the result of a request: a list of sentences. */
  result(method, value) {
    const request = this.requests.get(method);
    return request ? this.check(request.result, value ?? null, method) : [`${method} is no request of the protocol`];
  }

  /** What is wrong with the parameters of a request or notification. */
  params(method, value) {
    const message = this.requests.get(method) ?? this.notifications.get(method);
    if (!message) return [`${method} is no message of the protocol`];
    return message.params ? this.check(message.params, value, method) : [];
  }

  check(type, value, at) {
    switch (type.kind) {
      case "base":
        return this.base(type.name, value, at);
      case "reference":
        return this.reference(type.name, value, at);
      case "array":
        return Array.isArray(value) ? value.flatMap((element, i) => this.check(type.element, element, `${at}[${i}]`)) : [`${at} is no list`];
      case "tuple":
        return Array.isArray(value) && value.length === type.items.length
          ? type.items.flatMap((item, i) => this.check(item, value[i], `${at}[${i}]`))
          : [`${at} is no list of ${type.items.length}`];
      case "map":
        return isObject(value) ? Object.entries(value).flatMap(([key, element]) => this.check(type.value, element, `${at}.${key}`)) : [`${at} is no object`];
      case "literal":
        return this.object(type.value.properties, value, at);
      case "stringLiteral":
        return value === type.value ? [] : [`${at} is not ${JSON.stringify(type.value)}`];
      case "and":
        return this.object(type.items.flatMap((item) => this.properties(item)), value, at);
      case "or":
        return this.either(type.items, value, at);
      default:
        throw new Error(`${at}: the description has a type of an unknown kind, ${type.kind}`);
    }
  }

  /** The faults of the alternative that has the fewest. */
  either(items, value, at) {
    const all = items.map((item) => this.check(item, value, at));
    return all.reduce((best, faults) => (faults.length < best.length ? faults : best));
  }

  base(name, value, at) {
    const fits = {
      null: () => value === null,
      boolean: () => typeof value === "boolean",
      string: () => typeof value === "string",
      RegExp: () => typeof value === "string",
      URI: () => typeof value === "string" && URL.canParse(value),
      DocumentUri: () => typeof value === "string" && URL.canParse(value),
      integer: () => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
      uinteger: () => Number.isInteger(value) && value >= 0 && value < 2 ** 31,
      decimal: () => typeof value === "number",
    };
    return fits[name]() ? [] : [`${at} is no ${name}: ${JSON.stringify(value)}`];
  }

  reference(name, value, at) {
    if (name === "LSPAny") return [];
    const alias = this.aliases.get(name);
    if (alias) return this.check(alias.type, value, at);
    const enumeration = this.enumerations.get(name);
    if (enumeration) return this.enumeration(enumeration, value, at);
    if (name === "LSPObject") return isObject(value) ? [] : [`${at} is no object`];
    return this.object(this.properties({ kind: "reference", name }), value, at);
  }

  enumeration(enumeration, value, at) {
    const wrong = this.base(enumeration.type.name, value, at);
    if (wrong.length > 0 || enumeration.supportsCustomValues) return wrong;
    return enumeration.values.some((entry) => entry.value === value) ? [] : [`${at} is no ${enumeration.name}: ${JSON.stringify(value)}`];
  }

  /** The properties of a structure, with those that it inherits. */
  properties(type) {
    const structure = this.structures.get(type.name);
    if (!structure) throw new Error(`the description has no structure ${type.name}`);
    const inherited = [...(structure.extends ?? []), ...(structure.mixins ?? [])].flatMap((parent) => this.properties(parent));
    return [...inherited, ...structure.properties];
  }

  object(properties, value, at) {
    if (!isObject(value)) return [`${at} is no object`];
    const known = new Map(properties.map((property) => [property.name, property]));
    const missing = [...known.values()].filter(({ name, optional }) => !optional && !(name in value)).map(({ name }) => `${at} has no ${name}`);
    const members = Object.entries(value).flatMap(([name, member]) =>
      known.has(name) ? this.check(known.get(name).type, member, `${at}.${name}`) : [`${at}.${name} does not exist`],
    );
    return [...missing, ...members];
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
