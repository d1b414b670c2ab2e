// Sizes of arguments: a name means the same size everywhere, and has the bounds that the program declares.
//
// A size is a number, a name, or the terms of a polynomial: `[[2, "n"], [1]]` is 2 * n + 1, where an atom may be an
// operation, `{ op: "//", args: ["n", 2] }`.

function sizeValue(size, known) {
  // undefined where a name is not known
  if (typeof size === "number") return size;
  if (typeof size === "string") return known.get(size);
  return size.reduce((sum, [factor, ...atoms]) => {
    return sum + factor * atoms.reduce((product, atom) => product * atomValue(atom, known), 1);
  }, 0);
}

function atomValue(atom, known) {
  if (typeof atom === "string") return known.get(atom) ?? NaN;
  const [a, b] = atom.args.map((one) => sizeValue(one, known) ?? NaN);
  if (atom.op === "//") return b ? Math.floor(a / b) : NaN;
  if (atom.op === "&") return a === 1 ? b : b === 1 || a === b ? a : NaN; // broadcast
  return Math.max(a, b);
}

function solve(size, found, known) {
  // the one name of `2*n + 1` that is not known, from its value
  let [name, factor, rest] = [null, 0, found];
  for (const [times, ...atoms] of size) {
    const open = atoms.filter((atom) => typeof atom !== "string" || !known.has(atom));
    if (!open.length) rest -= times * atoms.reduce((product, atom) => product * known.get(atom), 1);
    else if (atoms.length === 1 && typeof atoms[0] === "string" && (name ?? atoms[0]) === atoms[0]) {
      name = atoms[0];
      factor += times;
    } else return;
  }
  if (name !== null && factor && rest % factor === 0) known.set(name, rest / factor);
}

function checkSizes(leaves, bounds) {
  // leaves: [{ label, text, shape, dims }]
  const known = new Map();
  const origin = new Map();
  for (const isPlain of [true, false]) {
    // names first, then those that only an expression has
    for (const { label, shape, dims } of leaves) {
      shape.forEach((size, axis) => {
        const before = known.size;
        if (isPlain && typeof size === "string" && !known.has(size)) known.set(size, dims[axis]);
        if (!isPlain && Array.isArray(size)) solve(size, dims[axis], known);
        if (known.size > before) origin.set([...known.keys()].at(-1), [label, axis]);
      });
    }
  }
  for (const { label, text, shape, dims } of leaves) {
    const isWrong = shape.some((size, axis) => {
      const value = sizeValue(size, known);
      return value !== undefined && !Number.isNaN(value) && value !== dims[axis];
    });
    if (isWrong)
      throw new Error(`${label}: expected ${text}${factsOf(shape, label, known, origin)}, got ${dimsText(dims)}`);
  }
  for (const [name, [low, high]] of Object.entries(bounds)) {
    const size = known.get(name);
    if (size === undefined || (size >= low && (high === null || size <= high))) continue;
    const wanted = high === null ? `at least ${low}` : low === high ? `${low}` : `${low} to ${high}`;
    const [label, axis] = origin.get(name);
    throw new Error(`${label}, axis ${axis}: ${name} is ${size}, dims allows ${wanted}`);
  }
}

function factsOf(shape, label, known, origin) {
  const names = new Set(JSON.stringify(shape).match(/[A-Za-z_][\w.]*/g) ?? []);
  const facts = [...names]
    .filter((name) => known.has(name))
    .map((name) => {
      const [from] = origin.get(name);
      return `${name}=${known.get(name)}${from === label ? "" : ` (from ${from})`}`;
    });
  return facts.length ? ` with ${facts.join(", ")}` : "";
}

const dimsText = (dims) => `(${dims.join(", ")}${dims.length === 1 ? "," : ""})`; // as Python writes a shape
