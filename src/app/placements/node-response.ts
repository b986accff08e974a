import type {
  nodePlacement,
  placementFixes,
  placementFixPlan,
  placementToleration,
} from '../../contract/placements/placement.js';
import type { placementTaint } from '../../contract/placements/placement-taint.js';
import type { placementFix } from '../../contract/placements/fix.js';
import type { placementReason } from '../../contract/placements/reason.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import { describeToleration } from '../../core/findings/toleration-text.js';
import { describeTaintKey } from '../../core/kubernetes/well-known-taints.js';
import type { ClaimFix, FixPlan, NodeFix, NodeFixes, PodFix } from '../../core/placement/fixes/fix.js';
import type { NodeExplanation, RankedReason, TaintAnswer } from '../../core/placement/node-explanation.js';
import type { FieldReference, Reason as PlacementReason, UnmetTerm } from '../../core/placement/reason.js';
import { readinessRuleText } from '../../core/taint-owners/readiness-rules.js';
import { writtenOnce } from '../known-json.js';
import type { Placement } from '../../core/placement/placement.js';
import type { PlacedSubject } from './placed-subject.js';

type NodePlacement = Response<typeof nodePlacement>;
type Reason = Response<typeof placementReason>;
type Taint = Response<typeof placementTaint>;

/** Where the parts of a placed pod are in the request. */
export type SubjectPlaces = Pick<PlacedSubject, 'pointer' | 'path' | 'givenTolerations' | 'placedFields'>;

/** A placement, as it is explained. */
export interface Explained {
  readonly placement: Placement;
  readonly subject: SubjectPlaces;
}

/** The explanation of a node, without fixes. */
export interface ExplainedNode extends Pick<NodePlacement, 'node' | 'verdict' | 'firstFail'> {
  readonly reasons: readonly Reason[];
  readonly untoleratedTaints: readonly Taint[];
  readonly toleratedTaints: NonNullable<NodePlacement['toleratedTaints']>;
}

/** The size of an explanation: reasons, unmet requirements in them, and taints. */
export function partsOf({
  reasons,
  untoleratedTaints,
  toleratedTaints,
}: Pick<ExplainedNode, 'reasons' | 'untoleratedTaints' | 'toleratedTaints'>): number {
  return reasons.length + untoleratedTaints.length + toleratedTaints.length + unmetOf(reasons);
}

/** Number of unmet requirements in reasons. */
export function unmetOf(reasons: readonly (PlacementReason | Reason)[]): number {
  let count = 0;
  for (const reason of reasons) {
    if (reason.code !== 'NodeAffinityMismatch') continue;
    for (const { unmet } of reason.facts.terms) count += unmet?.length ?? 0;
  }
  return count;
}

export function explainedNode(evaluated: Explained, index: number): ExplainedNode {
  return explanationResponse(evaluated, evaluated.placement.explainNode(index));
}

/** What was made of reasons before: those that nodes share are made once. */
export type ReasonResponses = Map<RankedReason, Reason>;

/** Converts places in the pod to places in the request. */
export function explanationResponse(
  { placement, subject }: Explained,
  explanation: NodeExplanation,
  made: ReasonResponses = new Map(),
): ExplainedNode {
  const { node, verdict, reasons, taints } = explanation;
  const tolerations = placement.input.pod.spec.tolerations ?? [];
  return {
    node,
    verdict,
    firstFail: reasons.find(({ first }) => first)?.plugin ?? null,
    reasons: reasons.map((reason) => {
      let response = made.get(reason);
      if (response === undefined) made.set(reason, (response = reasonResponse(reason, subject)));
      return response;
    }),
    untoleratedTaints: taints
      .filter(({ decides, toleratedBy }) => decides && toleratedBy === null)
      .map((answer) => taintResponse(answer, placement.input.state)),
    toleratedTaints: taints.flatMap((answer) => {
      const { toleratedBy } = answer;
      if (toleratedBy === null) return [];
      return [
        {
          taint: taintResponse(answer, placement.input.state),
          toleration: tolerationResponse(tolerations[toleratedBy.index]!, toleratedBy.index, subject),
        },
      ];
    }),
  };
}

export function fixesResponse(
  { pod, node, claim, owned }: NodeFixes,
  subject: SubjectPlaces,
): Response<typeof placementFixes> {
  return {
    pod: pod === null ? null : fixPlanResponse(pod, subject),
    node: node === null ? null : fixPlanResponse(node, subject),
    claim: claim === null ? null : fixPlanResponse(claim, subject),
    owned,
  };
}

export function fixPlanResponse(
  { changes, verdict, remaining, refusal }: FixPlan<PodFix | NodeFix | ClaimFix>,
  subject: SubjectPlaces,
): Response<typeof placementFixPlan> {
  return {
    changes: changes.map(fixResponse),
    verdict,
    remaining: remaining.map((reason) => reasonResponse(reason, subject)),
    refusal,
  };
}

export function fixResponse({ kind, summary, ...rest }: PodFix | NodeFix | ClaimFix): Response<typeof placementFix> {
  const {
    yaml = null,
    condition = null,
    command = null,
    ...change
  } = rest as typeof rest & {
    readonly yaml?: string;
    readonly condition?: string;
    readonly command?: string;
  };
  // TypeScript does not infer that the kind still belongs to the change.
  return { kind, summary, yaml, condition, command, change } as Response<typeof placementFix>;
}

/** By taint, and by what else the reason says. Up to 1.34.1 its message names the first taint of the node that the pod does not tolerate. */
const untoleratedTaints = new WeakMap<object, Map<string, Reason>>();

function untoleratedTaintResponse(reason: RankedReason<'UntoleratedTaint'>): Reason {
  const { taint } = reason.facts;
  let ofTaint = untoleratedTaints.get(taint);
  if (ofTaint === undefined) untoleratedTaints.set(taint, (ofTaint = new Map<string, Reason>()));
  const key = `${reason.first ? 'first' : 'later'} ${reason.fields.map(({ pointer }) => pointer).join(' ')} ${reason.message}`;
  let response = ofTaint.get(key);
  if (response === undefined) ofTaint.set(key, (response = writtenOnce(reason)));
  return response;
}

/** Facts also contain places, those of each requirement of a term. */
function reasonResponse(reason: RankedReason, subject: SubjectPlaces): Reason {
  if (reason.code === 'UntoleratedTaint') return untoleratedTaintResponse(reason);
  const fields = fieldsInRequest(reason.fields, subject);
  if (reason.code !== 'NodeAffinityMismatch' || subject.pointer === '') return { ...reason, fields };
  return { ...reason, facts: { terms: reason.facts.terms.map((term) => termInRequest(term, subject)) }, fields };
}

/** Converts a place in the pod to a place in the request. */
function inRequest(field: FieldReference, subject: SubjectPlaces): FieldReference {
  if (field.object === 'node' || subject.pointer === '') return field;
  return { object: 'pod', path: subject.path + field.path, pointer: subject.pointer + field.pointer };
}

/** Filters return the same list for many nodes. */
function fieldsInRequest(fields: readonly FieldReference[], subject: SubjectPlaces): readonly FieldReference[] {
  if (subject.pointer === '') return fields;
  const { placedFields } = subject;
  let placed = placedFields.get(fields);
  if (placed === undefined) placedFields.set(fields, (placed = fields.map((field) => inRequest(field, subject))));
  return placed;
}

/** If the nodes of a group differ in their unmet requirements, the term of the group does not contain them. */
function termInRequest(term: Pick<UnmetTerm, 'index'> & Partial<UnmetTerm>, subject: SubjectPlaces): typeof term {
  if (term.unmet === undefined) return term;
  return {
    ...term,
    unmet: term.unmet.map((requirement) => ({ ...requirement, field: inRequest(requirement.field, subject) })),
  };
}

/** By taint: of nodes that carry it, and of those where `spec.unschedulable` stands for it. */
const taintResponses = { carried: new WeakMap<object, Taint>(), implied: new WeakMap<object, Taint>() };

function taintResponse({ taint, implied }: TaintAnswer, state: ClusterState): Taint {
  // Rules come and go while the taint is the same.
  const rule = readinessRuleText(state, taint);
  if (rule !== undefined) {
    const { key, value = '', effect } = taint;
    const wellKnown = `${wellKnownText(key) ?? ''} ${rule}`.trimStart();
    return { key, value, effect, text: formatTaint(taint), implied, wellKnown };
  }
  const known = taintResponses[implied ? 'implied' : 'carried'];
  let response = known.get(taint);
  if (response === undefined) {
    const { key, value = '', effect } = taint;
    response = writtenOnce({ key, value, effect, text: formatTaint(taint), implied, wellKnown: wellKnownText(key) });
    known.set(taint, response);
  }
  return response;
}

/** A taint that a node carries. */
export const nodeTaint = (taint: TaintAnswer['taint'], state: ClusterState): Taint =>
  taintResponse({ taint, implied: false, decides: true, toleratedBy: null }, state);

const wellKnownTexts = new Map<string, string | null>();

/** Who sets a taint key and when, and who removes it; null for an unknown key. */
export function wellKnownText(key: string): string | null {
  let text = wellKnownTexts.get(key);
  if (text === undefined) {
    text = described(key);
    // Users may choose any key, so only those of the catalogue are cached.
    if (text !== null) wellKnownTexts.set(key, text);
  }
  return text;
}

/** The catalogue entry in one or two sentences. */
function described(key: string): string | null {
  const entry = describeTaintKey(key);
  if (entry === undefined) return null;
  const { product, setBy, when, removedBy, legacy, replacedBy } = entry;
  const past = legacy
    ? ` A legacy key that nothing sets any longer: it matches like any other string${replacedBy === undefined ? '' : `; ${replacedBy} replaced it`}.`
    : '';
  return `${product}: set by ${setBy}: ${when}. Removed by ${removedBy}.${past}`;
}

function tolerationResponse(
  toleration: Toleration,
  index: number,
  subject: SubjectPlaces,
): Response<typeof placementToleration> {
  const given = subject.givenTolerations.findIndex((one) => isSame(one, toleration));
  return {
    index,
    pointer: given < 0 ? null : `${subject.pointer}/spec/tolerations/${given}`,
    text: describeToleration(toleration),
    toleration,
  };
}

function isSame(a: Toleration, b: Toleration): boolean {
  return (
    (a.key ?? '') === (b.key ?? '') &&
    (a.operator ?? '') === (b.operator ?? '') &&
    (a.value ?? '') === (b.value ?? '') &&
    (a.effect ?? '') === (b.effect ?? '') &&
    // A deliberately loose comparison: 5 and 5n are the same int64.
    a.tolerationSeconds == b.tolerationSeconds
  );
}
