import { Dice } from '../../support/dice.js';
import { HttpsTransport, VirtualTransport } from './wire-transports.js';
import { mirrorDifferences, Story, Unused, type Transport } from './wire-story.js';
import {
  askedBy,
  bodyOf,
  truthsOf,
  type Exchange,
  type PlainObject,
  type Transcript,
  type Truth,
} from './wire-transcript.js';

/** How a transcript is played: as it was recorded; 20 times as fast, cut elsewhere; over TLS, at once, cut elsewhere again. */
const WAYS: Readonly<Record<string, (seed: number) => Transport | Promise<Transport>>> = {
  'at its pace': () => new VirtualTransport(1),
  'faster, cut elsewhere': (seed) => new VirtualTransport(20, new Dice(seed)),
  'over TLS, at once': (seed) => HttpsTransport.start(new Dice(seed)),
};

/** Plays what was read to the reflector: every list and watch, alone or as part of a story, and compares its mirror with the truth. */
export async function judgeReads(transcript: Transcript): Promise<readonly string[]> {
  const played = transcript.exchanges.length === 0 ? cutOut(transcript) : transcript;
  if (new Unused(played).first() === undefined) return ['the file has no list and no watch'];
  const differences: string[] = [];
  for (const [way, transport] of Object.entries(WAYS)) {
    const found = await judgeIn(played, transport);
    differences.push(...found.map((one) => `${way}: ${one}`));
  }
  return differences;
}

async function judgeIn(
  transcript: Transcript,
  transport: (seed: number) => Transport | Promise<Transport>,
): Promise<readonly string[]> {
  const unused = new Unused(transcript);
  const differences: string[] = [];
  const missed = new Map<Truth, readonly string[]>(judgedTruths(transcript).map((truth) => [truth, ['no list came']]));
  let seed = 1;
  for (let first = unused.first(); first !== undefined; first = unused.first()) {
    const story = new Story(transcript, unused, first, await transport((seed += 1)));
    await story.play();
    differences.push(...story.differences);
    for (const truth of [...missed.keys()].filter(({ path }) => path === story.path)) {
      const mirror = story.mirrorAt(BigInt(truth.resourceVersion));
      if (mirror === undefined) continue;
      const odd = mirrorDifferences(mirror, truth);
      if (odd.length === 0) missed.delete(truth);
      else missed.set(truth, odd);
    }
  }
  for (const [{ path, resourceVersion }, odd] of missed) {
    differences.push(`no mirror of ${path} comes to the truth at ${resourceVersion}: ${odd.slice(0, 3).join('; ')}`);
  }
  return differences;
}

/**
 * The truths that the answers lead to: those of a path that is watched, or that is listed at that very moment. Where only the form
 * of lists was recorded, nothing leads to the truth.
 */
function judgedTruths(transcript: Transcript): readonly Truth[] {
  return truthsOf(transcript).filter(({ path, resourceVersion }) =>
    transcript.exchanges.some((exchange) => {
      const asked = askedBy(exchange.request);
      if (asked?.path !== path || !asked.isPlain || exchange.response.status !== 200) return false;
      if (asked.type !== 'list') return true;
      const { metadata } = JSON.parse(bodyOf(exchange).toString('utf8')) as PlainObject;
      return metadata?.resourceVersion === resourceVersion && metadata.continue === undefined;
    }),
  );
}

/** What is left of a watch whose data were cut out of the recording: its first and its last event. */
function cutOut(transcript: Transcript): Transcript {
  const { from, ended, first, last, endedAtMs } = transcript.truth;
  if (typeof from !== 'string' || first === undefined || last === undefined) return transcript;
  const chunks = [first, last].map((one) => {
    const { type, name, resourceVersion, atMs } = one as Readonly<Record<string, string>> & { readonly atMs: number };
    const metadata = { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
    return { atMs, text: `${JSON.stringify({ type, object })}\n` };
  });
  const path = `/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=${from}&timeoutSeconds=300`;
  const response = {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    chunks,
    ended: ended as Exchange['response']['ended'],
  };
  const exchange = { request: { method: 'GET', path }, response, startedAtMs: 0, endedAtMs: endedAtMs as number };
  return { ...transcript, exchanges: [exchange] };
}
