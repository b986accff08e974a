import { NOTHING } from '../collections/nothing.js';
import { defaultPodSpec } from './defaults.js';
import { imageTag } from './image-tag.js';
import type { PodSpec } from './objects/pod.js';
import type {
  DownwardFile,
  EnvVar,
  Handler,
  Lifecycle,
  Probe,
  ProjectedSource,
  WholeContainer,
  WholeEphemeralContainer,
  WholePod,
  WholePodSpec,
  WholeVolume,
} from './objects/whole-pod.js';

/**
 * A whole pod with the API server's defaults: those of `defaultPod` for the kept fields, and those of the other fields,
 * without which two manifests of the same pod could not be compared.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/defaults.go and conversion.go.
 *
 * @throws QuantityError for an invalid quantity
 */
export function defaultWholePod(pod: WholePod): WholePod {
  return { ...pod, spec: defaultWholeSpec(pod.spec) };
}

function defaultWholeSpec(given: WholePodSpec): WholePodSpec {
  // The kept fields of a whole spec are those of a spec; the others are passed through unchanged.
  const kept = defaultPodSpec(given as unknown as PodSpec) as unknown as WholePodSpec;
  const { initContainers, ephemeralContainers, volumes, serviceAccount, serviceAccountName = '' } = kept;
  return {
    ...NOTHING,
    ...kept,
    containers: kept.containers.map(finishedContainer),
    ...(initContainers && { initContainers: initContainers.map(finishedContainer) }),
    ...(ephemeralContainers && { ephemeralContainers: ephemeralContainers.map(finishedContainer) }),
    ...(volumes && { volumes: volumes.map(finishedVolume) }),
    dnsPolicy: nonEmpty(kept.dnsPolicy) ?? 'ClusterFirst',
    enableServiceLinks: kept.enableServiceLinks ?? true,
    securityContext: kept.securityContext ?? {},
    ...(serviceAccountName === '' && nonEmpty(serviceAccount) && { serviceAccountName: serviceAccount }),
    serviceAccount: nonEmpty(serviceAccountName) ?? serviceAccount ?? '',
  };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function finishedContainer<T extends WholeContainer | WholeEphemeralContainer>(container: T): T {
  const { env, lifecycle, livenessProbe, readinessProbe, startupProbe, ports } = container;
  return {
    ...NOTHING,
    ...container,
    imagePullPolicy: nonEmpty(container.imagePullPolicy) ?? pullPolicy(container.image ?? ''),
    terminationMessagePath: nonEmpty(container.terminationMessagePath) ?? '/dev/termination-log',
    terminationMessagePolicy: nonEmpty(container.terminationMessagePolicy) ?? 'File',
    ...(ports && { ports: ports.map((port) => ({ ...NOTHING, ...port, protocol: nonEmpty(port.protocol) ?? 'TCP' })) }),
    ...(env && { env: env.map(finishedEnv) }),
    ...(lifecycle && { lifecycle: finishedLifecycle(lifecycle) }),
    ...(livenessProbe && { livenessProbe: finishedProbe(livenessProbe) }),
    ...(readinessProbe && { readinessProbe: finishedProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: finishedProbe(startupProbe) }),
  };
}

const pullPolicy = (image: string): string => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent');

function finishedEnv(variable: EnvVar): EnvVar {
  const fieldRef = variable.valueFrom?.fieldRef;
  return fieldRef === undefined
    ? variable
    : { ...variable, valueFrom: { ...variable.valueFrom, fieldRef: versioned(fieldRef) } };
}

const versioned = <T extends { readonly apiVersion?: string }>(fieldRef: T): T => ({
  ...NOTHING,
  ...fieldRef,
  apiVersion: nonEmpty(fieldRef.apiVersion) ?? 'v1',
});

function finishedHandler<T extends Handler>(handler: T): T {
  const { httpGet } = handler;
  if (httpGet === undefined) return handler;
  const { path, scheme } = httpGet;
  return {
    ...handler,
    httpGet: { ...NOTHING, ...httpGet, path: nonEmpty(path) ?? '/', scheme: nonEmpty(scheme) ?? 'HTTP' },
  };
}

const finishedLifecycle = ({ postStart, preStop, ...lifecycle }: Lifecycle): Lifecycle => ({
  ...lifecycle,
  ...(postStart && { postStart: finishedHandler(postStart) }),
  ...(preStop && { preStop: finishedHandler(preStop) }),
});

const nonZero = (value: number | undefined): number | undefined => (value === 0 ? undefined : value);

const finishedProbe = (probe: Probe): Probe => ({
  ...NOTHING,
  ...finishedHandler(probe),
  timeoutSeconds: nonZero(probe.timeoutSeconds) ?? 1,
  periodSeconds: nonZero(probe.periodSeconds) ?? 10,
  successThreshold: nonZero(probe.successThreshold) ?? 1,
  failureThreshold: nonZero(probe.failureThreshold) ?? 3,
});

/** The mode 0644: all users may read the file. */
const FILE_MODE = 0o644;

export function finishedVolume(volume: WholeVolume): WholeVolume {
  const { secret, configMap, downwardAPI, projected, hostPath, image } = volume;
  return {
    ...(Object.keys(volume).every((field) => field === 'name') && { emptyDir: {} }),
    ...volume,
    ...(secret && { secret: { ...NOTHING, ...secret, defaultMode: secret.defaultMode ?? FILE_MODE } }),
    ...(configMap && { configMap: { ...NOTHING, ...configMap, defaultMode: configMap.defaultMode ?? FILE_MODE } }),
    ...(downwardAPI && {
      downwardAPI: {
        ...downwardAPI,
        defaultMode: downwardAPI.defaultMode ?? FILE_MODE,
        ...(downwardAPI.items && { items: downwardAPI.items.map(finishedFile) }),
      },
    }),
    ...(projected && {
      projected: {
        ...projected,
        defaultMode: projected.defaultMode ?? FILE_MODE,
        ...(projected.sources && { sources: projected.sources.map(finishedSource) }),
      },
    }),
    ...(hostPath && { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
    ...(image && { image: { ...image, pullPolicy: nonEmpty(image.pullPolicy) ?? pullPolicy(image.reference ?? '') } }),
  };
}

const finishedFile = (file: DownwardFile): DownwardFile =>
  file.fieldRef === undefined ? file : { ...file, fieldRef: versioned(file.fieldRef) };

const HOUR_SECONDS = 3600;

function finishedSource(source: ProjectedSource): ProjectedSource {
  const { downwardAPI, serviceAccountToken: token } = source;
  return {
    ...source,
    ...(downwardAPI?.items && { downwardAPI: { ...downwardAPI, items: downwardAPI.items.map(finishedFile) } }),
    ...(token && {
      serviceAccountToken: { ...token, expirationSeconds: token.expirationSeconds ?? HOUR_SECONDS },
    }),
  };
}
