import type { Lifecycle, WholeEphemeralContainer, WholePodSpec, WholeVolume } from './objects/whole-pod.js';

/** Fields of a spec that an API server with default settings drops: the gate GenericWorkload is off. */
const OF_SPEC: ReadonlySet<string> = new Set(['schedulingGroup', 'workloadRef']);
/** Sources of a projected volume: the gates ClusterTrustBundleProjection and PodCertificateRequest are off. */
const OF_SOURCE: ReadonlySet<string> = new Set(['clusterTrustBundle', 'podCertificate']);

/**
 * A pod's spec without the fields of disabled feature gates, which the API server drops before validation.
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
