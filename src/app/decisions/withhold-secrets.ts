import { finish } from '../../core/collections/finish.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { isKeptAnnotation } from '../../core/kubernetes/schema/annotations.js';

/** What replaces a value; also valid base64, as the data of a Secret must be. */
export const WITHHELD = 'withheld';

export interface Withheld {
  readonly question: JsonObject;
  /** Number of replaced values. */
  readonly count: number;
}

/** Members of a container, or of a handler in it, whose strings are replaced. */
const COMMANDS = ['command', 'args'];
/** Members that map names to values which may be secrets, by the kind of their object. */
const DATA = ['data', 'stringData', 'binaryData'];
const KINDS_WITH_DATA = ['Secret', 'ConfigMap'];
/** Lists of objects with a `value` that may be a secret. */
const NAMED_VALUES = ['env', 'httpHeaders'];
/** Annotations that validation and PodSecurity read, by prefix. */
const VALIDATED_ANNOTATIONS = [
  'controller.kubernetes.io/pod-deletion-cost',
  'seccomp.security.alpha.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
  'container.apparmor.security.beta.kubernetes.io/',
];
/** Parameters of volume drivers, and the paths that containers use. */
const OPTIONS = ['volumeAttributes', 'options', 'workingDir'];

/**
 * Replaces what may be a secret in the manifests of a question, wherever they are: the data of Secrets and ConfigMaps, the values of
 * environment variables and HTTP headers, commands and arguments, parameters of volume drivers, and annotations that no rule reads. Snapshots do not store these
 * either. Everything else stays as it is, so no rule sees a difference unless an admission policy of the cluster reads such a value.
 */
export function withholdSecrets(question: JsonObject): Withheld {
  return finish(stepWithheldSecrets(question));
}

/** As `withholdSecrets`, with a pause after each item of the question's lists. */
export function* stepWithheldSecrets(question: JsonObject): Generator<undefined, Withheld> {
  const counter = new Withholding();
  return { question: yield* counter.stepObject(question), count: counter.count };
}

/** Members that are not replaced item by item. */
const TREATED = [...OPTIONS, ...COMMANDS, ...NAMED_VALUES, 'annotations', 'managedFields', 'httpGet', 'status'];

class Withholding {
  count = 0;

  /** As `object`, for one with long lists. */
  *stepObject(object: JsonObject): Generator<undefined, JsonObject> {
    const made = Object.create(null) as JsonObject;
    const hasData = typeof object['kind'] === 'string' && KINDS_WITH_DATA.includes(object['kind']);
    for (const [name, value] of Object.entries(object)) {
      if (hasData || TREATED.includes(name)) made[name] = this.member(name, value, hasData);
      else if (Array.isArray(value)) made[name] = yield* this.stepItems(value);
      else made[name] = isJsonObject(value) ? yield* this.stepObject(value) : value;
    }
    return made;
  }

  private *stepItems(items: readonly JsonValue[]): Generator<undefined, JsonValue[]> {
    const made: JsonValue[] = [];
    for (const item of items) {
      made.push(this.any(item));
      yield;
    }
    return made;
  }

  object(object: JsonObject): JsonObject {
    const made = Object.create(null) as JsonObject;
    const hasData = typeof object['kind'] === 'string' && KINDS_WITH_DATA.includes(object['kind']);
    for (const [name, value] of Object.entries(object)) made[name] = this.member(name, value, hasData);
    return made;
  }

  private member(name: string, value: JsonValue, hasData: boolean): JsonValue {
    if ((hasData && DATA.includes(name)) || OPTIONS.includes(name)) return this.values(value);
    if (COMMANDS.includes(name) && Array.isArray(value)) return this.strings(value);
    if (name === 'annotations') return this.annotations(value);
    if (name === 'managedFields' && Array.isArray(value)) return this.noFields(value);
    if (name === 'httpGet' && isJsonObject(value)) return this.replacing('path', value);
    if (name === 'status' && isJsonObject(value)) return this.messagesIn(value);
    if (NAMED_VALUES.includes(name) && Array.isArray(value)) return value.map((one) => this.namedValue(one));
    return this.any(value);
  }

  private any(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? value.map((one) => this.any(one)) : this.object(value);
  }

  private namedValue(one: JsonValue): JsonValue {
    if (!isJsonObject(one) || typeof one['value'] !== 'string') return this.any(one);
    return { ...this.object(one), value: this.text(one['value']) };
  }

  private annotations(value: JsonValue): JsonValue {
    if (!isJsonObject(value)) return this.values(value);
    return mapMembers(value, (name, one) => (isRead(name) ? one : this.values(one)));
  }

  /** Who manages which fields quotes these in names. */
  private noFields(value: readonly JsonValue[]): JsonValue[] {
    this.count += value.length;
    return [];
  }

  private replacing(name: string, object: JsonObject): JsonObject {
    const made = this.object(object);
    return typeof made[name] === 'string' ? { ...made, [name]: this.text(made[name]) } : made;
  }

  /** What containers and components wrote. */
  private messagesIn(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((one) => this.messagesIn(one));
    if (!isJsonObject(value)) return value;
    return mapMembers(value, (name, one) =>
      name === 'message' && typeof one === 'string' ? this.text(one) : this.messagesIn(one),
    );
  }

  /** Replaces every text; the form stays. */
  private values(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.values(one));
    return isJsonObject(value) ? mapMembers(value, (_, one) => this.values(one)) : value;
  }

  /** An element that is no string makes the manifest invalid, and stays. */
  private strings(value: readonly JsonValue[]): JsonValue[] {
    return value.map((one) => (typeof one === 'string' ? this.text(one) : this.any(one)));
  }

  private text(value: string): string {
    if (value === '' || value === WITHHELD) return value;
    this.count += 1;
    return WITHHELD;
  }
}

const isRead = (annotation: string): boolean =>
  isKeptAnnotation(annotation) || VALIDATED_ANNOTATIONS.some((prefix) => annotation.startsWith(prefix));

function mapMembers(object: JsonObject, map: (name: string, value: JsonValue) => JsonValue): JsonObject {
  const made = Object.create(null) as JsonObject;
  for (const [name, value] of Object.entries(object)) made[name] = map(name, value);
  return made;
}
