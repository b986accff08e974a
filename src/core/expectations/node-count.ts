import { counted } from '../collections/counted.js';
import { boundsText, isTooMany, withinBounds } from './bounds.js';
import type { Evaluate } from './evaluation.js';
import { finding, MOST_LISTED, unknown } from './expectation.js';

/** How many of the chosen nodes there are, ready or not cordoned if that is asked. */

export const evaluateNodeCount: Evaluate<'nodeCount'> = function* ({ spec, compiled }, { state, nodeSets }) {
  const chosen = nodeSets.of(spec.nodes, compiled.nodes);
  if ('missing' in chosen) return unknown(`${chosen.missing}.`);
  const { nodes } = state;
  const isReady = (node: number): boolean =>
    nodes.node(node).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const counts = (node: number): boolean =>
    (spec.schedulable !== true || nodes.unschedulable[node] === 0) && (spec.ready !== true || isReady(node));
  const found = chosen.nodes.filter(counts);
  const verdict = withinBounds(found.length, found.length, spec);
  const asked = [...(spec.ready ? ['ready'] : []), ...(spec.schedulable ? ['not cordoned'] : [])].join(' and ');
  const among = `${counted(chosen.nodes.length, 'node')}${chosen.text === '' ? '' : ` ${chosen.text}`}`;
  const found_ =
    asked === ''
      ? `There ${chosen.nodes.length === 1 ? 'is' : 'are'} ${among}`
      : `${found.length} of ${among} ${found.length === 1 ? 'is' : 'are'} ${asked}`;
  const isShort = verdict === 'broken' && !isTooMany(found.length, spec);
  const deciding = isShort ? chosen.nodes.filter((node) => !counts(node)) : verdict === 'broken' ? found : [];
  const names = deciding.slice(0, MOST_LISTED).map((node) => nodes.name(node));
  return finding(verdict, `${found_}; ${boundsText(spec)} wanted.`, { count: found.length, nodes: names });
};
