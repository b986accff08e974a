import type { JsonObject, JsonValue } from '../../json/json-value.js';
import { defaultLimitRangeItem } from '../../kubernetes/limit-range-defaults.js';
import type { LimitRange } from '../../kubernetes/objects/quota.js';
import { Quantity, QuantityError } from '../../kubernetes/quantity.js';
import { editedAt, isJsonObject, memberOf, valueAt, withContainers } from './edit-json.js';

type Bounds = ReadonlyMap<string, Quantity>;

/** What LimitRanges allow one container: at least, and at most. */
export interface ContainerLimits {
  readonly min: Bounds;
  readonly max: Bounds;
}

/** The narrowest bounds of all LimitRanges of a namespace; those of type Pod are sums, which no single container can be held to. */
export function containerLimits(limitRanges: readonly LimitRange[]): ContainerLimits {
  const min = new Map<string, Quantity>();
  const max = new Map<string, Quantity>();
  for (const { spec } of limitRanges) {
    for (const given of spec?.limits ?? []) {
      if (given.type !== 'Container') continue;
      const item = defaultLimitRangeItem(given);
      for (const [name, text] of Object.entries(item.min ?? {})) {
        const amount = Quantity.parse(text);
        const known = min.get(name);
        if (known === undefined || amount.cmp(known) > 0) min.set(name, amount);
      }
      for (const [name, text] of Object.entries(item.max ?? {})) {
        const amount = Quantity.parse(text);
        const known = max.get(name);
        if (known === undefined || amount.cmp(known) < 0) max.set(name, amount);
      }
    }
  }
  return { min, max };
}

/** A manifest whose containers ask for no less and no more than LimitRanges allow; what is within the bounds stays as it was written. */
export function withinLimits(value: JsonObject, kind: string, { min, max }: ContainerLimits): JsonObject {
  return withContainers(value, kind, (container) =>
    (['requests', 'limits'] as const).reduce((changed, list) => {
      const amounts = valueAt(changed, ['resources', list]);
      if (!isJsonObject(amounts)) return changed;
      return Object.keys(amounts).reduce((done, name) => {
        const bounded = withinBounds(memberOf(amounts, name), min.get(name), max.get(name));
        return bounded === undefined ? done : editedAt(done, ['resources', list, name], () => bounded);
      }, changed);
    }, container),
  );
}

/** Another amount; undefined for one that may stay, or that cannot be read. */
function withinBounds(
  amount: JsonValue | undefined,
  min: Quantity | undefined,
  max: Quantity | undefined,
): string | undefined {
  if (typeof amount !== 'string' && typeof amount !== 'number' && typeof amount !== 'bigint') return undefined;
  try {
    const given = Quantity.parse(String(amount));
    if (max !== undefined && given.cmp(max) > 0) return max.toString();
    return min !== undefined && given.cmp(min) < 0 ? min.toString() : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
