// Runs the model beside the page, so that the page answers meanwhile and a run can be stopped.

let session;

async function started({ javascript, wasm, model }) {
  // its own address: a page without a server may not read those of its worker, nor the other way round
  const ort = await import(URL.createObjectURL(new Blob([javascript], { type: "text/javascript" })));
  ort.env.wasm.wasmBinary = wasm;
  ort.env.wasm.numThreads = 1; // a page without a server is not isolated, so it has no shared memory
  ort.env.logLevel = "error";
  self.ort = ort;
  session = await ort.InferenceSession.create(model);
}

async function ran(feeds) {
  const given = Object.entries(feeds).map(([name, { type, dims, data }]) => [
    name,
    new self.ort.Tensor(type, data, dims),
  ]);
  const begin = performance.now();
  const outputs = await session.run(Object.fromEntries(given)).catch(refuse);
  const took = performance.now() - begin;
  const plain = Object.entries(outputs).map(([name, { type, dims, data }]) => {
    const held =
      data.constructor.name === "Float16Array" ? new Uint16Array(data.buffer, data.byteOffset, data.length) : data;
    return [name, { type, dims: [...dims], data: held }];
  });
  return { outputs: Object.fromEntries(plain), took };
}

function refuse(error) {
  // what an operator refuses is no exception of the program; the runtime's text is all that is known of it
  const text = String(error?.message ?? error).replace(/^failed to call OrtRun\(\)\. ERROR_CODE: \d+, ERROR_MESSAGE: /, "");
  throw new Error(`the model itself failed: ${text.trim()}`);
}

self.onmessage = async ({ data: { number, start, feeds } }) => {
  try {
    self.postMessage({ number, ...(start ? await started(start) : await ran(feeds)) });
  } catch (error) {
    self.postMessage({ number, failed: String(error?.message ?? error) });
  }
};
