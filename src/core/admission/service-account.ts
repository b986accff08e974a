import { NOTHING } from '../collections/nothing.js';
import { podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { ManifestMeta } from '../kubernetes/objects/manifest.js';
import type { ServiceAccount } from '../kubernetes/objects/service-account.js';
import type { WholeContainer, WholePod, WholePodSpec, WholeVolume } from '../kubernetes/objects/whole-pod.js';
import { podSecretNames } from './pod-secret-names.js';

export const NAME = 'ServiceAccount';

/** The account of a pod that names none. The controller manager makes one in every namespace. */
export const DEFAULT_SERVICE_ACCOUNT = 'default';

const ENFORCE_MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';
const MIRROR = 'kubernetes.io/config.mirror';
/** As `strconv.ParseBool` has it. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

const TOKEN_VOLUME = 'kube-api-access-';
/** With an end that the API server draws, and that is not drawn here. */
export const DRAWN_TOKEN_VOLUME = `${TOKEN_VOLUME}xxxxx`;
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_SECONDS = 3607;
/** 0644. */
const FILE_MODE = 0o644;

const MIRROR_HAS_ACCOUNT = 'a mirror pod may not reference service accounts';

/** A pod, or its kept fields. */
interface NamesAccount {
  readonly metadata: WholePod['metadata'];
  readonly spec: { readonly serviceAccountName?: string };
}

/** A mirror pod shows a pod of its kubelet, and has no account. */
export const isMirrorPod = ({ annotations = {} }: Pick<ManifestMeta, 'annotations'>): boolean =>
  Object.hasOwn(annotations, MIRROR);

/** Whether the pods of an account may refer only to the secrets that it lists (`enforceMountableSecrets`). */
export const restrictsSecrets = ({ metadata: { annotations = {} } }: ServiceAccount): boolean =>
  Object.hasOwn(annotations, ENFORCE_MOUNTABLE_SECRETS) && TRUE.has(annotations[ENFORCE_MOUNTABLE_SECRETS]!);

/**
 * Names the account that the pod runs as, mounts its token, and adds its pull secrets to a pod without its own.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/serviceaccount/admission.go, `Admit`.
 *
 * @param accounts of the pod's namespace
 * @throws {AdmissionRefusal} as {@link validateServiceAccount}, which `Admit` calls
 */
export function admitServiceAccount(pod: WholePod, accounts: readonly ServiceAccount[]): WholePod {
  const named = nameServiceAccount(pod);
  if (isMirrorPod(named.metadata)) {
    validateServiceAccount(named, accounts);
    return named;
  }
  const account = accountOf(named, accounts);
  let { spec } = named;
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) spec = withToken(spec);
  if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
    spec = { ...spec, imagePullSecrets: account.imagePullSecrets!.map(({ name = '' }) => ({ name })) };
  }
  const admitted = { ...named, spec };
  validateServiceAccount(admitted, accounts);
  return admitted;
}

/** Refuses as `admitServiceAccount` does, without making the pod where nothing in it could be refused. @throws {AdmissionRefusal} */
export function judgeServiceAccount(pod: WholePod, accounts: readonly ServiceAccount[]): void {
  const named = nameServiceAccount(pod);
  if (isMirrorPod(named.metadata) || restrictsSecrets(accountOf(named, accounts))) admitServiceAccount(pod, accounts);
}

/** The pod with the name of the account that it runs as. */
export function nameServiceAccount<T extends NamesAccount>(pod: T): T {
  if (isMirrorPod(pod.metadata) || (pod.spec.serviceAccountName ?? '') !== '') return pod;
  // The API writes the old name of the field, too.
  const old = 'serviceAccount' in pod.spec ? { serviceAccount: DEFAULT_SERVICE_ACCOUNT } : {};
  return { ...pod, spec: { ...NOTHING, ...pod.spec, serviceAccountName: DEFAULT_SERVICE_ACCOUNT, ...old } };
}

/**
 * Refuses a pod whose account does not exist, or that refers to secrets which the account does not list although it has to.
 *
 * Source: as {@link admitServiceAccount}, `Validate`.
 *
 * @param accounts of the pod's namespace
 * @throws {AdmissionRefusal}
 */
export function validateServiceAccount(pod: WholePod, accounts: readonly ServiceAccount[]): void {
  if (isMirrorPod(pod.metadata)) {
    validateMirrorPod(pod);
    return;
  }
  const account = accountOf(pod, accounts);
  if (!restrictsSecrets(account)) return;
  const reason = forbiddenReference(pod.spec, account);
  if (reason !== undefined) throw forbidden(pod, reason);
}

/** @throws {AdmissionRefusal} */
function validateMirrorPod(pod: WholePod): void {
  if ((pod.spec.serviceAccountName ?? '') !== '') throw forbidden(pod, MIRROR_HAS_ACCOUNT);
  if (podSecretNames(pod.spec).length > 0) throw forbidden(pod, 'a mirror pod may not reference secrets');
  const isToken = ({ projected }: WholeVolume): boolean =>
    (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
  if ((pod.spec.volumes ?? []).some(isToken)) {
    throw forbidden(pod, 'a mirror pod may not use ServiceAccountToken volume projections');
  }
}

/**
 * Refuses a pod of which only the kept fields are known if its account does not exist.
 *
 * @param accounts of the pod's namespace
 * @throws {AdmissionRefusal}
 */
export function requireServiceAccount(pod: NamesAccount, accounts: readonly ServiceAccount[]): void {
  if (!isMirrorPod(pod.metadata)) accountOf(pod, accounts);
  else if ((pod.spec.serviceAccountName ?? '') !== '') throw forbidden(pod, MIRROR_HAS_ACCOUNT);
}

function accountOf(pod: NamesAccount, accounts: readonly ServiceAccount[]): ServiceAccount {
  const { serviceAccountName: name = '' } = pod.spec;
  const { namespace = '' } = pod.metadata;
  const account = accounts.find(({ metadata }) => metadata.name === name);
  if (account !== undefined) return account;
  throw forbidden(
    pod,
    `error looking up service account ${namespace}/${name}: serviceaccount ${quoteGo(name)} not found`,
  );
}

const forbidden = ({ metadata }: Pick<WholePod, 'metadata'>, reason: string) =>
  podForbidden(NAME, spokenName({ metadata }), reason);

/** `limitSecretReferences`: the first reference of the pod that the account does not have. */
function forbiddenReference(spec: WholePodSpec, account: ServiceAccount): string | undefined {
  const mountable = new Set((account.secrets ?? []).map(({ name = '' }) => name));
  const denied = (what: string, secret: string): string =>
    `${what} secret.secretName="${secret}" is not allowed because service account ${account.metadata.name} does not reference that secret`;
  for (const { secret } of spec.volumes ?? []) {
    const name = secret?.secretName ?? '';
    if (secret !== undefined && !mountable.has(name)) return denied('volume with', name);
  }
  for (const [what, containers] of [
    ['init container', spec.initContainers ?? []],
    ['container', spec.containers],
  ] as const) {
    for (const { name, env = [], envFrom = [] } of containers) {
      for (const { name: variable = '', valueFrom } of env) {
        const { secretKeyRef } = valueFrom ?? {};
        const secret = secretKeyRef?.name ?? '';
        if (secretKeyRef !== undefined && !mountable.has(secret))
          return denied(`${what} ${name} with envVar ${variable} referencing`, secret);
      }
      for (const { secretRef } of envFrom) {
        const secret = secretRef?.name ?? '';
        if (secretRef !== undefined && !mountable.has(secret))
          return denied(`${what} ${name} with envFrom referencing`, secret);
      }
    }
  }
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name = '' }) => name));
  for (const [index, { name = '' }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pullable.has(name)) {
      return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
    }
  }
  return undefined;
}

/** `mountServiceAccountToken`: containers that mount something at the place of the token get none. */
function withToken(spec: WholePodSpec): WholePodSpec {
  const { volumes = [], containers, initContainers } = spec;
  const existing = volumes.find(({ name }) => name.startsWith(TOKEN_VOLUME))?.name;
  const name = existing ?? DRAWN_TOKEN_VOLUME;
  const mounted = (container: WholeContainer): WholeContainer => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some(({ mountPath }) => mountPath === TOKEN_PATH)) return container;
    return { ...container, volumeMounts: [...volumeMounts, { name, readOnly: true, mountPath: TOKEN_PATH }] };
  };
  const all = [...(initContainers ?? []), ...containers];
  const isNeeded = all.some((container) => mounted(container) !== container);
  if (!isNeeded) return spec;
  return {
    ...spec,
    containers: containers.map(mounted),
    ...(initContainers && { initContainers: initContainers.map(mounted) }),
    ...(existing === undefined && { volumes: [...volumes, tokenVolume(name)] }),
  };
}

/** `TokenVolumeSource`. */
const tokenVolume = (name: string): WholeVolume => ({
  name,
  projected: {
    defaultMode: FILE_MODE,
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});
