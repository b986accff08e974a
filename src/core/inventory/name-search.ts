/** How well a name has a text, the best first. */
export const MATCHES = ['exact', 'prefix', 'word', 'substring'] as const;

/** Worse than every match. */
export const NO_MATCH = MATCHES.length;
const EXACT = 0;
const PREFIX = 1;
const WORD = 2;
const SUBSTRING = 3;

/** A text to search names for: all of its words have to be found, in upper or lower case. */
export class NameSearch {
  private readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** Whether there is nothing to search for. */
  get isEmpty(): boolean {
    return this.words.length === 0;
  }

  /**
   * The place in `MATCHES` of the name, or `NO_MATCH`. With several words, that of the one which is found worst; one that is in the
   * namespace alone counts as somewhere in the name.
   */
  rank(name: string, namespace = ''): number {
    const lower = name.toLowerCase();
    let worst = EXACT;
    for (const word of this.words) {
      let rank = rankOf(word, lower);
      if (rank === NO_MATCH && namespace !== '') rank = this.rankWithNamespace(word, lower, namespace.toLowerCase());
      if (rank === NO_MATCH) return NO_MATCH;
      worst = Math.max(worst, rank);
    }
    return worst;
  }

  private rankWithNamespace(word: string, name: string, namespace: string): number {
    if (word.includes('/')) return rankOf(word, `${namespace}/${name}`);
    // A namespace alone finds all that is in it only beside another word.
    return this.words.length > 1 && namespace.includes(word) ? SUBSTRING : NO_MATCH;
  }
}

function rankOf(word: string, name: string): number {
  let at = name.indexOf(word);
  if (at === -1) return NO_MATCH;
  if (at === 0) return name.length === word.length ? EXACT : PREFIX;
  for (; at !== -1; at = name.indexOf(word, at + 1)) if (!isWordCharacter(name.charCodeAt(at - 1))) return WORD;
  return SUBSTRING;
}

/** A digit or a lower case letter, or anything beyond ASCII. */
const isWordCharacter = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code > 127;
