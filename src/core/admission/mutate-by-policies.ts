import { NOTHING } from '../collections/nothing.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { subjectOf, wholeUnknown } from './asked-pod.js';
import type { PodToAdmit } from './admission-chain.js';
import type { AdmissionRequest, AdmissionSurroundings, MutationStation } from './admission-plugins.js';
import {
  mayMutate,
  NAME,
  PolicyMutations,
  type MutationSurroundings,
} from './policies/mutating/mutating-admission-policy.js';
import type { UndecidedPlugin } from './undecided-plugins.js';
import { quoteGo } from '../kubernetes/go-text.js';

/** The mutating policies of a cluster for one request, and what is not known of them. */
export class MutationNotes {
  private readonly doubts = new Set<string>();
  private readonly surroundings: MutationSurroundings | undefined;

  constructor(
    private readonly request: PodToAdmit,
    { mutatingPolicies, namespace, work, notLoaded = [] }: AdmissionSurroundings,
    minor: number,
  ) {
    const isKnown = !notLoaded.includes('Namespace');
    this.surroundings = mutatingPolicies && {
      ...NOTHING,
      ...mutatingPolicies,
      namespace: isKnown ? namespace : undefined,
      work,
      minor,
    };
  }

  get undecided(): readonly UndecidedPlugin[] {
    return [...this.doubts].map((why) => ({ plugin: NAME, missingKind: null, why }));
  }

  /** Whether a policy may change a pod of which the kept fields are admitted, and all of it is known. */
  needsWhole(pod: Pod): boolean {
    return wholeUnknown(this.request) === undefined && this.policyFor(pod) !== undefined;
  }

  /** For a pod as it is asked about now: of one with the kept fields alone, policies change nothing. */
  start(asked: AdmissionRequest): MutationStation | undefined {
    const { surroundings } = this;
    if (surroundings === undefined) return undefined;
    const unknown = wholeUnknown(this.request);
    const isKept = asked.operation === 'create' && asked.known === 'kept';
    if (unknown !== undefined) return { change: (pod) => this.doubt(pod, unknown), requireReinvocation: false };
    if (isKept) return undefined;
    return new PolicyStation(new PolicyMutations(surroundings, subjectOf(this.request)), this.doubts);
  }

  doubtAny(why: string): void {
    this.doubts.add(why);
  }

  private doubt(pod: Pod, why: string): Pod {
    const policy = this.policyFor(pod);
    if (policy !== undefined)
      this.doubts.add(`${NAME} ${quoteGo(policy.metadata.name)} may apply to the pod, and ${why}`);
    return pod;
  }

  private policyFor(pod: Pod) {
    return this.surroundings && mayMutate(this.surroundings, { ...NOTHING, ...subjectOf(this.request), pod });
  }
}

class PolicyStation implements MutationStation {
  constructor(
    private readonly mutations: PolicyMutations,
    private readonly doubts: Set<string>,
  ) {}

  readonly change: MutationStation['change'] = (pod, round) => {
    const mutated = this.mutations.mutate(pod, round);
    if ('pod' in mutated) return mutated.pod;
    this.doubts.add(mutated.doubt);
    return pod;
  };

  get requireReinvocation(): boolean {
    return this.mutations.requireReinvocation;
  }
}
