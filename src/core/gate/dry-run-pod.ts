import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { daemonPodTolerations } from '../kubernetes/daemon-pod.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import { podPartOf, valueAt } from './proposal/edit-json.js';

/**
 * The pod of a manifest, to be created as a dry run: as its controller sends the first one, except for its owner, and with a drawn name, so
 * that it does not meet one that exists. Undefined for a manifest without a pod.
 *
 * @param manifest as it was sent, with every field
 */
export function dryRunPod(manifest: JsonObject, kind: string, namespace: string): JsonObject | undefined {
  const part = podPartOf(manifest, kind);
  if (part === undefined) return undefined;
  const name = nameOf(manifest);
  const { labels, annotations } = isJsonObject(part['metadata']) ? part['metadata'] : ({} as JsonObject);
  const spec = isJsonObject(part['spec']) ? part['spec'] : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    spec: withAdditions(spec, manifest, kind, name),
  };
}

/** What the controllers of some kinds add to the spec. */
function withAdditions(spec: JsonObject, manifest: JsonObject, kind: string, name: string): JsonObject {
  switch (kind) {
    case 'StatefulSet': {
      const templates = valueAt(manifest, ['spec', 'volumeClaimTemplates']);
      const claims = (Array.isArray(templates) ? templates : []).flatMap((template: JsonValue): JsonObject[] => {
        const claim = isJsonObject(template) ? nameOf(template) : '';
        return claim === '' ? [] : [{ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}-0` } }];
      });
      const volumes = Array.isArray(spec['volumes']) ? spec['volumes'] : [];
      const others = volumes.filter(
        (one) => !claims.some((claim) => isJsonObject(one) && claim['name'] === one['name']),
      );
      return { ...spec, hostname: `${name}-0`, ...(claims.length > 0 && { volumes: [...others, ...claims] }) };
    }
    case 'DaemonSet':
      return { ...spec, tolerations: daemonPodTolerations(spec as unknown as PodSpec) as unknown as JsonValue[] };
    default:
      return spec;
  }
}

function nameOf({ metadata }: JsonObject): string {
  const { name, generateName } = isJsonObject(metadata) ? metadata : ({} as JsonObject);
  if (typeof name === 'string' && name !== '') return name;
  return typeof generateName === 'string' ? generateName.replace(/-+$/, '') : '';
}
