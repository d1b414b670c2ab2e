// Results as a whole: numbers and texts in one list, a figure for each array and table, and all of it as JSON.

function showValue(label, value, { scalars, figures, place }) {
  const show = (one, key) => showValue(label + key, one, { scalars, figures, place });
  const asked = place.show[label] ?? (value.is === "list" && areBoxes(value, place) ? "boxes" : null);
  const whole = (value.is === "list" ? listed(value) : null) ?? (asked ? matrixOf(value) : null);
  if (value.is === "array" || whole) figures.append(arrayFigure(label, value.tensor ?? whole, asked, place));
  else if (value.is === "complex array")
    ["re", "im"].forEach((part) => show({ is: "array", tensor: value[part] }, part === "re" ? ".real" : ".imag"));
  else if (isTable(value)) figures.append(tableFigure(label, value));
  else if (value.items?.length) value.items.forEach(([key, one]) => show(one, key));
  else scalars.append(make("dt", {}, label), make("dd", { "data-result": label }, textOf(value)));
}

function listed({ items = [] }) {
  // numbers of one type as an array
  const [[, first] = []] = items;
  if (first?.is !== "number" || !items.every(([, one]) => one.is === "number" && one.type === first.type)) return null;
  return filledExactly(
    first.type,
    items.map(([, one]) => one.value),
  );
}

function filledExactly(type, values) {
  const data = type === "float16" ? Uint16Array.from(values, halfOf) : ARRAYS[type].from(values);
  return { type, dims: [values.length], data };
}

function matrixOf({ items = [] }) {
  // two arrays of one length as pairs, a list of tuples of numbers as rows
  const tensors = items.map(([, one]) => one.tensor);
  const isPair = items.length === 2 && tensors.every((one) => one?.dims.length === 1);
  const columns = isPair ? tensors : [];
  const rows = isPair ? [] : items.map(([, one]) => listed(one) ?? one.tensor);
  const [first, ...others] = [...columns, ...rows];
  const isWhole =
    first?.dims.length === 1 && others.every((one) => one?.type === first.type && one.dims[0] === first.dims[0]);
  if (!isWhole) return null;
  const dims = isPair ? [first.dims[0], 2] : [rows.length, first.dims[0]];
  const data = new first.data.constructor(dims[0] * dims[1]);
  columns.forEach((one, column) => one.data.forEach((x, row) => (data[2 * row + column] = x)));
  rows.forEach((one, row) => data.set(one.data, row * dims[1]));
  return { type: first.type, dims, data };
}

const SIDES = ["left", "top", "right", "bottom"];

function areBoxes({ items }, place) {
  // a list of objects whose numbers are the sides of boxes
  const names = items?.[0]?.[1].items?.map(([, , plain]) => plain);
  return place.pictures.length > 0 && String(names) === String(SIDES);
}

const isScalar = (value) => ["number", "text", "none", "complex", "other"].includes(value.is);

function isTable({ is, items }) {
  // a list of objects that have the same scalars
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
  return make(
    "figure",
    { "data-result": label, "data-view": "table" },
    caption,
    make("div", { class: "table", tabindex: 0 }, table),
    note,
  );
}

function jsonOfComplex({ re, im }) {
  let place = 0;
  const one = (x) => JSON.stringify(complexText({ re: x, im: elementOf(im, place++), type: re.type }));
  const build = (value) => (Array.isArray(value) ? `[${value.map(build).join(", ")}]` : value);
  return build(nested(re, one));
}

function jsonValue(value) {
  // as text, since JavaScript's numbers do not have all of Python's
  if (value.is === "array") return jsonOf(value.tensor);
  if (value.is === "none") return "null";
  if (value.is === "complex array") return jsonOfComplex(value);
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
