import { addValue, collectValues, STEPPED_LEVELS, stepCollected, type ValuesByKey } from '../../app/withheld-values.js';
import { heldBy, objectsOf, type Held } from '../../contract/held-by.js';
import type { Member, ObjectType, UnionType } from '../../contract/schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { maskHeld, type Shape } from './mask-held.js';
import { maskJson } from './mask-json.js';

type AnyObjectType = ObjectType | UnionType;

/** A member in which something may be masked. */
interface MaskedMember {
  readonly held: Held;
  readonly columnOf: string | undefined;
  /** The mask of its objects, if it holds objects. */
  readonly below: ObjectMask | undefined;
}

interface Form {
  readonly shape: Shape;
  /** The members, with `keep` for those in which nothing is ever masked. */
  readonly steps: ReadonlyMap<string, MaskedMember | 'keep'>;
}

/**
 * Masks the values of taints in objects of one type of the contract. It is compiled once, and visits only members that lead to something
 * to mask. Members that the type does not declare are masked like JSON of any form.
 */
export class ObjectMask {
  private compiled: readonly Form[] | undefined;

  constructor(private readonly type: AnyObjectType) {}

  /** Collects values with the keys beside them. */
  collect(object: JsonObject, into: Map<string, Set<string>>): void {
    const form = this.formOf(object);
    for (const [name, value] of Object.entries(object)) {
      const step = form?.steps.get(name);
      if (step === undefined) collectValues(value, into);
      else if (step !== 'keep') collectMember(step, object, value, into);
    }
  }

  /** @param above the forms of the object that holds this one */
  mask(object: JsonObject, values: ValuesByKey, above: readonly Shape[] = []): JsonObject {
    const form = this.formOf(object);
    const masked = Object.create(null) as JsonObject;
    for (const name of Object.keys(object)) masked[name] = maskMember(form, name, object, values, above);
    return masked;
  }

  /** As `collect`, with a pause after each item of the upper lists. */
  *stepCollect(
    object: JsonObject,
    into: Map<string, Set<string>>,
    levels = STEPPED_LEVELS,
  ): Generator<undefined, void> {
    const form = this.formOf(object);
    for (const [name, value] of Object.entries(object)) {
      const step = form?.steps.get(name);
      if (step === undefined) yield* stepCollected(value, into, levels);
      else if (step === 'keep') continue;
      else if (step.held === 'taintValue' || step.below === undefined || levels === 1) {
        collectMember(step, object, value, into);
      } else {
        for (const one of Array.isArray(value) ? value : [value]) {
          if (isJsonObject(one)) yield* step.below.stepCollect(one, into, levels - 1);
          yield;
        }
      }
    }
  }

  /** As `mask`, with a pause after each item of the upper lists. */
  *stepMask(
    object: JsonObject,
    values: ValuesByKey,
    above: readonly Shape[] = [],
    levels = STEPPED_LEVELS,
  ): Generator<undefined, JsonObject> {
    const form = this.formOf(object);
    const masked = Object.create(null) as JsonObject;
    for (const [name, value] of Object.entries(object)) {
      const step = form?.steps.get(name);
      const below = step === undefined || step === 'keep' ? undefined : step.below;
      masked[name] =
        form === undefined || below === undefined || levels === 1
          ? maskMember(form, name, object, values, above)
          : yield* stepObjects(value, values, (one) => below.stepMask(one, values, [form.shape], levels - 1));
    }
    return masked;
  }

  /** Undefined for an object of a union that has none of its forms. */
  private formOf(object: JsonObject): Form | undefined {
    const { type } = this;
    // Compiled here, since a type may contain itself.
    this.compiled ??= objectsOf(type).map((shape) => ({ shape, steps: stepsOf(shape) }));
    if (type.kind === 'object') return this.compiled[0];
    const value = object[type.discriminator];
    return this.compiled[type.variants.findIndex((one) => (one.values as readonly unknown[]).includes(value))];
  }
}

function maskMember(
  form: Form | undefined,
  name: string,
  object: JsonObject,
  values: ValuesByKey,
  above: readonly Shape[],
): JsonValue {
  const value = object[name]!;
  const step = form?.steps.get(name);
  if (step === 'keep') return value;
  if (form === undefined || step === undefined) return maskJson(value, values);
  const { held, columnOf, below } = step;
  if (below !== undefined) return mapObjects(value, values, (one) => below.mask(one, values, [form.shape]));
  const beside = (other: string): JsonValue | undefined => (Object.hasOwn(object, other) ? object[other] : undefined);
  return maskHeld(held, value, values, { beside, above, columnOf });
}

const masks = new Map<AnyObjectType, ObjectMask | undefined>();

/** The mask of a type; undefined if nothing in its objects is ever masked. */
export function objectMask(type: AnyObjectType): ObjectMask | undefined {
  if (!masks.has(type)) masks.set(type, leadsToMasked(type, new Set()) ? new ObjectMask(type) : undefined);
  return masks.get(type);
}

function leadsToMasked(type: AnyObjectType, visited: Set<AnyObjectType>): boolean {
  if (visited.has(type)) return false;
  visited.add(type);
  return objectsOf(type).some(({ members }) =>
    Object.values(members).some((member) => {
      const held = heldBy(member);
      return held === 'object' ? leadsToMasked(objectType(member), visited) : held !== 'nothing';
    }),
  );
}

function stepsOf({ members }: Shape): Form['steps'] {
  return new Map(Object.entries(members).map(([name, member]) => [name, stepOf(member)]));
}

function stepOf(member: Member): MaskedMember | 'keep' {
  const held = heldBy(member);
  const { columnOf } = member;
  if (held === 'nothing') return 'keep';
  if (held !== 'object') return { held, columnOf, below: undefined };
  const below = objectMask(objectType(member));
  return below === undefined ? 'keep' : { held, columnOf, below };
}

/** The type of a member that holds objects. */
function objectType({ type }: Member): AnyObjectType {
  return (typeof type === 'function' ? type() : type) as AnyObjectType;
}

function collectMember(
  { held, below }: MaskedMember,
  object: JsonObject,
  value: JsonValue,
  into: Map<string, Set<string>>,
): void {
  if (held === 'taintValue') addValues(into, object['key'], value);
  else if (below === undefined) collectValues(value, into);
  else for (const one of Array.isArray(value) ? value : [value]) if (isJsonObject(one)) below.collect(one, into);
}

/** Adds the values of a taint or toleration, which may lack a key. */
export function addValues(into: Map<string, Set<string>>, key: JsonValue | undefined, value: JsonValue): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === 'string') addValue(into, typeof key === 'string' ? key : '', one);
  }
}

function mapObjects(value: JsonValue, values: ValuesByKey, mask: (one: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one) => mapObjects(one, values, mask));
  return isJsonObject(value) ? mask(value) : maskJson(value, values);
}

function* stepObjects(
  value: JsonValue,
  values: ValuesByKey,
  mask: (one: JsonObject) => Generator<undefined, JsonObject>,
): Generator<undefined, JsonValue> {
  if (!Array.isArray(value)) return isJsonObject(value) ? yield* mask(value) : maskJson(value, values);
  const masked: JsonValue[] = [];
  for (const one of value) {
    masked.push(yield* stepObjects(one, values, mask));
    yield;
  }
  return masked;
}
