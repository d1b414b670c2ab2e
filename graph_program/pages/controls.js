// Fields for the inputs of a program: numbers, truths, texts and arrays. Pictures and sounds have files of their own.
//
// A control is `{ element, read, write }`: `read` gives a tensor, or promises one, and throws an Error that says what
// is wrong; `write` shows a tensor.

let fields = 0;

function make(tag, attributes = {}, ...children) {
  // an element; strings are text, never markup
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function field(spec, control, hint, ...others) {
  // a control with its label and what it takes
  const id = `field-${fields++}`;
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-hint`);
  control.dataset.input = spec.input;
  const about = make("p", { class: "hint", id: `${id}-hint` }, hint);
  const isWide = control.matches("textarea, [type=file]");
  return make(
    "div",
    { class: isWide ? "field wide" : "field" },
    make("label", { for: id }, spec.label),
    " ",
    control,
    ...others,
    about,
  );
}

function checked(control, read) {
  // what is typed, with the field marked where it is wrong
  const refuse = (error) => {
    control.setAttribute("aria-invalid", "true");
    control.focus();
    throw error;
  };
  return () => {
    control.removeAttribute("aria-invalid");
    try {
      const found = read();
      return found instanceof Promise ? found.catch(refuse) : found;
    } catch (error) {
      return refuse(error);
    }
  };
}

function limitsText(type) {
  if (!isInteger(type)) return "";
  const [low, high] = LIMITS[type];
  return type.endsWith("64") ? "" : `, ${low} to ${high}`;
}

function numberControl(spec) {
  const control = make("input", {
    type: "text",
    inputmode: spec.dtype.startsWith("uint") && "numeric", // keypads of some phones have no minus, e and nan
    autocomplete: "off",
  });
  const write = (tensor) => (control.value = numberText(elementOf(tensor, 0), spec.dtype));
  const read = checked(control, () => scalar(control.value, spec.dtype));
  return { element: field(spec, control, spec.text + limitsText(spec.dtype)), read, write };
}

function truthControl(spec) {
  const control = make("input", { type: "checkbox" });
  const write = (tensor) => (control.checked = elementOf(tensor, 0));
  const read = () => ({ type: "bool", dims: [], data: Uint8Array.of(control.checked) });
  return { element: field(spec, control, spec.text), read, write };
}

function textControl(spec) {
  const control = make("textarea", { rows: 3 });
  const isBytes = spec.dtype.endsWith("int8");
  const write = (tensor) => (control.value = decodedText(tensor));
  const read = checked(control, () => {
    const codes = isBytes
      ? [...new TextEncoder().encode(control.value)]
      : Array.from(control.value, (c) => c.codePointAt(0));
    const tensor = filled(spec.dtype, [codes.length], codes);
    return Number.isInteger(spec.shape[0]) ? resized(tensor, spec.shape[0]) : tensor;
  });
  const hint = `a text, as ${isBytes ? "bytes of UTF-8" : "code points"}: ${spec.text}`;
  return { element: field(spec, control, hint), read, write };
}

function decodedText(tensor) {
  const codes = numbersOf(tensor);
  if (tensor.type.endsWith("int8")) return new TextDecoder().decode(Uint8Array.from(codes));
  return Array.from(codes, (code) => (code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd")).join("");
}

function resized({ type, data }, length) {
  // cut, or filled up with zeros
  const found = new ARRAYS[type](length);
  found.set(data.subarray(0, length));
  return { type, dims: [length], data: found };
}

const TYPED = 10_000; // an array of more elements is not shown in a field

function valuesControl(spec) {
  const control = make("textarea", { rows: 2, spellcheck: "false", autocomplete: "off" });
  let held = null; // the array of a file, which is too large to be shown
  const show = (tensor) => {
    held = sizeOf(tensor?.dims ?? []) > TYPED ? tensor : null;
    control.value = held || !tensor ? "" : textOfArray(tensor);
    control.placeholder = held ? `${tensor.type} ${dimsText(tensor.dims)} from a file` : "";
  };
  const wrong = make("span", { class: "hint", role: "alert" });
  const last = new LastFile((chosen) => readFile(chosen, spec), show);
  const write = (tensor) => {
    last.forget();
    show(tensor);
  };
  control.addEventListener("input", () => {
    last.forget();
    wrong.textContent = "";
  });
  const file = make("input", {
    type: "file",
    accept: ".npy",
    "aria-label": `${spec.label}: a .npy file`,
    "data-file": spec.input,
    onchange: guarded(wrong, () => last.take(file.files[0])),
  });
  const read = checked(control, async () => {
    await last.settled();
    const isTyped = control.value.trim() !== "" || !held;
    return withRank(isTyped ? parsedArray(control.value, spec.dtype, spec.shape) : held, spec);
  });
  const hint = `${spec.text}: ${exampleOf(spec)}, or a .npy file`;
  return { element: field(spec, control, hint, file, wrong), read, write };
}

function exampleOf(spec) {
  const value = spec.dtype === "bool" ? "True" : isFloat(spec.dtype) ? "1.5" : "1";
  return spec.shape.length > 1 ? `[[${value}, ${value}], …]` : `[${value}, ${value}, …]`;
}

function textOfArray(tensor) {
  const write = (x) => numberText(x, tensor.type);
  const build = (value) => (Array.isArray(value) ? `[${value.map(build).join(", ")}]` : value);
  return build(nested(tensor, write));
}

const isArrayFile = ({ name }) => name.toLowerCase().endsWith(".npy");

class LastFile {
  // the file that a field was given last: where it cannot be read, nothing is held, and no run has an older one
  constructor(load, hold) {
    Object.assign(this, { load, hold });
    this.forget();
  }

  forget() {
    // what the field has now is from elsewhere
    Object.assign(this, { file: null, reading: null, wrong: null });
  }

  async take(file) {
    if (!file) return;
    Object.assign(this, { file, wrong: null });
    this.reading = this.finish(file);
    await this.reading;
    if (this.wrong && this.file === file) throw new Error(this.wrong);
  }

  async finish(file) {
    try {
      const content = await this.load(file);
      if (this.file === file) this.hold(content); // else there has been another one meanwhile
    } catch (error) {
      if (this.file !== file) return;
      this.wrong = error.message;
      this.hold(null);
    }
  }

  async settled() {
    // when the file is read; an Error where it cannot be
    await this.reading;
    if (this.wrong) throw new Error(this.wrong);
  }
}

async function readFile(file, spec) {
  const tensor = readNpy(await file.arrayBuffer());
  if (tensor.type !== spec.dtype) throw new Error(`the file has ${tensor.type}, expected ${spec.dtype}`);
  return withRank(tensor, spec);
}

function withRank(tensor, spec) {
  if (tensor.dims.length === spec.shape.length) return tensor;
  throw new Error(`expected ${spec.text}, got ${tensor.dims.length} dimensions: ${dimsText(tensor.dims)}`);
}

function guarded(place, act) {
  // what goes wrong is told in its place
  return async (event) => {
    place.textContent = "";
    try {
      await act(event);
    } catch (error) {
      place.textContent = String(error?.message ?? error);
    }
  };
}
