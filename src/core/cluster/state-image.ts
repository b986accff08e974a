import { parseJson, stringifyJson } from '../json/lossless-json.js';
import { countingOf } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { PodStatus } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { internText } from './intern-table.js';
import { textOfTolerations } from './interned-tables.js';
import type { Column, PodColumns, PodEdit } from './pod-columns.js';
import type { MetaShape } from './pod-parts.js';
import { requestOfVector, textOfRequest, vectorOfText, vectorText } from './pod-request.js';
import { SpecShape } from './spec-shape.js';
import {
  keyLine,
  keyOfLine,
  objectOf,
  UnreadKind,
  UnreadObjects,
  type KeptObject,
  type ObjectTexts,
} from './unread-object.js';
import { BrokenImage, UnreadLines, type PackedText } from './unread-text.js';

export { BrokenImage };

/**
 * The form of an image. Raise it with every change of what a part contains, of how a pod is taken apart (`pod-parts`), or of what is
 * computed of a spec (`spec-shape`, `pod-request`): an image of another form is not read.
 */
export const IMAGE_FORM = 3;

/** The number of pods in a part. */
const PODS = 1024;
/** The length of the objects in a part, in characters: they are read in one step. */
const OBJECTS = 128 * 1024;
/**
 * How many characters of a kind are left unread. Whoever asks for all objects of a kind reads them without a pause; what is beyond is read
 * with pauses when the state is restored.
 */
const MOST_UNREAD = 2 * 1024 * 1024;

/**
 * A part of a state as it is in memory: values that pods share are in it once, so that a state is restored from its parts without
 * reading each pod, and most of them stay packed until a question needs them. Parts are restored in their order.
 */
export interface ImagePart {
  /**
   * Lines of JSON that are read at once: for each of `READ`, the values that no earlier part has; the line of an absent value is empty. Of a
   * part with objects other than pods, their kind.
   */
  readonly shared: string;
  /**
   * Lines for each of `UNREAD`: of the sections, the values that no earlier part has, as JSON; of each pod, its individual values; the key
   * of each object and its JSON.
   */
  readonly texts: readonly PackedText[];
  /**
   * The number of values for each of `READ` and of the sections of `UNREAD`, of pods, of objects, and of their characters, and a number for
   * the rules by which what pods hold was counted; then the facts of each spec, and for each of `COLUMNS`, a number for each pod.
   */
  readonly numbers: Int32Array;
}

/** What pods share, and is read at once. Values are numbered by their first appearance in an image. */
const READ = ['strings', 'status', 'request'] as const;
/** What pods share, and is read when it is asked for. */
const SECTIONS = ['labels', 'owner', 'meta', 'spec', 'tolerations'] as const;
const UNREAD = [...SECTIONS, 'own', 'keys', 'objects'] as const;
const SHARED = [...READ, ...SECTIONS] as const;
type Shared = (typeof SHARED)[number];

/** A pod's values, with what they are numbers of; of node, -1 if the pod has none. */
const COLUMNS: readonly (readonly [Column, Shared])[] = [
  ['namespace', 'strings'],
  ['node', 'strings'],
  ['labels', 'labels'],
  ['owner', 'owner'],
  ['meta', 'meta'],
  ['spec', 'spec'],
  ['status', 'status'],
  ['request', 'request'],
];

/** Where in the numbers of a part the number of something is. */
const POD_COUNT = SHARED.length;
const OBJECT_COUNT = SHARED.length + 1;
const OBJECT_LENGTH = SHARED.length + 2;
const COUNTING = SHARED.length + 3;
const COUNTS = SHARED.length + 4;

/** The facts of a spec: the number of its tolerations, its priority, and flags. */
const FACTS = 3;
const HAS_HOST_PORTS = 1;
const HAS_ANTI_AFFINITY = 2;

/** An object other than a pod, and its key among those of its kind. */
export type KeyedObject = readonly [kind: string, key: string, object: KeptObject];

/** Objects of a kind other than Pod: each with its key among them, or as they are left unread. */
export type ObjectsOfKind = Iterable<readonly [key: string, object: KeptObject]> | UnreadKind;

/** The parts of a state, with a pause after some pods or an object. */
export function* imageParts(
  pods: PodColumns,
  objects: Iterable<readonly [kind: string, objects: ObjectsOfKind]>,
): Generator<ImagePart | undefined, void> {
  for (const [kind, ofKind] of objects) {
    if (ofKind instanceof UnreadKind) {
      for (const block of ofKind.texts()) yield objectPart(kind, block);
      continue;
    }
    const lines = new ObjectLines(kind);
    for (const [key, kept] of ofKind) yield lines.add(key, stringifyJson(objectOf(kept)));
    yield lines.rest();
  }
  const numbering = new Numbering(pods);
  for (let from = 0; from < pods.count; from += PODS) {
    yield numbering.part(from, Math.min(from + PODS, pods.count));
    yield undefined;
  }
}

/** Objects of a kind other than Pod as JSON, in parts. */
export class ObjectLines {
  private keys: string[] = [];
  private lines: string[] = [];
  private length = 0;

  constructor(private readonly kind: string) {}

  /** @returns a part if there are enough for one */
  add(key: string, json: string): ImagePart | undefined {
    this.keys.push(keyLine(key));
    this.lines.push(json);
    this.length += json.length;
    return this.length >= OBJECTS ? this.rest() : undefined;
  }

  /** Those that are in no part yet. */
  rest(): ImagePart | undefined {
    const { keys, lines } = this;
    if (lines.length === 0) return undefined;
    [this.keys, this.lines, this.length] = [[], [], 0];
    return objectPart(this.kind, { count: lines.length, keys: keys.join('\n'), objects: lines.join('\n') });
  }
}

function objectPart(kind: string, { count, keys, objects }: ObjectTexts): ImagePart {
  const numbers = new Int32Array(COUNTS);
  numbers[OBJECT_COUNT] = count;
  numbers[OBJECT_LENGTH] = objects.length;
  const texts = UNREAD.map((name) => textOf(name === 'keys' ? keys : name === 'objects' ? objects : ''));
  return { shared: JSON.stringify(kind), texts, numbers };
}

const textOf = (text: string): PackedText => ({ bytes: text.length, read: () => text });

/** Numbers shared values by their first appearance. */
class Numbering {
  private readonly numbers: Readonly<Record<Shared, Map<number, number>>> = bySection(() => new Map());
  private fresh: Readonly<Record<Shared, string[]>> = bySection(() => []);
  private facts: number[] = [];

  constructor(private readonly pods: PodColumns) {}

  part(from: number, to: number): ImagePart {
    this.fresh = bySection(() => []);
    this.facts = [];
    const count = to - from;
    const columns = new Int32Array(COLUMNS.length * count);
    let at = 0;
    for (const [column, section] of COLUMNS) {
      for (let pod = from; pod < to; pod++) columns[at++] = this.numberOf(section, this.pods.id(column, pod));
    }
    const own: string[] = [];
    for (let pod = from; pod < to; pod++) own.push(this.pods.ownText(pod));
    const counts = new Int32Array(COUNTS);
    SHARED.forEach((section, index) => (counts[index] = this.fresh[section].length));
    counts[POD_COUNT] = count;
    counts[COUNTING] = countingOf(this.pods.tables.rules);
    const numbers = new Int32Array(COUNTS + this.facts.length + columns.length);
    numbers.set(counts);
    numbers.set(this.facts, COUNTS);
    numbers.set(columns, COUNTS + this.facts.length);
    const sections = SECTIONS.map((section) => this.fresh[section].join('\n'));
    return {
      shared: READ.flatMap((section) => this.fresh[section]).join('\n'),
      texts: [...sections, own.join('\n'), '', ''].map(textOf),
      numbers,
    };
  }

  private numberOf(section: Shared, id: number): number {
    if (id === -1) return -1;
    const known = this.numbers[section].get(id);
    if (known !== undefined) return known;
    const number = this.numbers[section].size;
    this.numbers[section].set(id, number);
    this.fresh[section].push(this.lineOf(section, id));
    if (section === 'spec') this.facts.push(...this.factsOf(id));
    return number;
  }

  private factsOf(specId: number): readonly number[] {
    const { tolerationSetId, priority, hasHostPorts, hasRequiredAntiAffinity } = this.pods.tables.specs.at(specId);
    const flags = (hasHostPorts ? HAS_HOST_PORTS : 0) | (hasRequiredAntiAffinity ? HAS_ANTI_AFFINITY : 0);
    return [this.numberOf('tolerations', tolerationSetId), priority, flags];
  }

  private lineOf(section: Shared, id: number): string {
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
      case 'request':
        return vectorText(tables.requests.at(id).vector);
      case 'tolerations':
        return internText(tables.tolerationSets.at(id));
    }
  }
}

/** Restores the parts of an image, in their order. */
export class ImageReader {
  /** By section, the ID of each value. */
  private readonly ids: Readonly<Record<Shared, number[]>> = bySection(() => []);
  /** By kind, the characters of the objects that are left unread. */
  private readonly unread = new Map<string, number>();

  /**
   * @param pods the edit of columns without pods
   * @param keep takes nodes
   * @param keepUnread takes the objects of other kinds
   */
  constructor(
    private readonly pods: () => PodEdit,
    private readonly keep: (...keyed: KeyedObject) => void,
    private readonly keepUnread: (kind: string, keys: PackedText, objects: UnreadObjects) => void,
  ) {}

  /** With a pause after each value and after some pods. @throws {BrokenImage} */
  *restore(part: ImagePart): Generator<undefined, void> {
    if (part.texts.length !== UNREAD.length || part.numbers.length < COUNTS) broken();
    if (part.numbers[OBJECT_COUNT]! > 0) yield* this.restoreObjects(part);
    if (part.numbers[POD_COUNT]! > 0) yield* this.restorePods(part);
  }

  private *restoreObjects({ shared, texts, numbers }: ImagePart): Generator<undefined, void> {
    const kind = JSON.parse(shared) as string;
    const [count, length] = [numbers[OBJECT_COUNT]!, numbers[OBJECT_LENGTH]!];
    const keys = texts[UNREAD.indexOf('keys')]!;
    const lines = texts[UNREAD.indexOf('objects')]!;
    if (kind === 'Node') {
      const names = new UnreadLines(keys, count).all();
      const nodes = new UnreadLines(lines, count).all();
      for (const [index, name] of names.entries()) {
        this.keep(kind, keyOfLine(name), valueOf(nodes[index]!) as KubernetesObject);
        yield;
      }
      return;
    }
    const objects = new UnreadObjects(lines, count);
    const unread = (this.unread.get(kind) ?? 0) + length;
    if (unread <= MOST_UNREAD) this.unread.set(kind, unread);
    else objects.at(0);
    this.keepUnread(kind, keys, objects);
    yield;
  }

  private *restorePods({ shared, texts, numbers }: ImagePart): Generator<undefined, void> {
    const pods = this.pods();
    const lines = shared.split('\n');
    let line = 0;
    for (const [index, section] of READ.entries()) {
      for (let left = numbers[index]!; left > 0; left--) {
        this.ids[section].push(this.idOf(section, lines[line++] ?? broken()));
        yield;
      }
    }
    const unread = SECTIONS.map((_, index) => new UnreadLines(texts[index], numbers[READ.length + index]!));
    const [labels, owners, metas, specs, tolerations] = unread;
    const { labelSets, owners: ownerLists, metas: metaShapes, tolerationSets } = pods.tables;
    const count = numbers[POD_COUNT]!;
    const factsEnd = COUNTS + FACTS * specs!.count;
    if (numbers.length !== factsEnd + COLUMNS.length * count) broken();
    this.number('labels', labelSets.append(labels!, valueOf as (text: string) => Labels | undefined), labels!);
    this.number('owner', ownerLists.append(owners!, valueOf as (text: string) => readonly OwnerReference[]), owners!);
    this.number('meta', metaShapes.append(metas!, valueOf as (text: string) => MetaShape), metas!);
    const tolerationsOf = valueOf as (text: string) => readonly Toleration[];
    const textOfLine = (text: string): string => textOfTolerations(tolerationsOf(text));
    this.number('tolerations', tolerationSets.append(tolerations!, tolerationsOf, textOfLine), tolerations!);
    // Under other rules, its pods may hold something else.
    const isCounted = numbers[COUNTING] === countingOf(pods.tables.rules);
    if (isCounted) this.number('spec', this.appendSpecs(pods, specs!, numbers.subarray(COUNTS, factsEnd)), specs!);
    else {
      for (const text of specs!.all()) {
        this.ids.spec.push(pods.specIdOf(text, () => valueOf(text) as SpecShape['spec']));
        yield;
      }
    }
    const columns = new Map<Column, Int32Array>();
    for (const [index, [column, section]] of COLUMNS.entries()) {
      const ids = this.ids[section];
      const start = factsEnd + index * count;
      const values = numbers.slice(start, start + count);
      for (let pod = 0; pod < count; pod++) {
        const number = values[pod]!;
        values[pod] = number === -1 && column === 'node' ? -1 : (ids[number] ?? broken());
      }
      columns.set(column, values);
      yield;
    }
    const all = Object.fromEntries(columns) as Record<Column, Int32Array>;
    if (!isCounted) {
      for (let pod = 0; pod < count; pod++) {
        all.request[pod] = pods.requestId(all.spec[pod]!, all.status[pod]!);
        if (pod % 32 === 0) yield;
      }
    }
    pods.append(new UnreadLines(texts[UNREAD.indexOf('own')], count), all);
    yield;
  }

  /** Notes the IDs of the values of lines. @param first that of the first */
  private number(section: Shared, first: number, { count }: UnreadLines): void {
    for (let index = 0; index < count; index++) this.ids[section].push(first + index);
  }

  private appendSpecs({ tables }: PodEdit, lines: UnreadLines, facts: Int32Array): number {
    const shapes = Array.from({ length: lines.count }, (_, index) => {
      const [tolerations, priority, flags] = facts.subarray(index * FACTS, (index + 1) * FACTS);
      return SpecShape.unread(
        {
          tolerationSetId: this.ids.tolerations[tolerations!] ?? broken(),
          priority: priority!,
          hasHostPorts: (flags! & HAS_HOST_PORTS) !== 0,
          hasRequiredAntiAffinity: (flags! & HAS_ANTI_AFFINITY) !== 0,
        },
        tables.rules,
        lines,
        index,
      );
    });
    return tables.specs.appendValues(lines, shapes);
  }

  private idOf(section: (typeof READ)[number], text: string): number {
    const pods = this.pods();
    const { tables } = pods;
    switch (section) {
      case 'strings':
        return tables.stringId(valueOf(text) as string);
      case 'status':
        return pods.statusIdOf(text, () => valueOf(text) as PodStatus | undefined);
      case 'request': {
        const request = requestOfVector(vectorOfText(text));
        return tables.requests.idOf(textOfRequest(request), () => request);
      }
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
