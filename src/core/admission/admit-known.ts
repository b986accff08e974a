import { quoteGo } from '../kubernetes/go-text.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { admitPod, type Admission, type PodToAdmit } from './admission-chain.js';
import type { AdmissionConfiguration, AdmissionPluginName } from './admission-configuration.js';
import { asksWebhooks, POOLS, type StationName } from './admission-stations.js';
import { SYSTEM_PRIORITY_CLASSES } from './priority.js';
import type { KnownSurroundings, LookedUpKind } from './surroundings-in.js';

/** A plugin that is on, or the pools, whose part is not known because no snapshot had what it looks up. */
export interface UndecidedPlugin {
  readonly plugin: StationName;
  readonly missingKind: LookedUpKind;
  readonly why: string;
}

/** What admission does as far as the state says. */
export interface KnownAdmission {
  readonly admission: Admission;
  readonly undecided: readonly UndecidedPlugin[];
  /** Whether what was not judged could have led to the other outcome. */
  readonly certain: boolean;
}

/**
 * Takes a pod through the plugins of which everything that they look up is known; the others are named and leave the pod alone.
 *
 * @throws QuantityError as `admitPod`
 */
export function admitKnown(
  request: PodToAdmit,
  surroundings: KnownSurroundings,
  configuration: AdmissionConfiguration,
  gates: TolerationGates,
): KnownAdmission {
  const { judged, undecided } = judgeable(configuration, surroundings, request);
  const admission = admitPod(request, surroundings, judged, gates);
  return { admission, undecided, certain: isCertain(admission, undecided) };
}

/** What a manifest in question and its operation say of which plugins matter. */
interface Asked {
  readonly operation: 'create' | 'update';
  readonly pod: WholePod | Pod;
}

/** The configuration with only those plugins of which everything that they look up is known. */
export function judgeable(
  configuration: AdmissionConfiguration,
  { notLoaded, pools }: Pick<KnownSurroundings, 'notLoaded' | 'pools'>,
  asked: Asked,
): { readonly judged: AdmissionConfiguration; readonly undecided: readonly UndecidedPlugin[] } {
  const ofPools = undecidedPools(configuration, pools, asked);
  if (notLoaded.length === 0) return { judged: configuration, undecided: ofPools };
  const ofPlugins = configuration.plugins.flatMap((plugin): UndecidedPlugin[] => {
    const need = NEEDS.get(plugin);
    if (need === undefined || !notLoaded.includes(need.kind) || !need.matters(asked)) return [];
    const { kind, of } = need;
    return [{ plugin, missingKind: kind, why: `${kind} was never loaded: ${of(asked)} is not known` }];
  });
  const undecided = [...ofPlugins, ...ofPools];
  if (ofPlugins.length === 0) return { judged: configuration, undecided };
  const left = new Set(ofPlugins.map(({ plugin }) => plugin));
  return {
    judged: { ...configuration, plugins: configuration.plugins.filter((plugin) => !left.has(plugin)) },
    undecided,
  };
}

/** A pool of which it is not known whether the pod may use it adds nothing and refuses nobody; the others do as they would. */
function undecidedPools(
  configuration: AdmissionConfiguration,
  pools: KnownSurroundings['pools'],
  { pod }: Asked,
): readonly UndecidedPlugin[] {
  if (pools === undefined || !(asksWebhooks(configuration, 'mutating') || asksWebhooks(configuration, 'validating')))
    return [];
  return pools.add(pod as Pod).unknown.map(({ pool, missing }) => ({
    plugin: POOLS,
    missingKind: 'Namespace',
    why: `whether this pod may use pool ${pool.name} depends on ${missing}, which are not known`,
  }));
}

interface PermissionRequirement {
  readonly kind: LookedUpKind;
  readonly matters: (asked: Asked) => boolean;
  readonly of: (asked: Asked) => string;
}

const always = (): boolean => true;
const onCreate = ({ operation }: Asked): boolean => operation === 'create';

const NEEDS: ReadonlyMap<AdmissionPluginName, PermissionRequirement> = new Map<
  AdmissionPluginName,
  PermissionRequirement
>([
  [
    'NamespaceLifecycle',
    { kind: 'Namespace', matters: always, of: () => 'whether the namespace exists and accepts new objects' },
  ],
  [
    'LimitRanger',
    { kind: 'LimitRange', matters: onCreate, of: () => 'which default limits and constraints the namespace has' },
  ],
  ['PodNodeSelector', { kind: 'Namespace', matters: onCreate, of: () => 'the node selector of the namespace' }],
  [
    'Priority',
    {
      kind: 'PriorityClass',
      // The API server's own classes are known all the same.
      matters: (asked) =>
        onCreate(asked) &&
        !SYSTEM_PRIORITY_CLASSES.some(({ metadata }) => metadata.name === asked.pod.spec.priorityClassName),
      of({ pod }) {
        const { priorityClassName = '' } = pod.spec;
        return priorityClassName === ''
          ? 'the default priority'
          : `the priority of class ${quoteGo(priorityClassName)}`;
      },
    },
  ],
  [
    'PodTolerationRestriction',
    { kind: 'Namespace', matters: always, of: () => 'which tolerations the namespace adds and allows' },
  ],
  [
    'RuntimeClass',
    {
      kind: 'RuntimeClass',
      matters: (asked) => onCreate(asked) && asked.pod.spec.runtimeClassName !== undefined,
      of: ({ pod }) =>
        `which overhead, node selector and tolerations class ${quoteGo(pod.spec.runtimeClassName ?? '')} adds`,
    },
  ],
  ['ResourceQuota', { kind: 'ResourceQuota', matters: always, of: () => 'what the quotas of the namespace allow' }],
]);

/** What the quotas see hangs on what these give to the pod. */
const BEFORE_QUOTAS: ReadonlySet<string> = new Set(['LimitRanger', 'Priority', 'RuntimeClass']);

function isCertain(admission: Admission, undecided: readonly UndecidedPlugin[]): boolean {
  if (undecided.length === 0) return true;
  if (admission.outcome === 'admitted') return false;
  return admission.refusal.by !== 'ResourceQuota' || !undecided.some(({ plugin }) => BEFORE_QUOTAS.has(plugin));
}
