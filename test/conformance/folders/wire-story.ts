import type { Clock } from '../../../src/kube-api/reflector/clock.js';
import type { StreamedAnswer, StreamingClient } from '../../../src/kube-api/reflector/call.js';
import { Reflector } from '../../../src/kube-api/reflector/reflector.js';
import type {
  ObjectEvent,
  Reflection,
  ReflectorState,
  WireObject,
} from '../../../src/kube-api/reflector/reflection.js';
import { expectedOf, askedOf, type Expected, type Follows, type Told } from './wire-expected.js';
import {
  askedBy,
  bodyOf,
  keyOf,
  kindAt,
  resourceAt,
  seenObject,
  type Asked,
  type Exchange,
  type PlainObject,
  type Transcript,
  type TrueObject,
  type Truth,
} from './wire-transcript.js';

/** How answers reach the client. */
export interface Transport {
  readonly clock: Clock;
  /** Milliseconds that the client has slept, in all. */
  readonly slept: number;
  answer(exchange: Exchange, path: string, signal: AbortSignal): Promise<StreamedAnswer>;
  /** Runs until the story has ended. */
  drive(story: Promise<void>): Promise<void>;
}

/** Exchanges of a transcript that no client has asked for yet. */
export class Unused {
  private readonly left: Set<Exchange>;

  constructor(transcript: Transcript) {
    this.left = new Set(transcript.exchanges.filter(({ request }) => askedBy(request) !== undefined));
  }

  first(): Exchange | undefined {
    const [first] = this.left;
    const plain = [...this.left].find((one) => this.isUsable(one));
    return plain ?? first;
  }

  take(exchange: Exchange): Exchange {
    this.left.delete(exchange);
    return exchange;
  }

  /** The answer to a request, of those that were recorded later than the one before. */
  next(asked: Asked, after: Exchange): Exchange | undefined {
    const fitting = [...this.left].filter((one) => {
      const recorded = askedOf(one);
      return (
        one.startedAtMs >= after.startedAtMs &&
        this.isUsable(one) &&
        recorded.type === asked.type &&
        recorded.path === asked.path &&
        recorded.continue === asked.continue &&
        (asked.type !== 'watch' || recorded.resourceVersion === asked.resourceVersion)
      );
    });
    // A watch without bookmarks is another watch, but its refusal is the same.
    const same = fitting.filter((one) => askedOf(one).bookmarks === asked.bookmarks || one.response.status !== 200);
    const [found] = same.length === 0 ? fitting : same;
    return found === undefined ? undefined : this.take(found);
  }

  /** Whether a reflector asks for it, and a list goes on where it has more pages. */
  isUsable(exchange: Exchange): boolean {
    const asked = askedOf(exchange);
    if (!asked.isPlain) return false;
    if (asked.type !== 'list' || exchange.response.status !== 200) return true;
    const token = continueIn(exchange);
    if (token === '') return true;
    return [...this.left].some((one) => {
      const recorded = askedOf(one);
      const fits = recorded.type === 'list' && recorded.path === asked.path && recorded.continue === token;
      return one !== exchange && fits && one.startedAtMs >= exchange.startedAtMs && this.isUsable(one);
    });
  }
}

function continueIn(exchange: Exchange): string {
  try {
    const { metadata } = JSON.parse(bodyOf(exchange).toString('utf8')) as PlainObject;
    return metadata?.continue ?? '';
  } catch {
    return '';
  }
}

/**
 * One reflector against a transcript: it begins with what was asked first, and every request gets the answer that the real
 * server gave to it, until nothing was recorded that answers. After each answer, what the reflection was told, what is asked
 * next and how long that was waited for are compared with what the whole body says.
 */
export class Story {
  readonly differences: string[] = [];
  /** Everything that the reflection was told, in order. */
  private readonly told: Told[] = [];
  private judged = 0;
  private page: TrueObject[] = [];
  private last: { readonly exchange: Exchange; readonly expected: Expected; readonly asked: Asked } | undefined;
  private position: string | undefined;
  private pages: readonly TrueObject[] = [];
  private listedAt: string | undefined;
  private states: ReflectorState[] = [];
  private sleptBefore = 0;
  private readonly stop = new AbortController();
  private readonly kind: string;
  private readonly asked: Asked;

  constructor(
    private readonly transcript: Transcript,
    private readonly unused: Unused,
    private readonly beginning: Exchange,
    private readonly transport: Transport,
  ) {
    this.asked = askedOf(beginning);
    this.kind = kindAt(this.asked.path, transcript);
  }

  async play(): Promise<void> {
    const { asked, transport } = this;
    const client: StreamingClient = { get: (path, signal) => this.answer(path, signal) };
    if (asked.type === 'watch') this.position = asked.resourceVersion === '' ? '0' : asked.resourceVersion;
    const limit = new URLSearchParams(this.beginning.request.path.split('?')[1]).get('limit');
    const reflector = new Reflector(
      client,
      { ...resourceAt(asked.path)!, kind: this.kind },
      {
        clock: transport.clock,
        random: () => 0.25,
        pageSize: Number(limit ?? 500),
        watchList: asked.type === 'watchList' ? 'auto' : 'never',
        ...(this.position !== undefined && { resumeFrom: this.position }),
      },
    );
    await transport.drive(reflector.run(this.reflection(), this.stop.signal));
  }

  get path(): string {
    return this.asked.path;
  }

  /** The mirror as it was when everything up to a resourceVersion had come; undefined before the first list. */
  mirrorAt(moment: bigint): ReadonlyMap<string, TrueObject> | undefined {
    let mirror: Map<string, TrueObject> | undefined;
    for (const one of this.told) {
      if (one.tells === 'list') {
        if (BigInt(one.resourceVersion) > moment) break;
        mirror = new Map(one.items.map((item) => [keyOf(item), item]));
      } else if (mirror !== undefined && BigInt(one.object.resourceVersion) <= moment) {
        if (one.type === 'DELETED') mirror.delete(keyOf(one.object));
        else mirror.set(keyOf(one.object), one.object);
      }
    }
    return mirror;
  }

  private async answer(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    try {
      const answer = this.choose(path);
      if (answer !== undefined) return await this.transport.answer(answer, path, signal);
    } catch (error) {
      // A fault of the judge is no fault of the connection.
      if (error instanceof TypeError || error instanceof SyntaxError) this.differences.push(String(error));
      else throw error;
    }
    this.stop.abort();
    throw new Error('the story has ended');
  }

  /** The answer to a request, after the answer before has been judged; undefined at the end of the story. */
  private choose(path: string): Exchange | undefined {
    const asked = askedBy({ method: 'GET', path });
    if (asked === undefined) throw new TypeError(`a request of another form: ${path}`);
    const previous = this.last;
    if (previous !== undefined) this.judge(previous, asked);
    const exchange =
      previous === undefined ? this.unused.take(this.beginning) : this.unused.next(asked, previous.exchange);
    if (exchange === undefined || this.differences.length > 0) return undefined;
    const isContinued = asked.type === 'list' && asked.continue !== '';
    if (!isContinued) {
      this.pages = [];
      this.page = [];
      this.listedAt = undefined;
    }
    const { kind, position, pages, listedAt } = this;
    // A request with other parameters got this answer; it stands for the one that was sent.
    const stands = { ...askedOf(exchange), continue: asked.continue };
    this.last = { exchange, expected: expectedOf(exchange, { asked: stands, kind, position, pages, listedAt }), asked };
    this.sleptBefore = this.transport.slept;
    this.states = [];
    return exchange;
  }

  /** Compares what has come of an answer with what should have. */
  private judge({ exchange, expected }: NonNullable<Story['last']>, asked: Asked): void {
    const where = `${exchange.request.path} (${exchange.note ?? 'no note'}): `;
    const complain = (what: string): void => {
      this.differences.push(where + what);
    };
    const told = this.told.slice(this.judged);
    this.judged = this.told.length;
    const [got, wanted] = [told.map(worded), expected.told.map(worded)];
    const odd = got.findIndex((one, index) => one !== wanted[index]);
    if (odd >= 0 || got.length !== wanted.length) {
      const at = odd >= 0 ? odd : got.length;
      complain(`told ${got.length} of ${wanted.length}; number ${at + 1} is ${got[at]} in place of ${wanted[at]}`);
    }
    if (expected.page !== undefined) {
      const seen = worded({ tells: 'list', resourceVersion: '', items: this.page.slice(this.pages.length) });
      if (seen !== worded({ tells: 'list', resourceVersion: '', items: expected.page })) {
        complain('the items of the page differ');
      }
      this.pages = [...this.pages, ...expected.page];
      this.listedAt ??= (JSON.parse(bodyOf(exchange).toString('utf8')) as PlainObject).metadata?.resourceVersion;
    }
    if (!expected.follows.some((one) => isSame(one, asked))) {
      complain(`then ${JSON.stringify(asked)} was asked, not ${JSON.stringify(expected.follows)}`);
    }
    const slept = this.transport.slept - this.sleptBefore;
    if (slept < expected.waits) complain(`asked again after ${slept} ms, not after ${expected.waits} ms`);
    this.judgeState(expected, complain);
    this.position = asked.type === 'watch' ? asked.resourceVersion : undefined;
  }

  private judgeState({ state }: Expected, complain: (what: string) => void): void {
    if (state === undefined) return;
    const shown = this.states.filter((one) => one.state !== 'listing' && one.state !== 'watching').at(-1);
    if (shown?.state !== state) complain(`${shown?.state ?? 'nothing'} was shown, not ${state}`);
    if (shown?.state !== 'denied') return;
    const { exchange } = this.last!;
    const { group, plural } = resourceAt(askedOf(exchange).path)!;
    const verbs = [askedOf(exchange).type === 'list' ? 'list' : 'watch'];
    const rule = exchange.response.status === 401 ? null : { apiGroups: [group], resources: [plural], verbs };
    if (JSON.stringify(shown.rule) !== JSON.stringify(rule)) complain(`the rule is ${JSON.stringify(shown.rule)}`);
  }

  private reflection(): Reflection {
    return {
      beginList: () => {
        this.page = [];
        return {
          item: (object) => {
            this.page.push(this.seen(object));
          },
          commit: (resourceVersion) => {
            this.told.push({ tells: 'list', resourceVersion, items: this.page });
          },
          discard: () => undefined,
        };
      },
      event: (type: ObjectEvent, object) => {
        this.told.push({ tells: 'event', type, object: this.seen(object) });
      },
      progress: () => undefined,
      state: (state) => this.states.push(state),
    };
  }

  private seen(object: WireObject): TrueObject {
    const seen = seenObject(JSON.parse(Buffer.from(object.bytes).toString('utf8')) as PlainObject);
    const { namespace = '', name, uid, resourceVersion } = seen;
    const told = { namespace, name, uid, resourceVersion };
    for (const [member, value] of Object.entries(told)) {
      const said = object[member as keyof typeof told];
      if (said !== value) this.differences.push(`${keyOf(seen)}: ${member} is told as ${said}, not ${value}`);
    }
    return seen;
  }
}

function isSame(one: Follows, asked: Asked): boolean {
  return (
    one.type === asked.type &&
    (one.continue ?? '') === asked.continue &&
    (asked.type !== 'watch' || one.resourceVersion === asked.resourceVersion)
  );
}

const worded = (told: Told): string =>
  told.tells === 'list'
    ? `list ${told.resourceVersion}: ${told.items.map((item) => JSON.stringify(item)).join(' ')}`
    : `${told.type} ${JSON.stringify(told.object)}`;

/** How a mirror differs from the truth; empty if it is equal. */
export function mirrorDifferences(mirror: ReadonlyMap<string, TrueObject>, { items }: Truth): readonly string[] {
  const found = items.flatMap((item) => {
    const mirrored = mirror.get(keyOf(item));
    if (mirrored === undefined) return [`${keyOf(item)} is missing`];
    const isEqual =
      mirrored.uid === item.uid && mirrored.resourceVersion === item.resourceVersion && mirrored.sha256 === item.sha256;
    return isEqual ? [] : [`${keyOf(item)} is another: ${mirrored.resourceVersion}, not ${item.resourceVersion}`];
  });
  return mirror.size === items.length ? found : [...found, `${mirror.size} objects in place of ${items.length}`];
}
