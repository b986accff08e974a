import { patchBetween } from '../../json/patch-between.js';
import type { JsonObject } from '../../json/json-value.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { GateChange } from './change.js';

/** An operation of a JSON Patch (RFC 6902) on one object. */
export interface ProposedOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** All changes of one object. */
export interface ProposedChange {
  readonly of: 'Manifest' | 'Node' | 'ResourceQuota';
  readonly object: Pick<ManifestObject, 'apiVersion' | 'kind' | 'namespace' | 'name'> &
    Partial<Pick<ManifestObject, 'source'>>;
  readonly text: string;
  /** Of a manifest. One operation with an empty path brings a whole new manifest. */
  readonly patch: readonly ProposedOperation[];
  readonly command?: string;
}

/**
 * The changes of a proposal, those of one object together; manifests first, in the order of the changes.
 *
 * @param objects as they were sent
 */
export function proposedChanges(
  objects: readonly ManifestObject[],
  changes: readonly GateChange[],
): readonly ProposedChange[] {
  const sent = new Map(objects.map((object) => [object.source, object]));
  const manifests = new Map<ManifestObject, { readonly texts: string[]; value: JsonObject }>();
  const others: ProposedChange[] = [];
  const added: ProposedChange[] = [];
  for (const change of changes) {
    const { text } = change;
    switch (change.of) {
      case 'Manifest': {
        const { edit } = change;
        const object = sent.get(change.object.source);
        if (object === undefined) break;
        const known = manifests.get(object);
        if (known === undefined) manifests.set(object, { texts: [text], value: edit(object.value) });
        else {
          known.texts.push(text);
          known.value = edit(known.value);
        }
        break;
      }
      case 'NewManifest': {
        const { apiVersion, kind, namespace, name, value } = change.object;
        const object = { apiVersion, kind, namespace, name };
        added.push({ of: 'Manifest', object, text, patch: [{ op: 'add', path: '', value }] });
        break;
      }
      case 'Node':
        others.push({
          of: 'Node',
          object: { apiVersion: 'v1', kind: 'Node', namespace: undefined, name: change.name },
          text,
          patch: [],
          command: change.command,
        });
        break;
      case 'ResourceQuota':
        others.push({
          of: 'ResourceQuota',
          object: { apiVersion: 'v1', kind: 'ResourceQuota', namespace: change.namespace, name: change.name },
          text,
          patch: [],
          command: change.command,
        });
    }
  }
  const changed = [...manifests].map(([object, { texts, value }]): ProposedChange => {
    const patch = patchBetween(object.value, value, () => '').map((operation): ProposedOperation =>
      operation.op === 'remove'
        ? { op: operation.op, path: operation.path }
        : { op: operation.op, path: operation.path, value: operation.value },
    );
    return { of: 'Manifest', object, text: texts.join('; '), patch };
  });
  return [...added, ...changed, ...others];
}
