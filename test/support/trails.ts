import { nodeWrite, type NodeWrite } from './audit-event.js';
import { list, send } from './dumps.js';
import { type Answer, type TestService } from './service.js';

/** Makes changes that the trail of one cluster records, and reads the trail. */
export class TestTrail {
  constructor(
    private readonly service: TestService,
    readonly cluster: string,
  ) {}

  get path(): string {
    return `/api/v1/clusters/${this.cluster}/taint-trail`;
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.service.request('GET', `${this.path}/${path}`, undefined, headers);
  }

  async snapshot(capturedAt: string, objects: readonly object[], query = ''): Promise<void> {
    const path = `/api/v1/clusters/${this.cluster}/snapshots?createCluster=true&capturedAt=${capturedAt}${query}`;
    expectDone(await send(this.service, path, list(objects)));
  }

  async events(...writes: readonly NodeWrite[]): Promise<void> {
    const path = `/api/v1/clusters/${this.cluster}/audit-events`;
    expectDone(await send(this.service, path, writes.map(nodeWrite).join('')));
  }

  async change(body: object): Promise<Answer> {
    const path = `/api/v1/clusters/${this.cluster}/taint-changes`;
    return expectDone(await this.service.request('POST', path, { reason: 'a test', ...body }));
  }

  /** The given members of a list's items. */
  async records(query = ''): Promise<readonly Record<string, unknown>[]> {
    return expectDone(await this.get(`records${query}`)).at('items') as Record<string, unknown>[];
  }
}

function expectDone(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}
