// Measures rates in turns within one run, so that a machine that changes its speed changes both sides alike.

/** Runs `work` over all inputs with that many in flight; gives calls per second. */
export async function rate(inputs, inFlight, work) {
  let next = 0;
  const start = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < inputs.length) await work(inputs[next++]);
    }),
  );
  return inputs.length / (Number(process.hrtime.bigint() - start) / 1e9);
}

export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Measures two things in turns and gives the median rates and the median of the ratios, round by round. */
export async function compare(rounds, measureOne, measureOther) {
  const ones = [];
  const others = [];
  await measureOne();
  await measureOther();
  for (let round = 0; round < rounds; round += 1) {
    // Whoever goes first may find the machine in another state.
    if (round % 2 === 0) ones.push(await measureOne());
    others.push(await measureOther());
    if (round % 2 === 1) ones.push(await measureOne());
  }
  const ratios = ones.map((one, round) => one / others[round]);
  return {
    one: median(ones),
    other: median(others),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** Prints a comparison as one line, with the goal beside it. */
export function report(title, { one, other, ratio, spread }, goal, unit = 'per second') {
  const range = spread.map((value) => value.toFixed(2)).join(' to ');
  process.stdout.write(
    `${title}\n  ${one.toFixed(0)} against ${other.toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)} (${range}); goal ${goal}\n`,
  );
}
