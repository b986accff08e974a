import type { ObjectReader, StoredObject } from '../../storage/object-reader.js';
import type { Revision } from '../../storage/revision.js';
import type { RevisionStore } from '../../storage/revision-store.js';

/** Revisions that are read at once. */
const MOST_REVISIONS = 50;
/** Objects that are read at once, unless one revision has changed more. */
const MOST_OBJECTS = 1_000;

/** What is read of the revisions of a cluster, in their order: that of some together, when it is asked for the first of them. */
export class RevisionsInTurn {
  private revisions: ReadonlyMap<number, Revision> = new Map();
  private nextRevision: number;
  private ended: ReadonlyMap<number, readonly StoredObject[]> = new Map();

  /**
   * @param first the lowest number that is asked for
   * @param last the highest one
   * @param kinds of the objects to read
   */
  constructor(
    private readonly store: Pick<RevisionStore, 'between'>,
    private readonly objects: Pick<ObjectReader, 'endedBy'>,
    private readonly clusterId: number,
    first: number,
    private readonly last: number,
    private readonly kinds: ReadonlySet<string>,
  ) {
    this.nextRevision = first;
  }

  /** Undefined if retention removed it. */
  async revision(number: number): Promise<Revision | undefined> {
    if (number >= this.nextRevision) {
      this.nextRevision = Math.min(number + MOST_REVISIONS, this.last + 1);
      this.revisions = await this.store.between(this.clusterId, number, this.nextRevision - 1);
    }
    return this.revisions.get(number);
  }

  /** The objects as they were before a revision, which was read last, changed or removed them. */
  async former(number: number): Promise<readonly StoredObject[]> {
    if (!this.ended.has(number)) {
      this.ended = await this.objects.endedBy(this.clusterId, this.numbersFrom(number), [...this.kinds]);
    }
    return this.ended.get(number)!;
  }

  /** A revision, and those after it that are known to have ended few objects. */
  private numbersFrom(first: number): readonly number[] {
    const numbers = [first];
    let objects = this.endedIn(first);
    for (let number = first + 1; number < this.nextRevision; number++) {
      objects += this.endedIn(number);
      if (objects > MOST_OBJECTS) break;
      numbers.push(number);
    }
    return numbers;
  }

  private endedIn(number: number): number {
    const counts = this.revisions.get(number)?.counts;
    return [...this.kinds].reduce((sum, kind) => {
      const { changed = 0, removed = 0 } = counts?.get(kind) ?? {};
      return sum + changed + removed;
    }, 0);
  }
}
