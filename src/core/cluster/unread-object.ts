import { parseJson } from '../json/lossless-json.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';

/** Objects that are read together, when one of them is first asked for: most questions need few kinds. */
export class UnreadObjects {
  private objects: readonly KubernetesObject[] | undefined;

  /** @param lines gives the JSON of each in a line of its own; is called once */
  constructor(
    private lines: (() => string) | undefined,
    private readonly count: number,
  ) {}

  /** The same one each time. @throws {BrokenImage} if there are not as many as there should be */
  at(index: number): KubernetesObject {
    return (this.objects ??= this.read())[index]!;
  }

  private read(): readonly KubernetesObject[] {
    const lines = this.lines!().split('\n');
    if (lines.length !== this.count) throw new BrokenImage();
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

/** An object as a state keeps it. */
export type KeptObject = KubernetesObject | UnreadObject;

export const objectOf = (kept: KeptObject): KubernetesObject => (kept instanceof UnreadObject ? kept.object : kept);

/** An image cannot be read. */
export class BrokenImage extends Error {
  override readonly name = 'BrokenImage';

  constructor() {
    super('the image of the state is not complete');
  }
}
