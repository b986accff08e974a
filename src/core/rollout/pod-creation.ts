import { admitPod, type AdmittedPod, type RefusedPod } from '../admission/admission-chain.js';
import { admissionIn, type ClusterAdmission } from '../admission/admission-in.js';
import type { AdmissionSurroundings } from '../admission/admission-plugins.js';
import { confirmedAdmission, type DryRunAnswer } from '../admission/dry-run.js';
import type { PolicyWork } from '../admission/policies/policy-work.js';
import { isCertainRefusal, type UndecidedPlugin } from '../admission/undecided-plugins.js';
import { AdmissionRefusal, type Cause } from '../kubernetes/admission-refusal.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { LiveCluster } from './live-cluster.js';
import type { LiveQuotas } from './live-quotas.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';

/** A pod that a controller, or the user, sends to the API server. */
export interface PodToCreate {
  /** Its name is drawn if only `generateName` is given. */
  readonly pod: WholePod;
  /** Whether all fields of its template are known, or only those that are kept. */
  readonly isWhole: boolean;
  readonly controller?: Workload['kind'];
  /** Pods with the same object differ only in what `personalize` changes, and in the name that is drawn. */
  readonly template?: object;
  readonly personalize?: (admitted: Pod) => Pod;
  /** What the API server answered to a pod of the same template. */
  readonly dryRun?: DryRunAnswer | undefined;
}

export type PodCreation =
  | { readonly outcome: 'created'; readonly pod: Pod; readonly undecided: readonly UndecidedPlugin[] }
  | {
      readonly outcome: 'refused';
      readonly code: number;
      readonly by: string;
      readonly message: string;
      readonly causes: readonly Cause[];
      readonly certain: boolean;
      readonly undecided: readonly UndecidedPlugin[];
      /** As it was sent; absent for other objects. */
      readonly pod?: WholePod;
    };

interface KnownAdmission {
  readonly version: number;
  readonly admission: AdmittedPod | RefusedPod;
}

/** Takes pods through the API server: those of one template once, and each of them through the quotas. */
export class PodCreations {
  private readonly admissions = new Map<string, ClusterAdmission>();
  private readonly known = new WeakMap<object, KnownAdmission>();
  /** Raised when objects change that admission looks up. */
  private version = 0;
  private drawn = 0;

  constructor(
    private readonly cluster: LiveCluster,
    private readonly quotas: LiveQuotas,
    private readonly options: { readonly now: number; readonly gates: TolerationGates; readonly work: PolicyWork },
  ) {}

  /** Objects that admission looks up have changed. */
  forget(): void {
    this.admissions.clear();
    this.version++;
  }

  /** What admission looks up for a namespace. */
  surroundingsOf(namespace: string): AdmissionSurroundings {
    return this.admissionOf(namespace).surroundings;
  }

  create(request: PodToCreate): PodCreation {
    const { metadata } = request.pod;
    const into = this.admissionOf(metadata.namespace ?? '');
    const admission = this.admit(request, into);
    const { undecided } = admission;
    if (admission.outcome === 'refused') {
      const { refusal, certain } = admission;
      const { status: code, by, message, causes } = refusal;
      return { outcome: 'refused', code, by, message, causes, certain, undecided, pod: request.pod };
    }
    const admitted = request.personalize?.(admission.pod) ?? admission.pod;
    try {
      if (into.configuration.plugins.includes('ResourceQuota') && !isUndecided(undecided)) {
        this.quotas.chargePod(admitted, into.configuration.limitedResources);
      }
    } catch (error) {
      if (!(error instanceof AdmissionRefusal)) throw error;
      const { plugin: by, status: code, message, causes } = error;
      const certain = isCertainRefusal({ by, causes }, undecided, true);
      return { outcome: 'refused', code, by, message, causes, certain, undecided, pod: request.pod };
    }
    return { outcome: 'created', pod: this.named(admitted, metadata), undecided };
  }

  /** A stored pod in a changed form; only its kept fields are known. */
  update(pod: Pod, stored: Pod): PodCreation {
    const [after, before] = [pod, stored] as unknown as readonly [WholePod, WholePod];
    const into = this.admissionOf(stored.metadata.namespace ?? '');
    const admission = admitPod(
      { operation: 'update', pod: after, stored: defaultWholePod(before), pruned: true },
      into,
    );
    const { undecided } = admission;
    if (admission.outcome === 'admitted') return { outcome: 'created', pod: admission.pod, undecided };
    const { refusal, certain } = admission;
    const { status: code, by, message, causes } = refusal;
    return { outcome: 'refused', code, by, message, causes, certain, undecided };
  }

  private admit(request: PodToCreate, into: ClusterAdmission): AdmittedPod | RefusedPod {
    const { template, pod, isWhole, controller, dryRun } = request;
    const known = template === undefined ? undefined : this.known.get(template);
    if (known?.version === this.version) return known.admission;
    const ours = admitPod(
      {
        operation: 'create',
        pod,
        ...(isWhole ? {} : { known: 'kept', pruned: true }),
        ...(controller && { controller }),
        without: ['ResourceQuota'],
      },
      into,
    );
    const admission = dryRun === undefined ? ours : confirmedAdmission(ours, dryRun);
    if (template !== undefined) this.known.set(template, { version: this.version, admission });
    return admission;
  }

  private admissionOf(namespace: string): ClusterAdmission {
    let admission = this.admissions.get(namespace);
    if (admission === undefined) {
      this.admissions.set(namespace, (admission = admissionIn(this.cluster.lookups(), namespace, this.options)));
    }
    return admission;
  }

  /** A name with a prefix, for an object other than a pod. */
  draw(generateName: string): string {
    return `${generateName.slice(0, MAX_PREFIX)}${lettersOf(this.drawn++)}`;
  }

  /** A drawn name gets five letters that no other pod with the prefix has. */
  private named(pod: Pod, { name, generateName = '', namespace = '' }: Pod['metadata']): Pod {
    if (name !== '') return pod;
    for (;;) {
      const drawn = `${generateName.slice(0, MAX_PREFIX)}${lettersOf(this.drawn++)}`;
      if (this.cluster.base.pods.indexOf(namespace, drawn) >= 0) continue;
      return { ...pod, metadata: { ...pod.metadata, name: drawn } };
    }
  }
}

const isUndecided = (undecided: readonly UndecidedPlugin[]): boolean =>
  undecided.some(({ plugin }) => plugin === 'ResourceQuota');

const MAX_PREFIX = 58;

/** k8s.io/apimachinery v0.36.2, pkg/util/rand/rand.go: without vowels and digits that look like letters. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters for a number. */
function lettersOf(number: number, length = 5): string {
  let text = '';
  for (let rest = number; text.length < length; rest = Math.floor(rest / ALPHABET.length)) {
    text = ALPHABET[rest % ALPHABET.length]! + text;
  }
  return text;
}
