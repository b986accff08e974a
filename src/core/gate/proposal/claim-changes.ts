import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { ClaimFix } from '../../placement/fixes/fix.js';
import type { GateChange, GateSubject } from './change.js';
import { editedAt, memberOf, withMember } from './edit-json.js';

/**
 * Tolerations of device taints in the manifests of claims and templates; undefined if one of them is not in the request, or is stored
 * already: its spec cannot be changed.
 */
export function claimChanges(
  { objects, state }: GateSubject,
  fixes: readonly ClaimFix[],
): readonly GateChange[] | undefined {
  const changes = fixes.map((fix): GateChange | undefined => {
    const { kind, namespace, name } = fix.claim;
    const object = objects.find((one) => isNamed(one, fix));
    if (object === undefined || state.find(kind, namespace, name) !== undefined) return undefined;
    return { of: 'Manifest', object, text: fix.summary, edit: (value) => tolerant(value, fix) };
  });
  return changes.every((change) => change !== undefined) ? changes : undefined;
}

const isNamed = ({ kind, namespace = 'default', name }: ManifestObject, { claim }: ClaimFix): boolean =>
  kind === claim.kind && namespace === claim.namespace && name === claim.name;

function tolerant(value: JsonObject, { claim, request, toleration }: ClaimFix): JsonObject {
  const spec = claim.kind === 'ResourceClaim' ? ['spec'] : ['spec', 'spec'];
  const [name, alternative] = request.split('/');
  const added = { ...toleration } as JsonObject;
  return editedAt(value, [...spec, 'devices', 'requests'], (requests) =>
    eachNamed(requests, name!, (one) => {
      if (alternative !== undefined) {
        return editedAt(one, ['firstAvailable'], (given) =>
          eachNamed(given, alternative, (sub) => withToleration(sub, added)),
        );
      }
      // v1beta1 has the fields of an exact request next to its name.
      const exactly = memberOf(one, 'exactly');
      return isJsonObject(exactly)
        ? withMember(one, 'exactly', withToleration(exactly, added))
        : withToleration(one, added);
    }),
  );
}

const eachNamed = (
  list: JsonValue | undefined,
  name: string,
  edit: (item: JsonObject) => JsonObject,
): JsonValue | undefined =>
  Array.isArray(list)
    ? list.map((item) => (isJsonObject(item) && memberOf(item, 'name') === name ? edit(item) : item))
    : list;

const withToleration = (request: JsonObject, toleration: JsonObject): JsonObject =>
  editedAt(request, ['tolerations'], (given) => [...(Array.isArray(given) ? given : []), toleration]);
