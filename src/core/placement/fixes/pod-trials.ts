import { NOTHING } from '../../collections/nothing.js';
import { internText } from '../../cluster/intern-table.js';
import { defaultPod } from '../../kubernetes/defaults.js';
import { aggregateText } from '../../kubernetes/error-aggregate.js';
import { validateReplacedPod } from '../../kubernetes/validation/placed-pod.js';
import type { NodeEvaluation } from '../node-evaluation.js';
import type { Placement } from '../placement.js';
import { stepReevaluatePod } from '../reevaluate.js';
import type { Readmit, ReadmittedPod } from './fix.js';
import type { PodChange } from './pod-fixes.js';

/** A changed pod, as the API server takes it; with what the filters say of it, or why it is refused. */
export type TriedPod =
  | (Extract<ReadmittedPod, { readonly outcome: 'admitted' }> & { readonly evaluation: NodeEvaluation })
  | Extract<ReadmittedPod, { readonly outcome: 'refused' }>;

/** Changes that are remembered, at least: many nodes and groups call for the same one. */
const LEAST_KEPT = 32;
/** As many more may be as there are evaluations of nodes in these: in a small cluster, one for each node. */
const NODES_KEPT = 32_000;

/** Changes of the pod of one placement, each admitted and evaluated once. */
export class PodTrials {
  private readonly known = new Map<string, TriedPod>();
  private readonly mostKept: number;

  /** @param readmit by default, the pod of the placement is what was sent, and is validated alone */
  constructor(
    readonly placement: Placement,
    private readonly readmit: Readmit = validatedAgain(placement),
  ) {
    this.mostKept = Math.max(LEAST_KEPT, Math.floor(NODES_KEPT / Math.max(1, placement.state.nodes.count)));
  }

  /** Pauses while the changed pod is evaluated. */
  *stepTry({ fixes, pod, edit }: PodChange): Generator<undefined, TriedPod> {
    const key = internText([fixes, pod.spec]);
    let tried = this.known.get(key);
    if (tried === undefined) {
      tried = yield* this.stepTryAnew(edit);
      if (this.known.size >= this.mostKept) this.known.delete(this.known.keys().next().value!);
      this.known.set(key, tried);
    }
    return tried;
  }

  private *stepTryAnew(edit: PodChange['edit']): Generator<undefined, TriedPod> {
    const after = this.readmit(edit);
    if (after.outcome === 'refused') return after;
    return { ...NOTHING, ...after, evaluation: yield* stepReevaluatePod(this.placement, after.pod) };
  }
}

/** The pod of a placement, changed and validated, where what was sent is not known. */
export const validatedAgain =
  ({ input: { pod, gates } }: Placement): Readmit =>
  (change) => {
    const given = change(pod);
    const defaulted = defaultPod(given);
    const errors = validateReplacedPod(defaulted, gates);
    return errors.length === 0
      ? { outcome: 'admitted', pod: defaulted }
      : { outcome: 'refused', pod: given, message: aggregateText(errors) };
  };
