import { parseJson, stringifyJson } from '../json/lossless-json.js';
import type { Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { PodSpec, PodStatus } from '../kubernetes/objects/pod.js';
import { internText } from './intern-table.js';
import type { PodColumns, PodEdit, PodIds } from './pod-columns.js';
import type { MetaShape } from './pod-parts.js';
import { BrokenImage, objectOf, UnreadObject, UnreadObjects, type KeptObject } from './unread-object.js';

export { BrokenImage };

/**
 * The form of an image. Raise it with every change of what a part contains or of how a pod is taken apart (`pod-parts`): an image of
 * another form is not read.
 */
export const IMAGE_FORM = 2;

/** The number of pods in a part. */
const PODS = 1024;
/** The length of the objects in a part, in characters: they are read in one step. */
const OBJECTS = 128 * 1024;
/**
 * How many characters are left unread. Whoever asks for all objects of a kind reads them without a pause; what is beyond is read with pauses
 * when the state is restored.
 */
const MOST_UNREAD = 2 * 1024 * 1024;

/**
 * A part of a state as it is in memory: values that pods share are in it once, so that a state is restored from its parts without
 * reading each pod. Parts are restored in their order.
 */
export interface ImagePart {
  /**
   * Lines of JSON: for each of `SHARED`, the values that no earlier part has; then the kind and the key of each object other than a pod. The
   * line of an absent value is empty.
   */
  readonly shared: string;
  /** A line of JSON for each of these objects. */
  readonly objects: () => string;
  /** A line of JSON for each pod, with its individual values. */
  readonly own: string;
  /**
   * The number of values for each of `SHARED`, of objects, of characters of `objects`, and of pods; then for each of `COLUMNS`, a number for
   * each pod.
   */
  readonly numbers: Int32Array;
}

/** What pods share. Values are numbered by their first appearance in an image. */
const SHARED = ['strings', 'labels', 'owner', 'meta', 'spec', 'status'] as const;
type Shared = (typeof SHARED)[number];

/** A pod's values, with what they are numbers of; of node, -1 if the pod has none. */
const COLUMNS: readonly (readonly [keyof PodIds, Shared])[] = [
  ['namespace', 'strings'],
  ['node', 'strings'],
  ['labels', 'labels'],
  ['owner', 'owner'],
  ['meta', 'meta'],
  ['spec', 'spec'],
  ['status', 'status'],
];

/** Where in the numbers of a part the number of something is. */
const OBJECT_COUNT = SHARED.length;
const OBJECT_LENGTH = SHARED.length + 1;
const POD_COUNT = SHARED.length + 2;
const COUNTS = SHARED.length + 3;

/** An object other than a pod, and its key among those of its kind. */
export type KeyedObject = readonly [kind: string, key: string, object: KeptObject];

/** The parts of a state, with a pause after some pods or an object. */
export function* imageParts(pods: PodColumns, objects: Iterable<KeyedObject>): Generator<ImagePart | undefined, void> {
  for (const part of objectParts(objects)) yield part;
  const numbering = new Numbering(pods);
  for (let from = 0; from < pods.count; from += PODS) {
    yield numbering.part(from, Math.min(from + PODS, pods.count));
    yield undefined;
  }
}

function* objectParts(keyed: Iterable<KeyedObject>): Generator<ImagePart | undefined, void> {
  let keys: string[] = [];
  let lines: string[] = [];
  let length = 0;
  const part = (): ImagePart => {
    const numbers = new Int32Array(COUNTS);
    numbers[OBJECT_COUNT] = lines.length;
    const [shared, objects] = [keys.join('\n'), lines.join('\n')];
    numbers[OBJECT_LENGTH] = objects.length;
    [keys, lines, length] = [[], [], 0];
    return { shared, objects: () => objects, own: '', numbers };
  };
  let isOfNodes = true;
  for (const [kind, key, kept] of keyed) {
    // Nodes are read at once, and so is everything in their parts.
    if (isOfNodes && kind !== 'Node') {
      isOfNodes = false;
      if (lines.length > 0) yield part();
    }
    const line = stringifyJson(objectOf(kept));
    keys.push(JSON.stringify([kind, key]));
    lines.push(line);
    length += line.length;
    yield length >= OBJECTS ? part() : undefined;
  }
  if (lines.length > 0) yield part();
}

/** Numbers shared values by their first appearance. */
class Numbering {
  private readonly numbers: Readonly<Record<Shared, Map<number, number>>> = bySection(() => new Map());
  private fresh: Readonly<Record<Shared, string[]>> = bySection(() => []);

  constructor(private readonly pods: PodColumns) {}

  part(from: number, to: number): ImagePart {
    this.fresh = bySection(() => []);
    const count = to - from;
    const numbers = new Int32Array(COUNTS + COLUMNS.length * count);
    let at = COUNTS;
    for (const [column, section] of COLUMNS) {
      for (let pod = from; pod < to; pod++) numbers[at++] = this.numberOf(section, this.pods.id(column, pod));
    }
    const own: string[] = [];
    for (let pod = from; pod < to; pod++) own.push(this.pods.ownText(pod));
    SHARED.forEach((section, index) => (numbers[index] = this.fresh[section].length));
    numbers[POD_COUNT] = count;
    const shared = SHARED.flatMap((section) => this.fresh[section]).join('\n');
    return { shared, objects: () => '', own: own.join('\n'), numbers };
  }

  private numberOf(section: Shared, id: number): number {
    if (id === -1) return -1;
    const known = this.numbers[section].get(id);
    if (known !== undefined) return known;
    const number = this.numbers[section].size;
    this.numbers[section].set(id, number);
    this.fresh[section].push(this.textOf(section, id));
    return number;
  }

  private textOf(section: Shared, id: number): string {
    const { tables } = this.pods;
    switch (section) {
      case 'strings':
        return JSON.stringify(tables.strings.at(id));
      case 'labels':
        return internText(tables.labelSets.at(id));
      case 'owner':
        return internText(tables.owners.at(id));
      case 'meta':
        return internText(tables.metas.at(id));
      case 'spec':
        return internText(tables.specs.at(id).spec);
      case 'status':
        return internText(tables.statuses.at(id).status);
    }
  }
}

/** Restores the parts of an image, in their order. */
export class ImageReader {
  /** By section, the ID of each value. */
  private readonly ids: Readonly<Record<Shared, number[]>> = bySection(() => []);
  /** The characters of the objects that are left unread. */
  private unread = 0;

  /** @param pods the edit of columns without pods; @param keep takes the other objects */
  constructor(
    private readonly pods: () => PodEdit,
    private readonly keep: (...keyed: KeyedObject) => void,
  ) {}

  /** With a pause after each value and after some pods. @throws {BrokenImage} */
  *restore({ shared, objects, own, numbers }: ImagePart): Generator<undefined, void> {
    const lines = shared.split('\n');
    let line = 0;
    for (const [index, section] of SHARED.entries()) {
      for (let left = numbers[index]!; left > 0; left--) {
        this.ids[section].push(this.idOf(section, lines[line++] ?? broken()));
        yield;
      }
    }
    const [objectCount, length] = [numbers[OBJECT_COUNT]!, numbers[OBJECT_LENGTH]!];
    const among = new UnreadObjects(objects, objectCount);
    const isRead = this.unread + length > MOST_UNREAD;
    if (!isRead) this.unread += length;
    for (let index = 0; index < objectCount; index++) {
      const [kind, key] = JSON.parse(lines[line++] ?? broken()) as [string, string];
      this.keep(kind, key, isRead ? among.at(index) : new UnreadObject(among, index));
      if (isRead || index % 32 === 0) yield;
    }
    const count = numbers[POD_COUNT]!;
    if (count === 0) return;
    const texts = own.split('\n');
    if (texts.length !== count || numbers.length !== COUNTS + COLUMNS.length * count) broken();
    const pods = this.pods();
    const [namespaces, nodes, labels, owners, metas, specs, statuses] = COLUMNS.map(([name, section], column) => {
      const ids = this.ids[section];
      const start = COUNTS + column * count;
      return numbers
        .slice(start, start + count)
        .map((number) => (number === -1 && name === 'node' ? -1 : (ids[number] ?? broken())));
    });
    for (let pod = 0; pod < count; pod++) {
      const ids: PodIds = {
        namespace: namespaces![pod]!,
        node: nodes![pod]!,
        labels: labels![pod]!,
        owner: owners![pod]!,
        meta: metas![pod]!,
        spec: specs![pod]!,
        status: statuses![pod]!,
      };
      pods.append(ids, texts[pod]!);
      if (pod % 32 === 0) yield;
    }
  }

  private idOf(section: Shared, text: string): number {
    const pods = this.pods();
    const { tables } = pods;
    switch (section) {
      case 'strings':
        return tables.stringId(valueOf(text) as string);
      case 'labels':
        return tables.labelSets.idOf(text, () => valueOf(text) as Labels | undefined);
      case 'owner':
        return tables.owners.idOf(text, () => valueOf(text) as readonly OwnerReference[] | undefined);
      case 'meta':
        return tables.metas.idOf(text, () => valueOf(text) as MetaShape);
      case 'spec':
        return pods.specIdOf(text, () => valueOf(text) as PodSpec);
      case 'status':
        return pods.statusIdOf(text, () => valueOf(text) as PodStatus | undefined);
    }
  }
}

/** What was written as JSON, or left out. */
function valueOf(text: string): unknown {
  return text === '' ? undefined : parseJson(text, { isTrusted: true });
}

function bySection<Value>(make: () => Value): Readonly<Record<Shared, Value>> {
  return Object.fromEntries(SHARED.map((section) => [section, make()])) as Record<Shared, Value>;
}

function broken(): never {
  throw new BrokenImage();
}
