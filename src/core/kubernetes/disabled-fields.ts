import type { KubernetesRules } from './kubernetes-rules.js';
import type {
  Lifecycle,
  WholeContainer,
  WholeEphemeralContainer,
  WholePodSpec,
  WholeVolume,
} from './objects/whole-pod.js';

/** Fields of a spec that an API server drops whose gate GenericWorkload is off, as it is by default; 1.36 has the first, 1.35 the second. */
const OF_SPEC: ReadonlySet<string> = new Set(['schedulingGroup', 'workloadRef']);
const OF_SPEC_BEFORE: ReadonlySet<string> = new Set(['workloadRef']);
/** Sources of a projected volume: the gates ClusterTrustBundleProjection and PodCertificateRequest are off. */
const OF_SOURCE: ReadonlySet<string> = new Set(['clusterTrustBundle', 'podCertificate']);

/**
 * A pod's spec without the fields of disabled feature gates, which the API server drops before validation.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/api/pod/util.go, `DropDisabledPodFields`, with every gate at its default.
 */
export function dropDisabledFields(given: WholePodSpec, rules: KubernetesRules): WholePodSpec {
  const spec = without(given, rules.featureGates.GenericWorkload ? OF_SPEC_BEFORE : OF_SPEC);
  const { initContainers, ephemeralContainers, volumes } = spec;
  const reduced = (container: WholeContainer): WholeContainer =>
    withoutStopSignal(without(container, disabledOfContainer(container, rules)));
  return {
    ...spec,
    containers: spec.containers.map(reduced),
    ...(initContainers && { initContainers: initContainers.map(reduced) }),
    ...(ephemeralContainers && { ephemeralContainers: ephemeralContainers.map(withoutStopSignal) }),
    ...(volumes && { volumes: volumes.map(inVolume) }),
  };
}

/** The fields of a container that gates of a version turn off. */
function disabledOfContainer(
  { restartPolicy }: WholeContainer,
  { minor, featureGates }: KubernetesRules,
): ReadonlySet<keyof WholeContainer> {
  if (featureGates.ContainerRestartRules) return NO_FIELDS;
  const fields = new Set<keyof WholeContainer>(['restartPolicyRules']);
  // Before 1.34 the gate does not exist, and the policy is refused.
  if (minor >= 34 && restartPolicy !== 'Always') fields.add('restartPolicy');
  if (!featureGates.InPlacePodVerticalScaling) fields.add('resizePolicy');
  return fields;
}

const NO_FIELDS: ReadonlySet<keyof WholeContainer> = new Set();

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
  const kept = without(
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
    : { ...container, resources: without(container.resources, new Set(['claims'])) };

/** Drops the stop signal, because the gate ContainerStopSignals is off, and a lifecycle that has nothing else. */
function withoutStopSignal<T extends Pick<WholeEphemeralContainer, 'lifecycle'>>(container: T): T {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return container;
  const rest: Lifecycle = without(lifecycle, new Set(['stopSignal']));
  return Object.keys(rest).length === 0
    ? without(container, new Set(['lifecycle']))
    : { ...container, lifecycle: rest };
}

function inVolume(volume: WholeVolume): WholeVolume {
  const { projected } = volume;
  if (projected?.sources === undefined) return volume;
  return {
    ...volume,
    projected: { ...projected, sources: projected.sources.map((source) => without(source, OF_SOURCE)) },
  };
}

const without = <T extends object>(value: T, fields: ReadonlySet<string>): T =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !fields.has(name))) as T;
