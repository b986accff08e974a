import { eachChanged } from '../collections/each-changed.js';
import { withoutNames } from '../collections/without.js';
import type { KubernetesRules, RuleGate } from './kubernetes-rules.js';
import { hasAffinityKeys, withoutAffinityKeys } from './merge-label-keys.js';
import type { TopologySpreadConstraint } from './objects/pod.js';
import type {
  Lifecycle,
  WholeContainer,
  WholeEphemeralContainer,
  WholePodSpec,
  WholeVolume,
} from './objects/whole-pod.js';

/** The field of a spec that names the group of a pod, by the minor version that has it; others do not know it. */
export const GROUP_FIELDS = { schedulingGroup: 36, workloadRef: 35 } as const;
/** Sources of a projected volume: the gates ClusterTrustBundleProjection and PodCertificateRequest are off. */
const OF_SOURCE: ReadonlySet<string> = new Set(['clusterTrustBundle', 'podCertificate']);

/**
 * A pod's spec without the fields of disabled feature gates, which the API server drops before validation.
 *
 * Source: k8s.io/kubernetes v1.31.14 to v1.36.2, pkg/api/pod/util.go, `DropDisabledPodFields`.
 *
 * @param stored the spec before an update, whose fields are kept
 */
export function dropDisabledFields(given: WholePodSpec, rules: KubernetesRules, stored?: WholePodSpec): WholePodSpec {
  const spec = dropEarlierFields(withoutNames(given, groupFieldsToDrop(rules, stored)), rules, stored);
  const running = eachContainer(spec, withoutStopSignal);
  if (running.volumes === undefined) return running;
  const volumes = eachChanged(running.volumes, inVolume);
  return volumes === running.volumes ? running : { ...running, volumes };
}

/** Those that the version does not have, and the one that it has, while the gate GenericWorkload is off, unless a stored pod has it. */
const groupFieldsToDrop = ({ minor, featureGates }: KubernetesRules, stored?: WholePodSpec): ReadonlySet<string> =>
  new Set(
    (Object.keys(GROUP_FIELDS) as (keyof typeof GROUP_FIELDS)[]).filter(
      (field) => GROUP_FIELDS[field] !== minor || !(featureGates.GenericWorkload || stored?.[field] !== undefined),
    ),
  );

/** The spec without the fields of gates that are off by default in some versions only. */
function dropEarlierFields(
  given: WholePodSpec,
  { minor, featureGates }: KubernetesRules,
  stored: WholePodSpec | undefined,
): WholePodSpec {
  let spec = given;
  for (const [gate, { isUsed, drop }] of DROPPED) {
    if (!featureGates[gate] && isUsed(spec) && (stored === undefined || !isUsed(stored))) spec = drop(spec, minor);
  }
  return spec;
}

interface DroppedField {
  readonly isUsed: (spec: WholePodSpec) => boolean;
  readonly drop: (spec: WholePodSpec, minor: number) => WholePodSpec;
}

const ofSpec = (field: keyof WholePodSpec): DroppedField => ({
  isUsed: (spec) => spec[field] !== undefined,
  drop: (spec) => withoutNames(spec, new Set([field])),
});

const ofSecurityContext = (field: keyof NonNullable<WholePodSpec['securityContext']>): DroppedField => ({
  isUsed: ({ securityContext }) => securityContext?.[field] !== undefined,
  drop: (spec) => ({ ...spec, securityContext: withoutNames(spec.securityContext ?? {}, new Set([field])) }),
});

type AnyContainer = WholeContainer | WholeEphemeralContainer;

/** Not dropped, but set to the default. */
const PROC_MOUNT: DroppedField = {
  isUsed: (spec) =>
    allContainers(spec).some(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default'),
  drop: (spec) =>
    eachContainer(spec, (container) =>
      container.securityContext?.procMount === undefined
        ? container
        : { ...container, securityContext: { ...container.securityContext, procMount: 'Default' } },
    ),
};

const IMAGE_VOLUMES: DroppedField = {
  isUsed: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
  drop: (spec) => {
    const { volumes = [] } = spec;
    const names: ReadonlySet<string | undefined> = new Set(
      volumes.filter(({ image }) => image !== undefined).map(({ name }) => name),
    );
    const kept = eachContainer(spec, (container) =>
      container.volumeMounts === undefined
        ? container
        : { ...container, volumeMounts: container.volumeMounts.filter(({ name }) => !names.has(name)) },
    );
    const rest = volumes.filter(({ name }) => !names.has(name));
    return rest.length === 0 ? withoutNames(kept, new Set(['volumes'])) : { ...kept, volumes: rest };
  },
};

/** Before 1.34 the gate ContainerRestartRules does not exist: rules are unknown, and policies are refused. */
const POLICIES_DROPPED_SINCE = 34;
const RULES: ReadonlySet<keyof AnyContainer> = new Set(['restartPolicyRules']);
const RULES_AND_POLICY: ReadonlySet<keyof AnyContainer> = new Set(['restartPolicy', 'restartPolicyRules']);

/** Sidecars keep their policy. */
const RESTART_RULES: DroppedField = {
  isUsed: ({ containers, initContainers = [], ephemeralContainers = [] }) =>
    [...containers, ...ephemeralContainers].some((one) => one.restartPolicy !== undefined || hasRestartRules(one)) ||
    initContainers.some((one) => (one.restartPolicy ?? 'Always') !== 'Always' || hasRestartRules(one)),
  drop: (spec, minor) => {
    if (minor < POLICIES_DROPPED_SINCE) return eachContainer(spec, (container) => withoutNames(container, RULES));
    const { initContainers } = spec;
    return {
      ...eachContainer(spec, (container) => withoutNames(container, RULES_AND_POLICY)),
      ...(initContainers && {
        initContainers: initContainers.map((container) =>
          withoutNames(container, container.restartPolicy === 'Always' ? RULES : RULES_AND_POLICY),
        ),
      }),
    };
  },
};

const hasRestartRules = ({ restartPolicyRules = [] }: AnyContainer): boolean => restartPolicyRules.length > 0;

/** Other sources of the variable, and the variable, remain. */
const ENV_FILES: DroppedField = {
  isUsed: (spec) =>
    allContainers(spec).some(({ env = [] }) => env.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined)),
  drop: (spec) =>
    eachContainer(spec, (container) =>
      container.env === undefined
        ? container
        : {
            ...container,
            env: container.env.map((variable) =>
              variable.valueFrom === undefined
                ? variable
                : { ...variable, valueFrom: withoutNames(variable.valueFrom, new Set(['fileKeyRef'])) },
            ),
          },
    ),
};

const RESIZE_POLICY: DroppedField = {
  isUsed: (spec) => allContainers(spec).some(({ resizePolicy = [] }) => resizePolicy.length > 0),
  drop: (spec) => eachContainer(spec, (container) => withoutNames(container, new Set(['resizePolicy']))),
};

const HOOKS = ['postStart', 'preStop'] as const;

/** A hook that has only this, and a lifecycle that has nothing else, go with it. */
const SLEEP: DroppedField = {
  isUsed: (spec) =>
    allContainers(spec).some(({ lifecycle }) => HOOKS.some((hook) => lifecycle?.[hook]?.sleep !== undefined)),
  drop: (spec) =>
    eachContainer(spec, (container) => {
      const { lifecycle } = container;
      if (lifecycle === undefined) return container;
      const hooks = HOOKS.flatMap((hook) => {
        const handler = lifecycle[hook];
        if (handler === undefined) return [];
        const kept = withoutNames(handler, new Set(['sleep']));
        return Object.keys(kept).length === 0 && handler.sleep !== undefined ? [] : [[hook, kept] as const];
      });
      const kept: Lifecycle = { ...withoutNames(lifecycle, new Set(HOOKS)), ...Object.fromEntries(hooks) };
      return Object.keys(kept).length === 0
        ? withoutNames(container, new Set(['lifecycle']))
        : { ...container, lifecycle: kept };
    }),
};

const RECURSIVE_MOUNTS: DroppedField = {
  isUsed: (spec) =>
    allContainers(spec).some(({ volumeMounts = [] }) =>
      volumeMounts.some(({ recursiveReadOnly }) => recursiveReadOnly !== undefined),
    ),
  drop: (spec) =>
    eachContainer(spec, (container) =>
      container.volumeMounts === undefined
        ? container
        : {
            ...container,
            volumeMounts: container.volumeMounts.map((mount) => withoutNames(mount, new Set(['recursiveReadOnly']))),
          },
    ),
};

/** Fields of spread constraints. */
const ofConstraints = (...fields: readonly (keyof TopologySpreadConstraint)[]): DroppedField => ({
  isUsed: ({ topologySpreadConstraints = [] }) =>
    topologySpreadConstraints.some((constraint) => fields.some((field) => constraint[field] !== undefined)),
  drop: (spec) => ({
    ...spec,
    topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).map((constraint) =>
      withoutNames(constraint, new Set(fields)),
    ),
  }),
});

/** Sidecars become init containers like others. */
const SIDECARS: DroppedField = {
  isUsed: ({ initContainers = [] }) => initContainers.some(isSidecar),
  drop: (spec) => ({
    ...spec,
    initContainers: (spec.initContainers ?? []).map((container) => withoutNames(container, new Set(['restartPolicy']))),
  }),
};

/** Whether an init container goes on beside the others. */
export const isSidecar = ({ restartPolicy }: { readonly restartPolicy?: string }): boolean =>
  restartPolicy === 'Always';

const DROPPED = [
  ['ContainerRestartRules', RESTART_RULES],
  ['EnvFiles', ENV_FILES],
  ['HostnameOverride', ofSpec('hostnameOverride')],
  ['ImageVolume', IMAGE_VOLUMES],
  ['InPlacePodVerticalScaling', RESIZE_POLICY],
  ['MatchLabelKeysInPodAffinity', { isUsed: hasAffinityKeys, drop: withoutAffinityKeys }],
  ['MatchLabelKeysInPodTopologySpread', ofConstraints('matchLabelKeys')],
  ['NodeInclusionPolicyInPodTopologySpread', ofConstraints('nodeAffinityPolicy', 'nodeTaintsPolicy')],
  ['PodLifecycleSleepAction', SLEEP],
  ['ProcMountType', PROC_MOUNT],
  ['RecursiveReadOnlyMounts', RECURSIVE_MOUNTS],
  ['SELinuxChangePolicy', ofSecurityContext('seLinuxChangePolicy')],
  ['SidecarContainers', SIDECARS],
  ['SupplementalGroupsPolicy', ofSecurityContext('supplementalGroupsPolicy')],
  ['UserNamespacesSupport', ofSpec('hostUsers')],
] as const satisfies readonly (readonly [RuleGate, DroppedField])[];

const allContainers = ({
  containers,
  initContainers = [],
  ephemeralContainers = [],
}: WholePodSpec): readonly AnyContainer[] => [...containers, ...initContainers, ...ephemeralContainers];

function eachContainer(spec: WholePodSpec, change: <T extends AnyContainer>(container: T) => T): WholePodSpec {
  const containers = eachChanged(spec.containers, change);
  const initContainers = spec.initContainers && eachChanged(spec.initContainers, change);
  const ephemeralContainers = spec.ephemeralContainers && eachChanged(spec.ephemeralContainers, change);
  const isSame =
    containers === spec.containers &&
    initContainers === spec.initContainers &&
    ephemeralContainers === spec.ephemeralContainers;
  if (isSame) return spec;
  return {
    ...spec,
    containers,
    ...(initContainers && { initContainers }),
    ...(ephemeralContainers && { ephemeralContainers }),
  };
}

/**
 * A spec without the fields of disabled gates that defaults and admission plugins do not look at either. Those that the pod has already are
 * kept.
 *
 * Source: k8s.io/kubernetes v1.33.13, pkg/apis/core/v1/defaults.go; pkg/api/pod/util.go, `dropDisabledPodLevelResources` and
 * `dropDisabledDynamicResourceAllocationFields`.
 *
 * @param stored the spec before an update
 */
export function dropUnreadFields<Spec extends UnreadParts>(
  spec: Spec,
  { featureGates }: KubernetesRules,
  stored?: Pick<UnreadParts, 'resources' | 'resourceClaims'>,
): Spec {
  const dropsResources =
    !featureGates.PodLevelResources && spec.resources !== undefined && stored?.resources === undefined;
  const dropsClaims =
    !featureGates.DynamicResourceAllocation && hasClaims(spec) && (stored?.resourceClaims ?? []).length === 0;
  if (!dropsResources && !dropsClaims) return spec;
  const kept = withoutNames(
    spec,
    new Set([...(dropsResources ? ['resources'] : []), ...(dropsClaims ? ['resourceClaims'] : [])]),
  );
  if (!dropsClaims) return kept;
  const { containers, initContainers, ephemeralContainers } = kept;
  return {
    ...kept,
    containers: containers.map(withoutClaims),
    ...(initContainers && { initContainers: initContainers.map(withoutClaims) }),
    ...(ephemeralContainers && { ephemeralContainers: ephemeralContainers.map(withoutClaims) }),
  };
}

type UnreadParts = Pick<
  WholePodSpec,
  'resources' | 'resourceClaims' | 'containers' | 'initContainers' | 'ephemeralContainers'
>;

const hasClaims = ({
  resourceClaims,
  containers,
  initContainers = [],
  ephemeralContainers = [],
}: UnreadParts): boolean =>
  resourceClaims !== undefined ||
  [...containers, ...initContainers, ...ephemeralContainers].some(({ resources }) => resources?.claims !== undefined);

const withoutClaims = <T extends Pick<WholeContainer, 'resources'>>(container: T): T =>
  container.resources?.claims === undefined
    ? container
    : { ...container, resources: withoutNames(container.resources, new Set(['claims'])) };

/** Drops the stop signal, because the gate ContainerStopSignals is off, and a lifecycle that has nothing else. */
function withoutStopSignal<T extends Pick<WholeEphemeralContainer, 'lifecycle'>>(container: T): T {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return container;
  const rest: Lifecycle = withoutNames(lifecycle, new Set(['stopSignal']));
  return Object.keys(rest).length === 0
    ? withoutNames(container, new Set(['lifecycle']))
    : { ...container, lifecycle: rest };
}

function inVolume(volume: WholeVolume): WholeVolume {
  const { projected } = volume;
  if (projected?.sources === undefined) return volume;
  const sources = eachChanged(projected.sources, (source) => withoutNames(source, OF_SOURCE));
  return sources === projected.sources ? volume : { ...volume, projected: { ...projected, sources } };
}
