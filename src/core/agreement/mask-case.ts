import type { JsonObject, JsonValue } from '../json/json-value.js';

/** Members whose values are words of Kubernetes, amounts or times: nothing in them belongs to a user. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['apiVersion', 'kind', 'operator', 'effect', 'phase', 'type', 'status', 'reason', 'profile', 'k8sVersion'],
  ...['whenUnsatisfiable', 'nodeAffinityPolicy', 'nodeTaintsPolicy', 'protocol', 'restartPolicy', 'preemptionPolicy'],
  ...['requests', 'limits', 'allocatable', 'capacity', 'overhead', 'hard', 'used', 'allocatedResources', 'qosClass'],
  ...['creationTimestamp', 'deletionTimestamp', 'startTime', 'lastTransitionTime', 'recordedAt', 'topologyKeys'],
  ...['accessModes', 'volumeMode', 'volumeBindingMode', 'provisioner', 'driver', 'schedulerName', 'loadedKinds'],
  ...['schedulerConfiguration', 'declaredFeatures', 'resourceName', 'imagePullPolicy', 'os', 'architecture'],
  ...['minAvailable', 'maxUnavailable', 'dnsPolicy', 'reclaimPolicy', 'persistentVolumeReclaimPolicy'],
]);
/** Members with maps whose keys belong to a user, too. */
const MAPS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector', 'selector']);
/** Members with a key of a label or taint. */
const KEYS: ReadonlySet<string> = new Set(['key', 'topologyKey', 'matchLabelKeys', 'mismatchLabelKeys']);
/** Keys with a meaning of their own. */
const KNOWN_KEY = /(^|[./])(kubernetes|k8s)\.io\//;
const NUMBER = /^-?\d+(\.\d+)?([a-zA-Z]{0,2})$/;
/** Labels whose values are words of Kubernetes. */
const KNOWN_LABELS: ReadonlySet<string> = new Set(['kubernetes.io/os', 'kubernetes.io/arch']);
/** The shortest name that is looked for in words. */
const SHORTEST = 3;

/**
 * A case in which every name, label, value and image is another word: the same everywhere, so that what matched matches. Words of
 * Kubernetes, well-known keys, resources, amounts and times stay.
 */
export function maskCase(found: JsonObject): JsonObject {
  return new Mask().whole(found);
}

class Mask {
  private readonly words = new Map<string, string>();

  whole(found: JsonObject): JsonObject {
    const masked = this.object(found, []) as JsonObject;
    return { ...(this.messages(masked) as JsonObject), name: found['name'] ?? 'disagreement' };
  }

  private value(value: JsonValue, path: readonly string[]): JsonValue {
    const member = path.at(-1) ?? '';
    if (PLAIN.has(member)) return value;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => this.value(one, path));
    if (typeof value === 'object' && value !== null) return this.object(value, path);
    if (typeof value !== 'string' || member === 'message') return value;
    if (KEYS.has(member)) return this.key(value);
    return this.word(value, member === 'image' || path.at(-2) === 'images' ? 'image' : 'w');
  }

  private object(object: JsonObject, path: readonly string[]): JsonValue {
    const member = path.at(-1) ?? '';
    // An annotation may hold anything.
    if (member === 'annotations') return {};
    const isMap = MAPS.has(member) && Object.values(object).every((value) => typeof value === 'string');
    return Object.fromEntries(
      Object.entries(object).map(([name, value]): [string, JsonValue] => {
        if (!isMap) return [name, this.value(value, [...path, name])];
        const isKnown = KNOWN_LABELS.has(name);
        return [this.key(name), isKnown ? value : this.word(value as string, 'w')];
      }),
    );
  }

  private key(key: string): string {
    return key === '' || KNOWN_KEY.test(key) ? key : this.word(key, 'key');
  }

  private word(text: string, prefix: string): string {
    if (text === '' || NUMBER.test(text) || text === 'true' || text === 'false') return text;
    let word = this.words.get(text);
    if (word === undefined) {
      // The tag of an image belongs to its name.
      word = `${prefix}-${this.words.size + 1}${prefix === 'image' ? ':1' : ''}`;
      this.words.set(text, word);
    }
    return word;
  }

  /** Names in the words of the scheduler are replaced last, when all of them are known. */
  private messages(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => this.messages(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]): [string, JsonValue] => [
        name,
        name === 'message' && typeof one === 'string' ? this.inWords(one) : this.messages(one),
      ]),
    );
  }

  private inWords(text: string): string {
    return text.replace(/[\w./-]+/g, (token) => {
      const bare = token.replace(/[.,]+$/, '');
      const word = bare.length < SHORTEST ? undefined : this.words.get(bare);
      // "node" and the like are words of the message as well as names.
      return word === undefined || /^[a-z]+$/.test(bare) ? token : word + token.slice(bare.length);
    });
  }
}
