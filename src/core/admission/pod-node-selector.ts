import type { Labels } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { isQualifiedName, isValidLabelValue } from '../kubernetes/validation/names.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';

export const NAME = 'PodNodeSelector';

const NODE_SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

/**
 * The plugin's configuration (`podNodeSelectorPluginConfig`): under `clusterDefaultNodeSelector` the selector of namespaces that
 * have none, under the name of a namespace what its pods may select, each as `key=value,key=value`.
 */
export type ClusterNodeSelectors = Readonly<Record<string, string>>;

/**
 * The pod with the node selector of its namespace, or else of the cluster, merged into its own. The plugin only looks at pods that
 * are created.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/podnodeselector/admission.go.
 *
 * @param namespace of the pod; undefined where it does not exist
 * @throws {AdmissionRefusal} with status 403 where the two contradict each other or the whitelist; 500 without a namespace, and for a
 *   selector that cannot be parsed
 */
export function admitNodeSelector(
  pod: Pod,
  namespace: Namespace | undefined,
  selectors: ClusterNodeSelectors = {},
): Pod {
  const given = namespaceSelector(pod, namespace, selectors);
  refuseConflict(pod, given);
  const merged = new Map([...given, ...Object.entries(pod.spec.nodeSelector ?? {})]);
  const admitted =
    merged.size === 0 ? pod : { ...pod, spec: { ...pod.spec, nodeSelector: Object.fromEntries(merged) } };
  validateNodeSelector(admitted, namespace, selectors);
  return admitted;
}

/** Whether a pod may be created with the node selector that it has after all plugins, as {@link admitNodeSelector} judges it. */
export function validateNodeSelector(
  pod: Pod,
  namespace: Namespace | undefined,
  selectors: ClusterNodeSelectors = {},
): void {
  refuseConflict(pod, namespaceSelector(pod, namespace, selectors));
  const allowed = parsed(configured(selectors, pod.metadata.namespace ?? ''));
  if (allowed.size === 0) return;
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(([key, value]) => allowed.get(key) !== value)) {
    throw forbidden(pod, 'pod node label selector labels conflict with its namespace whitelist');
  }
}

/** Why a selector cannot be parsed, in the plugin's words; undefined where it can. */
export function nodeSelectorFault(selector: string): string | undefined {
  try {
    parsed(selector);
    return undefined;
  } catch (error) {
    if (error instanceof AdmissionRefusal) return error.message;
    throw error;
  }
}

function refuseConflict(pod: Pod, given: ReadonlyMap<string, string>): void {
  const isOther = ([key, value]: readonly [string, string]): boolean => given.has(key) && given.get(key) !== value;
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(isOther)) {
    throw forbidden(pod, 'pod node label selector conflicts with its namespace node label selector');
  }
}

function namespaceSelector(
  pod: Pod,
  namespace: Namespace | undefined,
  selectors: ClusterNodeSelectors,
): ReadonlyMap<string, string> {
  if (namespace === undefined) {
    const reason = `namespace ${pod.metadata.namespace ?? ''} does not exist`;
    throw new AdmissionRefusal(NAME, 500, reason, `Internal error occurred: ${reason}`);
  }
  return parsed(own(namespace.metadata.annotations ?? {}, NODE_SELECTOR) ?? configured(selectors, CLUSTER_DEFAULT));
}

const configured = (selectors: ClusterNodeSelectors, name: string): string => own(selectors, name) ?? '';

const own = (map: Labels, key: string): string | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);

/** White space to Go (`unicode.IsSpace`). */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** `strings.TrimSpace`; not by an expression for the whole, which would try every space within a long text. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start] ?? '')) start += 1;
  while (end > start && SPACE.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

/** `ConvertSelectorToLabelsMap`, k8s.io/apimachinery v0.36.2, pkg/labels/labels.go: pairs joined by `=` and nothing else. */
function parsed(selector: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  if (selector === '') return pairs;
  for (const pair of selector.split(',')) {
    const parts = pair.split('=');
    if (parts.length !== 2) throw failure(`invalid selector: [${parts.join(' ')}]`);
    const [key, value] = parts.map(trimmed) as [string, string];
    refuseUnlessValid('<nil>', key, isQualifiedName(key));
    refuseUnlessValid(`[${key}]`, value, isValidLabelValue(value));
    pairs.set(key, value);
  }
  return pairs;
}

/** Upstream names no field here, so that the path of a key is nil. */
function refuseUnlessValid(path: string, value: string, complaints: readonly string[]): void {
  if (complaints.length > 0) throw failure(`${path}: Invalid value: ${quoteGo(value)}: ${complaints.join('; ')}`);
}

/** `errors.NewForbidden`, which, unlike other plugins' refusals, names only a pod that has its name already. */
function forbidden({ metadata: { name } }: Pod, reason: string): AdmissionRefusal {
  const pods = name === '' ? 'pods' : `pods ${quoteGo(name)}`;
  return new AdmissionRefusal(NAME, 403, reason, `${pods} is forbidden: ${reason}`);
}

/** An error that is no answer of the API's own becomes an internal one. */
const failure = (message: string): AdmissionRefusal => new AdmissionRefusal(NAME, 500, message, message);
