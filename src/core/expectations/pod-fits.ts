import { counted } from '../collections/counted.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE, NOT_KNOWN, type Placement } from '../placement/placement.js';
import { boundsText, isTooMany, withinBounds } from './bounds.js';
import type { Evaluate } from './evaluation.js';
import { finding, MOST_LISTED, unknown } from './expectation.js';
import { subjectOf, withClaims } from './subject.js';

/** How many of the chosen nodes pass every filter for one more pod. */

export const evaluatePodFits: Evaluate<'podFits'> = function* (expectation, { state, nodeSets, subjects }) {
  const { spec, compiled } = expectation;
  const chosen = nodeSets.of(spec.nodes, compiled.nodes);
  if ('missing' in chosen) return unknown(`${chosen.missing}.`);
  const subject = subjectOf(expectation, state, subjects, { charged: false });
  if (subject.outcome === 'unknown') return unknown(`Whether the pod fits is not known: ${subject.why}.`);
  const wanted = `${boundsText(spec)} wanted`;
  const among = `${counted(chosen.nodes.length, 'node')}${chosen.text === '' ? '' : ` ${chosen.text}`}`;
  if (subject.outcome === 'refused') {
    const verdict = withinBounds(0, 0, spec);
    const details = [`${subject.by}: ${subject.message}`];
    return finding(verdict, `The API server refuses the pod, so it fits 0 of ${among}; ${wanted}.`, {
      count: 0,
      details,
    });
  }
  const { pod, profile } = subject;
  const { filters, gates } = profile;
  const placement = evaluatePlacement(withClaims(state, subject), { pod, filters, gates });
  const nodesOf = (verdict: number): number[] => chosen.nodes.filter((node) => placement.verdicts[node] === verdict);
  const [feasible, undecided] = [nodesOf(FEASIBLE), nodesOf(NOT_KNOWN)];
  const count = feasible.length;
  const verdict = withinBounds(count, count + undecided.length, spec);
  const unclear = undecided.length === 0 ? '' : `, and ${undecided.length} may or may not take it`;
  const reason = `The pod fits ${count} of ${among}${unclear}; ${wanted}.`;
  const deciding =
    verdict === 'unknown'
      ? undecided
      : verdict === 'broken' && !isTooMany(count, spec)
        ? chosen.nodes.filter((node) => placement.verdicts[node] !== FEASIBLE)
        : feasible;
  const names = deciding.slice(0, MOST_LISTED).map((node) => state.nodes.name(node));
  const details = [...(verdict === 'holds' ? [] : reasonsOn(placement, deciding)), ...assumptionsOf(placement)];
  return finding(verdict, reason, { count, nodes: names, details });
};

/** The reasons against the first few nodes, each once. */
function reasonsOn(placement: Placement, nodes: readonly number[]): readonly string[] {
  const texts = new Map<string, string[]>();
  for (const node of nodes.slice(0, MOST_LISTED)) {
    const reasons = placement.explainNode(node).reasons.map(({ plugin, message }) => `${plugin}: ${message}`);
    const text = reasons.join('; ');
    if (text === '') continue;
    texts.set(text, [...(texts.get(text) ?? []), placement.state.nodes.name(node)]);
  }
  return [...texts].map(([text, names]) => `${names.join(', ')}: ${text}`);
}

/** What a placement took for given, one line each. */
export function assumptionsOf({ assumptions }: Placement): readonly string[] {
  return assumptions.map(({ plugin, message }) => `taken for given by ${plugin}: ${message}`);
}
