import { list, node, send } from './dumps.js';
import { GraphqlSocket, type SocketOptions, SseReader } from './event-reader.js';
import type { Answer, TestService } from './service.js';

const CLUSTERS = '/api/v1/clusters';

/** A node that carries one taint. */
export function tainted(name: string, value: string): object {
  return node(name, { spec: { taints: [{ key: 'dedicated', value, effect: 'NoSchedule' }] } });
}

/** Follows clusters of a service, and changes them. */
export class Followers {
  private readonly open: { cut(): void }[] = [];

  constructor(readonly service: TestService) {}

  /** Resolves once no event can be missed. */
  async sse(cluster: string, query = '', headers: Record<string, string> = {}): Promise<SseReader> {
    const reader = await SseReader.open(`${this.service.url}${CLUSTERS}/${cluster}/events${query}`, headers);
    this.open.push(reader);
    const { retry, id } = await reader.block();
    if (retry !== '2000' || id === undefined) throw new Error('the stream does not begin with where it is');
    return reader;
  }

  async socket(options: SocketOptions = {}): Promise<GraphqlSocket> {
    const socket = await GraphqlSocket.open(this.service.url, options);
    this.open.push(socket);
    return socket;
  }

  async subscription(variables: object, options: SocketOptions = {}): Promise<GraphqlSocket> {
    const socket = await this.socket(options);
    socket.subscribe(variables);
    return socket;
  }

  /** Closes every connection that was opened here. */
  cut(): void {
    for (const reader of this.open.splice(0)) reader.cut();
  }

  async take(cluster: string, objects: readonly object[], headers: Record<string, string> = {}): Promise<void> {
    const path = `${CLUSTERS}/${cluster}/snapshots?createCluster=true`;
    expectDone(await send(this.service, path, list(objects), headers));
  }

  /** @returns the id of the change */
  async change(cluster: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const path = `${CLUSTERS}/${cluster}/taint-changes`;
    const request = { reason: 'a test', ...body };
    return String(expectDone(await this.service.request('POST', path, request, headers)).at('change.id'));
  }
}

function expectDone(answer: Answer): Answer {
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it never came to hold');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How many streams of events the service has open. */
export async function openStreams(service: TestService, headers: Record<string, string> = {}): Promise<number> {
  const { text } = await service.request('GET', '/metrics', undefined, headers);
  return Number(/^kube_placement_live_streams (\d+)$/m.exec(text)?.[1]);
}
