import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { requestedState } from '../../../src/core/audit/requested-state.js';
import { sameValue } from '../../../src/core/json/same-value.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import { answerFrom, ApiUnreachable, type ApiAnswer, type ApiRequest } from '../../../src/kube-api/api-client.js';
import { judgeAnswer } from '../../../src/kube-api/taint-writer/write-answer.js';
import { nodeTarget } from '../../../src/kube-api/taint-writer/node-target.js';
import { TaintWriter, type WriteResult } from '../../../src/kube-api/taint-writer/taint-writer.js';
import { judgeKubectl } from './wire-kubectl.js';
import { bytesOf, headersOf, objectOf, type WriteExchange, type WriteTranscript } from './wire-write-exchange.js';

/**
 * Judges what the service makes of the answers to writes: it does what the answer asks for (reads again, gives up, waits), keeps the API
 * server's words and warnings, and comes to the recorded taints without counting dry runs and writes without effect.
 */
export async function judgeWrites(transcript: WriteTranscript): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const [index, exchange] of transcript.exchanges.entries()) {
    if (!isWrite(exchange)) continue;
    const found = await judgeWrite(transcript, index);
    differences.push(...found.map((one) => `#${index} ${exchange.note ?? ''}: ${one}`));
  }
  return [...differences, ...judgeLedger(transcript), ...judgeRequested(transcript), ...judgeKubectl(transcript)];
}

const isWrite = ({ request }: WriteExchange): boolean => ['PATCH', 'PUT', 'POST'].includes(request.method);
const queryOf = ({ request }: WriteExchange): URLSearchParams => new URLSearchParams(request.path.split('?')[1] ?? '');
const isDryRun = (exchange: WriteExchange): boolean =>
  queryOf(exchange).get('dryRun') === 'All' || (exchange.request.body ?? '').includes('"dryRun":["All"]');

/** The answer, as the client of the service reads it; undefined without one. */
function answerOf(exchange: WriteExchange): ApiAnswer | undefined {
  const { status, ended } = exchange.response;
  if (status === 0 || ended === 'reset') return undefined;
  return answerFrom(status, headersOf(exchange), bytesOf(exchange));
}

/** What the client must do, by the words of the recording's README; not by the code that is judged. */
type Must = 'count' | 'count nothing' | 'read again' | 'give up' | 'wait' | 'read and judge' | 'wait for the budget';

function mustDo(exchange: WriteExchange, before: string | undefined): Must {
  const { status } = exchange.response;
  const said = statusIn(exchange);
  const causes = said?.details?.causes ?? [];
  if (status === 0) return 'read and judge';
  if (status < 300) {
    if (isDryRun(exchange)) return 'count nothing';
    const version = (objectOf(exchange)?.['metadata'] as { readonly resourceVersion?: string } | undefined)
      ?.resourceVersion;
    return version !== undefined && version === before ? 'count nothing' : 'count';
  }
  if (status === 409) return causes.some(({ reason }) => reason === 'FieldManagerConflict') ? 'give up' : 'read again';
  if (status === 422) return causes.length === 0 ? 'read again' : 'give up';
  if (status === 429)
    return causes.some(({ reason }) => reason === 'DisruptionBudget') ? 'wait for the budget' : 'wait';
  if (status === 401 || (status === 500 && /failed calling webhook/.test(said?.message ?? ''))) return 'wait';
  return status < 500 ? 'give up' : 'read and judge';
}

interface Status {
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

function statusIn(exchange: WriteExchange): Status | undefined {
  try {
    return JSON.parse(bytesOf(exchange).toString('utf8')) as Status;
  } catch {
    return undefined;
  }
}

const VERDICTS: Readonly<Record<Must, string>> = {
  count: 'accepted',
  'count nothing': 'accepted',
  'read again': 'conflict',
  'give up': 'refused',
  wait: 'later',
  'read and judge': 'unknown',
  'wait for the budget': 'budget',
};

async function judgeWrite({ exchanges }: WriteTranscript, index: number): Promise<readonly string[]> {
  const exchange = exchanges[index]!;
  const name = nodeOf(exchange);
  const before = name === undefined ? undefined : lastOf(exchanges, index, name);
  const must = mustDo(exchange, before && versionOf(before));
  const answer = answerOf(exchange);
  const found: string[] = [];
  if (answer !== undefined) {
    const judged = judgeAnswer(answer);
    if (judged.verdict !== VERDICTS[must]) found.push(`the client must ${must}, but the verdict is ${judged.verdict}`);
    const words = statusIn(exchange)?.message ?? '';
    if (
      exchange.response.status >= 300 &&
      words !== '' &&
      !words.startsWith((judged.message ?? '').replace(/\.\.\.$/, ''))
    ) {
      found.push(`the words of the API server are lost: ${judged.message ?? 'none'}`);
    }
    const header = headersOf(exchange)['retry-after'] ?? statusIn(exchange)?.details?.retryAfterSeconds;
    const after = header === undefined ? null : Number(header);
    if (judged.retryAfter !== after) found.push(`Retry-After is ${String(after)}, not ${String(judged.retryAfter)}`);
    found.push(...judgeWarnings(exchange, answer));
  }
  // Answers about one node are played to the writer itself.
  // The service asks for JSON; kubectl was answered in protobuf where it asked for that.
  const isProtobuf = headersOf(exchange)['content-type']?.includes('protobuf') === true;
  if (name !== undefined && exchange.request.method === 'PATCH' && !isProtobuf)
    found.push(...(await playToWriter(exchange, before, must, answer)));
  return found;
}

/** Each warning must arrive whole, unescaped, and as UTF-8. */
function judgeWarnings(exchange: WriteExchange, { warnings }: ApiAnswer): readonly string[] {
  const header = headersOf(exchange)['warning'];
  if (header === undefined) return warnings.length === 0 ? [] : ['warnings were made up'];
  const text = Buffer.from(header, 'latin1').toString('utf8');
  const sent = text
    .split(/299 - /)
    .filter((part) => part !== '')
    .map((part) => {
      const quoted = part.trim().replace(/,$/, '');
      return quoted.slice(1, -1).replace(/\\(["\\])/g, '$1');
    });
  return sameValue(sent, [...warnings])
    ? []
    : [`the warnings are ${JSON.stringify(sent)}, not ${JSON.stringify(warnings)}`];
}

/** The node that a request writes; undefined for other objects and for subresources. */
const nodeOf = ({ request }: WriteExchange): string | undefined =>
  /^\/api\/v1\/nodes\/([^/?]+)(\?|$)/.exec(request.path)?.[1];

/** A node as the transcript shows it last before an exchange. */
function lastOf(exchanges: readonly WriteExchange[], index: number, name: string): JsonObject | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const exchange = exchanges[at]!;
    if (nodeOf(exchange) === name && !isDryRun(exchange)) {
      const object = objectOf(exchange);
      if (object !== undefined) return object;
    }
  }
  return undefined;
}

const versionOf = (node: JsonObject): string | undefined =>
  (node['metadata'] as { readonly resourceVersion?: string }).resourceVersion;

/** Plays an answer to the writer, as the answer to its write of a node, and looks at what it does then. */
async function playToWriter(
  exchange: WriteExchange,
  known: JsonObject | undefined,
  must: Must,
  answer: ApiAnswer | undefined,
): Promise<readonly string[]> {
  const name = nodeOf(exchange)!;
  const version = (known && versionOf(known)) ?? '1';
  const node = known ?? {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name, uid: 'u', resourceVersion: version },
    spec: {},
  };
  const asked = withTaint(node as unknown as Node);
  const stored = { ...asked, metadata: { ...asked.metadata, resourceVersion: `${version}0` } } as unknown as JsonObject;
  const sent: string[] = [];
  const dryRun = isDryRun(exchange);
  let played = false;
  const ask = (request: ApiRequest): Promise<ApiAnswer> => {
    const isDry = request.path.includes('dryRun=All');
    sent.push(request.method === 'GET' ? 'read' : isDry ? 'dry run' : 'write');
    if (request.method === 'GET') return Promise.resolve({ status: 200, body: node, warnings: [] });
    if (!played && isDry === dryRun) {
      played = true;
      return answer === undefined
        ? Promise.reject(new ApiUnreachable(exchange.response.error ?? 'cut'))
        : Promise.resolve(answer);
    }
    return Promise.resolve({ status: 200, body: stored, warnings: [] });
  };
  let decided = 0;
  const writer = new TaintWriter(ask, 'guard');
  const result = await writer.write({
    target: nodeTarget({
      node: name,
      // What a dry run would store is what was asked; a node that is read anew lacks the change still.
      decide: (shown) =>
        ++decided > 1 && (shown as unknown) !== node
          ? { outcome: 'done' }
          : { outcome: 'write', asked: withTaint(shown) },
      touches: ['taints'],
    }),
    beforeWrite: () => Promise.resolve(true),
    dryRun,
  });
  return wrongReaction(must, result, sent, exchange);
}

function withTaint(node: Node): Node {
  const spec = {
    ...node.spec,
    taints: [...(node.spec?.taints ?? []), { key: 'judge.example/x', effect: 'NoSchedule' as const }],
  };
  return { ...node, spec };
}

function wrongReaction(
  must: Must,
  result: WriteResult,
  sent: readonly string[],
  exchange: WriteExchange,
): readonly string[] {
  const reads = sent.filter((one) => one === 'read').length;
  const writes = sent.filter((one) => one === 'write').length;
  const did = `${result.outcome} after ${sent.join(', ')}`;
  const expected = (isRight: boolean, what: string): readonly string[] =>
    isRight ? [] : [`the writer must ${what}, but: ${did}`];
  const dryRun = isDryRun(exchange);
  switch (must) {
    case 'count':
      return expected(result.outcome === 'written' && writes === 1, 'count the write, once');
    case 'count nothing':
      return expected(
        result.outcome === (dryRun ? 'admitted' : 'unchanged') && writes === (dryRun ? 0 : 1),
        'count nothing',
      );
    case 'read again':
      return expected(reads === 2 && sent.at(-1) === (dryRun ? 'dry run' : 'write'), 'read and write again');
    case 'give up':
      return expected(
        result.outcome === 'refused' && reads === 1 && result.message !== null,
        'give up, with the words of the API server',
      );
    case 'wait':
    case 'wait for the budget':
      return expected(result.outcome === 'later' && reads === 1, 'wait, and ask nothing at once');
    case 'read and judge':
      return dryRun
        ? expected(result.outcome === 'later', 'wait')
        : expected(reads >= 2, 'read the node before anything else');
  }
}

/** The taints that the service believes nodes to have, after everything that it counts, against those that they had in the end. */
function judgeLedger({ exchanges, truth }: WriteTranscript): readonly string[] {
  const believed = new Map<string, JsonObject>();
  for (const exchange of exchanges) {
    const name = nodeOf(exchange);
    if (name === undefined || isDryRun(exchange)) continue;
    const object = objectOf(exchange);
    if (object?.['kind'] === 'Node') believed.set(name, object);
  }
  const nodes = (truth['nodes'] ?? []) as readonly {
    readonly name: string;
    readonly taints?: readonly JsonObject[];
  }[];
  return nodes.flatMap(({ name, taints = [] }) => {
    const node = believed.get(name);
    if (node === undefined) return [];
    const own = written((node['spec'] as { readonly taints?: readonly JsonObject[] } | undefined)?.taints ?? []);
    return sameValue(own, written(taints))
      ? []
      : [`${name} has ${JSON.stringify(taints)} in the end, but the client believes ${JSON.stringify(own)}`];
  });
}

/** Without the taints that controllers add and remove in between. */
const written = (taints: readonly JsonObject[]): readonly JsonObject[] =>
  taints.filter(({ key }) => typeof key !== 'string' || !key.startsWith('node.kubernetes.io/'));

/** What a write of taints by anybody sets, by its body alone, against what the API server stored. */
function judgeRequested({ exchanges }: WriteTranscript): readonly string[] {
  return exchanges.flatMap((exchange, index) => {
    const { method, body } = exchange.request;
    if (nodeOf(exchange) === undefined || (method !== 'PATCH' && method !== 'PUT') || body === undefined) return [];
    const object = objectOf(exchange);
    if (object?.['kind'] !== 'Node' || exchange.response.status !== 200) return [];
    let asked: JsonValue;
    try {
      asked = parseJson(body);
    } catch {
      return [];
    }
    const { taints } = requestedState(method === 'PATCH' ? 'patch' : 'update', asked);
    if (typeof taints === 'string') return [];
    const stored = ((object['spec'] as { readonly taints?: readonly JsonObject[] } | undefined)?.taints ?? []).map(
      plain,
    );
    const set = taints.value.map((taint) => plain(taint as unknown as JsonObject));
    return sameValue(set, stored)
      ? []
      : [
          `#${index} ${exchange.note ?? ''}: the request sets ${JSON.stringify(set)}, the API server stored ${JSON.stringify(stored)}`,
        ];
  });
}

const plain = ({ key, value, effect }: JsonObject): JsonObject => ({
  key: key!,
  ...(value !== undefined && value !== '' && { value }),
  effect: effect!,
});
