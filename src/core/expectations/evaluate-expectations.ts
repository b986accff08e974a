import type { ChangedParts, ClusterState } from '../cluster/cluster-state.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { evaluateAdmission } from './admission.js';
import { evaluateCapacityFor } from './capacity-for.js';
import type { Evaluation } from './evaluation.js';
import { unknown, type Expectation, type ExpectationKind, type Finding } from './expectation.js';
import { LostNodes } from './lost-nodes.js';
import { evaluateNodeCount } from './node-count.js';
import { NodeSets } from './node-sets.js';
import { evaluatePodFits } from './pod-fits.js';
import { PodsByWorkload } from './pods-by-workload.js';
import type { FoundSubject } from './subject.js';
import { evaluateSurvives } from './survives.js';
import { evaluateTaintedNodes } from './tainted-nodes.js';
import { evaluateTolerates } from './tolerates.js';

/**
 * The last evaluated state and its findings. A finding is used again for a state in which nothing that it depends on has changed,
 * and what several expectations share is brought up to date instead of computed again.
 */
export class ExpectationMemory {
  private last: (Evaluation & { readonly findings: Map<string, Finding> }) | undefined;

  /** Findings of the same state that are known already. */
  at(state: ClusterState, now: number): Evaluation & { readonly findings: Map<string, Finding> } {
    const { last } = this;
    if (last?.state === state) return last;
    const changed = last === undefined ? undefined : changedParts(state, last.state);
    const isPlain = changed !== undefined && changed.kinds.size === 0 && !changed.loadedKinds;
    const findings = new Map<string, Finding>();
    for (const [text, found] of last?.findings ?? []) {
      if (changed !== undefined && !touches(text.slice(0, text.indexOf(' ')) as ExpectationKind, changed)) {
        findings.set(text, found);
      }
    }
    this.last = {
      state,
      now,
      findings,
      nodeSets: new NodeSets(state, last?.nodeSets, changed),
      pods:
        changed !== undefined && !changed.pods && keepsIndexes(changed) && isPlain
          ? last!.pods.over(state)
          : new PodsByWorkload(state),
      lost: new LostNodes(state, last?.lost, changed),
      subjects: isPlain ? last!.subjects : new Map<string, FoundSubject>(),
    };
    return this.last;
  }
}

/** What differs, without the expectations themselves. */
function changedParts(state: ClusterState, former: ClusterState): ChangedParts {
  const { kinds, ...changed } = state.changedParts(former);
  return { ...changed, kinds: new Set([...kinds].filter((kind) => kind !== 'Expectations')) };
}

const keepsIndexes = ({ nodes }: ChangedParts): boolean => nodes !== 'others';

const NODES_READ: ReadonlySet<string> = new Set(['Pool']);
const TEMPLATES: ReadonlySet<string> = new Set(WORKLOAD_KINDS);

/** Whether a change can make a difference to an expectation of a kind. */
function touches(kind: ExpectationKind, { nodes, pods, kinds, loadedKinds }: ChangedParts): boolean {
  if (loadedKinds) return true;
  const isAny = (names: ReadonlySet<string>): boolean => [...kinds].some((name) => names.has(name));
  switch (kind) {
    case 'taintedNodes':
    case 'nodeCount':
      return nodes.length > 0 || isAny(NODES_READ);
    case 'tolerates':
      // The workload of a pod depends on its controllers.
      return pods || isAny(TEMPLATES);
    case 'admission':
      return kinds.size > 0;
    default:
      return nodes.length > 0 || pods || kinds.size > 0;
  }
}

/** Kinds without which nothing can be said. */
const NEEDED: Readonly<Record<ExpectationKind, readonly ('Node' | 'Pod')[]>> = {
  podFits: ['Node', 'Pod'],
  admission: [],
  taintedNodes: ['Node'],
  nodeCount: ['Node'],
  tolerates: ['Pod'],
  survives: ['Node', 'Pod'],
  capacityFor: ['Node', 'Pod'],
};

/** A number of findings so far. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/**
 * Evaluates expectations on a state, in their order. A generator that yields often; what it yields is of no interest.
 *
 * @param now milliseconds since the epoch, see `Evaluation`
 */
export function* stepExpectations(
  state: ClusterState,
  expectations: readonly Expectation[],
  {
    now,
    memory = new ExpectationMemory(),
    onProgress,
  }: {
    readonly now: number;
    readonly memory?: ExpectationMemory;
    readonly onProgress?: (progress: Progress) => void;
  },
): Generator<undefined, readonly Finding[]> {
  const evaluation = memory.at(state, now);
  const found: Finding[] = [];
  for (const expectation of expectations) {
    yield undefined;
    let one = evaluation.findings.get(expectation.text);
    if (one === undefined) {
      one = yield* evaluate(expectation, evaluation);
      evaluation.findings.set(expectation.text, one);
    }
    found.push(one);
    onProgress?.({ done: found.length, of: expectations.length });
  }
  return found;
}

function* evaluate(expectation: Expectation, evaluation: Evaluation): Generator<undefined, Finding> {
  const missing = NEEDED[expectation.kind].filter((kind) => !evaluation.state.loadedKinds.has(kind));
  if (missing.length > 0) return unknown(`No snapshot has contained the kind ${missing.join(' and ')}.`);
  try {
    return yield* evaluateKind(expectation, evaluation);
  } catch (error) {
    // A stored object that the API server would have refused.
    if (!(error instanceof QuantityError)) throw error;
    return unknown(`An amount cannot be read: ${error.message}.`);
  }
}

function evaluateKind(expectation: Expectation, evaluation: Evaluation): Generator<undefined, Finding> {
  switch (expectation.kind) {
    case 'podFits':
      return evaluatePodFits(expectation, evaluation);
    case 'admission':
      return evaluateAdmission(expectation, evaluation);
    case 'taintedNodes':
      return evaluateTaintedNodes(expectation, evaluation);
    case 'nodeCount':
      return evaluateNodeCount(expectation, evaluation);
    case 'tolerates':
      return evaluateTolerates(expectation, evaluation);
    case 'survives':
      return evaluateSurvives(expectation, evaluation);
    case 'capacityFor':
      return evaluateCapacityFor(expectation, evaluation);
  }
}
