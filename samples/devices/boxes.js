// The program in wasm, called from JavaScript: arrays are put into its memory, results are read from there.
async function loadSuppress(bytes) {
    const nothing = new Proxy({}, { get: () => () => 0 }); // what C's library would ask of a system
    const imports = new Proxy({}, { get: () => nothing });
    const { instance } = await WebAssembly.instantiate(bytes, imports);
    const { memory, malloc, free, suppress, _initialize } = instance.exports;
    if (_initialize) _initialize();

    function put(numbers) {
        const address = malloc(Math.max(8 * numbers.length, 8));
        new Float64Array(memory.buffer, address, numbers.length).set(numbers);
        return address;
    }

    // int suppress(n, boxes, scores, most, &box, &box_n, &score, &score_n, &votes, &votes_n)
    return function (boxes, scores, most) {
        const given = [put(boxes.flat()), put(scores)];
        const results = malloc(6 * 8);
        const places = [0, 1, 2, 3, 4, 5].map((k) => results + 8 * k);
        const status = suppress(BigInt(scores.length), ...given, most, ...places);
        given.forEach(free);
        if (status) {
            free(results);
            throw new Error("there is no memory");
        }
        const kinds = [BigInt64Array, Float64Array, BigInt64Array];
        const [box, score, votes] = kinds.map((Kind, k) => {
            const address = new Uint32Array(memory.buffer, places[2 * k], 1)[0];
            const count = Number(new BigInt64Array(memory.buffer, places[2 * k + 1], 1)[0]);
            const numbers = Array.from(new Kind(memory.buffer, address, count), Number);
            free(address);
            return numbers;
        });
        free(results);
        return box.map((number, k) => ({ box: number, score: score[k], votes: votes[k] }));
    };
}
