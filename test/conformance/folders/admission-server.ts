import {
  admitPod,
  type Admission,
  type PodToAdmit,
  type RefusedPod,
  type Refusal,
} from '../../../src/core/admission/admission-chain.js';
import {
  ADMISSION_PLUGINS,
  STOCK_ADMISSION,
  type AdmissionConfiguration,
} from '../../../src/core/admission/admission-configuration.js';
import { decodeRefusal } from '../../../src/core/admission/decode-refusal.js';
import { SYSTEM_PRIORITY_CLASSES } from '../../../src/core/admission/priority.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { decodeObject } from '../../../src/core/kubernetes/decode.js';
import type { PriorityClass, RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import type { KubernetesRules } from '../../../src/core/kubernetes/kubernetes-rules.js';
import { gatesOf, type TolerationGates } from '../../../src/core/kubernetes/toleration.js';

/** Plugins that no recording has on. */
const UNRECORDED: ReadonlySet<string> = new Set([
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'AlwaysPullImages',
  'AlwaysDeny',
]);

/** What a recording's namespace holds. */
export interface RecordedNamespace {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly runtimeClasses?: readonly RuntimeClass[];
  /** Beside those that every cluster has. */
  readonly priorityClasses?: readonly PriorityClass[];
}

/** An API server with a profile of the recordings, up to the point where it would store a pod. */
export class AdmissionServer {
  readonly gates: TolerationGates;
  private readonly configuration: AdmissionConfiguration;
  private readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;

  constructor(
    profile: string,
    readonly rules: KubernetesRules,
    private readonly namespace: RecordedNamespace = {},
  ) {
    this.gates = gatesOf(rules, profile !== 'default');
    this.configuration =
      profile === 'full' ? { plugins: ADMISSION_PLUGINS.filter((name) => !UNRECORDED.has(name)) } : STOCK_ADMISSION;
    this.runtimeClasses = new Map((namespace.runtimeClasses ?? []).map((object) => [object.metadata.name, object]));
  }

  createPod(sent: JsonObject, strict = false): Answered {
    const decoded = decodePod(sent, strict);
    return 'by' in decoded ? refused(decoded) : this.admit({ operation: 'create', pod: decoded });
  }

  /** A patch of members of the spec, each put in the place of the one that is there; null takes it away. */
  patchPod(stored: WholePod, patch: JsonObject): Answered {
    const asJson = stored as unknown as JsonObject;
    const spec = Object.entries({ ...(asJson['spec'] as JsonObject), ...(patch['spec'] as JsonObject) });
    const sent = { ...asJson, spec: Object.fromEntries(spec.filter(([, value]) => value !== null)) };
    const decoded = decodePod(sent, false);
    return 'by' in decoded ? refused(decoded) : this.admit({ operation: 'update', pod: decoded, stored });
  }

  private admit(request: PodToAdmit): Admission {
    const { annotations = {}, priorityClasses = [] } = this.namespace;
    const name = request.pod.metadata.namespace ?? '';
    const surroundings = {
      namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } },
      limitRanges: [],
      serviceAccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } }],
      quotas: [],
      priorityClasses: [...SYSTEM_PRIORITY_CLASSES, ...priorityClasses],
      findRuntimeClass: (className: string) => this.runtimeClasses.get(className),
      now: Date.parse('2026-11-20T21:00:00Z'),
    } as const;
    return admitPod(request, { surroundings, configuration: this.configuration, gates: this.gates });
  }
}

/** What is not decoded is no pod yet. */
type RefusedRequest = Omit<RefusedPod, 'pod'>;

export type Answered = Admission | RefusedRequest;

const refused = (refusal: Refusal): RefusedRequest => ({
  outcome: 'refused',
  refusal,
  reason: refusal.message,
  reasons: [refusal.message],
  steps: [],
  undecided: [],
  webhooks: [],
  certain: true,
});

function decodePod(sent: JsonObject, strict: boolean): WholePod | Refusal {
  const decoded = decodeObject(sent, { strict, whole: true });
  if (decoded.outcome === 'object') return decoded.object as WholePod;
  if (decoded.outcome === 'invalid') return decodeRefusal('Pod', sent, decoded.errors);
  throw new Error(`no pod but ${decoded.apiVersion} ${decoded.kind}`);
}
