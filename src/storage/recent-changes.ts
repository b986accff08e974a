import type { ObjectChanges } from './object-reader.js';

/** The most characters of content that are kept: those of the deltas of some seconds. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

interface Commit {
  readonly changes: ObjectChanges;
  readonly characters: number;
  /** Whether it was committed; false if it was not, or if that is not known. */
  readonly committed: Promise<boolean>;
}

/**
 * What the last commits of this process changed, each from one revision to the next, so that those who follow the cluster here need not
 * read it from the database again.
 */
export class RecentChanges {
  /** By cluster and revision, the oldest first. */
  private readonly commits = new Map<string, Commit>();
  private characters = 0;

  constructor(private readonly most = MOST_CHARACTERS) {}

  /**
   * Notes what a revision changes, before it is committed: others may hear of it before the database has answered. Until then, who asks
   * for it waits.
   * @param commit commits the revision
   */
  async during(
    clusterId: number,
    revision: number,
    changes: ObjectChanges,
    commit: () => Promise<unknown>,
  ): Promise<void> {
    let settle!: (isCommitted: boolean) => void;
    const committed = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const key = keyOf(clusterId, revision);
    // A former commit of the same revision has failed.
    this.forget(key);
    const noted = { changes, characters: charactersIn(changes), committed };
    this.commits.set(key, noted);
    this.characters += noted.characters;
    for (const oldest of this.commits.keys()) {
      if (this.characters <= this.most) break;
      this.forget(oldest);
    }
    try {
      await commit();
      settle(true);
    } catch (error) {
      if (this.commits.get(key) === noted) this.forget(key);
      settle(false);
      throw error;
    }
  }

  /** What a revision changed in the one before; undefined if it is not known here. */
  async of(clusterId: number, revision: number): Promise<ObjectChanges | undefined> {
    const commit = this.commits.get(keyOf(clusterId, revision));
    return commit !== undefined && (await commit.committed) ? commit.changes : undefined;
  }

  private forget(key: string): void {
    const known = this.commits.get(key);
    if (known === undefined) return;
    this.commits.delete(key);
    this.characters -= known.characters;
  }
}

const keyOf = (clusterId: number, revision: number): string => `${clusterId}@${revision}`;

/** An object weighs something besides its content. */
const charactersIn = ({ upserts, deletes }: ObjectChanges): number =>
  upserts.reduce((sum, { content }) => sum + content.length, 0) + 500 * (upserts.length + deletes.length);
