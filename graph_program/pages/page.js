// The page: makes the fields, runs the model in a worker, shows what it gives, and keeps the state.

const held = (id) => document.getElementById(id);
const given = JSON.parse(held("page").textContent);
Object.assign(LARGEST_PLAIN, given.plain);

class Runner {
  // the worker with the model; one that is stopped is made again for the next run
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
  number: numberControl,
  truth: truthControl,
  text: textControl,
  values: valuesControl,
  image: pictureControl,
  audio: soundControl,
};
const controls = new Map(); // by the input of the model
let state = {};
let isRunning = false;
let isStale = false;

const around = {
  // what controls ask of the page
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
    const group = isOne
      ? make("div", { class: "group" })
      : make("fieldset", { class: "wide" }, make("legend", {}, title));
    for (const { label, value } of fixed) {
      group.append(
        make("p", { class: "hint wide" }, value === null ? `${label} is fixed` : `${label} is ${value}, fixed`),
      );
    }
    for (const spec of specs) group.append(controlOf(spec).element);
    if (isOne && group.querySelector(".wide")) group.classList.add("wide");
    held("inputs").append(group);
  }
}

function takeDropped() {
  // files go to the field that they are dropped on, or to the only one that takes them
  const takers = [...controls.values()].filter((control) => control.droppedFile);
  const [only] = takers;
  const takerAt = ({ target }) =>
    takers.find(({ element }) => element.contains(target)) ?? (takers.length === 1 ? only : null);
  const show = (event, isOver) => {
    event.preventDefault(); // else the browser would open the file in place of the page
    takers.forEach((control) => control.element.classList.toggle("over", isOver && control === takerAt(event)));
  };
  document.addEventListener("dragover", (event) => show(event, true));
  document.addEventListener("dragleave", (event) => show(event, false));
  document.addEventListener("drop", (event) => {
    show(event, false);
    takerAt(event)?.droppedFile(event);
  });
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

async function readInputs() {
  const feeds = Object.assign(Object.create(null), state); // an input may be called `__proto__`
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
  checkSizes(
    leaves.filter(({ dims }) => dims),
    given.bounds,
  );
  return feeds;
}

function sameLength({ label, inputs }, feeds) {
  // the attributes of the elements of one list
  const lengths = new Set(inputs.map((input) => feeds[input].dims[0]));
  if (lengths.size > 1) throw new Error(`${label}: its columns have ${[...lengths].join(" and ")} elements`);
}

// What comes out.

function showResults(feeds, outputs) {
  const values = outputsOf(feeds, outputs);
  const changed = given.written.filter((one) => isMade(one, values));
  const parts = [
    { label: "result", value: valueOf(given.result, values) },
    ...changed.map(({ label, value }) => ({ label: `${label} afterwards`, value: valueOf(value, values) })),
  ];
  const place = { show: given.show, ...seen(feeds), address: addressOf, save };
  const scalars = make("dl");
  const figures = make("div");
  for (const { label, value } of parts) showValue(label, value, { scalars, figures, place });
  held("results").replaceChildren(
    make("h2", {}, "Results"),
    ...[scalars, figures].filter((one) => one.childElementCount),
  );
  held("results").append(wholeButton(parts));
}

function seen(feeds) {
  // pictures and sounds that came in, to draw upon, and which numbers are white
  const of = (kind) => [...controls.values()].filter(({ spec }) => spec.control === kind);
  return {
    pictures: of("image").map(({ canvas }) => canvas),
    whites: of("image").map(({ spec }) => spec.options.top),
    sounds: of("audio").map(({ spec, rateOf }) => ({ tensor: feeds[spec.input], rate: rateOf() })),
  };
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

function showError(error) {
  // { name, text, source, behind }
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
    const text = isArray
      ? textOfArray(state[input]).slice(0, 300)
      : numberText(elementOf(state[input], 0), state[input].type);
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

function finish(feeds, outputs) {
  // where there is an error, no other output means anything
  addresses.splice(0).forEach((address) => URL.revokeObjectURL(address));
  const number = given.error ? Number(outputs[given.error].data[0]) : 0;
  if (number) {
    showError(raised(given.errors[number - 1], new Outputs(outputs, () => ({ is: "other", text: "an argument" }))));
    return;
  }
  showResults(feeds, outputs);
  Object.assign(state, after(given.carried, feeds, outputs));
  const changes = given.written.flatMap(({ inputs }) => inputs ?? []);
  for (const [input, tensor] of Object.entries(after(changes, feeds, outputs))) {
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
takeDropped();
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
