import type { JsonValue } from '../json/json-value.js';
import { tooLong, tooMany, type FieldError } from './field-error.js';
import { FieldPath } from './field-path.js';

/** The limit of etcd requests (`--max-request-bytes`): the API server cannot store larger objects. */
const MAX_CHARACTERS = 1.5 * 1024 * 1024;
/** The maximum number of members of all lists and maps of an object together. */
const MAX_ENTRIES = 20_000;
/** The maximum number of members of one list or map. */
const MAX_MEMBERS = 1000;

/**
 * The maximum numbers of members for lists and maps in which each member is evaluated on every node, by field name.
 * Kubernetes limits them only by the size of the object; these limits are far above real usage.
 */
const MAX_MEMBERS_BY_FIELD: ReadonlyMap<string, number> = new Map([
  ['containers', 250],
  ['initContainers', 250],
  ['ephemeralContainers', 250],
  ['volumes', 250],
  ['requests', 100],
  ['limits', 100],
  ['overhead', 100],
  ['capacity', 200],
  ['allocatable', 200],
  ['topologySpreadConstraints', 50],
  ['resourceClaims', 100],
  ['schedulingGates', 100],
  ['nodeSelectorTerms', 100],
  ['requiredDuringSchedulingIgnoredDuringExecution', 100],
  ['preferredDuringSchedulingIgnoredDuringExecution', 200],
  // A kubelet reports as many as it is configured to.
  ['images', 5000],
]);
/** The maximum number of distinct resources of all containers: each is compared on every node. */
const MAX_RESOURCES = 200;
/** The maximum number of reported faults. */
const MAX_NAMED = 100;

/**
 * The parts of an object that are larger than any real one, determined before decoding. This bounds the cost of all
 * evaluations of an object by the size of its lists and maps. Stops when the object as a whole is too large.
 */
export function objectTooLarge(object: JsonValue): readonly FieldError[] {
  const size = new Size();
  size.add(object, undefined, '');
  return size.faults;
}

class Size {
  readonly faults: FieldError[] = [];
  private readonly resources = new Set<string>();
  private characters = 0;
  private entries = 0;
  private isOver = false;

  add(value: JsonValue, at: FieldPath | undefined, name: string): void {
    if (this.isOver) return;
    if (typeof value === 'string') this.characters += value.length;
    else if (Array.isArray(value)) this.addList(value, at, name);
    else if (typeof value === 'object' && value !== null) this.addMap(value, at, name);
    if (this.characters > MAX_CHARACTERS) this.end(ofAll(tooLong(ANY, MAX_CHARACTERS)));
  }

  private addList(list: readonly JsonValue[], at: FieldPath | undefined, name: string): void {
    if (!this.fits(list.length, at, name)) return;
    for (const [index, member] of list.entries()) this.add(member, at?.index(index), '');
  }

  private addMap(map: { readonly [key: string]: JsonValue }, at: FieldPath | undefined, name: string): void {
    const keys = Object.keys(map);
    if (!this.fits(keys.length, at, name)) return;
    const isResources = name === 'requests' || name === 'limits' || name === 'overhead';
    for (const key of keys) {
      this.characters += key.length;
      if (isResources) this.addResource(key);
      this.add(map[key]!, at === undefined ? FieldPath.of(key) : at.child(key), key);
    }
  }

  private addResource(resource: string): void {
    this.resources.add(resource);
    if (this.resources.size > MAX_RESOURCES) {
      const at = FieldPath.of('spec', 'containers');
      this.end(tooMany(at, this.resources.size, MAX_RESOURCES));
    }
  }

  /** Whether to visit the members of a list or map. */
  private fits(members: number, at: FieldPath | undefined, name: string): boolean {
    const most = MAX_MEMBERS_BY_FIELD.get(name) ?? MAX_MEMBERS;
    if (members > most) {
      this.faults.push(at === undefined ? ofAll(tooMany(ANY, members, most)) : tooMany(at, members, most));
      if (this.faults.length >= MAX_NAMED) this.isOver = true;
      return false;
    }
    this.entries += members;
    if (this.entries > MAX_ENTRIES) this.end(ofAll(tooMany(ANY, this.entries, MAX_ENTRIES)));
    return !this.isOver;
  }

  private end(fault: FieldError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.faults.push(fault);
  }
}

/** A fault of the object as a whole, without a path. */
const ofAll = (error: FieldError): FieldError => ({ ...error, field: '', pointer: '' });
const ANY = FieldPath.of('object');
