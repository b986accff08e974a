import { parseJson, stringifyJson } from '../json/lossless-json.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { UnreadEntries } from './sharded-map.js';
import { linesOf, type PackedText } from './unread-text.js';

/** What an object takes in memory, of a character of its JSON and beside these. */
const BYTES_OF_CHARACTER = 3;
const BYTES_OF_OBJECT = 200;

/** Objects that are read together, when one of them is first asked for: most questions need few kinds. */
export class UnreadObjects {
  private objects: readonly KubernetesObject[] | undefined;
  private length = 0;

  /** @param lines the JSON of each in a line of its own; read once */
  constructor(
    private lines: PackedText | undefined,
    readonly count: number,
  ) {}

  /** The same one each time. @throws {BrokenImage} if there are not as many as there should be */
  at(index: number): KubernetesObject {
    return (this.objects ??= this.read())[index]!;
  }

  /** The approximate bytes in memory. */
  get bytes(): number {
    return this.lines?.bytes ?? BYTES_OF_CHARACTER * this.length + BYTES_OF_OBJECT * this.count;
  }

  /** The JSON of each in a line of its own. */
  get text(): string {
    return this.lines?.read() ?? this.objects!.map((object) => stringifyJson(object)).join('\n');
  }

  private read(): readonly KubernetesObject[] {
    const text = this.lines!.read();
    const lines = linesOf(text, this.count);
    this.length = text.length;
    this.lines = undefined;
    return lines.map((line) => parseJson(line, { isTrusted: true }) as unknown as KubernetesObject);
  }
}

export class UnreadObject {
  constructor(
    private readonly among: UnreadObjects,
    private readonly index: number,
  ) {}

  get object(): KubernetesObject {
    return this.among.at(this.index);
  }
}

/** Objects as JSON, and `keyLine` of each, in lines. */
export interface ObjectTexts {
  readonly count: number;
  readonly keys: string;
  readonly objects: string;
}

/** Objects of a kind with their keys, of which none has been asked for. */
export class UnreadKind implements UnreadEntries<KeptObject> {
  private readonly blocks: { readonly keys: PackedText; readonly objects: UnreadObjects }[] = [];
  count = 0;

  /** @param keys `keyLine` of each of the objects */
  add(keys: PackedText, objects: UnreadObjects): void {
    this.blocks.push({ keys, objects });
    this.count += objects.count;
  }

  /** The objects in texts, without reading any that is not read yet. */
  *texts(): Generator<ObjectTexts> {
    for (const { keys, objects } of this.blocks)
      yield { count: objects.count, keys: keys.read(), objects: objects.text };
  }

  get bytes(): number {
    return this.blocks.reduce((sum, { keys, objects }) => sum + keys.bytes + objects.bytes, 0);
  }

  *entries(): Generator<readonly [string, KeptObject]> {
    for (const { keys, objects } of this.blocks) yield* entriesOf(keys.read(), objects);
  }

  within(prefix: string): readonly (readonly [string, KeptObject])[] {
    return this.blocks.flatMap(({ keys, objects }) => {
      const text = keys.read();
      const start = keyLine(prefix);
      if (!text.startsWith(start) && !text.includes(`\n${start}`)) return [];
      return entriesOf(text, objects).filter(([key]) => key.startsWith(prefix));
    });
  }
}

function entriesOf(keys: string, objects: UnreadObjects): readonly (readonly [string, KeptObject])[] {
  return linesOf(keys, objects.count).map(
    (line, index) => [keyOfLine(line), new UnreadObject(objects, index)] as const,
  );
}

/** A key in a line of its own, whatever it contains, and the key of such a line. */
export const keyLine = (key: string): string => JSON.stringify(key).slice(1, -1);
export const keyOfLine = (line: string): string => (line.includes('\\') ? (JSON.parse(`"${line}"`) as string) : line);

/** An object as a state keeps it. */
export type KeptObject = KubernetesObject | UnreadObject;

export const objectOf = (kept: KeptObject): KubernetesObject => (kept instanceof UnreadObject ? kept.object : kept);
