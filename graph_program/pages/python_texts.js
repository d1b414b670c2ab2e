// Numbers and messages as Python writes them: str, repr and format of what a program tells.

function exactly(number, digits) {
  // Python's f"{abs(number):.{digits}f}", without the point: ties go to even
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(number));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const part = (bits & (2n ** 52n - 1n)) + (exponent ? 2n ** 52n : 0n);
  const power = (exponent || 1) - 1075; // |number| is part * 2 ** power
  const above = part * 10n ** BigInt(Math.max(digits, 0)) * 2n ** BigInt(Math.max(power, 0));
  const below = 10n ** BigInt(Math.max(-digits, 0)) * 2n ** BigInt(Math.max(-power, 0));
  const whole = above / below;
  const rest = 2n * (above % below);
  return rest > below || (rest === below && whole % 2n === 1n) ? whole + 1n : whole;
}

function fixed(number, digits) {
  const text = exactly(number, digits)
    .toString()
    .padStart(digits + 1, "0");
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}

const exponentText = (power) => `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;

function scientific(number, digits) {
  // [mantissa, power]
  if (number === 0) return [fixed(0, digits), 0];
  let power = Number(Math.abs(number).toExponential().split("e")[1]);
  let steps = exactly(number, digits - power);
  if (steps >= 10n ** BigInt(digits + 1)) steps = exactly(number, digits - ++power);
  const text = steps.toString();
  return [digits ? `${text[0]}.${text.slice(1)}` : text, power];
}

function shortest(number, type) {
  // the fewest digits that give this number of this type
  if (type === "float64") return number;
  const round = type === "float32" ? Math.fround : (x) => numberOfHalf(halfOf(x));
  for (let digits = 1; digits < 10; digits++) {
    const found = Number(number.toPrecision(digits));
    if (round(found) === number) return found;
  }
  return number;
}

const LARGEST_PLAIN = { float16: 1e3, float32: 1e6, float64: 1e16 }; // from there on with an exponent

function floatText(number, type = "float64") {
  // repr of Python's, str of NumPy's
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  const size = Math.abs(number);
  const [digits, power] = Math.abs(shortest(number, type)).toExponential().split("e");
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  if (size && (size < 1e-4 || size >= LARGEST_PLAIN[type])) return sign + digits + exponentText(Number(power));
  const plain = digits.replace(".", "");
  const point = Number(power) + 1;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${plain}`;
  return `${sign}${plain.slice(0, point).padEnd(point, "0")}.${plain.slice(point) || "0"}`;
}

function numberText(value, type) {
  // str
  if (typeof value === "boolean") return value ? "True" : "False";
  return isFloat(type) ? floatText(value, type) : String(value);
}

function numberRepr(value, type, cls) {
  if (cls !== "numpy") return numberText(value, type);
  return typeof value === "boolean" ? `np.${numberText(value, type)}_` : `np.${type}(${numberText(value, type)})`;
}

function quoted(text) {
  // repr of a string
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [mark]: `\\${mark}` };
  const hex = (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  const inside = Array.from(text, (c) => named[c] ?? (/[\x00-\x1f\x7f-\xa0\xad]/.test(c) ? hex(c) : c));
  return mark + inside.join("") + mark;
}

// format(value, specification)

const SPECIFICATION = /^(?:(.)?([<>=^]))?([ +-])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

function grouped(whole, mark, each = 3) {
  return mark ? whole.replace(new RegExp(`(?<=[0-9a-f])(?=([0-9a-f]{${each}})+$)`, "gi"), mark) : whole;
}

function aligned(sign, text, spec, usual) {
  const align = spec.align ?? (spec.zero ? "=" : usual);
  const fill = spec.fill ?? (spec.zero ? "0" : " ");
  const missing = Math.max(0, spec.width - Array.from(sign + text).length);
  if (align === "=") return sign + fill.repeat(missing) + text;
  const before = align === ">" ? missing : align === "^" ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + sign + text + fill.repeat(missing - before);
}

function general(number, digits, spec, isPlain) {
  // of type g, or of none
  const kept = Math.max(digits, 1);
  const [mantissa, power] = scientific(number, kept - 1);
  const isFixed = power >= -4 && power < (isPlain ? kept - 1 : kept);
  const text = isFixed ? fixed(number, Math.max(kept - 1 - power, 0)) : mantissa;
  const short = spec.alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
  return isFixed ? (isPlain && !short.includes(".") ? `${short}.0` : short) : short + exponentText(power);
}

function floatDigits(number, type, spec) {
  const kind = spec.kind?.toLowerCase();
  if (!Number.isFinite(number)) return (Number.isNaN(number) ? "nan" : "inf") + (kind === "%" ? "%" : "");
  const digits = spec.digits ?? 6;
  if (kind === "%") return Number.isFinite(number * 100) ? `${fixed(number * 100, digits)}%` : "inf%";
  if (kind === "f") return fixed(number, digits);
  if (kind === "g" || kind === "n") return general(number, digits, spec, false);
  if (kind !== "e")
    return spec.digits === undefined ? floatText(Math.abs(number)) : general(number, digits, spec, true);
  const [mantissa, power] = scientific(number, digits);
  return mantissa + exponentText(power);
}

function formattedNumber(value, type, spec) {
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? "-" : spec.sign === "+" || spec.sign === " " ? spec.sign : "";
  if (!isFloat(type) && (!spec.kind || "bcdnoxX".includes(spec.kind))) {
    if (spec.kind === "c") return aligned("", String.fromCodePoint(Number(value)), spec, "<");
    const base = { b: 2, o: 8, x: 16, X: 16 }[spec.kind] ?? 10;
    const digits = (isNegative ? -BigInt(value) : BigInt(value)).toString(base);
    const text = grouped(spec.kind === "X" ? digits.toUpperCase() : digits, spec.group, base === 10 ? 3 : 4);
    return aligned(sign + (spec.alternate && base !== 10 ? `0${spec.kind}` : ""), text, spec, ">");
  }
  const [, whole, rest] = /^(\d*)(.*)$/.exec(floatDigits(Number(value), type, spec));
  const text = grouped(whole, spec.group) + rest;
  return aligned(sign, spec.kind && "EFG".includes(spec.kind) ? text.toUpperCase() : text, spec, ">");
}

function formatted(value, conversion, specification) {
  // value is one of results.js
  const text = conversion === "r" || conversion === "a" ? reprOf(value) : conversion === "s" ? textOf(value) : null;
  // a float of NumPy is formatted as Python's float that it equals
  const plain = () => (value.is === "number" && isFloat(value.type) ? floatText(value.value) : textOf(value));
  if (!specification) return text ?? plain();
  const parts = SPECIFICATION.exec(specification);
  if (!parts) return text ?? textOf(value);
  const [, fill, align, sign, , alternate, zero, width, group, digits, kind] = parts;
  const spec = { fill, align, sign, alternate, zero, width: Number(width ?? 0), group, kind };
  spec.digits = digits === undefined ? undefined : Number(digits);
  if (text === null && value.is === "number") {
    const isTruth = typeof value.value === "boolean";
    const number = isTruth ? Number(value.value) : value.value;
    return formattedNumber(number, isTruth ? "int64" : value.type, spec);
  }
  const whole = text ?? textOf(value);
  const cut = spec.digits === undefined ? whole : Array.from(whole).slice(0, spec.digits).join("");
  return aligned("", cut, spec, "<");
}
