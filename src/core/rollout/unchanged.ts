import { canonicalJson } from '../audit/canonical-json.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { templateOf, templatePath } from '../kubernetes/pod-template.js';
import { mergedOver } from './api-objects.js';
import { isWhole, sameTemplate } from './templates.js';

/**
 * Whether a manifest leaves a stored object as it is, such as the output of `kubectl get -o yaml`. False if not all fields of the stored object are
 * known. Defaults of the API server may be missing in the pod template, and members may be missing elsewhere.
 */
export function isUnchanged(stored: KubernetesObject, sent: KubernetesObject): boolean {
  if (!isWhole(stored)) return false;
  const merged = mergedOver(stored, sent);
  const [before, after] = [templateOf(stored as Workload), templateOf(sent as Workload)];
  if (before !== undefined && after !== undefined && !sameTemplate(before, after)) return false;
  return withoutTemplate(stored) === withoutTemplate(merged);
}

/** What the API server writes itself, whatever is sent. */
const WRITTEN = ['managedFields', 'resourceVersion', 'selfLink', 'generation'];

function withoutTemplate(object: KubernetesObject): string {
  const metadata = Object.entries(object.metadata).filter(([key]) => !WRITTEN.includes(key));
  const rest = withoutMember(withoutMember(object, ['status']), templatePath(object));
  return canonicalJson({ ...rest, metadata: Object.fromEntries(metadata) });
}

/** A copy without the member at a path. */
function withoutMember(value: object, [name = '', ...rest]: readonly string[]): object {
  const { [name]: member, ...others } = value as Readonly<Record<string, unknown>>;
  if (rest.length === 0 || typeof member !== 'object' || member === null) return others;
  return { ...others, [name]: withoutMember(member, rest) };
}
