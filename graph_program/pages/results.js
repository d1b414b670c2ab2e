// Python's objects from the outputs of the model, as its description says: what is given back, changed, or raised.
//
// A value is `{ is: "array", tensor }`, `{ is: "number", value, type, cls }`, `{ is: "complex", re, im, cls }`,
// `{ is: "text", text }`, `{ is: "none" }`, `{ is: "other", text }`, or a container,
// `{ is: "tuple" | "list" | "dict" | "record", name, items: [[key, value, plain]] }`: a key as it is written behind
// what has it, `[0]`, `["k"]` or `.field`, and alone, `0`, `k` or `field`.

class Outputs {
  // of one run, by name
  constructor(tensors, argument, root) {
    this.tensors = tensors;
    this.argument = argument; // gives the value at a path of the arguments
    this.root = root ?? this;
    this.made = new Map();
  }

  get(name) {
    if (!(name in this.tensors)) throw new Error(`the model gives no output ${name}`);
    return this.tensors[name];
  }

  once(key, make) {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key);
  }

  pieces(data, shapes) {
    // arrays of different shapes, whose elements follow each other
    return this.once(`${data} ${shapes}`, () => {
      const [all, sizes] = [this.get(data), this.get(shapes)];
      let place = 0;
      return Array.from({ length: sizes.dims[0] }, (_, i) => {
        const dims = Array.from(rowOf(sizes, i).data, Number);
        const start = place;
        place += sizeOf(dims);
        return { type: all.type, dims, data: all.data.slice(start, place) };
      });
    });
  }
}

class Row extends Outputs {
  // of one element of a list
  constructor(around, number) {
    super({}, around.argument, around.root);
    this.around = around;
    this.number = number;
  }

  get(name) {
    return rowOf(this.around.get(name), this.number);
  }
}

const container = (is, items, name = "") => ({ is, items, name });
const lastName = (key) => key.split(".").at(-1);
const truthOf = (outputs, name) => Boolean(Number(outputs.get(name).data[0]));

function valueOfTensors(tensors, { class: cls, dtype }) {
  const [re, im] = tensors;
  if (im) {
    if (cls === "array") return { is: "complex array", re, im };
    return { is: "complex", re: Number(re.data[0]), im: Number(im.data[0]), type: re.type, cls };
  }
  if (cls === "array") return { is: "array", tensor: re };
  return { is: "number", value: elementOf(re, 0), type: dtype, cls };
}

const BUILDERS = {
  output: (node, outputs) =>
    valueOfTensors(
      node.outputs.map((name) => outputs.get(name)),
      node,
    ),
  argument: (node, outputs) => outputs.argument(node.path),
  constant: (node) => literalValue(node.value),
  tuple: (node, outputs) =>
    inOrder(
      "tuple",
      node.items.map((one) => valueOf(one, outputs)),
      node,
    ),
  list: (node, outputs) =>
    inOrder(
      "list",
      node.items.map((one) => valueOf(one, outputs)),
      node,
    ),
  dict: (node, outputs) => container("dict", withKeys(node, outputs, keyOfDict)),
  record: (node, outputs) => container("record", withKeys(node, outputs, keyOfField), lastName(node.class)),
  rows(node, outputs) {
    const count = outputs.get(node.length).dims[0] ?? 0;
    const rows = Array.from({ length: count }, (_, i) => valueOf(node.element, new Row(outputs, i)));
    return inOrder(node.class, rows, {});
  },
  ragged(node, outputs) {
    const parts = node.outputs.map((name) => outputs.around.pieces(name, node.shapes)[outputs.number]);
    return valueOfTensors(parts, { class: "array", dtype: node.dtype });
  },
  listed(node, outputs) {
    const { around, number } = outputs;
    const inner = Object.fromEntries(node.columns.map(([data, shapes]) => [data, around.pieces(data, shapes)[number]]));
    return valueOf(node.rows, new Outputs(inner, outputs.argument, outputs.root));
  },
  classed(node, outputs) {
    const found = valueOf(node.number, outputs);
    return truthOf(outputs, node.flag) ? { ...found, cls: "python" } : found;
  },
  optional: (node, outputs) => (truthOf(outputs, node.flag) ? { is: "none" } : valueOf(node.value, outputs)),
  "left out": (node, outputs) => (truthOf(outputs, node.flag) ? null : valueOf(node.value, outputs)),
  choice: (node, outputs) => valueOf(node.options[Number(outputs.get(node.case).data[0])], outputs),
  text: (node, outputs) => ({ is: "text", text: textOfPieces(node.pieces, (one) => valueOf(one, outputs)) }),
  shared: (node, outputs) => outputs.root.once(`shared ${node.number}`, () => valueOf(node.value, outputs)),
  picked(node, outputs) {
    const tables = outputs.root.once("tables", () => new Map());
    for (const one of node.tables) tables.set(one.number, one);
    return rowOfTable(outputs.root, tables, node.table, Number(outputs.get(node.index).data[0]));
  },
};

function valueOf(node, outputs) {
  return BUILDERS[node.kind](node, outputs);
}

const keyed = ([key, plain], value) => [key, value, plain];
const keyOfField = (name) => [`.${name}`, name];

function keyOfDict(data) {
  // from a description
  const key = literalValue(data);
  return [`[${reprOf(key)}]`, textOf(key)];
}

function inOrder(is, values, node) {
  const name = node.class ? lastName(node.class) : "";
  const keyOf = (i) => (node.fields ? keyOfField(node.fields[i]) : [`[${i}]`, String(i)]);
  return container(
    is,
    values.map((value, i) => keyed(keyOf(i), value)),
    name,
  );
}

function withKeys(node, outputs, keyOf) {
  const items = node.items.map(([key, one]) => keyed(keyOf(key), valueOf(one, outputs)));
  return items.filter(([, value]) => value !== null);
}

function rowOfTable(root, tables, number, row) {
  // an object that may be in several places, once
  const key = `table ${number} ${row}`;
  if (!root.made.has(key)) {
    const table = tables.get(number);
    const made = container("record", [], lastName(table.class));
    root.made.set(key, made);
    const fields = new Row(root, row);
    made.items = withKeys(table, fields, keyOfField);
  }
  return root.made.get(key);
}

// Values that stand in the description.

function literalValue(data) {
  if (data === null) return { is: "none" };
  if (typeof data === "boolean") return { is: "number", value: data, type: "bool", cls: "python" };
  if (typeof data === "string") return { is: "text", text: data };
  if (typeof data === "number") return { is: "number", value: BigInt(data), type: "int64", cls: "python" };
  const [[kind, held]] = Object.entries(data);
  if (kind === "int") return { is: "number", value: integerOfHex(held), type: "int64", cls: "python" };
  if (kind === "float") return { is: "number", value: floatOfHex(held), type: "float64", cls: "python" };
  if (kind === "array" || kind === "numpy") return literalArray(held, kind);
  if (kind === "complex") {
    const [re, im] = held.map((half) => literalValue(half).value);
    return { is: "complex", re, im, type: "float64", cls: "python" };
  }
  if (["list", "tuple"].includes(kind)) return inOrder(kind, held.map(literalValue), {});
  if (kind === "dict") {
    return container(
      "dict",
      held.map(([key, value]) => keyed(keyOfDict(key), literalValue(value))),
    );
  }
  if (kind === "record") {
    const items = held.items.map(([name, value]) => keyed(keyOfField(name), literalValue(value)));
    return container("record", items, lastName(held.class));
  }
  if (kind === "once") return literalValue(held[1]); // an object that is in several places
  if (kind === "told") return { is: "other", text: held[0], repr: held[1] };
  if (kind === "class") return { is: "other", text: lastName(held) };
  return { is: "other", text: typeof held === "string" ? held : kind };
}

function isA(key, base) {
  // whether a class of exceptions has another one among its bases
  return key === base || (given.bases[key] ?? []).some((one) => isA(one, base));
}

function literalArray({ dtype, shape, order, data }, kind) {
  const types = { complex64: "float32", complex128: "float64" };
  if (!(dtype in ARRAYS) && !(dtype in types)) return { is: "other", text: `an array of ${dtype}` };
  const all = new ARRAYS[types[dtype] ?? dtype](bytesOf(data).buffer);
  const rows = (values) => {
    const tensor = { type: types[dtype] ?? dtype, dims: shape, data: values };
    return order === "F" ? inRows(tensor) : tensor;
  };
  const parts = dtype in types ? [0, 1].map((half) => rows(all.filter((_, i) => i % 2 === half))) : [rows(all)];
  return valueOfTensors(parts, { class: kind === "array" ? "array" : "numpy", dtype });
}

function integerOfHex(text) {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

function floatOfHex(text) {
  // float.hex
  if (!text.includes("x")) return { nan: NaN, inf: Infinity, "-inf": -Infinity }[text];
  const [, sign, whole, part = "", power] = /^(-?)0x(\d)\.?([0-9a-f]*)p([+-]\d+)$/.exec(text);
  const steps = Number(BigInt(`0x${whole}${part}`)); // 53 bits at most
  const half = Math.trunc(Number(power) / 2); // in two steps: the whole power of the smallest numbers is 0
  return (sign ? -1 : 1) * steps * 2 ** (half - 4 * part.length) * 2 ** (Number(power) - half);
}

// Texts of values.

function complexText({ re, im, type }) {
  const short = (x) => floatText(x, type).replace(/\.0$/, "");
  if (re === 0 && !Object.is(re, -0)) return `${short(im)}j`;
  return `(${short(re)}${im < 0 || Object.is(im, -0) ? "" : "+"}${short(im)}j)`;
}

function textOf(value) {
  // str
  if (value.is === "text" || value.is === "other") return value.text;
  if (value.is === "number") return numberText(value.value, value.type);
  return reprOf(value, false);
}

function reprOf(value, isRepr = true) {
  switch (value?.is) {
    case "none":
      return "None";
    case "text":
      return quoted(value.text);
    case "other":
      return value.repr ?? value.text;
    case "number":
      return numberRepr(value.value, value.type, value.cls);
    case "complex":
      return isRepr && value.cls === "numpy" ? `np.complex128${complexText(value)}` : complexText(value);
    case "array":
      return isRepr ? `array(${arrayText(value.tensor, ", ", 6)})` : arrayText(value.tensor, " ");
    case "complex array":
      return `${arrayText(value.re, " ")} + ${arrayText(value.im, " ")}j`;
    default:
      return containerRepr(value);
  }
}

function containerRepr({ is, items, name }) {
  const parts = items.map(([, value]) => reprOf(value));
  if (is === "list") return `[${parts.join(", ")}]`;
  if (is === "tuple" && !name) return `(${parts.join(", ")}${parts.length === 1 ? "," : ""})`;
  if (is === "dict") return `{${items.map(([key], i) => `${key.slice(1, -1)}: ${parts[i]}`).join(", ")}}`;
  return `${name}(${items.map(([, , plain], i) => `${plain}=${parts[i]}`).join(", ")})`;
}

function arrayText(tensor, between, indent = 0) {
  // as NumPy prints short arrays
  const rank = tensor.dims.length;
  const write = (x) => numberText(x, tensor.type).replace(/\.0$/, ".");
  const rows = (depth) => between.trimEnd() + "\n".repeat(rank - depth - 1) + " ".repeat(depth + 1 + indent);
  const build = (value, depth = 0) => {
    if (!Array.isArray(value)) return value;
    return `[${value.map((one) => build(one, depth + 1)).join(depth + 1 < rank ? rows(depth) : between)}]`;
  };
  const texts = nested(tensor, write);
  const flat = rank ? texts.flat(Infinity) : [texts];
  const width = Math.max(...flat.map((text) => (text.split(".")[0] ?? "").length), 0);
  const places = Math.max(...flat.map((text) => (text.split(".")[1] ?? "").length), 0);
  const padded = (text) => {
    const [whole, part] = text.split(".");
    return part === undefined ? text.padStart(width) : `${whole.padStart(width)}.${part.padEnd(places)}`;
  };
  return build(rank ? nested(tensor, (x) => padded(write(x))) : texts);
}

function textOfPieces(pieces, find) {
  const write = (piece) => (typeof piece === "string" ? piece : formatted(find(piece[0]), piece[1], piece[2]));
  return pieces.map(write).join("");
}

// What was raised.

function raised(node, outputs) {
  // { name, text, source, behind: [...] }
  const values = node.values.map(([name, type]) => toldValue(outputs.get(name), type));
  return { ...exceptionOf(node.exception, values), source: node.source };
}

function toldValue(tensor, type) {
  if (!type.rows) return valueOfTensors([tensor], type);
  const parts = Array.from({ length: tensor.dims[0] }, (_, i) => valueOfTensors([rowOf(tensor, i)], type.element));
  return inOrder(type.rows, parts, {});
}

function exceptionOf(node, values) {
  const made = node.own ?? node; // what the class's own code has made of the arguments
  const args = made.args.map((one) => exceptionArgument(one, values));
  const keywords = (made.keywords ?? []).map(([name, one]) => `${name}=${reprOf(exceptionArgument(one, values))}`);
  const name = node.class.replace(/^builtins\./, "");
  const behind = node.cause && typeof node.cause === "object" ? node.cause : "cause" in node ? null : node.context;
  const told = node.cause === "context" ? node.context : behind;
  const how = node.cause
    ? "The above exception was the direct cause of the following exception:"
    : "During handling of the above exception, another exception occurred:";
  return {
    name: lastName(name),
    text: made.text ? exceptionArgument(made.text, values).text : textOfException(node.class, args, keywords),
    behind: told ? { ...exceptionOf(told, values), how } : null,
  };
}

function textOfException(key, args, keywords) {
  // str(error)
  if (keywords.length) return [...args.map((one) => reprOf(one)), ...keywords].join(", ");
  if (args.length !== 1) return args.length ? `(${args.map((one) => reprOf(one)).join(", ")})` : "";
  return isA(key, "builtins.KeyError") ? reprOf(args[0]) : textOf(args[0]);
}

function exceptionArgument(node, values) {
  switch (node.kind) {
    case "text":
      return { is: "text", text: textOfPieces(node.pieces, (number) => values[number]) };
    case "value":
      return values[node.number];
    case "constant":
      return literalValue(node.value);
    case "sequence":
      return inOrder(
        node.class,
        node.items.map((one) => exceptionArgument(one, values)),
        {},
      );
    default: {
      const items = node.items.map(([name, one]) => keyed(keyOfField(name), exceptionArgument(one, values)));
      return container("record", items, lastName(node.class));
    }
  }
}
