// Who leads at a prevalence, from what the library has worked out for each pair of models at the nodes.

/** @import { Pairs, Standing } from "./types.js" */

/** The place of a pair in the order of models. @param {number} i @param {number} j @param {number} n */
export function placeOf(i, j, n) { return i * n - (i * (i + 1)) / 2 + (j - i - 1); }

/** Straight between nodes; a node itself may stand beside one without a value. @param {number[]} nodes @param {(number | null)[]} values @param {number} logOdds */
export function straight(nodes, values, logOdds) {
  let k = nodes.findIndex((node) => node >= logOdds);
  k = Math.min(Math.max(k < 0 ? nodes.length - 1 : k, 1), nodes.length - 1);
  const part = Math.min(Math.max((logOdds - nodes[k - 1]) / (nodes[k] - nodes[k - 1]), 0), 1);
  const [a, b] = [values[k - 1] ?? NaN, values[k] ?? NaN];
  return part === 0 ? a : part === 1 ? b : a + part * (b - a);
}

/** Who leads at a prevalence, where the models have these values. @param {Pairs} pairs @param {number[]} values @param {number} logOdds @returns {Standing} */
export function whoLeads(pairs, values, logOdds) {
  const n = values.length;
  const first = values.indexOf(Math.max(...values));
  const others = values.map((_, m) => m).filter((m) => m !== first);
  /** @param {number} m */
  const pair = (m) => placeOf(Math.min(first, m), Math.max(first, m), n);
  const better = values.map((_, m) => {
    if (m === first) return NaN;
    const found = straight(pairs.nodes, pairs.better[pair(m)], logOdds);
    return first < m ? found : 1 - found;
  });
  const paired = [first, ...others].every((m) => pairs.compared.includes(m));
  const sure = straight(pairs.nodes, pairs.best[first], logOdds);
  if (!others.length || sure >= pairs.sure) return { ahead: [first], behind: others, sure, more: null, paired };
  const open = others.filter((m) => better[m] < pairs.sure);
  if (!open.length) open.push(others.reduce((a, b) => (better[b] < better[a] ? b : a)));
  const behind = others.filter((m) => !open.includes(m));
  const second = open.reduce((a, b) => (values[b] > values[a] ? b : a));
  const times = (straight(pairs.nodes, pairs.apart[pair(second)], logOdds) / (values[first] - values[second])) ** 2;
  const more = times > 1 && times <= pairs.most_times ? pairs.positives * (times - 1) : null;
  return { ahead: [first, ...open], behind, sure: Math.min(...behind.map((m) => better[m])), more, paired };
}
