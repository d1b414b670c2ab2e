// Arguments and state as Python's objects, and what a run leaves in them.

function after(changes, feeds, outputs) {
  // inputs as a run leaves them
  const found = Object.create(null);
  for (const { input, when, output, from, constant, shapes } of changes) {
    if (when && !Number(outputs[when].data[0])) continue;
    const whole = from ? feeds[from] : output ? outputs[output] : written(constant);
    found[input] = shapes ? stacked(input, whole, outputs[shapes], feeds[input]) : whole;
  }
  return found;
}

function stacked(input, { type, data }, shapes, before) {
  // arrays of one shape, which follow each other; of none, the shape is what it was
  const rows = Array.from({ length: shapes.dims[0] }, (_, i) => Array.from(rowOf(shapes, i).data, Number));
  const [shape = before.dims.slice(1)] = rows;
  if (rows.some((row) => String(row) !== String(shape))) {
    throw new Error(`${input} would have arrays of several sizes, and the program takes them as one`);
  }
  return { type, dims: [rows.length, ...shape], data };
}

function leftBy(feeds, outputs) {
  // the inputs as a run leaves them
  const changes = given.written.flatMap(({ inputs }) => inputs ?? []);
  return { ...feeds, ...after(changes, feeds, outputs), ...after(given.carried, feeds, outputs) };
}

function outputsOf(feeds, outputs) {
  const left = leftBy(feeds, outputs);
  const found = new Outputs(outputs, (path) => argumentValue(path, left, found));
  return found;
}

const isMade = ({ when }, outputs) => !when || truthOf(outputs, when);
const isAt = (path, place) => JSON.stringify(path) === JSON.stringify(place);

function argumentValue(path, left, outputs) {
  // what is at a path of the arguments, or of the state
  const changes = given.written.filter((one) => !one.inputs && isMade(one, outputs));
  const whole = changes.find((one) => isAt(one.path, path));
  if (whole) return valueOf(whole.value, outputs);
  const value = valueAt(path, left);
  for (const one of changes) {
    if (one.path.length > path.length && isAt(one.path.slice(0, path.length), path)) {
      put(value, one.path.slice(path.length), valueOf(one.value, outputs));
    }
  }
  return value;
}

function valueAt(path, left) {
  const found = given.places.find((place) => isAt(place.path, path));
  if (found) return valueOfSpec(found.spec, left);
  const object = given.objects.find((one) => isAt(one.path, path));
  if (!object) return { is: "other", text: `the argument ${path[0]}` };
  const items = object.initial.map(([name, literal]) => {
    const inner = [...path, `.${name}`];
    const isKept = [...given.places, ...given.objects].some((one) => isAt(one.path, inner));
    return keyed(keyOfField(name), isKept ? valueAt(inner, left) : literalValue(literal));
  });
  const parts = given.objects.filter((one) => one.path.length === path.length + 1 && isAt(one.path.slice(0, -1), path));
  for (const { path: inner } of parts) {
    if (typeof inner.at(-1) === "string") items.push(keyed(keyOfField(inner.at(-1).slice(1)), valueAt(inner, left)));
  }
  return container("record", items, lastName(object.class));
}

function put(value, [step, ...rest], part) {
  // into a part of an object, a list or a dict, which may be a new one
  const key =
    typeof step === "string" ? keyOfField(step.slice(1)) : step.key ? keyOfDict(step.key) : [`[${step}]`, step];
  const item = value.items.find(([text]) => text === key[0]);
  if (rest.length) put(item[1], rest, part);
  else if (item) item[1] = part;
  else value.items.push(keyed(key, part));
}

function valueOfSpec(spec, left) {
  const inner = (keyOf) => spec.items.map(([key, one]) => keyed(keyOf(key), valueOfSpec(one, left)));
  switch (spec.kind) {
    case "tensor":
      return valueOfTensors(
        spec.inputs.map((input) => left[input]),
        spec,
      );
    case "static":
      return literalValue(spec.value);
    case "tuple":
    case "list":
      return inOrder(
        spec.kind,
        spec.items.map((one) => valueOfSpec(one, left)),
        spec,
      );
    case "dict":
      return container("dict", inner(keyOfDict));
    case "record":
      return container("record", inner(keyOfField), lastName(spec.class));
    case "rows":
      return inOrder("list", elementsOf(spec, left), {});
    default:
      return { is: "other", text: "an argument" };
  }
}

function inputsIn({ inputs = [], items = [], element }) {
  // the inputs of all parts; items of dicts and objects are pairs
  const parts = items.map((one) => (Array.isArray(one) ? one[1] : one));
  return [...inputs, ...[...parts, element ?? {}].flatMap((part) => (part.kind ? inputsIn(part) : []))];
}

function elementsOf({ element }, left) {
  // of a list of any length
  const inputs = inputsIn(element);
  const count = inputs.length ? left[inputs[0]].dims[0] : 0;
  const row = (i) => Object.fromEntries(inputs.map((input) => [input, rowOf(left[input], i)]));
  return Array.from({ length: count }, (_, i) => valueOfSpec(element, row(i)));
}
