// The page: makes the fields, runs the model in a worker, shows what it gives, and keeps the state.

const held = (id) => document.getElementById(id);
const given = JSON.parse(held("page").textContent);
Object.assign(LARGEST_PLAIN, given.plain);

class Runner { // the worker with the model; one that is stopped is made again for the next run
  constructor() {
    this.worker = null;
    this.number = 0;
    this.waiting = new Map();
  }

  async begin() {
    this.parts ??= {
      javascript: JSON.parse(held("runtime").textContent),
      wasm: await unpacked(held("wasm").textContent),
      model: await unpacked(held("model").textContent),
    };
    this.worker = new Worker(URL.createObjectURL(new Blob([given.worker], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if ("failed" in data) reject(new Error(data.failed));
      else resolve(data);
    };
    this.worker.onerror = (event) => this.end(event.message || "the worker does not start");
    await this.ask({ start: this.parts });
  }

  ask(question) {
    return new Promise((resolve, reject) => {
      this.waiting.set(++this.number, { resolve, reject });
      this.worker.postMessage({ number: this.number, ...question });
    });
  }

  async run(feeds) {
    if (!this.worker) this.beginning = this.begin();
    await this.beginning;
    return this.ask({ feeds });
  }

  end(reason) {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }
}

const runner = new Runner();
const addresses = [];
const CONTROLS = {
  number: numberControl, truth: truthControl, text: textControl, values: valuesControl,
  image: pictureControl, audio: soundControl,
};
const controls = new Map(); // by the input of the model
let state = {};
let isRunning = false;
let isStale = false;

const around = { // what controls ask of the page
  bounds: given.bounds,
  changed() {
    if (!held("live").checked || !started) return;
    if (isRunning) isStale = true;
    else run();
  },
  numberAt(input) {
    try {
      return input && Number(controls.get(input).read().data[0]);
    } catch {
      return null;
    }
  },
};
let started = false;

// What goes in.

function buildInputs() {
  for (const { title, fixed, controls: specs } of given.parameters) {
    const isOne = !fixed.length && specs.length === 1 && specs[0].label === title;
    const group = isOne ? make("div", { class: "group" }) : make("fieldset", { class: "wide" }, make("legend", {}, title));
    for (const { label, value } of fixed) {
      group.append(make("p", { class: "hint wide" }, value === null ? `${label} is fixed` : `${label} is ${value}, fixed`));
    }
    for (const spec of specs) group.append(controlOf(spec).element);
    const drops = specs.map((spec) => controls.get(spec.input)).filter((control) => control.droppedFile);
    if (drops.length === 1) takeDropped(group, drops[0]);
    if (isOne && group.querySelector(".wide")) group.classList.add("wide");
    held("inputs").append(group);
  }
}

function controlOf(spec) {
  const control = CONTROLS[spec.control](spec, around);
  controls.set(spec.input, Object.assign(control, { spec }));
  if (spec.initial) control.write(written(spec.initial));
  control.element.addEventListener("change", () => {
    const others = [...controls.values()].filter((other) => other.spec.options.rate_input === spec.input);
    others.forEach((sound) => sound.refresh());
    around.changed();
  });
  return control;
}

function takeDropped(group, control) {
  const over = (event, isOver) => {
    event.preventDefault();
    group.classList.toggle("over", isOver);
  };
  group.addEventListener("dragover", (event) => over(event, true));
  group.addEventListener("dragleave", (event) => over(event, false));
  group.addEventListener("drop", (event) => {
    over(event, false);
    control.droppedFile(event);
  });
}

async function readInputs() {
  const feeds = { ...state };
  const leaves = given.sized.map((leaf) => ({ ...leaf, dims: state[leaf.input]?.dims }));
  for (const [input, { read, spec }] of controls) {
    try {
      feeds[input] = await read();
    } catch (error) {
      throw new Error(`${spec.label}: ${error.message}`);
    }
    leaves.push({ label: spec.label, text: spec.text, shape: spec.shape, dims: feeds[input].dims });
  }
  for (const columns of given.columns) sameLength(columns, feeds);
  checkSizes(leaves.filter(({ dims }) => dims), given.bounds);
  return feeds;
}

function sameLength({ label, inputs }, feeds) { // the attributes of the elements of one list
  const lengths = new Set(inputs.map((input) => feeds[input].dims[0]));
  if (lengths.size > 1) throw new Error(`${label}: its columns have ${[...lengths].join(" and ")} elements`);
}

// What comes out.

function after(changes, feeds, outputs) { // inputs as a run leaves them
  const found = {};
  for (const { input, when, output, from, constant } of changes) {
    if (when && !Number(outputs[when].data[0])) continue;
    found[input] = output ? outputs[output] : from ? feeds[from] : written(constant);
  }
  return found;
}

function showResults(feeds, outputs) {
  const left = { ...feeds, ...after(given.changes, feeds, outputs), ...after(given.carried, feeds, outputs) };
  const values = new Outputs(outputs, (path) => argumentValue(path, left));
  const found = { label: "result", value: valueOf(given.result, values) };
  const changed = new Set(given.changes.map((change) => change.input));
  const parts = [found, ...[...changed].map((input) => afterwards(input, left))];
  const place = { show: given.show, ...seen(feeds), address: addressOf, save };
  const scalars = make("dl");
  const figures = make("div");
  for (const { label, value } of parts) showValue(label, value, { scalars, figures, place });
  held("results").replaceChildren(make("h2", {}, "Results"), ...[scalars, figures].filter((one) => one.childElementCount));
  held("results").append(wholeButton(parts));
}

function afterwards(input, left) {
  const { spec } = controls.get(input);
  const value = spec.class === "array" ? { is: "array", tensor: left[input] } : valueOfTensors([left[input]], spec);
  return { label: `${spec.label} afterwards`, value };
}

function argumentValue(path, left) { // what is at a path of the arguments, or of the state
  const found = given.places.find((place) => JSON.stringify(place.path) === JSON.stringify(path));
  return found ? valueOfSpec(found.spec, left) : { is: "other", text: `the argument ${path[0]}` };
}

function valueOfSpec(spec, left) {
  const inner = (keyOf) => spec.items.map(([key, one]) => keyed(keyOf(key), valueOfSpec(one, left)));
  switch (spec.kind) {
    case "tensor": return valueOfTensors(spec.inputs.map((input) => left[input]), spec);
    case "static": return literalValue(spec.value);
    case "tuple": case "list": return inOrder(spec.kind, spec.items.map((one) => valueOfSpec(one, left)), spec);
    case "dict": return container("dict", inner(keyOfDict));
    case "record": return container("record", inner(keyOfField), lastName(spec.class));
    case "rows": return inOrder("list", elementsOf(spec, left), {});
    default: return { is: "other", text: "an argument" };
  }
}

function elementsOf({ element }, left) { // of a list of any length
  const inputs = given.columns.flatMap((column) => column.inputs).filter((input) => JSON.stringify(element).includes(JSON.stringify(input)));
  const count = inputs.length ? left[inputs[0]].dims[0] : 0;
  const row = (i) => Object.fromEntries(inputs.map((input) => [input, rowOf(left[input], i)]));
  return Array.from({ length: count }, (_, i) => valueOfSpec(element, row(i)));
}

function seen(feeds) { // pictures and sounds that came in, to draw upon
  const of = (kind) => [...controls.values()].filter(({ spec }) => spec.control === kind);
  return {
    pictures: of("image").map(({ canvas }) => canvas),
    sounds: of("audio").map(({ spec, rateOf }) => ({ tensor: feeds[spec.input], rate: rateOf() })),
  };
}

function showValue(label, value, { scalars, figures, place }) {
  const show = (one, key) => showValue(label + key, one, { scalars, figures, place });
  const asked = place.show[label] ?? (value.is === "list" && areBoxes(value, place) ? "boxes" : null);
  const whole = (value.is === "list" ? listed(value) : null) ?? (asked ? matrixOf(value) : null);
  if (value.is === "array" || whole) figures.append(arrayFigure(label, value.tensor ?? whole, asked, place));
  else if (value.is === "complex array") ["re", "im"].forEach((part) => show({ is: "array", tensor: value[part] }, part === "re" ? ".real" : ".imag"));
  else if (isTable(value)) figures.append(tableFigure(label, value));
  else if (value.items?.length) value.items.forEach(([key, one]) => show(one, key));
  else scalars.append(make("dt", {}, label), make("dd", { "data-result": label }, textOf(value)));
}

function listed({ items = [] }) { // numbers of one type as an array
  const [[, first] = []] = items;
  if (first?.is !== "number" || !items.every(([, one]) => one.is === "number" && one.type === first.type)) return null;
  return filledExactly(first.type, items.map(([, one]) => one.value));
}

function filledExactly(type, values) {
  const data = type === "float16" ? Uint16Array.from(values, halfOf) : ARRAYS[type].from(values);
  return { type, dims: [values.length], data };
}

function matrixOf({ items = [] }) { // two arrays of one length as pairs, a list of tuples of numbers as rows
  const tensors = items.map(([, one]) => one.tensor);
  const isPair = items.length === 2 && tensors.every((one) => one?.dims.length === 1);
  const columns = isPair ? tensors : [];
  const rows = isPair ? [] : items.map(([, one]) => listed(one) ?? one.tensor);
  const [first, ...others] = [...columns, ...rows];
  const isWhole = first?.dims.length === 1 && others.every((one) => one?.type === first.type && one.dims[0] === first.dims[0]);
  if (!isWhole) return null;
  const dims = isPair ? [first.dims[0], 2] : [rows.length, first.dims[0]];
  const data = new first.data.constructor(dims[0] * dims[1]);
  columns.forEach((one, column) => one.data.forEach((x, row) => (data[2 * row + column] = x)));
  rows.forEach((one, row) => data.set(one.data, row * dims[1]));
  return { type: first.type, dims, data };
}

const SIDES = ["left", "top", "right", "bottom"];

function areBoxes({ items }, place) { // a list of objects whose numbers are the sides of boxes
  const names = items?.[0]?.[1].items?.map(([, , plain]) => plain);
  return place.pictures.length > 0 && String(names) === String(SIDES);
}

const isScalar = (value) => ["number", "text", "none", "complex", "other"].includes(value.is);

function isTable({ is, items }) { // a list of objects that have the same scalars
  const [[, first] = []] = items ?? [];
  if (is !== "list" || !first?.items?.length) return false;
  const keys = (one) => JSON.stringify(one.items?.map(([key]) => key));
  return items.every(([, one]) => keys(one) === keys(first) && one.items.every(([, inner]) => isScalar(inner)));
}

function tableFigure(label, { items }) {
  const [[, first]] = items;
  const head = first.items.map(([, , plain]) => make("th", { scope: "col" }, plain));
  const rows = items.slice(0, SHOWN).map(([, one, number]) => {
    const cells = one.items.map(([, inner]) => make("td", {}, textOf(inner)));
    return make("tr", {}, make("th", { scope: "row" }, number), ...cells);
  });
  const table = make("table", {}, make("thead", {}, make("tr", {}, make("th"), ...head)), make("tbody", {}, ...rows));
  const note = items.length > SHOWN ? make("p", { class: "hint" }, `${SHOWN} of ${items.length} elements`) : null;
  const caption = make("figcaption", {}, label, make("span", {}, `  ${items.length} elements`));
  return make("figure", { "data-result": label, "data-view": "table" }, caption, make("div", { class: "table", tabindex: 0 }, table), note);
}

function jsonValue(value) { // as text, since JavaScript's numbers do not have all of Python's
  if (value.is === "array") return jsonOf(value.tensor);
  if (value.is === "none") return "null";
  if (value.is === "number") return jsonNumber(value.value, value.type);
  if (!value.items) return JSON.stringify(textOf(value));
  const parts = value.items.map(([, one, plain]) => [plain, jsonValue(one)]);
  if (["list", "tuple"].includes(value.is) && !value.name) return `[${parts.map(([, text]) => text).join(", ")}]`;
  return `{${parts.map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(", ")}}`;
}

function wholeButton(parts) {
  const text = () => `{${parts.map(({ label, value }) => `${JSON.stringify(label)}: ${jsonValue(value)}`).join(", ")}}`;
  const act = () => save(`${given.name}.json`, new Blob([text()], { type: "application/json" }));
  return make("button", { type: "button", id: "whole", onclick: act }, "All results as JSON");
}

function addressOf(blob) {
  addresses.push(URL.createObjectURL(blob));
  return addresses.at(-1);
}

function save(name, blob) {
  const link = make("a", { href: addressOf(blob), download: name.replace(/[^\w.\-[\]]+/g, "_") });
  document.body.append(link);
  link.click();
  link.remove();
}

function showError(error) { // { name, text, source, behind }
  const line = ({ name, text }) => (name && text ? `${name}: ${text}` : name || text);
  const behind = (one) => (one ? `${behind(one.behind)}${line(one)}\n\n${one.how}\n\n` : "");
  const where = error.source ? `${error.source}\n` : "";
  held("error").replaceChildren(make("pre", {}, behind(error.behind) + where + line(error)));
  held("error").hidden = false;
  held("results").replaceChildren();
}

// State.

function resetState() {
  state = Object.fromEntries(given.state.map(({ input, initial }) => [input, written(initial)]));
  showState();
}

function showState() {
  if (!given.state.length) return;
  const list = make("dl");
  for (const { input, label } of given.state) {
    const isArray = state[input].dims.length > 0;
    const text = isArray ? textOfArray(state[input]).slice(0, 300) : numberText(elementOf(state[input], 0), state[input].type);
    list.append(make("dt", {}, label), make("dd", { "data-state": input }, text));
  }
  held("kept").replaceChildren(make("h2", {}, "State for the next run"), list);
  held("kept").hidden = held("reset").hidden = false;
}

// A run.

async function run() {
  if (isRunning) return;
  isRunning = true;
  isStale = false;
  held("error").hidden = true;
  held("error").replaceChildren();
  held("run").disabled = true;
  held("stop").hidden = false;
  say("Running …");
  try {
    const feeds = await readInputs();
    const { outputs, took } = await runner.run(feeds);
    finish(feeds, outputs);
    say(`Ran in ${took < 10 ? took.toFixed(1) : Math.round(took)} ms`);
  } catch (error) {
    showError({ name: "", text: String(error.message ?? error) });
    say("Not run to the end");
  }
  isRunning = false;
  held("run").disabled = false;
  held("stop").hidden = true;
  if (isStale) run();
}

function finish(feeds, outputs) { // where there is an error, no other output means anything
  addresses.splice(0).forEach((address) => URL.revokeObjectURL(address));
  const number = given.error ? Number(outputs[given.error].data[0]) : 0;
  if (number) {
    showError(raised(given.errors[number - 1], new Outputs(outputs, () => ({ is: "other", text: "an argument" }))));
    return;
  }
  showResults(feeds, outputs);
  Object.assign(state, after(given.carried, feeds, outputs));
  for (const [input, tensor] of Object.entries(after(given.changes, feeds, outputs))) {
    const { spec, write } = controls.get(input);
    if (!["image", "audio"].includes(spec.control)) write(tensor); // as the caller's array is afterwards
  }
  showState();
}

function say(text) {
  held("status").textContent = text;
}

held("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
held("stop").addEventListener("click", () => runner.end("stopped"));
held("reset").addEventListener("click", resetState);
held("live").addEventListener("change", () => around.changed());
buildInputs();
resetState();
runner.beginning = runner.begin();
runner.beginning.then(
  () => {
    started = true;
    held("run").disabled = false;
    say("Ready");
  },
  (error) => {
    showError({ name: "", text: `the model cannot be loaded: ${error.message}` });
    say("Not ready");
  },
);
