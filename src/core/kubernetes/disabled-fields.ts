import type { Lifecycle, WholeEphemeralContainer, WholePodSpec, WholeVolume } from './objects/whole-pod.js';

/** Fields of a spec that no API server at its defaults keeps: gate GenericWorkload is off. */
const OF_SPEC: ReadonlySet<string> = new Set(['schedulingGroup', 'workloadRef']);
/** Sources of a projected volume: gates ClusterTrustBundleProjection and PodCertificateRequest are off. */
const OF_SOURCE: ReadonlySet<string> = new Set(['clusterTrustBundle', 'podCertificate']);

/**
 * A pod's spec without the fields whose feature gate is off, as the API server drops them before it validates.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/api/pod/util.go, `DropDisabledPodFields`, with every gate at its default.
 */
export function dropDisabledFields(given: WholePodSpec): WholePodSpec {
  const spec = without(given, OF_SPEC);
  const { initContainers, ephemeralContainers, volumes } = spec;
  return {
    ...spec,
    containers: spec.containers.map(withoutStopSignal),
    ...(initContainers && { initContainers: initContainers.map(withoutStopSignal) }),
    ...(ephemeralContainers && { ephemeralContainers: ephemeralContainers.map(withoutStopSignal) }),
    ...(volumes && { volumes: volumes.map(inVolume) }),
  };
}

/** Gate ContainerStopSignals is off. A lifecycle of nothing else goes with the signal. */
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
