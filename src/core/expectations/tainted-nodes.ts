import { counted } from '../collections/counted.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { boundsText, isTooMany, withinBounds } from './bounds.js';
import type { Evaluate } from './evaluation.js';
import { finding, MOST_LISTED, unknown, type TaintChoice } from './expectation.js';

/** How many of the chosen nodes carry a matching taint. A cordon counts where its taint is on the node. */

export const evaluateTaintedNodes: Evaluate<'taintedNodes'> = function* ({ spec, compiled }, { state, nodeSets }) {
  const chosen = nodeSets.of(spec.nodes, compiled.nodes);
  if ('missing' in chosen) return unknown(`${chosen.missing}.`);
  const { nodes, taintSets } = state;
  const fits = new Map<number, boolean>();
  const isTainted = (node: number): boolean => {
    const id = nodes.taintSetId(node);
    let known = fits.get(id);
    if (known === undefined) fits.set(id, (known = taintSets[id]!.some((taint) => matches(taint, spec.taint))));
    return known;
  };
  const tainted = chosen.nodes.filter(isTainted);
  const verdict = withinBounds(tainted.length, tainted.length, spec);
  const among = `${counted(chosen.nodes.length, 'node')}${chosen.text === '' ? '' : ` ${chosen.text}`}`;
  const reason = `${tainted.length} of ${among} ${tainted.length === 1 ? 'carries' : 'carry'} ${textOf(spec.taint)}; ${boundsText(spec)} wanted.`;
  const isShort = verdict === 'broken' && !isTooMany(tainted.length, spec);
  const deciding = isShort ? chosen.nodes.filter((node) => !isTainted(node)) : tainted;
  const names = deciding.slice(0, MOST_LISTED).map((node) => nodes.name(node));
  return finding(verdict, reason, { count: tainted.length, nodes: names });
};

const matches = (taint: Taint, { key, value, effect }: TaintChoice): boolean =>
  (key === undefined || taint.key === key) &&
  (value === undefined || (taint.value ?? '') === value) &&
  (effect === undefined || taint.effect === effect);

/** `dedicated=ml:NoSchedule`, `a taint with effect NoExecute`. */
function textOf({ key, value, effect }: TaintChoice): string {
  if (key === undefined) {
    const parts = [
      ...(value === undefined ? [] : [`value ${JSON.stringify(value)}`]),
      ...(effect === undefined ? [] : [`effect ${effect}`]),
    ];
    return `a taint with ${parts.join(' and ')}`;
  }
  return `${key}${value === undefined ? '' : `=${value}`}${effect === undefined ? '' : `:${effect}`}`;
}
