import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import type { Container, Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { QuantityError } from '../../../src/core/kubernetes/quantity.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';

/** `{pod}` -> `{spec}`, or `{decodeError}` for a quantity that cannot be parsed. */
export const podDefaults: Op = {
  answer: (input) => {
    try {
      const { spec } = defaultPod(withoutNulls(input['pod'] ?? null) as unknown as Pod);
      return {
        spec: encoded({
          containers: spec.containers.map(shownContainer),
          initContainers: spec.initContainers?.map(shownContainer),
          restartPolicy: spec.restartPolicy,
          tolerations: spec.tolerations,
          topologySpreadConstraints: spec.topologySpreadConstraints,
          schedulerName: spec.schedulerName,
          terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
          hostNetwork: spec.hostNetwork,
          resources: spec.resources,
          overhead: spec.overhead,
          priority: spec.priority,
        }),
      };
    } catch (error) {
      if (error instanceof QuantityError) return { decodeError: error.message };
      throw error;
    }
  },
  agree: (want, got) => {
    const refused = (value: unknown): boolean =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, 'decodeError');
    return refused(want) || refused(got) ? refused(want) && refused(got) : sameJson(want, got);
  },
};

const shownContainer = ({ name, resources, ports, restartPolicy }: Container): unknown => ({
  name,
  resources: resources ?? {},
  ports,
  restartPolicy,
});

/** Fields that the API's encoder leaves out although they are zero: they are pointers, or always written. */
const ALWAYS_WRITTEN = new Set(['terminationGracePeriodSeconds', 'tolerationSeconds', 'priority', 'minDomains']);

/** As the API server encodes: without empty texts, lists and maps, zeros and false; `resources` is written if empty. */
function encoded(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => encoded(item));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .map(([name, member]) => [name, encoded(member, name)] as const)
      .filter(([, member]) => member !== undefined);
    return members.length === 0 && MAPS.has(key) ? undefined : Object.fromEntries(members);
  }
  const zero = value === '' || value === false || value === 0;
  return zero && !ALWAYS_WRITTEN.has(key) ? undefined : value;
}

const MAPS = new Set(['requests', 'limits', 'overhead', 'matchLabels']);

/** A null is a field that is absent. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)])) satisfies JsonObject;
}
