import type { Device, DeviceAttribute, ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import { NotComputed } from './allocation-work.js';
import { isListAttribute } from './list-attributes.js';

type Written = NonNullable<NonNullable<ResourceClaimSpec['devices']>['constraints']>[number];

/** A device that may be allocated, and for what. */
export interface Pick {
  readonly driver: string;
  readonly device: Device;
  /** The request, or the one around the subrequest. */
  readonly request: string;
  readonly subrequest?: string;
}

/** A constraint of a claim, and the devices that were added to it. */
export interface Constraint {
  /** Adds the device if it fits to those that are there. */
  add(pick: Pick): boolean;
  /** Undoes one `add` that returned true. */
  remove(pick: Pick): void;
}

/** @returns undefined for a constraint of a type that is not known */
export function constraintOf(
  { requests = [], matchAttribute, distinctAttribute }: Written,
  knowsDistinct: boolean,
): Constraint | undefined {
  if (matchAttribute !== undefined) return new MatchAttribute(requests, matchAttribute);
  if (distinctAttribute === undefined || !knowsDistinct) return undefined;
  return new DistinctAttribute(requests, distinctAttribute);
}

/** The constraints on an attribute: on all requests, or on those that it names; the name of a request covers its subrequests. */
abstract class OnAttribute implements Constraint {
  protected count = 0;
  private readonly requests: ReadonlySet<string>;

  constructor(
    requests: readonly string[],
    private readonly attribute: string,
  ) {
    this.requests = new Set(requests);
  }

  add(pick: Pick): boolean {
    if (!this.covers(pick)) return true;
    const attribute = attributeOf(pick, this.attribute);
    if (attribute === undefined || (this.count > 0 && !this.fits(attribute))) return false;
    this.take(pick.request, attribute);
    this.count += 1;
    return true;
  }

  remove(pick: Pick): void {
    if (!this.covers(pick)) return;
    this.leave(pick.request);
    this.count -= 1;
  }

  private covers({ request, subrequest }: Pick): boolean {
    if (this.requests.size === 0 || this.requests.has(request)) return true;
    return subrequest !== undefined && this.requests.has(`${request}/${subrequest}`);
  }

  protected abstract fits(attribute: DeviceAttribute): boolean;
  protected abstract take(request: string, attribute: DeviceAttribute): void;
  protected abstract leave(request: string): void;
}

/** Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `matchAttributeConstraint`. */
class MatchAttribute extends OnAttribute {
  private attributeOfAll: DeviceAttribute = {};

  protected fits(attribute: DeviceAttribute): boolean {
    return isSame(attribute, this.attributeOfAll) === true;
  }

  protected take(_request: string, attribute: DeviceAttribute): void {
    if (this.count === 0) this.attributeOfAll = attribute;
  }

  protected leave(): void {
    // The next first device sets another attribute.
  }
}

/**
 * Upstream remembers one attribute for each request, so devices of one request are only compared with the one before.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating/constraint.go, `distinctAttributeConstraint`.
 */
class DistinctAttribute extends OnAttribute {
  private readonly byRequest = new Map<string, DeviceAttribute>();

  protected fits(attribute: DeviceAttribute): boolean {
    return [...this.byRequest.values()].every((known) => isSame(attribute, known) === false);
  }

  protected take(request: string, attribute: DeviceAttribute): void {
    this.byRequest.set(request, attribute);
  }

  protected leave(request: string): void {
    this.byRequest.delete(request);
  }
}

/** By its full name, or, in the driver's own domain, by the name alone (`lookupAttribute`). */
function attributeOf({ driver, device: { attributes = {} } }: Pick, name: string): DeviceAttribute | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const slash = name.indexOf('/');
  if (slash === -1 || name.slice(0, slash) !== driver) return undefined;
  const own = name.slice(slash + 1);
  return Object.hasOwn(attributes, own) ? attributes[own] : undefined;
}

/**
 * Whether an attribute equals another one; undefined for one without a value.
 *
 * @throws {NotComputed} for lists
 */
function isSame(a: DeviceAttribute, b: DeviceAttribute): boolean | undefined {
  if (isListAttribute(a) || isListAttribute(b)) {
    throw new NotComputed('a constraint compares attributes that are lists (feature gate DRAListTypeAttributes)');
  }
  if (a.string !== undefined) return a.string === b.string;
  if (a.int !== undefined) return b.int !== undefined && BigInt(a.int) === BigInt(b.int);
  if (a.bool !== undefined) return a.bool === b.bool;
  return a.version === undefined ? undefined : a.version === b.version;
}
