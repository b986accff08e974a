import { apiObjectOf } from '../admission/policies/pod-object.js';
import { canonicalJson } from '../audit/canonical-json.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod, PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { templateOf } from '../kubernetes/pod-template.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';

/** Templates and stored objects of which all fields are known, also those that snapshots do not keep. */
const whole = new WeakSet<object>();

export function markWhole(template: object | undefined): void {
  if (template !== undefined) whole.add(template);
}

/** Marks a stored object of which all fields are known, with its template. */
export function markWholeObject(object: KubernetesObject): void {
  markWhole(object);
  markWhole(templateOf(object as Workload));
}

export const isWhole = <T extends object>(given: T | undefined): given is T => given !== undefined && whole.has(given);

const HASH_LABEL = 'pod-template-hash';

const texts = new WeakMap<object, { readonly whole: string; readonly kept: () => string }>();

/** Equal for templates that the API server takes for the same: with its defaults, and without the label for their hash. */
function textsOf(template: PodTemplateSpec): { readonly whole: string; readonly kept: () => string } {
  let known = texts.get(template);
  if (known === undefined) {
    const { labels = {}, annotations = {} } = template.metadata ?? {};
    const own = Object.fromEntries(Object.entries(labels).filter(([key]) => key !== HASH_LABEL));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: template.spec } as unknown as WholePod;
    const all = canonicalJson([own, annotations, apiObjectOf(defaultWholePod(pod).spec)]);
    let kept: string | undefined;
    known = {
      whole: all,
      kept: () => {
        if (kept === undefined) {
          const decoded = decodeObject(defaultWholePod(pod) as unknown as JsonObject, { unbounded: true });
          kept = canonicalJson([own, decoded.outcome === 'object' ? (decoded.object as Pod).spec : null]);
        }
        return kept;
      },
    };
    texts.set(template, known);
  }
  return known;
}

/**
 * Whether two templates are the same. Of a template of which only the kept fields are known, these are compared.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/deployment/util/deployment_util.go, `EqualIgnoreHash`.
 */
export function sameTemplate(one: PodTemplateSpec, other: PodTemplateSpec): boolean {
  if (one === other) return true;
  const [a, b] = [textsOf(one), textsOf(other)];
  if (isWhole(one) && isWhole(other)) return a.whole === b.whole;
  return a.kept() === b.kept();
}

/** As long as the hash that Kubernetes puts into names, and different for different templates. */
export function templateHash(template: object): string {
  let hash = 0x811c9dc5;
  for (const char of textsOf(template as PodTemplateSpec).whole) {
    hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  }
  return Array.from(String(hash), (digit) => SAFE[digit.charCodeAt(0) % SAFE.length]).join('');
}

/** `SafeEncodeString`, k8s.io/apimachinery v0.36.2, pkg/util/rand/rand.go. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
