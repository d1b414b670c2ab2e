// Arrays as the page has them, `{ type, dims, data }`: read from and written as base64, nested lists and .npy files.

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
};
const LIMITS = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const NPY_TYPES = {
  f4: "float32",
  f8: "float64",
  f2: "float16",
  b1: "bool",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
};
const isFloat = (type) => type.startsWith("float");
const isInteger = (type) => type in LIMITS;
const sizeOf = (dims) => dims.reduce((all, size) => all * size, 1);

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

async function unpacked(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function written({ dtype, shape, data }) {
  // as Python wrote it
  return { type: dtype, dims: shape, data: new ARRAYS[dtype](bytesOf(data).buffer) };
}

function halfOf(number) {
  // the nearest float16, ties to even
  if (Number.isNaN(number)) return 0x7e00;
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  const size = Math.abs(number);
  if (size >= 65520) return sign | 0x7c00;
  const exponent = size === 0 ? -14 : Math.max(-14, Math.floor(Math.log2(size)));
  const unit = 2 ** (exponent - 10);
  const below = Math.floor(size / unit);
  const rest = size / unit - below;
  const steps = below + (rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? 1 : 0);
  return sign | (steps + (exponent + 14) * 1024); // a carry goes on into the exponent
}

function numberOfHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const part = bits & 1023;
  if (exponent === 31) return part ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + part) * 2 ** (exponent - 25) : part * 2 ** -24);
}

function elementOf({ type, data }, place) {
  // a number, BigInt or boolean
  const found = data[place];
  if (type === "bool") return Boolean(found);
  return type === "float16" && data instanceof Uint16Array ? numberOfHalf(found) : found;
}

function numbersOf(tensor) {
  // an array of JavaScript's numbers, for drawing
  if (tensor.data instanceof Float32Array || tensor.data instanceof Float64Array) return tensor.data;
  return Float64Array.from({ length: tensor.data.length }, (_, i) => Number(elementOf(tensor, i)));
}

function filled(type, dims, numbers) {
  // of JavaScript's numbers, which fit
  if (type === "float16") return { type, dims, data: Uint16Array.from(numbers, halfOf) };
  if (type.endsWith("64") && isInteger(type)) return { type, dims, data: ARRAYS[type].from(numbers, BigInt) };
  return { type, dims, data: ARRAYS[type].from(numbers) };
}

function rowOf(tensor, row) {
  // tensor[row]
  const dims = tensor.dims.slice(1);
  const size = sizeOf(dims);
  return { type: tensor.type, dims, data: tensor.data.slice(row * size, (row + 1) * size) };
}

function nested(tensor, write = (x) => x) {
  let place = 0;
  const build = (axis) => {
    if (axis === tensor.dims.length) return write(elementOf(tensor, place++));
    return Array.from({ length: tensor.dims[axis] }, () => build(axis + 1));
  };
  return build(0);
}

function jsonOf(tensor) {
  // integers have any size
  const text = (x) => jsonNumber(x, tensor.type);
  const build = (value) => (Array.isArray(value) ? `[${value.map(build).join(", ")}]` : value);
  return build(nested(tensor, text));
}

function jsonNumber(value, type) {
  // floats have a point, and all of their digits; JSON has no nan and inf, so these are texts that float() reads
  if (!isFloat(type)) return String(value);
  return Number.isFinite(value) ? floatText(value) : JSON.stringify(floatText(value));
}

// Numbers as they are typed: JSON, with nan, inf, True and False as Python writes them.

function parsedNumber(text, type) {
  const word = text.trim().replace(/(?<=\d)_(?=\d)/g, "");
  if (type === "bool") {
    if (/^(true|1)$/i.test(word)) return true;
    if (/^(false|0)$/i.test(word)) return false;
    throw new Error(`${text || "nothing"} is neither True nor False`);
  }
  if (isFloat(type)) {
    const special = /^([+-]?)(nan|inf|infinity)$/i.exec(word);
    if (special) return (special[1] === "-" ? -1 : 1) * (special[2].toLowerCase() === "nan" ? NaN : Infinity);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) throw new Error(`${text || "nothing"} is no number`);
    return Number(word);
  }
  if (!/^[+-]?\d+$/.test(word)) throw new Error(`${text || "nothing"} is no integer`);
  const [low, high] = LIMITS[type];
  const found = BigInt(word.replace(/^\+/, ""));
  if (found < low || found > high) throw new Error(`${text} is not within ${low} to ${high}, the limits of ${type}`);
  return found;
}

function scalar(text, type) {
  const found = parsedNumber(text, type);
  if (type === "float16") return { type, dims: [], data: Uint16Array.of(halfOf(found)) };
  const data = ARRAYS[type].of(type.endsWith("64") ? found : Number(found));
  return { type, dims: [], data };
}

function parsedArray(text, type, shape) {
  // [[1, 2], [3, nan]]; a row without brackets is a list, too
  const rank = shape.length;
  const pieces = text.match(/[[\]]|[^[\],\s]+/g) ?? [];
  if (pieces[0] !== "[" && rank > 0) (pieces.unshift("["), pieces.push("]"));
  const values = [];
  let place = 0;
  const build = (depth) => {
    const piece = pieces[place++];
    if (piece !== "[") {
      if (piece === undefined || piece === "]") throw new Error("brackets do not match");
      values.push(piece);
      return [];
    }
    if (depth > 32) throw new Error("there are too many brackets");
    const shapes = [];
    while (place < pieces.length && pieces[place] !== "]") shapes.push(build(depth + 1));
    if (pieces[place++] !== "]") throw new Error("a bracket is not closed");
    const [first = []] = shapes;
    if (shapes.some((shape) => String(shape) !== String(first))) throw new Error("the rows are of different lengths");
    return [shapes.length, ...first];
  };
  const dims = build(0);
  if (place < pieces.length) throw new Error("there is something behind the last bracket");
  for (const size of values.length ? [] : shape.slice(dims.length)) dims.push(typeof size === "number" ? size : 0);
  return { type, dims, data: dataOf(values, type) };
}

function dataOf(texts, type) {
  const found = texts.map((text) => parsedNumber(text, type));
  if (type === "float16") return Uint16Array.from(found, halfOf);
  return ARRAYS[type].from(found, type.endsWith("64") && isInteger(type) ? BigInt : Number);
}

// .npy, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

function readNpy(buffer) {
  const bytes = new Uint8Array(buffer);
  if (String.fromCharCode(...bytes.slice(1, 6)) !== "NUMPY") throw new Error("this is no .npy file");
  const view = new DataView(buffer);
  if (bytes.length < 12) throw new Error("the file is cut off in its header");
  const [start, length] = bytes[6] === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  if (bytes.length < start + length) throw new Error("the file is cut off in its header");
  const head = new TextDecoder().decode(bytes.slice(start, start + length));
  const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(head);
  const shape = /'shape':\s*\(([^)]*)\)/.exec(head);
  const type = NPY_TYPES[descr?.[2]];
  if (!type || !shape) throw new Error(`arrays of ${descr?.[2] ?? "this type"} are not read`);
  const dims = shape[1]
    .split(",")
    .filter((size) => size.trim())
    .map(Number);
  const data = buffer.slice(start + length);
  const there = Math.floor(data.byteLength / ARRAYS[type].BYTES_PER_ELEMENT);
  if (there < sizeOf(dims)) throw new Error(`the file is cut off: it has ${there} of its ${sizeOf(dims)} elements`);
  if (descr[1] === ">") swapBytes(new Uint8Array(data), Number(descr[2].slice(1)));
  const tensor = { type, dims, data: new ARRAYS[type](data, 0, sizeOf(dims)) };
  return /'fortran_order':\s*True/.test(head) ? inRows(tensor) : tensor;
}

function swapBytes(bytes, size) {
  for (let start = 0; start < bytes.length; start += size) bytes.subarray(start, start + size).reverse();
}

function inRows({ type, dims, data }) {
  // from Fortran's order
  const found = new ARRAYS[type](data.length);
  const steps = dims.map((_, axis) => sizeOf(dims.slice(0, axis)));
  const place = new Array(dims.length).fill(0);
  for (let i = 0; i < found.length; i++) {
    found[i] = data[place.reduce((sum, at, axis) => sum + at * steps[axis], 0)];
    for (let axis = dims.length - 1; axis >= 0 && ++place[axis] === dims[axis]; axis--) place[axis] = 0;
  }
  return { type, dims, data: found };
}

function npyOf({ type, dims, data }) {
  const [name] = Object.entries(NPY_TYPES).find(([, known]) => known === type);
  const order = name.endsWith("1") ? "|" : "<";
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(", ")})`;
  const head = `{'descr': '${order}${name}', 'fortran_order': False, 'shape': ${shape}, }`;
  const padded = head.padEnd(Math.ceil((head.length + 11) / 64) * 64 - 11) + "\n";
  const start = Uint8Array.of(0x93, 78, 85, 77, 80, 89, 1, 0, padded.length & 255, padded.length >> 8);
  return new Blob([start, padded, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]);
}
